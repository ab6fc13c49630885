/**
 * ListOffsets v3: the bounds of partitions. kafkajs fails all partitions of a request with the first error among them. Source: Kafka
 * protocol guide, Messages.
 */
import type { WireRequest } from './kafkajs.js'
import { encoded, requestBuffer } from './request-frame.js'
import { FieldWriter, fieldReader, textBytes } from './wire-fields.js'

export interface OffsetPlace {
  readonly topic: string
  readonly partition: number
}

export interface OffsetAnswer extends OffsetPlace {
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
const FIXED_BYTES = 16
const TOPIC_BYTES = 8
const PARTITION_BYTES = 12

export function offsetsRequest(
  places: readonly OffsetPlace[],
  which: 'start' | 'end',
): WireRequest<readonly OffsetAnswer[]> {
  return {
    request: {
      apiKey: LIST_OFFSETS_KEY,
      apiVersion: VERSION,
      apiName: 'ListOffsets',
      encode: async () => encoded(offsetsBody(places, which)),
    },
    response: {
      decode: async (payload) => readOffsets(payload),
      parse: async (decoded) => decoded.answer,
    },
    requestTimeout: REQUEST_TIMEOUT_MS,
  }
}

/** Replica, isolation, topics: [name, partitions: [index, timestamp]]. */
function offsetsBody(places: readonly OffsetPlace[], which: 'start' | 'end') {
  const topics = new Map<string, number[]>()
  for (const { topic, partition } of places) {
    const own = topics.get(topic)
    if (own === undefined) topics.set(topic, [partition])
    else own.push(partition)
  }
  let bytes = FIXED_BYTES + places.length * PARTITION_BYTES
  for (const topic of topics.keys()) bytes += TOPIC_BYTES + textBytes(topic)
  const { buffer, start } = requestBuffer(bytes)
  const out = new FieldWriter(buffer, start, false)
  out.int32(CONSUMER_REPLICA)
  out.int8(READ_UNCOMMITTED)
  out.count(topics.size)
  for (const [topic, partitions] of topics) {
    out.text(topic)
    out.count(partitions.length)
    for (const partition of partitions) {
      out.int32(partition)
      out.int64(PLACES[which])
    }
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
    const topic = read.text()
    for (let partitions = read.count(); partitions > 0; partitions -= 1) {
      const partition = read.int32()
      const error = read.int16()
      read.int64()
      answer.push({ topic, partition, error, offset: read.int64() })
    }
  }
  return { answer, clientSideThrottleTime }
}
