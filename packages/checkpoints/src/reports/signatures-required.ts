/** The offset of each partition from which a report must carry a signature: reports of 0.1.0 have none. */
import { topicOf } from '@cupel/contracts'
import {
  endsOf,
  type EventLog,
  type LogIdentity,
  placeOf,
  type Position,
  positionColumns,
} from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'

export interface SignaturesRequired {
  /** Whether reports without a signature count now. */
  readonly isEmpty: boolean
  /** In their order. */
  readonly ranges: readonly SignaturesRequiredRange[]
  isDue(position: { readonly topic: string; readonly partition: number; readonly offset: number }): boolean
}

/** Offsets `from` ≤ offset < `until` of a partition. */
export interface SignaturesRequiredRange {
  readonly topic: string
  readonly partition: number
  readonly from: number
  /** Null while a signature is required. */
  readonly until: number | null
}

export async function loadSignaturesRequired(
  database: Queryable,
  log: LogIdentity,
): Promise<SignaturesRequired> {
  const rows = await database.query<SignaturesRequiredRange>(
    `SELECT topic, partition, first_offset AS "from", until_offset AS "until"
     FROM checkpoints.signatures_required WHERE log = $1 ORDER BY topic, partition, first_offset`,
    [log],
  )
  const ranges = new Map<string, SignaturesRequiredRange[]>()
  for (const row of rows) ranges.set(placeOf(row), [...(ranges.get(placeOf(row)) ?? []), row])
  return {
    ranges: rows,
    isEmpty: rows.every(({ until }) => until !== null),
    isDue: (position) =>
      (ranges.get(placeOf(position)) ?? []).some(
        ({ from, until }) => from <= position.offset && position.offset < (until ?? Infinity),
      ),
  }
}

/** The topics that hold reports. */
export const reportTopics = (): readonly string[] => [
  topicOf('ReportGenerated', true),
  topicOf('ReportGenerated', false),
]

/** Runs in the transaction of the change. */
type Record = (transaction: Queryable) => Promise<void>

/**
 * Requires a signature of every report from the current end of each partition on. No process that writes without signatures may run.
 * Resolves to whether anything changed: earlier requirements stay.
 */
export async function requireSignatures(
  database: Database,
  log: EventLog,
  record?: Record,
): Promise<boolean> {
  const [logId, ends] = await Promise.all([log.identity(), reportEnds(log)])
  return await database.transaction({ at: 'checkpoints.require-signatures' }, async (transaction) => {
    await transaction.execute('LOCK TABLE checkpoints.signatures_required IN EXCLUSIVE MODE')
    const added = await transaction.execute(
      `INSERT INTO checkpoints.signatures_required (log, topic, partition, first_offset)
       SELECT $1, ends.* FROM unnest($2::text[], $3::int4[], $4::int8[]) AS ends (topic, partition, next)
       WHERE NOT EXISTS (SELECT FROM checkpoints.signatures_required r WHERE r.log = $1
         AND r.topic = ends.topic AND r.partition = ends.partition AND r.until_offset IS NULL)
       ON CONFLICT (log, topic, partition, first_offset) DO UPDATE SET until_offset = NULL`,
      [logId, ...positionColumns(ends)],
    )
    if (added > 0) await record?.(transaction)
    return added > 0
  })
}

/**
 * From the current end of each partition on, reports without a signature count again, for example those of a release without signatures
 * after a rollback. The requirement on earlier reports stays. Resolves to whether signatures were required.
 */
export async function stopRequiringSignatures(
  database: Database,
  log: EventLog,
  record?: Record,
): Promise<boolean> {
  const [logId, ends] = await Promise.all([log.identity(), reportEnds(log)])
  return await database.transaction({ at: 'checkpoints.require-signatures' }, async (transaction) => {
    const closed = await transaction.execute(
      `UPDATE checkpoints.signatures_required r SET until_offset = greatest(r.first_offset, ends.next)
       FROM unnest($2::text[], $3::int4[], $4::int8[]) AS ends (topic, partition, next)
       WHERE r.log = $1 AND r.topic = ends.topic AND r.partition = ends.partition AND r.until_offset IS NULL`,
      [logId, ...positionColumns(ends)],
    )
    if (closed > 0) await record?.(transaction)
    return closed > 0
  })
}

/** The current ends of the partitions that hold reports. */
export const reportEnds = (log: EventLog): Promise<Position[]> => endsOf(log, reportTopics())
