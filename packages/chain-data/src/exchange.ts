/**
 * One conversation with a provider over HTTP. Nothing is taken on trust: no redirect is followed, no proxy of the
 * environment is used, a body beyond the limit is cut off, and whatever was read is hashed for the record.
 */
import { createHash } from 'node:crypto'
import { parse } from 'lossless-json'
import { Agent, errors, request, type Dispatcher } from 'undici'
import { ProviderError } from './provider-error.js'

/** Bytes of one answer. The largest honest one, a page of transactions, stays well below. */
export const MAX_RESPONSE_BYTES = 2 * 1024 * 1024
/** Time to connect to a provider, TLS included. */
const CONNECT_TIMEOUT_MS = 3_000
/** Idle connections are kept so long for the next question. */
const KEEP_ALIVE_MS = 30_000

export interface Exchange {
  /** Path below the endpoint, with its leading slash or empty. */
  getJson(path: string, query?: Readonly<Record<string, string>>): Promise<unknown>
  getText(path: string): Promise<string>
  postJson(path: string, body: unknown): Promise<unknown>
  /** SHA-256, lowercase hex, of everything that was answered, in the order of the questions. Empty before any answer. */
  responseSha256(): string
}

export interface Endpoint {
  /** May hold a path and a query that are sent with every question. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

/** Connections to one provider. Not the process's own dispatcher, which the environment may have pointed elsewhere. */
export function openConnections(maxConnections: number): Agent {
  return new Agent({
    connections: maxConnections,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    keepAliveTimeout: KEEP_ALIVE_MS,
    pipelining: 1,
  })
}

/** Begins a conversation that ends when the signal aborts. */
export function openExchange(endpoint: Endpoint, dispatcher: Dispatcher, signal: AbortSignal): Exchange {
  const hashes: string[] = []
  let asked = 0

  const ask = async (method: 'GET' | 'POST', url: URL, body: string | null): Promise<string> => {
    const place = asked++
    const text = await readText(dispatcher, signal, { method, url, headers: endpoint.headers, body })
    hashes[place] = createHash('sha256').update(text).digest('hex')
    return text
  }
  return {
    getJson: async (path, query = {}) => parseJson(await ask('GET', urlOf(endpoint, path, query), null)),
    getText: (path) => ask('GET', urlOf(endpoint, path, {}), null),
    postJson: async (path, body) =>
      parseJson(await ask('POST', urlOf(endpoint, path, {}), JSON.stringify(body))),
    responseSha256() {
      const known = hashes.filter((hash) => hash !== undefined)
      if (known.length <= 1) return known[0] ?? ''
      return createHash('sha256').update(known.join('\n')).digest('hex')
    },
  }
}

function urlOf({ url }: Endpoint, path: string, query: Readonly<Record<string, string>>): URL {
  const asked = new URL(url)
  asked.pathname = url.pathname.replace(/\/$/, '') + path
  for (const [name, value] of Object.entries(query)) asked.searchParams.set(name, value)
  return asked
}

interface Question {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

async function readText(
  dispatcher: Dispatcher,
  signal: AbortSignal,
  { method, url, headers, body }: Question,
): Promise<string> {
  try {
    const response = await request(url, {
      dispatcher,
      signal,
      method,
      body,
      // Compressed answers could be small on the wire and huge in memory.
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'cupel',
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    })
    try {
      refuseStatus(response.statusCode)
      refuseLength(Number(response.headers['content-length'] ?? 0))
      return await readBody(response.body)
    } finally {
      // What is not wanted is not read: without this the connection would wait for it.
      response.body.on('error', () => undefined).destroy()
    }
  } catch (error) {
    throw asProviderError(error, signal)
  }
}

function refuseStatus(status: number): void {
  if (status === 200) return
  if (status === 429) throw new ProviderError('rate_limited', 'the provider answers 429')
  if (status >= 300 && status < 400)
    throw new ProviderError('redirected', `status ${status}; redirects are not followed`)
  // A refusal will be repeated; a fault of the server may pass.
  if (status >= 400 && status < 500) throw new ProviderError('refused', `status ${status}`)
  throw new ProviderError('http_status', `status ${status}`)
}

function refuseLength(bytes: number): void {
  if (bytes > MAX_RESPONSE_BYTES)
    throw new ProviderError('too_large', `${bytes} bytes, at most ${MAX_RESPONSE_BYTES} are read`)
}

async function readBody(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    // Throwing ends the iteration, which closes the connection.
    refuseLength(bytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function asProviderError(error: unknown, signal: AbortSignal): ProviderError {
  if (error instanceof ProviderError) return error
  const isTimeout =
    signal.aborted ||
    error instanceof errors.ConnectTimeoutError ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError
  if (isTimeout) return new ProviderError('timeout', 'no whole answer in time')
  const cause = error instanceof Error && 'code' in error ? String(error.code) : 'no connection'
  return new ProviderError('unreachable', cause)
}

/** Whole numbers keep every digit: beyond what a double holds they become bigint. */
function parseJson(text: string): unknown {
  try {
    return parse(text, undefined, { parseNumber: exactNumber })
  } catch {
    throw new ProviderError('malformed', 'the answer is not JSON')
  }
}

function exactNumber(digits: string): number | bigint {
  const value = Number(digits)
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(digits) ? value : BigInt(digits)
}
