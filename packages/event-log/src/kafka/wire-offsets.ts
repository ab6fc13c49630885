/**
 * ListOffsets v3: where partitions begin and end. kafkajs fails all partitions of a request with the first error among them.
 * Source: Kafka protocol guide, Messages.
 */
import type { WireRequest } from './kafkajs.js'
import { encoded, requestBuffer } from './request-frame.js'
import { FieldWriter, fieldReader, textBytes } from './wire-fields.js'

export interface OffsetAnswer {
  readonly partition: number
  readonly error: number
  readonly offset: number
}

const LIST_OFFSETS_KEY = 2
const VERSION = 3
const REQUEST_TIMEOUT_MS = 5_000
const CONSUMER_REPLICA = -1
const READ_UNCOMMITTED = 0
/** Timestamps that stand for places. */
const PLACES = { end: -1, start: -2 } as const
const FIXED_BYTES = 24
const PARTITION_BYTES = 12

export function offsetsRequest(
  topic: string,
  partitions: readonly number[],
  which: 'start' | 'end',
): WireRequest<readonly OffsetAnswer[]> {
  return {
    request: {
      apiKey: LIST_OFFSETS_KEY,
      apiVersion: VERSION,
      apiName: 'ListOffsets',
      encode: async () => encoded(offsetsBody(topic, partitions, which)),
    },
    response: {
      decode: async (payload) => readOffsets(payload),
      parse: async (decoded) => decoded.answer,
    },
    requestTimeout: REQUEST_TIMEOUT_MS,
  }
}

/** Replica, isolation, topics: [name, partitions: [index, timestamp]]. */
function offsetsBody(topic: string, partitions: readonly number[], which: 'start' | 'end') {
  const { buffer, start } = requestBuffer(
    FIXED_BYTES + textBytes(topic) + partitions.length * PARTITION_BYTES,
  )
  const out = new FieldWriter(buffer, start, false)
  out.int32(CONSUMER_REPLICA)
  out.int8(READ_UNCOMMITTED)
  out.count(1)
  out.text(topic)
  out.count(partitions.length)
  for (const partition of partitions) {
    out.int32(partition)
    out.int64(PLACES[which])
  }
  return { buffer, start, end: out.end() }
}

/** Throttle time, topics: [name, partitions: [index, error, timestamp, offset]]. */
function readOffsets(payload: Buffer): {
  answer: readonly OffsetAnswer[]
  clientSideThrottleTime: number
} {
  const read = fieldReader(payload, false)
  const clientSideThrottleTime = read.int32()
  const answer: OffsetAnswer[] = []
  for (let topics = read.count(); topics > 0; topics -= 1) {
    read.text()
    for (let partitions = read.count(); partitions > 0; partitions -= 1) {
      const partition = read.int32()
      const error = read.int16()
      read.int64()
      answer.push({ partition, error, offset: read.int64() })
    }
  }
  return { answer, clientSideThrottleTime }
}
