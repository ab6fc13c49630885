/**
 * Fetch v13 names topics by their ids, so that it never reads from a topic that was created anew under the same name. Brokers before 3.1
 * have no such ids and get Fetch v10, which uses names. Source: Kafka protocol guide, Messages; KIP-516.
 */
import type { WireRequest } from './kafkajs.js'
import { encoded, requestBuffer, type RequestFrame } from './request-frame.js'
import { FieldWriter, fieldReader, textBytes } from './wire-fields.js'
import { wireErrors } from './wire.js'

export interface FetchPart {
  readonly topic: string
  /** Null if the broker has no ids of topics. */
  readonly topicId: string | null
  readonly partition: number
  readonly offset: number
}

export interface FetchAnswer {
  readonly topic: string
  readonly partition: number
  readonly error: number
  readonly endOffset: number
  readonly startOffset: number
  readonly batches: Buffer
}

export interface FetchLimits {
  /** How long the broker waits for the first record. */
  readonly maxWaitMs: number
  readonly maxBytes: number
  /** A larger first batch is returned whole nevertheless. */
  readonly maxPartitionBytes: number
}

export const FETCH_KEY = 1
/** The first version that names topics by their ids. */
export const FETCH_BY_ID = 13
const FETCH_BY_NAME = 10
const FETCH_GRACE_MS = 5_000
const CONSUMER_REPLICA = -1
const NO_SESSION = 0
const NO_SESSION_EPOCH = -1
const READ_UNCOMMITTED = 0
const UNKNOWN_EPOCH = -1
const FIXED_BYTES = 64
const TOPIC_BYTES = 32
const PARTITION_BYTES = 40

/** `brokerMax`: the newest version of Fetch that the leader knows. */
export function fetchRequest(
  parts: readonly FetchPart[],
  limits: FetchLimits,
  brokerMax: number,
): WireRequest<readonly FetchAnswer[]> {
  const byId = brokerMax >= FETCH_BY_ID && parts.every(({ topicId }) => topicId !== null)
  return {
    request: {
      apiKey: FETCH_KEY,
      apiVersion: byId ? FETCH_BY_ID : FETCH_BY_NAME,
      apiName: 'Fetch',
      encode: async () => encoded(fetchBody(parts, limits, byId)),
    },
    response: {
      decode: async (payload) => readFetch(payload, byId ? namesOf(parts) : null),
      parse: async (decoded) => decoded.answer,
    },
    requestTimeout: limits.maxWaitMs + FETCH_GRACE_MS,
  }
}

const namesOf = (parts: readonly FetchPart[]): ReadonlyMap<string, string> =>
  new Map(parts.map(({ topic, topicId }) => [topicId!, topic]))

/**
 * Replica, wait, min and max bytes, isolation, session, topics: [name or id, partitions: [index, epoch, offset, (last epoch,) log start,
 * max bytes]], forgotten topics(, rack).
 */
function fetchBody(parts: readonly FetchPart[], limits: FetchLimits, byId: boolean): RequestFrame {
  const topics = grouped(parts)
  let bytes = FIXED_BYTES
  for (const [topic, own] of topics) bytes += TOPIC_BYTES + textBytes(topic) + own.length * PARTITION_BYTES
  const { buffer, start } = requestBuffer(bytes)
  const out = new FieldWriter(buffer, start, byId)
  // The header of a flexible request ends in tagged fields, and kafkajs writes none.
  out.tags()
  out.int32(CONSUMER_REPLICA)
  out.int32(limits.maxWaitMs)
  out.int32(1)
  out.int32(limits.maxBytes)
  out.int8(READ_UNCOMMITTED)
  out.int32(NO_SESSION)
  out.int32(NO_SESSION_EPOCH)
  out.count(topics.size)
  for (const [topic, own] of topics) {
    if (byId) out.uuid(own[0]!.topicId!)
    else out.text(topic)
    out.count(own.length)
    for (const part of own) {
      out.int32(part.partition)
      out.int32(UNKNOWN_EPOCH)
      out.int64(part.offset)
      if (byId) out.int32(UNKNOWN_EPOCH)
      out.int64(-1)
      out.int32(limits.maxPartitionBytes)
      out.tags()
    }
    out.tags()
  }
  out.count(0)
  if (byId) out.text('')
  out.tags()
  return { buffer, start, end: out.end() }
}

/**
 * Throttle time, error, session, topics: [name or id, partitions: [index, error, end, last stable, start, aborted transactions(, replica to
 * read from), records]].
 */
function readFetch(
  payload: Buffer,
  names: ReadonlyMap<string, string> | null,
): { answer: readonly FetchAnswer[]; clientSideThrottleTime: number } {
  const answers: FetchAnswer[] = []
  const byId = names !== null
  const read = fieldReader(payload, byId)
  read.tags()
  const clientSideThrottleTime = read.int32()
  const error = read.int16()
  read.int32()
  for (let topics = read.count(); topics > 0; topics -= 1) {
    const topic = byId ? (names.get(read.uuid()) ?? '') : read.text()
    for (let partitions = read.count(); partitions > 0; partitions -= 1) {
      const partition = read.int32()
      const own = read.int16()
      const endOffset = read.int64()
      read.int64()
      const startOffset = read.int64()
      for (let aborted = read.count(); aborted > 0; aborted -= 1) {
        read.int64()
        read.int64()
        read.tags()
      }
      if (byId) read.int32()
      const batches = read.bytes()
      read.tags()
      answers.push({
        ...{ topic, partition, endOffset, startOffset, batches },
        error: error === wireErrors.NONE ? own : error,
      })
    }
    read.tags()
  }
  return { answer: answers, clientSideThrottleTime }
}

function grouped(parts: readonly FetchPart[]): Map<string, FetchPart[]> {
  const topics = new Map<string, FetchPart[]>()
  for (const part of parts) {
    const own = topics.get(part.topic)
    if (own === undefined) topics.set(part.topic, [part])
    else own.push(part)
  }
  return topics
}
