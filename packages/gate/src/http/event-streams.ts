/**
 * Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): the open streams of this process, with
 * their limits. A stream ends with its subject, at its greatest age, with its key, when its reader is too slow, or when the process
 * stops. A reader that wants further events connects again and names the last event that it has.
 */
import type { ServerResponse } from 'node:http'
import type { Caller } from '../access/index.js'
import { startLoop } from '@cupel/kit/concurrency'
import type { Logger, Metrics } from '@cupel/contracts'
import type { Answer } from './answer.js'
import { refuse, type Refusal } from './problem.js'

export const EVENT_STREAM_TYPE = 'text/event-stream'

export interface StreamLimits {
  /** Streams that this process holds open at once. */
  readonly maxStreams: number
  /** Streams of one key at once, in this process. */
  readonly maxStreamsPerKey: number
  /** Streams of one account at once, in this process. */
  readonly maxStreamsPerAccount: number
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
  maxStreamsPerAccount: 64,
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

export type StreamReader = Pick<Caller, 'keyId' | 'accountId'>

export interface EventStreams {
  /** Why this key may open no further stream now; null where it may. */
  refusal(reader: StreamReader): Refusal | null
  /** A stream that `begin` feeds once it is open. `begin` returns a function that runs when the stream has ended, for any reason. */
  answer(reader: StreamReader, begin: (stream: EventStream) => () => void): Answer
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

interface OpenStream extends StreamReader {
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
  const refusal = (reader: StreamReader): Refusal | null => refusalOf(reader, open, limits)
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
    answer: (reader, begin) => ({
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
        const entry: OpenStream = { ...reader, end: stream.end }
        // Other streams may have been opened since this call was judged.
        if (refusal(reader) !== null) return stream.end('full')
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

function refusalOf(
  { keyId, accountId }: StreamReader,
  open: ReadonlySet<OpenStream>,
  { maxStreams, maxStreamsPerKey, maxStreamsPerAccount }: StreamLimits,
): Refusal | null {
  const rest = { retryAfterSeconds: RETRY_SECONDS }
  const tooMany = (holder: string, count: number): Refusal =>
    refuse('too_many_streams', `The ${holder} has ${count} event streams open; close one first.`, rest)
  const countOf = (isOf: (stream: OpenStream) => boolean): number => [...open].filter(isOf).length
  if (countOf((stream) => stream.keyId === keyId) >= maxStreamsPerKey)
    return tooMany('API key', maxStreamsPerKey)
  if (countOf((stream) => stream.accountId === accountId) >= maxStreamsPerAccount)
    return tooMany('account', maxStreamsPerAccount)
  return open.size < maxStreams
    ? null
    : refuse('unavailable', 'This instance has as many event streams open as it may have.', rest)
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
