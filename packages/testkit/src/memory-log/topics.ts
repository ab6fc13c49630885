/** The topics of one installation: those with its prefix. */
import { randomUUID } from 'node:crypto'
import type { TopicSpec } from '@cupel/contracts'
import {
  GENESIS_TOPIC,
  keyPartition,
  type LogRecord,
  type NewRecord,
  type TopicFault,
} from '@cupel/event-log'
import type { MemoryStore, StoredPartition } from './store.js'

type Spec = Pick<TopicSpec, 'name' | 'partitions' | 'mayGrow'>

const GENESIS_SPEC: Spec = { name: GENESIS_TOPIC, partitions: 1 }

/** `partitions`: makes a topic with so many when it is named first. */
export function topicsOf(store: MemoryStore, prefix: string, partitions: number | undefined) {
  const topicOf = (name: string): readonly StoredPartition[] => store.topic(prefix + name, partitions)
  const partitionOf = (name: string, partition: number): StoredPartition => {
    const found = topicOf(name)[partition]
    if (found === undefined) throw new RangeError(`Topic ${prefix}${name} has no partition ${partition}`)
    return found
  }
  const faults = (specs: readonly Spec[]): TopicFault[] =>
    [GENESIS_SPEC, ...specs].flatMap((spec) => faultOf(store, prefix, spec))

  function ensure(specs: readonly Spec[], accepts?: (fault: TopicFault) => boolean): string[] {
    const found = faults(specs)
    const broken = found.find((fault) => !fault.isMended && accepts?.(fault) !== true)
    if (broken !== undefined) throw new Error(broken.sentence)
    for (const spec of [GENESIS_SPEC, ...specs]) store.create(prefix + spec.name, spec.partitions)
    const genesis = topicOf(GENESIS_TOPIC)[0]!
    if (genesis.records.length === 0) genesis.records.push({ ...GENESIS, key: randomUUID() })
    return found.filter(({ isMended }) => isMended).map(({ topic }) => `Created the topic ${topic}.`)
  }

  /** Writes all of them, or none if the place of one does not exist. */
  function write(records: readonly NewRecord[]): LogRecord[] {
    const places = records.map(({ topic, partition, key }) => {
      const chosen = partition ?? keyPartition(key, topicOf(topic).length)
      return { partition: chosen, stored: partitionOf(topic, chosen) }
    })
    return records.map(({ topic, key, value, headers }, index) => {
      const { partition, stored } = places[index]!
      const offset = stored.records.length
      const record = { topic, partition, offset, key, value, headers, timestampMs: Date.now() }
      stored.records.push(record)
      return record
    })
  }

  if (partitions !== undefined) ensure([])
  return { topicOf, partitionOf, faults, ensure, write }
}

const GENESIS: Omit<LogRecord, 'key'> = {
  ...{ topic: GENESIS_TOPIC, partition: 0, offset: 0 },
  ...{ value: Buffer.from('The first record of this log.'), headers: {} },
}

function faultOf(
  store: MemoryStore,
  prefix: string,
  { name, partitions, mayGrow = false }: Spec,
): TopicFault[] {
  const topic = prefix + name
  const found = store.find(topic)?.length
  if (found === partitions || (mayGrow && found !== undefined && found > partitions)) return []
  const common = {
    topic,
    wanted: `partitions=${partitions}`,
    found: found === undefined ? null : String(found),
  }
  return found === undefined
    ? [{ ...common, setting: 'topic', isMended: true, sentence: `The topic ${topic} does not exist.` }]
    : [
        {
          ...{ ...common, setting: 'partitions', isMended: false },
          sentence: `Topic ${topic} has ${found} partitions, ${partitions} are configured.`,
        },
      ]
}
