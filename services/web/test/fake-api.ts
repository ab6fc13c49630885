/** An API that answers as a test says, and the console in front of it. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { noMetrics, silentLogger } from '@cupel/contracts'
import { renderSessionToken, SESSION_TOKEN_RANDOM_BYTES } from '@cupel/domain'
import { createTransport, listen, type ConnectionLimits } from '@cupel/kit/http-edge'
import {
  createApiConnection,
  type SignInService,
  buildWebApp,
  stylesInOrder,
  type Asset,
  sessionCookie,
  type Session,
} from '@cupel/console'
import { pagesOf } from '../src/pages/index.js'

export const SECRET = 'what only the console and the API know'

export interface SeenCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface FakeApi {
  /** Every call since the last look. */
  readonly calls: SeenCall[]
  /** Sessions that the console asked to confirm since the last look; they are not among the calls. */
  readonly confirmed: SeenCall[]
  /** Answers the next questions whether a session is known. */
  confirm: FakeApi['answer']
  /** Answers how much of the inbox is unread, which every page asks; these calls are not among the calls either. */
  unread: FakeApi['answer']
  /** Answers the next calls. */
  answer: (call: SeenCall, response: ServerResponse) => void
  readonly url: string
  close(): Promise<void>
}

export function json(status: number, document: unknown): FakeApi['answer'] {
  return (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document))
}

/** The account of every session here. */
export const KNOWN_SESSION = json(200, { account_id: 'acc_1' })

export async function startFakeApi(): Promise<FakeApi> {
  const calls: SeenCall[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const call = { method: request.method!, path: request.url!, headers: request.headers, body }
      const isQuestion = call.method === 'GET' && call.path === '/v1/sessions/current'
      const isCount = call.method === 'GET' && call.path === '/v1/inbox/unread'
      if (!isCount) (isQuestion ? api.confirmed : calls).push(call)
      if (isQuestion) api.confirm(call, response)
      else if (isCount) api.unread(call, response)
      else api.answer(call, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const api: FakeApi = {
    calls,
    confirmed: [],
    confirm: KNOWN_SESSION,
    unread: json(200, { unread: 0, is_lower_bound: false, list_reasons: [] }),
    answer: json(200, { items: [], next_page_token: null }),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return api
}

export interface FrontOptions {
  readonly trustedProxies?: readonly string[]
  readonly limits?: Partial<ConnectionLimits>
  readonly publicUrl?: string
  readonly service?: SignInService
  /** Serves the real style sheet too, followed by this one. */
  readonly extraStyle?: string
}

const asset = (name: string, contentType: string, body = `/* ${name} */`): Asset => ({
  path: `/assets/${name}`,
  contentType,
  body: Buffer.from(body),
})

const ICON = readFileSync(new URL('../../../packages/console/src/styles/icon.svg', import.meta.url), 'utf8')
const styleOf = (extra: string | undefined): string | undefined =>
  extra === undefined ? undefined : `${stylesInOrder().toString()}\n${extra}`

export interface Front {
  readonly url: string
  drain(durationMs: number): Promise<void>
  close(): Promise<void>
}

/** The console before the given API. */
export async function startFront(
  api: FakeApi,
  { trustedProxies = [], limits = {}, publicUrl, service, extraStyle }: FrontOptions = {},
): Promise<Front> {
  const connection = createApiConnection({ url: () => api.url, secret: SECRET, certificate: null })
  const app = buildWebApp({
    ...{
      pages: pagesOf(service ?? null),
      connection,
      limits,
      logger: silentLogger,
      metrics: noMetrics,
      tls: null,
    },
    assets: {
      style: asset('console.css', 'text/css', styleOf(extraStyle)),
      script: asset('console.js', 'text/javascript'),
      icon: asset('icon.svg', 'image/svg+xml', ICON),
    },
    transport: createTransport({ trustedProxies, isEncrypted: false }),
    publicUrl: publicUrl ?? null,
  })
  const url = await listen(app.fastify, { host: '127.0.0.1', port: 0, isEncrypted: false })
  return {
    url,
    drain: (durationMs) => app.drain(durationMs),
    async close() {
      await app.close()
      await connection.close()
    },
  }
}

/** A session as a browser holds it; the fake API accepts every session. */
export function aSession(shown: Partial<Session> = {}): Session {
  return {
    ...{ accountId: 'acc_1', livemode: true, scope: 'read-write', webhookAdmin: true, actor: null },
    ...{ keyId: '8f2k1m0a', expiresAt: '2026-11-21T17:00:00.000Z' },
    token: renderSessionToken(crypto.getRandomValues(new Uint8Array(SESSION_TOKEN_RANDOM_BYTES))).token,
    ...shown,
  }
}

/** Name and value of the cookie of a session. */
export const cookieOf = (session: Session, isSecure = false): string =>
  sessionCookie(session, isSecure).split(';', 1)[0]!
