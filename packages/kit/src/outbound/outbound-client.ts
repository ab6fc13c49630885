/**
 * POSTs to URLs that customers or operators name. Each call resolves and judges the host name again and connects only to a checked
 * address: no second look-up, no redirect, no proxy from the environment, limits on time and on the bytes read.
 */
import { createPools, NotConnected } from './connection-pools.js'
import { createJudge, type Judge, type JudgeOptions, type Target } from './judge-url.js'

export interface OutboundAnswer {
  readonly kind: 'answered'
  readonly statusCode: number
  /** The Retry-After header as sent, or null. */
  readonly retryAfter: string | null
  /** The beginning of the body as text, without control characters; empty if the target's answer may not be shown. */
  readonly excerpt: string
  /** The whole body if the caller asked for it. Null if the caller did not, or if the body is larger than the requested limit. */
  readonly body: Buffer | null
  readonly durationMs: number
}

export interface OutboundFailure {
  readonly kind: 'failed'
  readonly error:
    | 'url_refused'
    | 'name_unresolved'
    | 'connect_failed'
    | 'tls_failed'
    | 'timeout'
    | 'connection_lost'
    | 'bad_answer'
    | 'stopped'
  /** One sentence for the customer; it says nothing about the operator's network. */
  readonly detail: string
  readonly durationMs: number
}

/** Nothing was sent, because the place may not be called now. */
export interface OutboundPostponement {
  readonly kind: 'postponed'
  /** When to try again, in milliseconds. */
  readonly waitMs: number
  readonly durationMs: number
}

export type OutboundResult = OutboundAnswer | OutboundFailure | OutboundPostponement

/** The place a connection goes to. */
export interface Place {
  /** Host name, as in the certificate, or address. */
  readonly hostname: string
  readonly port: number
  /** The checked address to connect to. */
  readonly address: string
}

export type PlaceVerdict =
  | { readonly ok: true; /** The call has ended. */ release(): void }
  | { readonly ok: false; readonly waitMs: number }

/** Called before each connection attempt. Never rejects. */
export type AdmitPlace = (place: Place) => Promise<PlaceVerdict>

export interface OutboundClient {
  readonly judge: Judge
  /** Sends the body once. Never rejects. */
  post(request: {
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string | Uint8Array
    /** Reads the whole body up to this size. For places that the operator names: it is returned even if it may not be shown. */
    readonly keepBytes?: number
    /** Ends the call early, as `stopped`. */
    readonly signal?: AbortSignal
    /** By default every place may be called. */
    readonly admit?: AdmitPlace
  }): Promise<OutboundResult>
  close(): Promise<void>
}

export interface OutboundClientOptions extends JudgeOptions {
  /** Limit for the whole call, look-up and connection included. */
  readonly timeoutMs?: number
  /** Certificate authorities in PEM; by default those of Node. */
  readonly ca?: string
}

const TIMEOUT_MS = 15_000
/** Maximum number of addresses tried, one after another. */
const MAX_TRIED_ADDRESSES = 3
const MAX_EXCERPT_BYTES = 4_096
const MAX_EXCERPT_CHARACTERS = 1_024
/** Only the status counts; a slow body is cut off. */
const BODY_TIMEOUT_MS = 1_000

