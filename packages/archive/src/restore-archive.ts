/** Writes the records of an archive into an empty log, each at its offset with exactly its bytes (docs/adr/0367). */
import {
  endsOf,
  type EventLog,
  type LogIdentity,
  type LogRecord,
  type NewRecord,
  type Place,
  placeOf,
} from '@cupel/event-log'
import { openArchiveLog } from './archive-log.js'
import { MAX_RESTORED_BYTES, MAX_RESTORED_RECORDS } from './limits.js'
import { endOf, type ArchiveContents } from './read-archive.js'
import { ArchiveError, type ArchiveStore } from './store.js'

export interface RestoreArchiveOptions {
  readonly store: ArchiveStore
  readonly contents: ArchiveContents
  /** Already has the topics, and accepts records as they are: without adding MACs. */
  readonly log: EventLog
  /** Every topic of the installation. A topic that the archive lacks must be empty. */
  readonly topics: readonly string[]
  /** Called after the comparison, before the first write, if records are missing. */
  readonly beforeWriting?: () => Promise<void>
  readonly onProgress?: (progress: { readonly records: number; readonly total: number }) => void
}

export interface RestoredArchive {
  /** Identity of the log that has the records now, and of the log that they were archived from. */
  readonly log: LogIdentity
  readonly archived: LogIdentity
  readonly partitions: number
  /** Records that this run wrote, and records that an earlier run had written. */
  readonly records: number
  readonly present: number
}

interface RestoredPlace extends Place {
  /** Offset after the last record, in the archive and in the log. */
  readonly archived: number
  readonly written: number
}

/**
 * Records of an earlier run are compared and not written again, so that an interrupted run can continue. No other process may append
 * meanwhile. Throws an ArchiveError with a sentence if the log cannot hold the records at their offsets, if it holds other records, or if a
 * segment is damaged. If that is seen before the first write, nothing is written.
 */
export async function restoreArchive(options: RestoreArchiveOptions): Promise<RestoredArchive> {
  const { contents, log, onProgress } = options
  if (contents.log === null) throw new ArchiveError(`${options.store.place} holds no archive.`)
  requireWholeFronts(contents)
  const archive = openArchiveLog(options)
  const places = await restoredPlaces(options)
  const total = places.reduce((sum, { archived }) => sum + archived, 0)
  let done = 0
  const count = (records: number): void => onProgress?.({ records: (done += records), total })
  // All places are compared before the first record is written.
  for (const place of places) await compare(archive, log, place, count)
  if (places.some(({ written, archived }) => written < archived)) await options.beforeWriting?.()
  for (const place of places) await copy(archive, log, place, count)
  const present = places.reduce((sum, { written }) => sum + written, 0)
  return {
    ...{ log: await log.identity(), archived: contents.log, partitions: places.length },
    ...{ records: total - present, present },
  }
}

/** A log assigns offsets from 0 on without gaps, so that records behind a gap would get other offsets. */
function requireWholeFronts({ topics, segments }: ArchiveContents): void {
  for (const { name, starts } of topics.values())
    starts.forEach((start, partition) => {
      if (start > 0)
        throw new ArchiveError(
          `${placeOf({ topic: name, partition })} begins at offset ${start} in the archive: the log had lost the records before, and a log cannot begin there.`,
        )
    })
  for (const { file, first, next, records } of [...segments.values()].flat())
    if (records < next - first)
      throw new ArchiveError(
        `${file} has ${records} records for the offsets ${first} to ${next - 1}: a cluster kept records of its own between them, and a log cannot repeat those.`,
      )
}

async function restoredPlaces({ contents, log, topics }: RestoreArchiveOptions): Promise<RestoredPlace[]> {
  for (const end of await endsOf(
    log,
    topics.filter((topic) => !contents.topics.has(topic)),
  ))
    if (end.offset > 0)
      throw new ArchiveError(
        `${placeOf(end)} has records, and the archive has no such topic: an archive is restored into an empty log.`,
      )
  const places: RestoredPlace[] = []
  for (const { name: topic, starts } of contents.topics.values()) {
    const ends = await endsOf(log, [topic])
    if (ends.length !== starts.length)
      throw new ArchiveError(
        `${topic} has ${ends.length} partitions in the log and ${starts.length} in the archive: install a log with the same number.`,
      )
    for (const { offset: written, ...place } of ends) {
      const archived = endOf(contents, topic, place.partition)!
      if (written > archived)
        throw new ArchiveError(
          `${placeOf(place)} has ${written} records in the log and ${archived} in the archive: an archive is restored into an empty log.`,
        )
      places.push({ ...place, archived, written })
    }
  }
  return places
}

type Count = (records: number) => void

async function compare(archive: EventLog, log: EventLog, place: RestoredPlace, count: Count): Promise<void> {
  const { topic, partition, written } = place
  if (written === 0) return
  const range = { topic, partition, from: 0, to: written }
  const archived = recordsOf(archive.read(range))
  for await (const batch of log.read(range)) {
    for (const record of batch) {
      const { value: expected } = await archived.next()
      if (expected === undefined || !isSame(record, expected))
        throw new ArchiveError(
          `${placeOf({ topic, partition })} has another record at offset ${record.offset} than the archive: an archive is restored into an empty log.`,
        )
    }
    count(batch.length)
  }
}

async function* recordsOf(
  batches: AsyncIterable<readonly LogRecord[]>,
): AsyncGenerator<LogRecord, undefined, undefined> {
  for await (const batch of batches) yield* batch
  return undefined
}

/** The order of headers counts, because MACs cover it. */
const isSame = (a: LogRecord, b: LogRecord): boolean =>
  a.offset === b.offset &&
  a.key === b.key &&
  a.value.equals(b.value) &&
  JSON.stringify(Object.entries(a.headers)) === JSON.stringify(Object.entries(b.headers))

async function copy(archive: EventLog, log: EventLog, place: RestoredPlace, count: Count): Promise<void> {
  const { topic, partition, written, archived } = place
  let next = written
  for await (const records of archive.read({ topic, partition, from: written, to: archived }))
    for (const batch of batches(records)) {
      const positions = await log.append('archive.restore', batch)
      const moved = positions.find(({ offset }, index) => offset !== next + index)
      if (moved !== undefined)
        throw new ArchiveError(
          `A record of ${placeOf({ topic, partition })} got the offset ${moved.offset}: somebody else appends to the log. Stop it, empty the topics, and restore again.`,
        )
      next += batch.length
      count(batch.length)
    }
}

function* batches(records: readonly LogRecord[]): Generator<readonly NewRecord[]> {
  let batch: NewRecord[] = []
  let bytes = 0
  for (const { topic, partition, key, value, headers } of records) {
    if (
      batch.length === MAX_RESTORED_RECORDS ||
      (batch.length > 0 && bytes + value.length > MAX_RESTORED_BYTES)
    ) {
      yield batch
      ;[batch, bytes] = [[], 0]
    }
    batch.push({ topic, partition, key, value, headers })
    bytes += value.length
  }
  if (batch.length > 0) yield batch
}
