/** From which offset of each partition on a report must carry a signature: reports of 0.1.0 have none. */
import { topicOf } from '@cupel/contracts'
import type { EventLog, LogIdentity } from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'
import { keyOf } from '../state.js'

export interface SignaturesRequired {
  /** Whether no signature is required on this log. */
  readonly isEmpty: boolean
  isDue(position: { readonly topic: string; readonly partition: number; readonly offset: number }): boolean
}

export async function loadSignaturesRequired(
  database: Queryable,
  log: LogIdentity,
): Promise<SignaturesRequired> {
  const rows = await database.query<{ topic: string; partition: number; from: number }>(
    'SELECT topic, partition, first_offset AS "from" FROM checkpoints.signatures_required WHERE log = $1',
    [log],
  )
  const from = new Map(rows.map((row) => [keyOf(row), row.from]))
  return {
    isEmpty: rows.length === 0,
    isDue: (position) => position.offset >= (from.get(keyOf(position)) ?? Infinity),
  }
}

/** The topics that hold reports. */
export const reportTopics = (): readonly string[] => [
  topicOf('ReportGenerated', true),
  topicOf('ReportGenerated', false),
]

/**
 * Requires a signature of every report from the present end of each partition on. No process that writes without signatures may run.
 * Resolves to whether anything changed: what is required stays required.
 */
export async function requireSignatures(database: Database, log: EventLog): Promise<boolean> {
  const [logId, ends] = await Promise.all([log.identity(), reportEnds(log)])
  return await database.transaction({ at: 'checkpoints.require-signatures' }, async (transaction) => {
    const added = await transaction.execute(
      `INSERT INTO checkpoints.signatures_required (log, topic, partition, first_offset)
       SELECT $1, * FROM unnest($2::text[], $3::int4[], $4::int8[]) ON CONFLICT DO NOTHING`,
      [
        logId,
        ends.map(({ topic }) => topic),
        ends.map(({ partition }) => partition),
        ends.map(({ offset }) => offset),
      ],
    )
    return added > 0
  })
}

/** The present ends of the partitions that hold reports. */
export async function reportEnds(
  log: EventLog,
): Promise<{ topic: string; partition: number; offset: number }[]> {
  const ends = reportTopics().map(async (topic) => {
    const partitions = Array.from({ length: await log.partitionCount(topic) }, (_, partition) => partition)
    return await Promise.all(
      partitions.map(async (partition) => ({
        ...{ topic, partition, offset: await log.endOffset(topic, partition) },
      })),
    )
  })
  return (await Promise.all(ends)).flat()
}
