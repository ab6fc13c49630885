/** Finds the records of leaves whose places are not known: those of published files, which name none. */
import type { LogRange, LogRecord, Position } from '@cupel/event-log'
import { recordHashOf } from './leaf-of-record.js'

/** Leaves of a partition come in the order of its records, so that the next one is among these. */
const RECORDS_AHEAD = 256
/** Partitions that are read at once. */
const CONCURRENT_PARTITIONS = 16

interface Ahead {
  readonly range: LogRange
  /** Offset of the next record to read. */
  next: number
}

interface Found {
  readonly ahead: Ahead
  readonly record: LogRecord
}

/** Resolves to the record with this hash; null if it is not among the next ones of its partition. Leaves are asked for in their order. */
export type FindRecord = (recordHash: Buffer) => Promise<LogRecord | null>

/** `read` gives the records of a range that can have leaves. */
export function recordFinder(
  ranges: readonly LogRange[],
  read: (range: LogRange) => AsyncIterable<LogRecord>,
): FindRecord {
  const known = new Map<string, Found>()
  const aheads = ranges.map((range): Ahead => ({ range, next: range.from }))
  let hasBegun = false

  async function readTo(ahead: Ahead, target: number): Promise<void> {
    const to = Math.min(ahead.range.to, target)
    if (ahead.next >= to) return
    for await (const record of read({ ...ahead.range, from: ahead.next, to }))
      known.set(recordHashOf(record).toString('base64'), { ahead, record })
    ahead.next = to
  }

  async function begin(): Promise<void> {
    hasBegun = true
    for (let at = 0; at < aheads.length; at += CONCURRENT_PARTITIONS)
      await Promise.all(
        aheads
          .slice(at, at + CONCURRENT_PARTITIONS)
          .map((ahead) => readTo(ahead, ahead.range.from + 2 * RECORDS_AHEAD)),
      )
  }

  return async (recordHash) => {
    if (!hasBegun) await begin()
    const hash = recordHash.toString('base64')
    const found = known.get(hash)
    if (found === undefined) return null
    known.delete(hash)
    const { ahead, record } = found
    // Read in pieces: at least so many records are known ahead of the found one.
    if (ahead.next < record.offset + RECORDS_AHEAD) await readTo(ahead, record.offset + 2 * RECORDS_AHEAD)
    return record
  }
}

export const positionOf = ({ topic, partition, offset }: LogRecord): Position => ({
  topic,
  partition,
  offset,
})
