/**
 * A log in the memory of one process. It keeps the contract of the log as far as one process can: packages/event-log/src/memory-log.contract.test.ts
 * runs the suite on it. Tests that need a log and no database open it in no time.
 */
import { randomUUID } from 'node:crypto'
import {
  GENESIS_TOPIC,
  keyPartition,
  LogUnavailableError,
  type EventLog,
  type LogRange,
  type LogRecord,
  type Position,
  type Tail,
  type TailOptions,
} from '@cupel/event-log'
import { subscribeInMemory } from './group.js'
import { memoryStore, refuseLarge, truncated, type MemoryStore, type StoredPartition } from './store.js'
import { topicsOf } from './topics.js'

export { memoryStore } from './store.js'

export interface MemoryLog extends EventLog {
  /** While set, appends write and then reject: the acknowledgement is lost. */
  failAfterAppend: Error | null
  /** What this log appended, in order. */
  readonly appended: readonly LogRecord[]
  /** How often its subscriptions were nudged. */
  nudges: number
  /** Deletes the records of a partition before an offset, as retention or an accident would. */
  deleteBefore(topic: string, partition: number, offset: number): void
}

interface MemoryLogOptions {
  /** Shared by the logs of one test, as processes share a log; by default one of its own. */
  readonly store?: MemoryStore
  readonly topicPrefix?: string | undefined
  /** Makes a topic with so many partitions when it is named first. By default an unknown topic is refused. */
  readonly partitions?: number
  /**
   * False: each subscription reads every partition, so that two readers of one group behave like a member that lost its partitions and
   * does not know it.
   */
  readonly hasGroups?: boolean
}

const PAGE_RECORDS = 1_000

export function memoryLog({
  store = memoryStore(),
  topicPrefix = '',
  partitions,
  hasGroups = true,
}: MemoryLogOptions = {}): MemoryLog {
  const topics = topicsOf(store, topicPrefix, partitions)
  const { topicOf, partitionOf } = topics
  const readers = new Set<{ stop(): Promise<void> }>()
  const appended: LogRecord[] = []
  let isClosed = false
  const refuseClosed = (): void => {
    if (isClosed) throw new LogUnavailableError('The log was closed')
  }
  const kept = <T extends { stop(): Promise<void> }>(reader: T): T => {
    readers.add(reader)
    return reader
  }
  const log: MemoryLog = {
    kind: 'embedded',
    failAfterAppend: null,
    nudges: 0,
    appended,
    ensureTopics: async (specs, accepts) => topics.ensure(specs, accepts),
    topicFaults: async (specs) => topics.faults(specs),
    identity: async () => `memory:${topicOf(GENESIS_TOPIC)[0]!.records[0]!.key}`,
    partitionCount: async (topic) => topicOf(topic).length,
    partitionFor: async (topic, key) => keyPartition(key, topicOf(topic).length),
    async append(_at, records): Promise<readonly Position[]> {
      refuseClosed()
      records.forEach(refuseLarge)
      const written = topics.write(records)
      appended.push(...written)
      for (const topic of new Set(records.map((record) => record.topic))) store.tell(topicPrefix + topic)
      if (log.failAfterAppend !== null) throw log.failAfterAppend
      return written.map(({ topic, partition, offset }) => ({ topic, partition, offset }))
    },
    endOffset: async (topic, partition) => partitionOf(topic, partition).records.length,
    startOffset: async (topic, partition) => partitionOf(topic, partition).start,
    deleteBefore: (topic, partition, offset) => void (partitionOf(topic, partition).start = offset),
    read: (range) => pagesOf(partitionOf(range.topic, range.partition), range),
    async tail(options) {
      refuseClosed()
      const listen = (listener: () => void) => store.listen(topicPrefix + options.topic, listener)
      return kept(tailOf(partitionOf(options.topic, options.partition), options, listen))
    },
    async subscribe(options) {
      refuseClosed()
      const group = hasGroups ? topicPrefix + options.group : randomUUID()
      const subscription = subscribeInMemory(options, { store, topicPrefix, group, log, topicOf })
      const nudge = (): void => {
        log.nudges += 1
        subscription.nudge()
      }
      return kept({ ...subscription, nudge })
    },
    async close() {
      await Promise.all([...readers].map((reader) => reader.stop()))
      isClosed = true
    },
  }
  return log
}

async function* pagesOf(
  { records, start }: StoredPartition,
  { topic, partition, from, to }: LogRange,
): AsyncGenerator<readonly LogRecord[]> {
  const end = Math.min(to, records.length)
  if (from < start && from < end) throw truncated({ topic, partition }, start)
  for (let at = from; at < end; at += PAGE_RECORDS) yield records.slice(at, Math.min(at + PAGE_RECORDS, end))
}

function tailOf(
  { records }: StoredPartition,
  { onRecords }: TailOptions,
  listen: (listener: () => void) => () => void,
): Tail {
  let next = records.length
  let isStopped = false
  const stopListening = listen(() => {
    const news = records.slice(next)
    next = records.length
    if (news.length > 0) onRecords(news)
  })
  return {
    isReady: () => !isStopped,
    async stop() {
      isStopped = true
      stopListening()
    },
  }
}
