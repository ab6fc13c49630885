/**
 * Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): the open streams of this process, with
 * their limits. A stream ends with its subject, at its greatest age, with its key, when its reader is too slow, or when the process
 * stops. A reader that wants further events connects again and names the last event that it has.
 */
import type { ServerResponse } from 'node:http'
import { startLoop } from '@cupel/concurrency'
import type { Logger, Metrics } from '@cupel/contracts'
import type { Answer } from './answer.js'
import { refuse, type Refusal } from './problem.js'

export const EVENT_STREAM_TYPE = 'text/event-stream'

export interface StreamLimits {
  /** Streams that this process holds open at once. */
  readonly maxStreams: number
  /** Streams of one key at once, in this process. */
  readonly maxStreamsPerKey: number
  /** Bytes that wait for a slow reader; beyond them its connection is closed. */
  readonly maxWaitingBytes: number
  /** Time between two comments: proxies, and this server, close silent connections. */
  readonly heartbeatMs: number
  /** Greatest age of a stream. */
  readonly maxAgeMs: number
  /** How often the keys of the open streams are checked: a revoked key gets no further events. */
  readonly keyCheckMs: number
}

export const streamLimits: StreamLimits = {
  maxStreams: 512,
  maxStreamsPerKey: 16,
  maxWaitingBytes: 65_536,
  heartbeatMs: 15_000,
  maxAgeMs: 600_000,
  keyCheckMs: 1_000,
}

export interface StreamedEvent {
  readonly type: string
  /** The reader sends it back as Last-Event-ID. Visible ASCII. */
  readonly id: string
  /** One line: JSON. */
  readonly data: string
}

export interface EventStream {
  send(event: StreamedEvent): void
  end(): void
}

export interface EventStreams {
  /** Why this key may open no further stream now; null where it may. */
  refusal(keyId: string): Refusal | null
  /** A stream that `begin` feeds once it is open. `begin` returns a function that runs when the stream has ended, for any reason. */
  answer(keyId: string, begin: (stream: EventStream) => () => void): Answer
  /** Ends every stream. */
  stop(): Promise<void>
}

export interface EventStreamsOptions {
  readonly logger: Logger
  readonly metrics: Metrics
  /** Returns the keys that may still receive events. */
  readonly validKeys: (keyIds: readonly string[]) => Promise<ReadonlySet<string>>
  readonly limits?: Partial<StreamLimits>
}

/** How long a reader waits before it connects again. */
const RECONNECT_MS = 2_000
const RETRY_SECONDS = 5

interface OpenStream {
  readonly keyId: string
  readonly end: (reason: EndReason) => void
}
type EndReason = 'ended' | 'left' | 'age' | 'key' | 'slow' | 'full' | 'stopping'

export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const limits = { ...streamLimits, ...options.limits }
  const open = new Set<OpenStream>()
  const gauge = options.metrics.gauge('http_event_streams', 'Event streams that are open.')
  const ends = options.metrics.counter(
    'http_event_streams_ended_total',
    'Event streams that ended, by reason.',
    ['reason'],
  )
  const countOf = (keyId: string): number => [...open].filter((stream) => stream.keyId === keyId).length
  const refusal = (keyId: string): Refusal | null => {
    const rest = { retryAfterSeconds: RETRY_SECONDS }
    if (countOf(keyId) >= limits.maxStreamsPerKey) {
      const detail = `The API key has ${limits.maxStreamsPerKey} event streams open; close one first.`
      return refuse('too_many_streams', detail, rest)
    }
    return open.size < limits.maxStreams
      ? null
      : refuse('unavailable', 'This instance has as many event streams open as it may have.', rest)
  }
  const keyCheck = startLoop({
    restMs: limits.keyCheckMs,
    firstAfterMs: limits.keyCheckMs,
    async step() {
      if (open.size === 0) return
      const valid = await options.validKeys([...new Set([...open].map(({ keyId }) => keyId))])
      for (const stream of open) if (!valid.has(stream.keyId)) stream.end('key')
    },
    // While the store is down, jobs are not read either.
    onError: (error) =>
      options.logger.debug({ err: error }, 'The keys of event streams could not be checked'),
  })

  return {
    refusal,
    answer: (keyId, begin) => ({
      status: 200,
      contentType: EVENT_STREAM_TYPE,
      headers: {
        // A buffering proxy would hold the events back.
        'x-accel-buffering': 'no',
        // A connection that outlives its stream would hold up the stop of the process until it counts as idle.
        connection: 'close',
      },
      body: null,
      stream(response) {
        let afterwards: (() => void) | null = null
        const stream = openStream(response, limits, (reason) => {
          open.delete(entry)
          gauge.set(open.size)
          ends.inc({ reason })
          afterwards?.()
        })
        const entry: OpenStream = { keyId, end: stream.end }
        // Other streams may have been opened since this call was judged.
        if (refusal(keyId) !== null) return stream.end('full')
        open.add(entry)
        gauge.set(open.size)
        const done = begin({ send: stream.send, end: () => stream.end('ended') })
        if (open.has(entry)) afterwards = done
        else done()
      },
    }),
    async stop() {
      for (const stream of open) stream.end('stopping')
      await keyCheck.stop()
    },
  }
}

/** `onEnd` is called once. */
function openStream(
  response: ServerResponse,
  limits: StreamLimits,
  onEnd: (reason: EndReason) => void,
): { send(event: StreamedEvent): void; end(reason: EndReason): void } {
  let isOpen = true
  const write = (text: string): void => {
    if (!isOpen) return
    response.write(text)
    if (response.writableLength > limits.maxWaitingBytes) end('slow')
  }
  const end = (reason: EndReason): void => {
    if (!isOpen) return
    isOpen = false
    clearInterval(heartbeat)
    clearTimeout(age)
    // Data for a slow reader would be kept for as long as it does not read.
    if (reason === 'slow') response.destroy()
    else response.end()
    onEnd(reason)
  }
  const heartbeat = setInterval(() => write(': still here\n\n'), limits.heartbeatMs)
  const age = setTimeout(() => end('age'), limits.maxAgeMs)
  response.on('close', () => end('left'))
  response.on('error', () => end('left'))
  write(`retry: ${RECONNECT_MS}\n\n`)
  return {
    send: ({ type, id, data }) => write(`event: ${type}\nid: ${id}\ndata: ${data}\n\n`),
    end,
  }
}
