/** Hostile requests drawn from a seed, and the checks of the answer to each. */
import { seededRandom, type Random } from '../random.js'
import type { Abuse, AbuseContext, Operation, OwnThings } from './abuse.js'
import { abuseKinds } from './abuse-kinds.js'
import { sendRaw, type RawAnswer } from './raw-http.js'
import { createClient } from '../client.js'
import { LABELLED } from './forged-report.js'
import { createTenant, issueKey, type Target } from './target.js'

/** Draws and sends abuses, and reports faults of the answers. */
export interface Abuser {
  /** Null if the answer was right, otherwise its fault. The same index gives the same abuse. */
  abuse(index: number): Promise<string | null>
}

const kinds = Object.entries(abuseKinds)

export async function createAbuser(target: Target, seed: number): Promise<Abuser> {
  const operations = await operationsOf(target.installation.ready.base_urls[0]!)
  const own = await ownThings(target)
  const { host } = new URL(target.baseUrl)
  return {
    async abuse(index) {
      const random: Random = seededRandom(seed + index)
      const [kind, draw] = kinds[index % kinds.length]!
      const context: AbuseContext = { random, host, target, operations, own }
      const abuse = draw(context)
      const answer = await sendRaw(target.baseUrl, abuse)
      const fault = faultOf(abuse, answer, target)
      return fault === null ? null : `${kind}, ${abuse.name}: ${fault}`
    },
  }
}

async function operationsOf(baseUrl: string): Promise<readonly Operation[]> {
  const response = await fetch(`${baseUrl}/openapi.json`)
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, Described>> }
  const methods = ['get', 'post', 'put', 'patch', 'delete']
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method]
      if (operation === undefined) return []
      const { example } = operation.requestBody?.content['application/json'] ?? {}
      return [{ method: method.toUpperCase(), path, example }]
    }),
  )
}

interface Described {
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: Operation['example'] } | undefined>>
  }
}

/** Of an account of its own, which may get full. */
async function ownThings({ baseUrl, installation: { home } }: Target): Promise<OwnThings> {
  const { accountId, key } = await createTenant(home, 'Abuser')
  const client = createClient([baseUrl], key)
  try {
    const { report_id: reportId } = JSON.parse((await client.screen(LABELLED)).text) as { report_id: string }
    const adminKey = await issueKey(home, accountId, ['--scope', 'admin'])
    return { adminKey, reportId }
  } finally {
    await client.close()
  }
}

const PROBLEM = /^application\/problem\+json/
/** Places in the code, which an answer must not reveal. */
const TRACE = /\.(?:js|ts):\d+:\d+|node_modules|node:internal/

function faultOf(abuse: Abuse, answer: RawAnswer, target: Target): string | null {
  const { status, body } = answer
  const told = target.victim.canaries.find((canary) => body.includes(canary))
  if (told !== undefined) return `the answer ${status} holds what belongs to another tenant`
  if (TRACE.test(body)) return `the answer ${status} holds a place in the code`
  if (answer.isSilent) return 'nothing was answered'
  if (status === null) return abuse.mayBeDropped === true ? null : 'the connection ended without an answer'
  if (status === 500) return `500: ${body.slice(0, 300)}`
  // An answer without a request id comes from a proxy; those of the API carry one.
  if (answer.headers['request-id'] === undefined) return proxyFault(abuse, { status, body }, target)
  if (status >= 400) return problemFault(answer, abuse.isHead === true)
  if (abuse.expected === 'refused') return `${status}: ${body.slice(0, 300)}`
  return successFault(answer)
}

function proxyFault(
  abuse: Abuse,
  { status, body }: { readonly status: number; readonly body: string },
  { proxy }: Target,
): string | null {
  if (proxy === null) return `the answer ${status} has no request id`
  // Caddy itself answers 200 without a body to a caller that has closed its side.
  if (proxy === 'caddy' && abuse.isEnded === true && status === 200 && body === '') return null
  if (status < 400) return `the proxy answers ${status}`
  return status === 502 && abuse.mayBeDropped !== true ? 'the proxy had no answer from the API' : null
}

function problemFault({ status, headers, body }: RawAnswer, isHead: boolean): string | null {
  if (!PROBLEM.test(headers['content-type'] ?? '')) return `${status} is not a problem document`
  if (isHead) return null
  try {
    const problem = JSON.parse(body) as { status?: unknown; code?: unknown; request_id?: unknown }
    const isRight =
      problem.status === status &&
      typeof problem.code === 'string' &&
      problem.request_id === headers['request-id']
    return isRight ? null : `the problem document does not fit its answer ${status}: ${body.slice(0, 300)}`
  } catch {
    return `the problem document of ${status} is not JSON: ${body.slice(0, 100)}`
  }
}

function successFault({ status, headers, body }: RawAnswer): string | null {
  if (body === '' || !(headers['content-type'] ?? '').startsWith('application/json')) return null
  try {
    JSON.parse(body)
    return null
  } catch {
    return `the answer ${status} is not JSON`
  }
}
