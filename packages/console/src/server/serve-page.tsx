/**
 * A call of a page, from its request to its answer: transport, headers, session, form, handler, layout. Nothing of a form is read before its
 * headers are judged and the API knows the session.
 */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Logger, Metrics } from '@cupel/contracts'
import { pump, STRICT_TRANSPORT_SECURITY, type Answers, type Transport } from '@cupel/kit/http-edge'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { render } from 'preact-render-to-string'
import { createApiClient, type ApiClient } from '../api/api-client.js'
import type { ApiConnection } from '../api/api-connection.js'
import { ApiDown, ApiProblem } from '../api/api-problem.js'
import { Layout } from '../layout/layout.js'
import { navigation, type NavigationEntry } from '../layout/navigation.js'
import { createConfirmSession, type ConfirmSession } from '../session/confirmed-sessions.js'
import { createUnreadCounts, type UnreadCounts } from '../session/unread-counts.js'
import { isSameOrigin, ownOriginsOf } from '../session/same-origin.js'
import { signInPath } from '../session/return-path.js'
import {
  csrfToken,
  endedSessionCookie,
  isCsrfToken,
  readSession,
  readVisit,
  sessionCookie,
  visitCookie,
  type Session,
} from '../session/session-cookie.js'
import type { Assets } from './assets.js'
import {
  apiDownPage,
  failedPage,
  httpsPage,
  methodPage,
  missingPage,
  problemPage,
  refusedFormPage,
} from './fault-pages.js'
import {
  createFormBudgets,
  dropForm,
  EMPTY_FORM,
  formFaultOf,
  readForm,
  type FormBudgets,
  type FormFault,
} from './form.js'
import {
  fieldOf,
  redirect,
  type Departure,
  type Page,
  type PageAnswer,
  type PageCall,
  type Redirect,
} from './page.js'
import { webHeaders } from './web-headers.js'

