/** The number of shards of bulk jobs: at most as many coordinators share their work. The number may be changed later. */
import { countShards, haveShardsBeenTaken, mostShards, setShards } from '@cupel/bulk-coordinator'
import { sqlState, type Queryable } from '@cupel/postgres'
import { CommandError, EXIT_USAGE } from '../explain.js'
import type { Step } from './step.js'
import type { Target } from './target.js'
import { isOnCluster } from './topic-sizes.js'

export const CLUSTER_BULK_SHARDS = 8
const UNDEFINED_TABLE = '42P01'

/** After the topics: there are at most as many shards as interactive partitions of reports. */
export function bulkShardsStep(target: Target, chosen: number | undefined): Step {
  const { database } = target
  const wanted = async (): Promise<number | null> => {
    const { count, isNew } = await shardsNow(database)
    if (chosen !== undefined) return chosen === count && !isNew ? null : chosen
    // A number that was chosen, or that coordinators use, stays.
    if (!isNew || target.log.kind === 'embedded' || !(await isOnCluster(target))) return null
    return Math.min(CLUSTER_BULK_SHARDS, mostShards())
  }
  return {
    name: 'bulk shards',
    async needed() {
      const count = await wanted()
      return count === null ? [] : [`Divide bulk jobs into ${count} ${count === 1 ? 'shard' : 'shards'}.`]
    },
    async make(needed) {
      const count = await wanted()
      if (count !== null) await setShards(database, count)
      return needed
    },
  }
}

/** Throws CommandError if the installation cannot have so many. */
export function requireBulkShards(chosen: number): void {
  if (chosen < 1 || chosen > mostShards())
    throw new CommandError(
      `--bulk-shards takes a number from 1 to ${mostShards()}, half of the partitions of reports, not ${chosen}.`,
      EXIT_USAGE,
    )
}

/** New: no number was chosen, and no coordinator has worked yet. */
async function shardsNow(database: Queryable): Promise<{ readonly count: number; readonly isNew: boolean }> {
  try {
    return { count: await countShards(database), isNew: !(await haveShardsBeenTaken(database)) }
  } catch (error) {
    // A plan is made before the tables exist.
    if (sqlState(error) === UNDEFINED_TABLE) return { count: 1, isNew: true }
    throw error
  }
}
