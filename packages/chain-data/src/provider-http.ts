/**
 * HTTP calls to one provider. Providers are not trusted: the client follows no redirects, uses no proxy of the environment, cuts off a body
 * beyond the limit and hashes every answer for the record.
 */
import { createHash } from 'node:crypto'
import { parse } from 'lossless-json'
import { Agent, errors, request, type Dispatcher } from 'undici'
import { boundJson } from './bound-json.js'
import { ProviderError } from './provider-error.js'

/** Bytes of one answer. The largest regular one, a page of transactions, is far smaller. */
export const MAX_RESPONSE_BYTES = 2 * 1024 * 1024
/** Time to connect to a provider, TLS included. */
const CONNECT_TIMEOUT_MS = 3_000
/** An idle connection is closed after this. */
const KEEP_ALIVE_MS = 30_000

export interface ProviderHttp {
  /** Path below the endpoint, with its leading slash or empty. */
  getJson(path: string, query?: Readonly<Record<string, string>>): Promise<unknown>
  getText(path: string): Promise<string>
  postJson(path: string, body: unknown): Promise<unknown>
  /** SHA-256, lowercase hex, of all answers in the order of the calls; empty before the first answer. */
  responseSha256(): string
}

export interface Endpoint {
  /** Its path and query are part of every call. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

/** Connections to one provider. Not the dispatcher of the process, which the environment may redirect to a proxy. */
export function openConnections(maxConnections: number): Agent {
  return new Agent({
    connections: maxConnections,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    keepAliveTimeout: KEEP_ALIVE_MS,
    pipelining: 1,
  })
}

/** The calls that answer one question; all of them end when the signal aborts. An answer has at most `maxBytes`. */
export function openProviderHttp(
  endpoint: Endpoint,
  dispatcher: Dispatcher,
  signal: AbortSignal,
  maxBytes = MAX_RESPONSE_BYTES,
): ProviderHttp {
  const hashes: string[] = []
  let calls = 0

  const ask = async (method: 'GET' | 'POST', url: URL, body: string | null): Promise<string> => {
    const place = calls++
    const text = await readText(dispatcher, signal, maxBytes, {
      method,
      url,
      headers: endpoint.headers,
      body,
    })
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

export interface HttpCall {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** The text of an answer of at most `maxBytes`. Rejects with a ProviderError. */
export async function readText(
  dispatcher: Dispatcher,
  signal: AbortSignal,
  maxBytes: number,
  { method, url, headers, body }: HttpCall,
): Promise<string> {
  try {
    const response = await request(url, {
      dispatcher,
      signal,
      method,
      body,
      // A compressed answer could be small on the wire and huge in memory.
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
      refuseLength(Number(response.headers['content-length'] ?? 0), maxBytes)
      return await readBody(response.body, maxBytes)
    } finally {
      // Otherwise the connection would wait until the rest of the body is read.
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
  // A retry does not change a 4xx; a 5xx may pass.
  if (status >= 400 && status < 500) throw new ProviderError('refused', `status ${status}`)
  throw new ProviderError('http_status', `status ${status}`)
}

function refuseLength(bytes: number, maxBytes: number): void {
  if (bytes > maxBytes) throw new ProviderError('too_large', `${bytes} bytes, at most ${maxBytes} are read`)
}

async function readBody(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  const bound = boundJson()
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    // Throwing ends the iteration, which closes the connection.
    refuseLength(bytes, maxBytes)
    bound(chunk)
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

/** Whole numbers keep every digit: those that a double cannot hold become bigint. */
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