export function createOutboundClient(options: OutboundClientOptions): OutboundClient {
  const judge = createJudge(options)
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS
  const pools = createPools(options.ca)

  return {
    judge,
    async post({ url, headers, body, keepBytes, signal, admit = admitEvery }) {
      const startedMs = performance.now()
      const limit = AbortSignal.timeout(timeoutMs)
      const ended = signal === undefined ? limit : AbortSignal.any([limit, signal])
      const call = { url, headers, body, keepBytes: keepBytes ?? null, ended, admit }
      const outcome = await send(call).catch((error: unknown) => failureOf(error, limit, signal))
      return { ...outcome, durationMs: Math.round(performance.now() - startedMs) }
    },
    close: () => pools.close(),
  }

  async function send(call: Call): Promise<Untimed> {
    const judged = await orAborted(judge(call.url), call.ended)
    if (!judged.ok)
      return failed(judged.kind === 'refused' ? 'url_refused' : 'name_unresolved', judged.reason)
    const tried = judged.target.addresses.slice(0, MAX_TRIED_ADDRESSES)
    const { hostname, port } = judged.target
    for (const [index, address] of tried.entries()) {
      const verdict = await call.admit({ hostname, port, address })
      if (!verdict.ok) return { kind: 'postponed', waitMs: verdict.waitMs }
      try {
        call.ended.throwIfAborted()
        return await sendTo(judged.target, address, call)
      } catch (error) {
        // The next address is tried only if nothing can have been sent.
        if (!(error instanceof NotConnected) || index === tried.length - 1 || call.ended.aborted) throw error
      } finally {
        verdict.release()
      }
    }
    throw new Error('A judged target has no address')
  }

  async function sendTo(target: Target, address: string, call: Call): Promise<Untimed> {
    return await pools.use(target, address, async (pool) => {
      const response = await pool.request({
        method: 'POST',
        path: `${target.url.pathname}${target.url.search}`,
        headers: call.headers,
        body: call.body,
        signal: call.ended,
      })
      const retryAfter = response.headers['retry-after']
      const answered = {
        kind: 'answered' as const,
        statusCode: response.statusCode,
        retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
      }
      if (call.keepBytes !== null)
        return { ...answered, excerpt: '', body: await readWhole(response.body, call.keepBytes) }
      // Always read, so that the connection can be reused.
      const excerpt = await readExcerpt(response.body)
      return { ...answered, excerpt: target.isShown ? excerpt : '', body: null }
    })
  }
}

interface Call {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Null if an excerpt is enough. */
  readonly keepBytes: number | null
  /** Aborted at the time limit, or by the caller. */
  readonly ended: AbortSignal
  readonly admit: AdmitPlace
}

const admitEvery: AdmitPlace = () => Promise.resolve({ ok: true, release: () => undefined })

type Untimed =
  | Omit<OutboundAnswer, 'durationMs'>
  | Omit<OutboundFailure, 'durationMs'>
  | Omit<OutboundPostponement, 'durationMs'>

type Body = AsyncIterable<unknown> & { destroy(): unknown; on(event: 'error', listener: () => void): unknown }

/** Null if the body is larger. Rejects if the rest does not arrive. */
async function readWhole(body: Body, maxBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  // A body that is cut off below is reported as an error.
  body.on('error', () => undefined)
  for await (const chunk of body) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes > maxBytes) {
      body.destroy()
      return null
    }
  }
  return Buffer.concat(chunks)
}

async function readExcerpt(body: Body): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  // The body is cut off on purpose below; the stream reports that as an error.
  body.on('error', () => undefined)
  const timer = setTimeout(() => body.destroy(), BODY_TIMEOUT_MS)
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes >= MAX_EXCERPT_BYTES) break
    }
  } catch {
    // The status counts, even if the rest of the answer is lost.
  } finally {
    clearTimeout(timer)
    if (bytes >= MAX_EXCERPT_BYTES) body.destroy()
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MAX_EXCERPT_BYTES))
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, '').slice(0, MAX_EXCERPT_CHARACTERS)
}

function failed(error: OutboundFailure['error'], detail: string): Untimed {
  return { kind: 'failed', error, detail }
}

function failureOf(error: unknown, limit: AbortSignal, signal: AbortSignal | undefined): Untimed {
  if (signal?.aborted === true) return failed('stopped', 'The sender was stopping.')
  if (limit.aborted) return failed('timeout', 'No answer came in time.')
  if (error instanceof NotConnected)
    return error.error === 'tls_failed'
      ? failed('tls_failed', 'The TLS handshake failed, or the certificate is not valid for this host.')
      : failed('connect_failed', 'The connection could not be made.')
  const name = error instanceof Error ? error.name : ''
  if (name === 'HTTPParserError' || name === 'HeadersOverflowError')
    return failed('bad_answer', 'The answer was not valid HTTP.')
  return failed('connection_lost', 'The connection was lost before the answer.')
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  let stop: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
