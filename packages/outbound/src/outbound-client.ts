/**
 * POSTs to addresses that strangers name. Each call resolves and judges the name anew and connects to a checked address and
 * nothing else: no second look-up, no redirect, no proxy from the environment, a limit on time and on what is read.
 */
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectEncrypted } from 'node:tls'
import { Pool, type buildConnector } from 'undici'
import { createJudge, type Judge, type JudgeOptions, type Target } from './judge-url.js'

export interface OutboundAnswer {
  readonly kind: 'answered'
  readonly statusCode: number
  /** The Retry-After header as sent, or null. */
  readonly retryAfter: string | null
  /** The beginning of the body as text, without control characters. */
  readonly excerpt: string
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
  /** One sentence for whoever named the URL; nothing about the inside. */
  readonly detail: string
  readonly durationMs: number
}

export type OutboundResult = OutboundAnswer | OutboundFailure

export interface OutboundClient {
  readonly judge: Judge
  /** Sends the body once. Never rejects. */
  post(request: {
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string | Uint8Array
    /** Ends the call early, as `stopped`. */
    readonly signal?: AbortSignal
  }): Promise<OutboundResult>
  close(): Promise<void>
}

export interface OutboundClientOptions extends JudgeOptions {
  /** For the whole call, look-up and connection included. */
  readonly timeoutMs?: number
  /** Authorities in PEM; by default those Node knows. */
  readonly ca?: string
}

const TIMEOUT_MS = 15_000
/** One address of several may be dead: the next one needs its share of the time. */
const CONNECT_TIMEOUT_MS = 5_000
/** Addresses tried one after another. */
const MAX_TRIED_ADDRESSES = 3
const MAX_EXCERPT_BYTES = 4_096
const MAX_EXCERPT_CHARACTERS = 1_024
/** The status is what counts; a body that dribbles in is cut off. */
const BODY_TIMEOUT_MS = 1_000
const MAX_HEADER_BYTES = 16_384
const CONNECTIONS_PER_ADDRESS = 64
/** Shorter than what servers commonly keep: reusing a connection that is just being closed costs an attempt. */
const KEEP_ALIVE_MS = 3_000
const POOL_IDLE_MS = 30_000
const SWEEP_INTERVAL_MS = 10_000

/** The connection was not made, so that nothing was sent. */
class NotConnected extends Error {
  override readonly name = 'NotConnected'
  readonly error: 'connect_failed' | 'tls_failed'
  constructor(error: NotConnected['error'], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.error = error
  }
}

interface HeldPool {
  readonly pool: Pool
  calls: number
  idleSinceMs: number
}

