/**
 * Metadata: brokers, topics and leaders. kafkajs fails the whole answer with the first error of a topic or partition. One missing or denied
 * topic, or one partition without a leader, would then hide all others. Here an error is a property of its topic, and a partition without a
 * leader has leader -1. v12 returns the ids of topics; brokers before 3.1 get v7. Source: Kafka protocol guide, Messages.
 */
import type { ClusterMetadata, WireRequest } from './kafkajs.js'
import { encoded, requestBuffer } from './request-frame.js'
import { FieldWriter, fieldReader, textBytes, type FieldReader } from './wire-fields.js'

export const METADATA_KEY = 3
const WITH_IDS = 12
const WITHOUT_IDS = 7
/** Short: brokers answer from memory, and if one is silent, another names the leaders while an append still has time. */
const REQUEST_TIMEOUT_MS = 2_000
const FIXED_BYTES = 16
const TOPIC_BYTES = 24
const NO_ID = '0'.repeat(32)

/** Metadata of all topics if none is named. `brokerMax`: the newest version of Metadata that the broker knows. */
export function metadataRequest(topics: readonly string[], brokerMax: number): WireRequest<ClusterMetadata> {
  const withIds = brokerMax >= WITH_IDS
  return {
    request: {
      apiKey: METADATA_KEY,
      apiVersion: withIds ? WITH_IDS : WITHOUT_IDS,
      apiName: 'Metadata',
      encode: async () => encoded(metadataBody(topics, withIds)),
    },
    response: {
      decode: async (payload) => readMetadata(fieldReader(payload, withIds), withIds),
      parse: async (decoded) => decoded.answer,
    },
    requestTimeout: REQUEST_TIMEOUT_MS,
  }
}

/** Topics: [(no id,) name], no creation of topics(, no rights). */
function metadataBody(topics: readonly string[], withIds: boolean) {
  const bytes = topics.reduce((sum, topic) => sum + TOPIC_BYTES + textBytes(topic), FIXED_BYTES)
  const { buffer, start } = requestBuffer(bytes)
  const out = new FieldWriter(buffer, start, withIds)
  out.tags()
  out.count(topics.length === 0 ? null : topics.length)
  for (const topic of topics) {
    if (withIds) out.uuid(NO_ID)
    out.text(topic)
    out.tags()
  }
  out.int8(0)
  if (withIds) out.int8(0)
  out.tags()
  return { buffer, start, end: out.end() }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
type Topic = Mutable<ClusterMetadata['topicMetadata'][number]>

/** Throttle time, brokers, cluster id, controller, topics. */
function readMetadata(
  read: FieldReader,
  withIds: boolean,
): { answer: ClusterMetadata; clientSideThrottleTime: number } {
  read.tags()
  const clientSideThrottleTime = read.int32()
  const brokers = list(read, () => {
    const broker = { nodeId: read.int32(), host: read.text(), port: read.int32(), rack: read.nullableText() }
    read.tags()
    return broker
  })
  const clusterId = read.nullableText() ?? ''
  const controllerId = read.int32()
  const topicMetadata = list(read, () => readTopic(read, withIds))
  return { answer: { brokers, clusterId, controllerId, topicMetadata }, clientSideThrottleTime }
}

/** Error, name, (id,) internal, partitions: [error, index, leader, epoch, replicas, in sync, offline](, rights). */
function readTopic(read: FieldReader, withIds: boolean): Topic {
  const error = read.int16()
  const topic = read.nullableText() ?? ''
  const id = withIds ? read.uuid() : NO_ID
  read.int8()
  const partitionMetadata = list(read, () => {
    read.int16()
    const partitionId = read.int32()
    const leader = read.int32()
    read.int32()
    const replicas = list(read, () => read.int32())
    const isr = list(read, () => read.int32())
    list(read, () => read.int32())
    read.tags()
    return { partitionId, leader, replicas, isr }
  })
  if (withIds) read.int32()
  read.tags()
  return { topic, error, topicId: id === NO_ID ? null : id, partitionMetadata }
}

function list<T>(read: FieldReader, element: () => T): T[] {
  const elements: T[] = []
  for (let left = read.count(); left > 0; left -= 1) elements.push(element())
  return elements
}
