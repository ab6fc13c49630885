/** Adopts a log that was made from an archive, for a database that followed no log before (docs/adr/0367). */
import type { LogIdentity } from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'
import { listCheckpoints } from '@cupel/projections'
import { recordAdoption } from './adopt-log.js'

/** Offsets `from` ≤ offset < `until` of a partition; null: no upper end. */
interface RequiredRange {
  readonly topic: string
  readonly partition: number
  readonly from: number
  readonly until: number | null
}

export interface AdoptRestoredLogOptions {
  readonly database: Database
  readonly topicPrefix: string
  readonly log: LogIdentity
  /** The log that was archived, and the number of the last manifest. */
  readonly replaces: LogIdentity
  readonly manifest: number
  readonly partitions: number
  /** The records that must have MACs, as the archive states them. */
  readonly requiredMacs: readonly RequiredRange[]
  readonly by: string
  readonly reason: string
}

/**
 * Applies the requirements of the archived log to the new log, and records that the new log took its place, so that reports count as
 * signed. Resolves to the log that readers of the database follow: if that is another one, nothing is changed, and `adoptLog` compares
 * both.
 */
export async function adoptRestoredLog(options: AdoptRestoredLogOptions): Promise<LogIdentity | null> {
  const { database, log, replaces, manifest, partitions, by: adoptedBy, reason } = options
  return await database.transaction({ at: 'transparency.adopt' }, async (transaction) => {
    const followed = (await listCheckpoints(transaction)).find((checkpoint) => checkpoint.log !== log)
    if (followed !== undefined) return followed.log
    await requireAsArchived(transaction, options)
    await recordAdoption(transaction, {
      ...{ log, replaces, leaves: 0, partitions, manifest, adoptedBy, reason },
    })
    return null
  })
}

async function requireAsArchived(
  transaction: Queryable,
  { log, topicPrefix, requiredMacs: macs }: AdoptRestoredLogOptions,
): Promise<void> {
  // An installation on the empty log may have required more, for records that the log did not have.
  await transaction.execute('DELETE FROM log.macs_required WHERE log_id = $1', [log])
  await transaction.execute(
    `INSERT INTO log.macs_required (log_id, topic, partition, first_offset, until_offset)
     SELECT $1, $2 || topic, partition, "from", until
     FROM unnest($3::text[], $4::int[], $5::bigint[], $6::bigint[]) AS r (topic, partition, "from", until)`,
    [log, topicPrefix, ...columnsOf(macs)],
  )
}

const columnsOf = (ranges: readonly RequiredRange[]) => [
  ranges.map(({ topic }) => topic),
  ranges.map(({ partition }) => partition),
  ranges.map(({ from }) => from),
  ranges.map(({ until }) => until),
]
