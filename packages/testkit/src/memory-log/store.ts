/** What the logs of one test share: topics with their prefixes, and who listens to them. */
import {
  LogStoppedError,
  MAX_RECORD_BYTES,
  RecordTooLargeError,
  type LogRecord,
  type NewRecord,
  type Place,
} from '@cupel/event-log'

export interface StoredPartition {
  /** By offset; those before `start` are deleted. */
  readonly records: LogRecord[]
  start: number
}

export interface MemoryStore {
  find(topic: string): readonly StoredPartition[] | undefined
  /** Throws for an unknown topic, unless `partitions` says how to make it. */
  topic(topic: string, partitions?: number): readonly StoredPartition[]
  /** Leaves an existing topic as it is. */
  create(topic: string, partitions: number): void
  /** Calls the listener after each append to the topic. Returns how to end it. */
  listen(topic: string, listener: () => void): () => void
  tell(topic: string): void
}

export function memoryStore(): MemoryStore {
  const topics = new Map<string, StoredPartition[]>()
  const listeners = new Map<string, Set<() => void>>()
  const listenersOf = (topic: string): Set<() => void> => made(listeners, topic, () => new Set())
  const store: MemoryStore = {
    find: (topic) => topics.get(topic),
    topic(topic, partitions) {
      if (partitions !== undefined) store.create(topic, partitions)
      const found = topics.get(topic)
      if (found === undefined) throw new Error(`The log has no topic ${topic}`)
      return found
    },
    create(topic, partitions) {
      made(topics, topic, () => Array.from({ length: partitions }, () => ({ records: [], start: 0 })))
    },
    listen(topic, listener) {
      listenersOf(topic).add(listener)
      return () => void listenersOf(topic).delete(listener)
    },
    tell: (topic) => listenersOf(topic).forEach((listener) => listener()),
  }
  return store
}

function made<T>(all: Map<string, T>, name: string, make: () => T): T {
  const found = all.get(name) ?? make()
  all.set(name, found)
  return found
}

export function refuseLarge({ key, value, headers }: NewRecord): void {
  const texts = [key, ...Object.entries(headers).flat()]
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), value.length)
  if (bytes > MAX_RECORD_BYTES) throw new RecordTooLargeError(`A record has ${bytes} bytes.`)
}

export const truncated = ({ topic, partition }: Place, start: number): LogStoppedError =>
  new LogStoppedError(
    'truncated-log',
    `The records of ${topic}/${partition} before ${start} were deleted: \`cupel status\` names the archive if retention handed them over: set CUPEL_RETENTION_ARCHIVE to it, and restart.`,
  )
