/** The log in an archive, which is read like any other log: the third adapter of the port. It is never appended to. */
import { createSlots, turnsOnly } from '@cupel/kit/concurrency'
import {
  type EventLog,
  keyPartition,
  type LogRange,
  type LogRecord,
  LogStoppedError,
  placeOf,
} from '@cupel/event-log'
import { BadSegmentError } from './format/container.js'
import type { Segment } from './format/manifest.js'
import { endOf, type ArchiveContents, type NamedSegment } from './read-archive.js'
import { recordsOfSegment, signedBytes } from './segment-records.js'
import { ArchiveError, type ArchiveStore } from './store.js'

export interface ArchiveLogOptions {
  readonly store: ArchiveStore
  readonly contents: ArchiveContents
  /** Called for an unreadable segment, which is then skipped. Without it the read ends there with LogStoppedError. */
  readonly onDamaged?: (segment: NamedSegment, error: BadSegmentError) => void
}

const READ_ONLY = 'An archive is only read: restore it to append to its log, or to follow it.'

/** Throws an ArchiveError if the archive is empty. */
export function openArchiveLog({ store, contents, onDamaged }: ArchiveLogOptions): EventLog {
  const { log, topics, segments } = contents
  if (log === null) throw new ArchiveError(`${store.place} holds no archive.`)
  const bytesOf = keepOne(store)
  const partitions = (topic: string): number => {
    const found = topics.get(topic)
    if (found === undefined) throw new Error(`Topic ${topic} does not exist in this archive`)
    return found.starts.length
  }
  const requirePartition = (topic: string, partition: number): void => {
    if (partition >= partitions(topic)) throw new RangeError(`Topic ${topic} has no partition ${partition}`)
  }
  const readOnly = (): Promise<never> => Promise.reject(new TypeError(READ_ONLY))

  async function* recordsOf(
    segment: NamedSegment,
    range: Pick<LogRange, 'from' | 'to'>,
  ): AsyncGenerator<readonly LogRecord[]> {
    const pauses = turnsOnly()
    try {
      for (const records of recordsOfSegment(await bytesOf(segment), segment, log!, range)) {
        yield records
        await pauses.next()
      }
    } catch (error) {
      if (!(error instanceof BadSegmentError)) throw error
      if (onDamaged === undefined) throw damaged(store, segment, error)
      onDamaged(segment, error)
    }
  }

  return {
    kind: 'archive',
    ...{ ensureTopics: readOnly, topicFaults: readOnly, tail: readOnly, subscribe: readOnly },
    identity: () => Promise.resolve(log),
    partitionCount: async (topic) => partitions(topic),
    partitionFor: async (topic, key) => keyPartition(key, partitions(topic)),
    async append(_at, records) {
      for (const { topic } of records) partitions(topic)
      return await readOnly()
    },
    async endOffset(topic, partition) {
      requirePartition(topic, partition)
      return endOf(contents, topic, partition)!
    },
    async startOffset(topic, partition) {
      requirePartition(topic, partition)
      return topics.get(topic)!.starts[partition]!
    },
    async *read({ topic, partition, from, to }) {
      requirePartition(topic, partition)
      const start = topics.get(topic)!.starts[partition]!
      if (from < Math.min(start, to))
        throw new LogStoppedError(
          'truncated-log',
          `${topic}/${partition} was to be read from ${from}, and the archive begins at ${start}: the log had lost the records before.`,
        )
      for (const segment of segments.get(placeOf({ topic, partition })) ?? []) {
        if (segment.next <= from || segment.first >= to) continue
        for await (const records of recordsOf(segment, { from, to })) {
          const wanted = records.filter(({ offset }) => offset >= from && offset < to)
          if (wanted.length > 0) yield wanted
          if (records.at(-1)!.offset >= to - 1) break
        }
      }
    },
    close: () => Promise.resolve(),
  }
}

/** Callers often read single records of one segment one after the other, or at the same time. Segments are fetched one by one. */
function keepOne(store: ArchiveStore): (segment: Segment) => Promise<Buffer> {
  const inTurn = createSlots(1)
  let kept: { file: string; bytes: Buffer } | null = null
  return (segment) =>
    inTurn(async () => {
      if (kept?.file === segment.file) return kept.bytes
      const bytes = await signedBytes(store, segment)
      kept = { file: segment.file, bytes }
      return bytes
    })
}

function damaged(
  { place }: ArchiveStore,
  { file, topic, partition, first, next }: Segment,
  cause: BadSegmentError,
): LogStoppedError {
  return new LogStoppedError(
    'gap',
    `${place}: ${file}: ${cause.message} It held ${topic}/${partition} at ${first} to ${next - 1}: put the file back, from a copy of the archive.`,
    { cause },
  )
}