export interface ServePage {
  page(page: Page, request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** A path that no page has, or a method that it does not take. */
  unrouted(request: FastifyRequest, reply: FastifyReply): void
  failed(error: unknown, request: FastifyRequest, reply: FastifyReply): void
}

export interface ServePageParts {
  readonly pages: readonly Page[]
  readonly assets: Assets
  readonly connection: ApiConnection
  readonly transport: Transport
  readonly logger: Logger
  readonly metrics: Metrics
  readonly answers: Pick<Answers, 'hold'>
  /** The address as people see it, where a proxy changes it. */
  readonly publicUrl: string | null
  /** While it is true, connections end with their next answer. */
  readonly isClosing: () => boolean
}

/** Name of the hidden field of every form. */
const CSRF_FIELD = 'csrf'
const VISIT_BYTES = 32
const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The known facts about a request before its page is known. */
interface Visitor {
  readonly isSecure: boolean
  readonly session: Session | null
  /** Secret of the browser that forms are tied to; made when a form is shown. */
  visit: string | null
  isVisitNew: boolean
  /** Unread entries of the inbox, for the navigation; null if there are none, or if it is not known. */
  unread: string | null
}

export function createServePage(parts: ServePageParts): ServePage {
  const { transport, logger, metrics, assets } = parts
  const seconds = metrics.histogram(
    'web_request_seconds',
    'Time from the head of a request to its page.',
    LATENCY_BUCKETS,
    ['method', 'route', 'status'],
  )
  const paths = new Set(parts.pages.map(({ path }) => path))
  const shown = { assets, entries: navigation.filter(({ path }) => paths.has(path)) }
  const judging = {
    ...parts,
    hasPage: (path: Page['path']): boolean => paths.has(path),
    forms: createFormBudgets(metrics),
    confirm: createConfirmSession(parts.connection),
    counts: createUnreadCounts(parts.connection),
  }
  const visitorOf = (request: FastifyRequest): Visitor => {
    const isSecure = transport.isSecure(request.raw)
    const { cookie } = request.headers
    const visit = readVisit(cookie, isSecure)
    return { isSecure, session: readSession(cookie, isSecure), visit, isVisitNew: false, unread: null }
  }
  const send = async (request: FastifyRequest, reply: FastifyReply, sent: Sent): Promise<void> => {
    const { visitor, answer, route, startedMs } = sent
    reply.hijack()
    // Before the headers: a form that is rendered may need the cookie that it is tied to.
    const { status, body } = bodyOf(answer, visitor, request, shown)
    const headers = { ...headersOf(answer, visitor, request), ...(parts.isClosing() ? CLOSE : {}) }
    seconds.observe((performance.now() - startedMs) / 1000, {
      ...{ method: request.method, route, status: String(status) },
    })
    await write(request, reply, { status, headers, body })
    if (typeof body === 'string' || Buffer.isBuffer(body))
      parts.answers.hold(request.raw, reply.raw, Buffer.byteLength(body))
  }

  return {
    async page(page, request, reply) {
      const startedMs = performance.now()
      const visitor = visitorOf(request)
      const answer = await answerOf(judging, { page, request, reply, visitor }).catch((error: unknown) => {
        logger.error({ err: error, requestId: request.id }, 'A page failed unexpectedly')
        return failedPage(request.id)
      })
      await send(request, reply, { visitor, answer, route: page.path, startedMs }).catch((error: unknown) => {
        // The browser went away, or a stream that was passed on broke off.
        logger.debug({ err: error, requestId: request.id }, 'A page was not sent whole')
        reply.raw.destroy()
      })
    },
    unrouted(request, reply) {
      const answer = unroutedAnswer(parts.pages, request)
      void send(request, reply, {
        ...{ visitor: visitorOf(request), answer, route: 'unknown', startedMs: performance.now() },
      })
    },
    failed(error, request, reply) {
      logger.error({ err: error, requestId: request.id }, 'A request failed unexpectedly')
      void send(request, reply, {
        ...{ visitor: visitorOf(request), answer: failedPage(request.id), route: 'unknown' },
        startedMs: performance.now(),
      })
    },
  }
}

const CLOSE = { connection: 'close' }

interface Sent {
  readonly visitor: Visitor
  readonly answer: PageAnswer
  readonly route: string
  readonly startedMs: number
}

interface Asked {
  readonly page: Page
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly visitor: Visitor
}

interface JudgingParts extends ServePageParts {
  readonly forms: FormBudgets
  readonly confirm: ConfirmSession
  readonly hasPage: PageCall['hasPage']
  readonly counts: UnreadCounts
}

async function answerOf(parts: JudgingParts, { page, request, reply, visitor }: Asked): Promise<PageAnswer> {
  const origin = parts.transport.judge(request.raw)
  if (!origin.ok) return httpsPage()
  const { session } = visitor
  const target = request.raw.url ?? '/'
  if (page.access === 'session' && session === null) return redirect(signInPath(targetOf(page, target)))
  const { clientAddress } = origin
  const read = await formOf(parts, { page, request, visitor, clientAddress }).catch((error: unknown) =>
    faultAnswer(error, page, target),
  )
  if (!(read instanceof FormData)) {
    dropForm(request.raw)
    return typeof read === 'number' ? refusedFormPage(read) : read
  }
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const apiAs = (credentials: string | null): ApiClient =>
    createApiClient(parts.connection, { credentials, clientAddress, accountId: session?.accountId ?? '' })
  const call: PageCall = {
    path: request.params as Record<string, string>,
    query: new URL(target, 'http://console.invalid').searchParams,
    form: read,
    headers: request.headers,
    ...{ target, session, apiAs },
    api: apiAs(session?.token ?? null),
    csrf: () => csrfToken(secretOf(visitor)),
    ...{ signal: gone.signal, isSecure: visitor.isSecure, hasPage: parts.hasPage },
  }
  try {
    if (session !== null && page.path === '/inbox') parts.counts.forget(session)
    const answer = await page.handle(call)
    if (session !== null && answer.kind === 'page')
      visitor.unread = await parts.counts.of(session, clientAddress)
    return answer
  } catch (error) {
    return faultAnswer(error, page, target)
  }
}

/** After a sign-in only a GET is repeated. */
const targetOf = (page: Page, target: string): string => (page.method === 'GET' ? target : '/')

function faultAnswer(error: unknown, page: Page, target: string): PageAnswer {
  if (error instanceof ApiDown) return apiDownPage()
  if (!(error instanceof ApiProblem)) throw error
  // The session is over, or its key was revoked.
  if (error.status === 401 && page.access === 'session')
    return redirect(`${signInPath(targetOf(page, target))}`, null)
  return problemPage(error)
}

/** The secret that forms are tied to: from the session, or from the browser's visit where the person is not signed in. */
function secretOf(visitor: Visitor): string {
  if (visitor.session !== null) return visitor.session.token
  if (visitor.visit === null) {
    visitor.visit = randomBytes(VISIT_BYTES).toString('base64url')
    visitor.isVisitNew = true
  }
  return visitor.visit
}

interface FormCall {
  readonly page: Page
  readonly request: FastifyRequest
  readonly visitor: Visitor
  readonly clientAddress: string
}

/** The form of the call, empty for a GET, or the status of its refusal. Rejects where the API does not confirm the session. */
async function formOf(
  parts: JudgingParts,
  { page, request, visitor, clientAddress }: FormCall,
): Promise<FormData | FormFault | 403> {
  const secret = visitor.session?.token ?? visitor.visit
  if (page.method === 'POST') {
    const fault = formFaultOf(request.raw, page)
    if (fault !== null) return fault
    const { isSecure } = visitor
    const origins = ownOriginsOf(request.headers, { isSecure, publicUrl: parts.publicUrl })
    if (secret === null || !isSameOrigin(request.headers, origins)) return 403
  }
  if (page.access === 'session') await parts.confirm(visitor.session!, clientAddress)
  if (page.method === 'GET') return EMPTY_FORM
  const budget = page.access === 'session' ? parts.forms.people : parts.forms.strangers
  const read = await readForm(request.raw, page, budget.open(clientAddress))
  if (!read.ok) return read.status
  return isCsrfToken(fieldOf(read.form, CSRF_FIELD), secret!) ? read.form : 403
}

function headersOf(
  answer: PageAnswer,
  visitor: Visitor,
  request: FastifyRequest,
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { ...webHeaders, 'request-id': request.id }
  const { isSecure } = visitor
  if (isSecure) headers['strict-transport-security'] = STRICT_TRANSPORT_SECURITY
  const cookies: string[] = []
  if (answer.kind === 'redirect' && answer.session !== undefined)
    cookies.push(
      answer.session === null ? endedSessionCookie(isSecure) : sessionCookie(answer.session, isSecure),
    )
  if ('cookies' in answer) cookies.push(...(answer.cookies ?? []))
  if (visitor.isVisitNew) cookies.push(visitCookie(visitor.visit!, isSecure))
  if (cookies.length > 0) headers['set-cookie'] = cookies
  if (isOnward(answer)) return { ...headers, location: answer.to }
  return { ...headers, ...answer.headers }
}

const isOnward = (answer: PageAnswer): answer is Redirect | Departure =>
  answer.kind === 'redirect' || answer.kind === 'departure'

interface Written {
  readonly status: number
  readonly headers: Record<string, string | string[]>
  readonly body: string | Buffer | Readable | null
}

const SEE_OTHER = 303

function bodyOf(
  answer: PageAnswer,
  { session, unread }: Visitor,
  request: FastifyRequest,
  shown: { readonly assets: Assets; readonly entries: readonly NavigationEntry[] },
): Omit<Written, 'headers'> {
  if (isOnward(answer)) return { status: SEE_OTHER, body: null }
  if (answer.kind === 'raw') return answer
  const csrf = session === null ? null : csrfToken(session.token)
  const html = render(
    <Layout
      {...{ session, csrf, unread, ...shown }}
      title={answer.title}
      section={answer.section ?? request.raw.url ?? '/'}
    >
      {answer.body}
    </Layout>,
  )
  return { status: answer.status, body: `<!doctype html>${html}` }
}

const HTML = 'text/html; charset=utf-8'

async function write(request: FastifyRequest, { raw }: FastifyReply, written: Written): Promise<void> {
  const { status, headers, body } = written
  if (raw.destroyed || raw.headersSent) {
    // What nobody reads would keep its connection to the API.
    if (body instanceof Readable) body.destroy()
    return
  }
  if (body instanceof Readable) {
    raw.writeHead(status, headers)
    if (request.method === 'HEAD') {
      body.destroy()
      raw.end()
      return
    }
    await pump(raw, body)
    return
  }
  const kind =
    typeof body === 'string' && headers['content-type'] === undefined ? { 'content-type': HTML } : {}
  const length = { 'content-length': body === null ? 0 : Buffer.byteLength(body) }
  raw.writeHead(status, { ...kind, ...length, ...headers }).end(request.method === 'HEAD' ? null : body)
}

function unroutedAnswer(pages: readonly Page[], request: FastifyRequest): PageAnswer {
  const [path = ''] = (request.raw.url ?? '').split('?', 1)
  const methods = pages
    .filter((page) => new RegExp(`^${page.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  if (methods.length === 0 || methods.includes(request.method)) return missingPage()
  return methodPage(methods.join(', '))
}
