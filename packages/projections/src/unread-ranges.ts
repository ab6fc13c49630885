/** The records that a group has not read, according to the database. */
import { placesOf, rangeOf, type EventLog, type LogRange } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { loadCheckpoint, type GroupPartition } from './checkpoint.js'

type Bounded = Pick<EventLog, 'partitionCount' | 'startOffset' | 'endOffset'>

/** From the checkpoint of the group, or from the oldest record if it has none. */
export async function unreadRange(
  transaction: Queryable,
  log: Bounded,
  at: GroupPartition,
): Promise<LogRange> {
  const stored = await loadCheckpoint(transaction, at)
  const range = await rangeOf(log, at)
  return { ...range, from: stored?.next ?? range.from }
}

/** Those of the topics that are not empty. */
export async function unreadRanges(
  transaction: Queryable,
  log: Bounded,
  { group, topics }: { readonly group: string; readonly topics: readonly string[] },
): Promise<LogRange[]> {
  const ranges: LogRange[] = []
  for (const place of await placesOf(log, topics)) {
    const range = await unreadRange(transaction, log, { group, ...place })
    if (range.from < range.to) ranges.push(range)
  }
  return ranges
}
