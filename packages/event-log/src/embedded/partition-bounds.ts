/** The first and the end offset of partitions. */
import { createBatcher } from '@cupel/kit/concurrency'
import type { Queryable } from '@cupel/postgres'
import { LogStoppedError } from '../port.js'

export interface PartitionBounds {
  readonly start: number
  readonly end: number
}

const BOUNDS = {
  name: 'log.bounds',
  // The oldest record counts even if somebody deleted rows without log.delete_before; greatest() ignores the null of no record.
  text: `SELECT id, greatest(start_offset, (SELECT min(record_offset) FROM log.record WHERE partition_id = p.id)) AS start_offset,
      log.end_offset(id) AS end_offset
    FROM log.topic_partition p WHERE id = ANY ($1)`,
}

/** Throws LogStoppedError `foreign-log` if the partition does not exist. */
export async function readBounds(database: Queryable, partitionId: number): Promise<PartitionBounds> {
  return known(await readAll(database, [partitionId]), partitionId)
}

/**
 * One query at a time, for all calls that came before it began, as in `createEndLookup`: the partitions that a group gets in one moment
 * share a round trip. A call rejects as `readBounds` does.
 */
export function createBoundsLookup(database: Queryable): (partitionId: number) => Promise<PartitionBounds> {
  return createBatcher<number, PartitionBounds>({
    run: async (partitionIds) => {
      const bounds = await readAll(database, [...new Set(partitionIds)])
      return partitionIds.map(async (partitionId) => known(bounds, partitionId))
    },
  }).add
}

async function readAll(
  database: Queryable,
  partitionIds: readonly number[],
): Promise<ReadonlyMap<number, PartitionBounds>> {
  const rows = await database.query<{ id: number; start_offset: number; end_offset: number }>(BOUNDS, [
    partitionIds,
  ])
  return new Map(rows.map((row) => [row.id, { start: row.start_offset, end: row.end_offset }]))
}

function known(bounds: ReadonlyMap<number, PartitionBounds>, partitionId: number): PartitionBounds {
  const found = bounds.get(partitionId)
  if (found !== undefined) return found
  throw new LogStoppedError('foreign-log', 'The partition is not in this database any more.')
}
