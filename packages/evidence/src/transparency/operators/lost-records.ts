/** Tells whether a log lacks signed records: a process that starts on such a log would continue as if they never existed. */
import { rangeOf, type EventLog, type LogRecord, type Place } from '@cupel/event-log'
import { StoreRefusedError, StoreUnavailableError } from '@cupel/kit/object-store'
import type { Database, Queryable } from '@cupel/postgres'
import { parseLeafEntry } from '../format/leaf.js'
import { recordHashOf } from '../leaf-of-record.js'
import { olderDatabase } from '../publish-files.js'
import { publishedCheckpoint, storeOfLog, type Published } from '../published.js'
import { loadLog, loadPositions } from '../state.js'
import type { PublishedStore } from '../store/published-store.js'
import { otherRecord, shorterLog, TransparencyStoppedError } from '../transparency-stopped.js'

export interface LostRecordsParts extends Omit<Published, 'log'> {
  readonly log: EventLog
  readonly database: Database
}

/** Partitions whose last records are read at once. */
const CONCURRENT_PARTITIONS = 16

/**
 * A sentence that says what is gone and what to do; null if nothing is. Unreadable or unsigned files prove no loss: the running transparency
 * log reports them. Throws the errors of log and database.
 */
export async function lostRecords(parts: LostRecordsParts): Promise<string | null> {
  const { log, database, stores, keys } = parts
  const identity = await log.identity()
  const size = (await loadLog(database, identity))?.tree.size ?? 0
  for (const store of stores) {
    const published = await signedSize(store, { log: identity, keys })
    // A checkpoint is in the database before it is in a file.
    if (published > size && published > ((await loadLog(database, identity))?.tree.size ?? 0))
      return olderDatabase(storeOfLog(store, identity), { published, size }).message
  }
  return await otherEnd(database, log)
}

/** Whether the log still ends with the records that have leaves, or continues them. Throws TransparencyStoppedError. */
export async function requireSameEnds(database: Queryable, log: EventLog): Promise<void> {
  const identity = await log.identity()
  const positions = await loadPositions(database, identity)
  const ends = await lastLeaves(database, identity)
  for (let from = 0; from < ends.length; from += CONCURRENT_PARTITIONS) {
    const some = ends.slice(from, from + CONCURRENT_PARTITIONS)
    const looks = some.map((end) =>
      requireSameEnd(log, end, positions.get(`${end.topic}/${end.partition}`) ?? 0),
    )
    const failed = (await Promise.allSettled(looks)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }
}

async function otherEnd(database: Queryable, log: EventLog): Promise<string | null> {
  try {
    await requireSameEnds(database, log)
    return null
  } catch (error) {
    if (error instanceof TransparencyStoppedError) return error.message
    throw error
  }
}

interface LastLeaf extends Place {
  readonly offset: number
  readonly entry: string
}

async function lastLeaves(database: Queryable, log: string): Promise<readonly LastLeaf[]> {
  return await database.query<LastLeaf & Record<string, unknown>>(
    `SELECT topic, partition, record_offset AS "offset", entry
     FROM transparency.log JOIN transparency.place p USING (number)
     JOIN transparency.leaf l ON l.number = p.number AND l.index = p.last
     WHERE log = $1 AND record_offset IS NOT NULL ORDER BY topic, partition`,
    [log],
  )
}

async function requireSameEnd(log: EventLog, last: LastLeaf, position: number): Promise<void> {
  const { topic, partition, offset, entry } = last
  const { from, to } = await rangeOf(log, last)
  const next = Math.max(position, offset + 1)
  if (to < next) throw shorterLog(last, to, next)
  if (offset < from) return
  const found: LogRecord[] = []
  for await (const records of log.read({ topic, partition, from: offset, to: offset + 1 }))
    found.push(...records)
  const isSame = found[0] !== undefined && parseLeafEntry(entry)?.recordHash.equals(recordHashOf(found[0]))
  if (isSame !== true) throw otherRecord(last, offset)
}

/** The size of the published tree that a known key signed; 0 if there is none, or if the file cannot be read. */
async function signedSize(store: PublishedStore, of: Omit<Published, 'stores'>): Promise<number> {
  try {
    return (await publishedCheckpoint(store, of))?.size ?? 0
  } catch (error) {
    // An outage of the store prevents no start, and an unsigned file proves nothing.
    const isOutage = [TransparencyStoppedError, StoreUnavailableError, StoreRefusedError].some(
      (kind) => error instanceof kind,
    )
    if (isOutage || (error as NodeJS.ErrnoException).syscall !== undefined) return 0
    throw error
  }
}
