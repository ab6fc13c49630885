/** W3C Trace Context, version 00: reads and writes the header and its ids. */
import { randomFillSync } from 'node:crypto'

export interface SpanContext {
  /** 32 lowercase hexadecimal digits, not all 0. */
  readonly traceId: string
  /** 16 lowercase hexadecimal digits, not all 0. */
  readonly spanId: string
  readonly isSampled: boolean
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
const SAMPLED = 1

/** Null if the text is not a traceparent: such a header counts as absent. */
export function readTraceparent(text: string | undefined): SpanContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? '') ?? []
  if (flags === undefined) return null
  return { traceId: traceId!, spanId: spanId!, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 }
}

export function writeTraceparent({ traceId, spanId, isSampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The digits of a UUID; random ones if the id is not a UUID. */
export function traceIdOf(id: string | undefined): string {
  return id !== undefined && UUID.test(id) ? id.replaceAll('-', '') : randomId(TRACE_ID_BYTES)
}

/** The context that the record of the event names if no trace is made, so that a repeat has the same bytes. */
export function spanIdOf(eventId: string | undefined): string {
  return eventId !== undefined && UUID.test(eventId)
    ? eventId.replaceAll('-', '').slice(-2 * SPAN_ID_BYTES)
    : randomId(SPAN_ID_BYTES)
}

const TRACE_ID_BYTES = 16
const SPAN_ID_BYTES = 8
/** A call of the random generator costs more than the rest of an id, so random bytes are fetched in larger blocks. */
const pool = Buffer.alloc(4_096)
let used = pool.length

function randomId(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  const id = pool.toString('hex', used - bytes, used)
  return /^0+$/.test(id) ? randomId(bytes) : id
}
