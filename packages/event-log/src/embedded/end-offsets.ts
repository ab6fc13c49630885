/** End offsets: each call gets an answer that was read after the call, and calls share queries. */
import { createBatcher } from '@cupel/kit/concurrency'
import type { Queryable } from '@cupel/postgres'

const ENDS = {
  name: 'log.ends',
  // log.end_offset written out: called for each of some hundred partitions, the function takes two thirds of the statement's time.
  text: `SELECT p.id, i.log_id, greatest(p.start_offset, (
      SELECT r.record_offset + 1 FROM log.record r
      WHERE r.partition_id = p.id ORDER BY r.record_offset DESC LIMIT 1)) AS end_offset
    FROM log.identity i LEFT JOIN log.topic_partition p ON p.id = ANY ($1)`,
}

export interface Ends {
  /** The database's part of the identity of the log. */
  readonly logId: string
  /** End offset by partition id. */
  readonly ends: ReadonlyMap<number, number>
}

export async function readEnds(database: Queryable, partitionIds: readonly number[]): Promise<Ends> {
  const rows = await database.query<{ id: number; end_offset: number; log_id: string }>(ENDS, [partitionIds])
  return { logId: rows[0]!.log_id, ends: new Map(rows.map((row) => [row.id, row.end_offset])) }
}

/**
 * One query at a time, for all calls that came before it began. A call during a query waits for the next one: an answer from before the
 * call may be too old, and then a caller would not read its own writes.
 */
export function createEndLookup(database: Queryable): (partitionId: number) => Promise<number> {
  const lookups = createBatcher<number, number>({
    run: async (partitionIds) => {
      const { ends } = await readEnds(database, [...new Set(partitionIds)])
      return partitionIds.map(async (partitionId) => {
        const end = ends.get(partitionId)
        if (end === undefined) throw new Error(`Partition ${partitionId} is no longer in this database`)
        return end
      })
    },
  })
  return lookups.add
}
