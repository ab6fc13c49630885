/**
 * JSON-RPC to a node: several calls in one message, repeated while a failure may pass. What the node says in words is never shown, because some
 * repeat the URL with its key: it is put under one of a few causes.
 */
import { openConnections, ProviderError, readText } from '../index.js'
import { sleep } from '@cupel/kit/concurrency'
import { FollowError } from './follow-error.js'

export interface Call {
  readonly method: string
  readonly params: readonly unknown[]
}

export type Outcome =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: CallError }

export interface CallError {
  readonly code: number
  readonly cause: 'no such method' | 'pruned' | 'not found' | 'busy' | 'other'
}

export interface NodeClient {
  /** One outcome for each call, in their order. */
  ask(calls: readonly Call[]): Promise<readonly Outcome[]>
  /** The result of one call that must succeed. */
  one(method: string, params: readonly unknown[]): Promise<unknown>
  /** The answer to a POST below the URL, for nodes without JSON-RPC. */
  post(path: string, body: unknown): Promise<unknown>
  close(): Promise<void>
}

export interface NodeClientOptions {
  readonly url: URL
  /** Messages at once. */
  readonly inFlight: number
  /** Ends the calls. */
  readonly signal: AbortSignal
  /** Changes the text of an answer before it is parsed, for numbers that a float cannot hold. */
  readonly prepare?: (text: string) => string
  readonly timeoutMs?: number
  readonly maxBytes?: number
  /** Rest before the first repetition; each further one waits twice as long. */
  readonly retryMs?: number
}

const TIMEOUT_MS = 120_000
/** Blocks of the largest chains with their traces have some tens of megabytes. */
const MAX_BYTES = 128 * 1024 * 1024
const ATTEMPTS = 5
const RETRY_MS = 500

const PRUNED =
  /pruned|missing trie node|historical state|history has been|required historical|state (?:is )?not available|not available \(/i
const NO_METHOD =
  /method not found|does not exist|not supported|unsupported|unknown method|method .* not available/i
const NOT_FOUND = /not found|out of range|unknown block|no such/i
const NO_METHOD_CODE = -32_601
const BUSY_CODES: ReadonlySet<number> = new Set([-32_005, -32_016, -32_029, 429, -28])

export function openNodeClient(options: NodeClientOptions): NodeClient {
  const { signal, inFlight, prepare = (text: string) => text } = options
  const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, retryMs = RETRY_MS } = options
  const { url, headers } = credentialsApart(options.url)
  const connections = openConnections(inFlight)

  const exchange = async (path: string, body: unknown): Promise<unknown> => {
    const asked = new URL(url)
    if (path !== '') asked.pathname = url.pathname.replace(/\/$/, '') + path
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const call = { method: 'POST', url: asked, headers, body: JSON.stringify(body) } as const
    const text = await readText(connections, limit, maxBytes, call)
    try {
      return JSON.parse(prepare(text)) as unknown
    } catch {
      throw new ProviderError('malformed', 'the answer is not JSON or is cut')
    }
  }

  const repeated = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error
        const mayPass = error.isTransient || error.code === 'rate_limited' || error.code === 'malformed'
        if (signal.aborted || !mayPass || attempt === ATTEMPTS) throw named(error)
        await sleep(retryMs * 2 ** (attempt - 1), signal)
      }
    }
  }

  const client: NodeClient = {
    ask: (calls) =>
      repeated(async () => {
        const message = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))
        const outcomes = outcomesOf(await exchange('', message), calls.length)
        if (outcomes.some((one) => !one.ok && one.error.cause === 'busy'))
          throw new ProviderError('rate_limited', 'the node answers that it is busy')
        return outcomes
      }),
    async one(method, params) {
      const [outcome] = await client.ask([{ method, params }])
      return resultOf(outcome!, method)
    },
    post: (path, body) => repeated(() => exchange(path, body)),
    close: () => connections.destroy(),
  }
  return client
}

/** The result of a call that must succeed. */
export function resultOf(outcome: Outcome, what: string): unknown {
  if (outcome.ok) return outcome.result
  const { cause, code } = outcome.error
  if (cause === 'pruned')
    throw new FollowError('pruned', `the node has pruned what ${what} asks for (code ${code})`)
  throw new FollowError(
    'refused',
    `the node refuses ${what}: ${cause === 'other' ? '' : `${cause}, `}code ${code}`,
  )
}

function outcomesOf(answer: unknown, calls: number): readonly Outcome[] {
  if (!Array.isArray(answer)) {
    const error = errorOf((answer as { error?: unknown } | null)?.error)
    if (error?.cause === 'busy') throw new ProviderError('rate_limited', 'the node answers that it is busy')
    throw new FollowError(
      'refused',
      error === null
        ? 'the node does not answer with a list'
        : `the node refuses messages of several calls: code ${error.code}`,
    )
  }
  const byId = new Map<unknown, Readonly<Record<string, unknown>>>(
    answer.map((one: unknown) => {
      const reply = (typeof one === 'object' && one !== null ? one : {}) as Readonly<Record<string, unknown>>
      return [reply['id'], reply]
    }),
  )
  return Array.from({ length: calls }, (_, id) => {
    const reply = byId.get(id)
    if (reply === undefined) throw new ProviderError('malformed', 'an answer is missing')
    const error = errorOf(reply['error'])
    return error === null ? { ok: true, result: reply['result'] ?? null } : { ok: false, error }
  })
}

function errorOf(told: unknown): CallError | null {
  if (told === null || told === undefined) return null
  const { code, message } = told as { readonly code?: unknown; readonly message?: unknown }
  const number = Number.isSafeInteger(code) ? (code as number) : 0
  const words = typeof message === 'string' ? message : ''
  return { code: number, cause: causeOf(number, words) }
}

function causeOf(code: number, words: string): CallError['cause'] {
  if (BUSY_CODES.has(code)) return 'busy'
  if (PRUNED.test(words)) return 'pruned'
  if (code === NO_METHOD_CODE || NO_METHOD.test(words)) return 'no such method'
  return NOT_FOUND.test(words) ? 'not found' : 'other'
}

function named(error: ProviderError): FollowError {
  const mayPass = error.isTransient || error.code === 'rate_limited' || error.code === 'malformed'
  return new FollowError(
    mayPass ? 'node_unavailable' : 'refused',
    `the node gives no answer (${error.message})`,
  )
}

/** User and password of the URL become a header, because a request has no user in its address. */
function credentialsApart(told: URL): { readonly url: URL; readonly headers: Record<string, string> } {
  const url = new URL(told)
  if (url.username === '' && url.password === '') return { url, headers: {} }
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  url.username = ''
  url.password = ''
  return { url, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } }
}
