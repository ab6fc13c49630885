/**
 * Produce v7 (brokers from 2.1 on), written and read here so that an error of one partition affects only that partition: kafkajs fails the
 * whole request with the first error it finds. Source: Kafka protocol guide, Messages.
 */
import type { WireRequest } from './kafkajs.js'
import { encoded, requestBuffer, type RequestFrame } from './request-frame.js'

/** Error codes that are handled here; the names are the protocol's. */
export const wireErrors = {
  NONE: 0,
  OFFSET_OUT_OF_RANGE: 1,
  UNKNOWN_TOPIC_OR_PARTITION: 3,
  LEADER_NOT_AVAILABLE: 5,
  REQUEST_TIMED_OUT: 7,
  MESSAGE_TOO_LARGE: 10,
  RECORD_LIST_TOO_LARGE: 18,
  NOT_ENOUGH_REPLICAS: 19,
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: 20,
  OUT_OF_ORDER_SEQUENCE_NUMBER: 45,
  INVALID_PRODUCER_EPOCH: 47,
  UNKNOWN_PRODUCER_ID: 59,
} as const

/** Errors worth a retry: a leader moves, replicas are behind, or a broker is loading or overloaded. */
const PASSING_ERRORS = new Set([2, 3, 5, 6, 7, 8, 9, 13, 19, 20, 56, 72, 74, 75, 76, 78, 100, 103, 106])

export const isPassing = (code: number): boolean => PASSING_ERRORS.has(code)

/** The broker no longer knows the producer, or the sequence of its records. */
export const isUnknownSequence = (code: number): boolean =>
  code === wireErrors.OUT_OF_ORDER_SEQUENCE_NUMBER ||
  code === wireErrors.UNKNOWN_PRODUCER_ID ||
  code === wireErrors.INVALID_PRODUCER_EPOCH

/** The replicas of the partition are behind, or too few: its leader may delay a request for three seconds. */
export const isBehind = (code: number): boolean =>
  code === wireErrors.REQUEST_TIMED_OUT ||
  code === wireErrors.NOT_ENOUGH_REPLICAS ||
  code === wireErrors.NOT_ENOUGH_REPLICAS_AFTER_APPEND

const NO_TRANSACTION = -1
const ALL_REPLICAS = -1
/** How long the leader waits for the other replicas. */
const ACK_TIMEOUT_MS = 3_000
/** The request counts as lost after this; above the leader's own limit. */
const PRODUCE_TIMEOUT_MS = 5_000

export interface ProducePart {
  readonly topic: string
  readonly partition: number
  /** Most bytes that the batch takes. */
  readonly largestBytes: number
  /** Writes the batch and returns its end. */
  readonly writeBatch: (into: Buffer, at: number) => number
}

export interface ProduceAnswer {
  readonly topic: string
  readonly partition: number
  readonly error: number
  readonly baseOffset: number
}

export interface ProduceAnswers {
  readonly parts: readonly ProduceAnswer[]
  /** The broker reads nothing from this connection for this long. */
  readonly throttleMs: number
}

/** The batches are written at once. */
export function produceRequest(parts: readonly ProducePart[]): WireRequest<ProduceAnswers> {
  const body = produceBody(parts)
  return {
    request: {
      apiKey: 0,
      apiVersion: 7,
      apiName: 'Produce',
      encode: async () => encoded(body),
    },
    response: {
      decode: async (payload) => {
        const answer = readProduce(payload)
        return { answer, clientSideThrottleTime: answer.throttleMs }
      },
      parse: async (decoded) => decoded.answer,
    },
    requestTimeout: PRODUCE_TIMEOUT_MS,
  }
}

/** Transactional id, acks, timeout, topics: [name, partitions: [index, records]]. One topic entry per part is allowed. */
function produceBody(parts: readonly ProducePart[]): RequestFrame {
  const topics = byTopic(parts)
  let bytes = 2 + 2 + 4 + 4
  for (const [topic, own] of topics) {
    bytes += 2 + Buffer.byteLength(topic) + 4
    for (const part of own) bytes += 4 + 4 + part.largestBytes
  }
  const { buffer: body, start } = requestBuffer(bytes)
  let at = body.writeInt16BE(NO_TRANSACTION, start)
  at = body.writeInt16BE(ALL_REPLICAS, at)
  at = body.writeInt32BE(ACK_TIMEOUT_MS, at)
  at = body.writeInt32BE(topics.size, at)
  for (const [topic, own] of topics) {
    at = writeString(body, at, topic)
    at = body.writeInt32BE(own.length, at)
    for (const part of own) {
      at = body.writeInt32BE(part.partition, at)
      const end = part.writeBatch(body, at + 4)
      body.writeInt32BE(end - at - 4, at)
      at = end
    }
  }
  return { buffer: body, start, end: at }
}

/** Topics: [name, partitions: [index, error, base offset, append time, log start]], throttle time. */
function readProduce(payload: Buffer): ProduceAnswers {
  const answers: ProduceAnswer[] = []
  const topics = payload.readInt32BE(0)
  let at = 4
  for (let index = 0; index < topics; index += 1) {
    const length = payload.readInt16BE(at)
    const topic = payload.toString('utf8', at + 2, at + 2 + length)
    at += 2 + length
    const partitions = payload.readInt32BE(at)
    at += 4
    for (let each = 0; each < partitions; each += 1) {
      const partition = payload.readInt32BE(at)
      const error = payload.readInt16BE(at + 4)
      const baseOffset = Number(payload.readBigInt64BE(at + 6))
      answers.push({ topic, partition, error, baseOffset })
      at += 4 + 2 + 8 + 8 + 8
    }
  }
  return { parts: answers, throttleMs: payload.readInt32BE(at) }
}

function byTopic<P extends { readonly topic: string }>(parts: readonly P[]): Map<string, P[]> {
  const topics = new Map<string, P[]>()
  for (const part of parts) {
    const own = topics.get(part.topic)
    if (own === undefined) topics.set(part.topic, [part])
    else own.push(part)
  }
  return topics
}

function writeString(body: Buffer, at: number, text: string): number {
  const length = Buffer.byteLength(text)
  const next = body.writeInt16BE(length, at)
  return next + body.write(text, next)
}