export function createOutboundClient(options: OutboundClientOptions): OutboundClient {
  const judge = createJudge(options)
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS
  const pools = new Map<string, HeldPool>()
  const sweep = setInterval(dropIdle, SWEEP_INTERVAL_MS).unref()

  return {
    judge,
    async post({ url, headers, body, signal }) {
      const startedMs = performance.now()
      const limit = AbortSignal.timeout(timeoutMs)
      const ended = signal === undefined ? limit : AbortSignal.any([limit, signal])
      const outcome = await send({ url, headers, body, ended }).catch((error: unknown) =>
        failureOf(error, limit, signal),
      )
      return { ...outcome, durationMs: Math.round(performance.now() - startedMs) }
    },
    async close() {
      clearInterval(sweep)
      await Promise.all([...pools.values()].map(({ pool }) => pool.destroy()))
      pools.clear()
    },
  }

  async function send(call: {
    url: string
    headers: Readonly<Record<string, string>>
    body: string | Uint8Array
    ended: AbortSignal
  }): Promise<Untimed> {
    const judged = await orAborted(judge(call.url), call.ended)
    if (!judged.ok)
      return failed(judged.kind === 'refused' ? 'url_refused' : 'name_unresolved', judged.reason)
    const tried = judged.target.addresses.slice(0, MAX_TRIED_ADDRESSES)
    for (const [index, address] of tried.entries()) {
      try {
        return await sendTo(judged.target, address, call)
      } catch (error) {
        // Only where nothing can have been sent is the next address tried.
        if (!(error instanceof NotConnected) || index === tried.length - 1 || call.ended.aborted) throw error
      }
    }
    throw new Error('A judged target has no address')
  }

  async function sendTo(
    target: Target,
    address: string,
    {
      headers,
      body,
      ended,
    }: { headers: Readonly<Record<string, string>>; body: string | Uint8Array; ended: AbortSignal },
  ): Promise<Untimed> {
    const held = poolOf(target, address)
    held.calls += 1
    try {
      const response = await held.pool.request({
        method: 'POST',
        path: `${target.url.pathname}${target.url.search}`,
        headers,
        body,
        signal: ended,
      })
      const retryAfter = response.headers['retry-after']
      return {
        kind: 'answered',
        statusCode: response.statusCode,
        retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
        excerpt: await readExcerpt(response.body),
      }
    } finally {
      held.calls -= 1
      held.idleSinceMs = performance.now()
    }
  }

  /** Connections are shared by calls to one origin at one address: another answer of the name gets another pool. */
  function poolOf(target: Target, address: string): HeldPool {
    const key = `${target.url.origin} ${address}`
    const found = pools.get(key)
    if (found !== undefined) return found
    const pool = new Pool(target.url.origin, {
      connections: CONNECTIONS_PER_ADDRESS,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The call's own limit ends it.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: pinnedConnector(target, address, options.ca),
    })
    const held = { pool, calls: 0, idleSinceMs: performance.now() }
    pools.set(key, held)
    return held
  }

  function dropIdle(): void {
    for (const [key, held] of pools) {
      if (held.calls > 0 || performance.now() - held.idleSinceMs < POOL_IDLE_MS) continue
      pools.delete(key)
      void held.pool.close()
    }
  }
}

type Untimed = Omit<OutboundAnswer, 'durationMs'> | Omit<OutboundFailure, 'durationMs'>

/** Connects to the address it was made for, whatever the URL says; the certificate must be the name's. */
function pinnedConnector(
  { hostname, port, isEncrypted }: Target,
  address: string,
  ca: string | undefined,
): buildConnector.connector {
  return (_options, callback) => {
    let isConnected = false
    const place = { host: address, port, autoSelectFamily: false }
    const socket: Socket = isEncrypted
      ? connectEncrypted({
          ...place,
          // An address has no name to ask for (RFC 6066, section 3).
          ...(hostname === address ? {} : { servername: hostname }),
          ALPNProtocols: ['http/1.1'],
          minVersion: 'TLSv1.2',
          ...(ca === undefined ? {} : { ca }),
        })
      : connectPlain(place)
    const timer = setTimeout(() => socket.destroy(new Error('connecting took too long')), CONNECT_TIMEOUT_MS)
    let hasPeer = !isEncrypted
    if (isEncrypted) socket.once('connect', () => (hasPeer = true))
    socket.once(isEncrypted ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer)
      isConnected = true
      callback(null, socket)
    })
    socket.once('error', (error) => {
      clearTimeout(timer)
      if (isConnected) return
      isConnected = true
      callback(new NotConnected(isEncrypted && hasPeer ? 'tls_failed' : 'connect_failed', error), null)
    })
    socket.setNoDelay(true)
  }
}

async function readExcerpt(
  body: AsyncIterable<unknown> & { destroy(): unknown; on(event: 'error', listener: () => void): unknown },
): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Cut off on purpose below: what the stream says to that is no news.
  body.on('error', () => undefined)
  const timer = setTimeout(() => body.destroy(), BODY_TIMEOUT_MS)
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes >= MAX_EXCERPT_BYTES) break
    }
  } catch {
    // The status stands, whatever became of the rest of the answer.
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
