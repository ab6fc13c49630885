/** The rows of shards: their number, the last holder of each, and the epoch that fences a coordinator that lost a shard. */
import { reportPartitions } from '@cupel/contracts'
import { asFields, type Database, type Queryable } from '@cupel/postgres'

export interface HeldShard {
  readonly shard: number
  readonly epoch: number
}

/** The shards that a coordinator holds. */
export interface Holding {
  /** Id of the session that holds them. */
  readonly holder: string
  readonly shards: readonly HeldShard[]
  /** Shards of the installation. */
  readonly count: number
}

/** Another coordinator took a shard of this one: nothing more of it may be written here. */
export class ShardsLostError extends Error {
  constructor() {
    super('Another coordinator took a shard of this one')
  }
}

/** A job or a partition belongs to the shard of its number modulo the number of shards. */
export function isOfHolding({ shards, count }: Holding, number: number): boolean {
  return shards.some(({ shard }) => shard === number % count)
}

export function isWhole({ shards, count }: Holding): boolean {
  return shards.length === count
}

/** A process that is frozen within a transaction loses it after this long, so that it delays others no longer. */
const FROZEN_TRANSACTION_MS = 6_000
/** How long the taking of a shard waits for a transaction of the previous holder; then it is retried. */
const TAKE_TIMEOUT_MS = 2_000

export type Fence = (transaction: Queryable) => Promise<void>

/**
 * Returns a function that every transaction of a coordinator calls before it writes. It rejects with ShardsLostError if a shard was
 * taken since; otherwise none can be taken until the transaction ends.
 */
export function createFence({ shards }: Holding, onLost: () => void): Fence {
  return async (transaction) => {
    const [row] = await transaction.query<{ held: number }>(
      {
        name: 'bulk.fence',
        text: `WITH held AS (
                 SELECT s.shard FROM bulk.shard s JOIN unnest($1::int4[], $2::int8[]) AS h (shard, epoch) USING (shard, epoch)
                 ORDER BY s.shard FOR SHARE OF s)
               SELECT count(*)::int AS held, set_config('idle_in_transaction_session_timeout', $3, true) FROM held`,
      },
      [shards.map(({ shard }) => shard), shards.map(({ epoch }) => epoch), String(FROZEN_TRANSACTION_MS)],
    )
    if (row?.held === shards.length) return
    onLost()
    throw new ShardsLostError()
  }
}

/** Begins an epoch of each of the shards. The caller has their locks. Rejects while a transaction of an earlier holder lasts. */
export async function takeShards(
  database: Database,
  taken: { readonly shards: readonly number[]; readonly holder: string; readonly process: string },
): Promise<HeldShard[]> {
  return await database.transaction({ at: 'bulk.shards-taken' }, async (transaction) => {
    await transaction.query("SELECT set_config('lock_timeout', $1, true)", [String(TAKE_TIMEOUT_MS)])
    return await transaction.query<HeldShard>(
      `WITH locked AS MATERIALIZED (SELECT shard FROM bulk.shard WHERE shard = ANY($1) ORDER BY shard FOR UPDATE)
       UPDATE bulk.shard s SET epoch = epoch + 1, holder = $2, process = $3, taken_at = now()
       FROM locked WHERE s.shard = locked.shard RETURNING s.shard, s.epoch`,
      [taken.shards, taken.holder, taken.process],
    )
  })
}

/** As many shards as there are interactive partitions of reports, so that each has some of them to watch. */
export function mostShards(): number {
  return reportPartitions() / 2
}

export async function countShards(database: Queryable): Promise<number> {
  const [row] = await database.query<{ count: number }>('SELECT count(*)::int AS count FROM bulk.shard')
  return row!.count
}

/** Whether a coordinator ever took a shard, or their number was set. */
export async function haveShardsBeenTaken(database: Queryable): Promise<boolean> {
  return (await database.query('SELECT FROM bulk.shard WHERE epoch > 0 LIMIT 1')).length > 0
}

/**
 * Sets how many shards there are. Coordinators that run take them up within about a second; jobs keep the shard they were submitted in.
 * Throws RangeError below 1 and above `mostShards`.
 */
export async function setShards(database: Database, count: number): Promise<void> {
  if (!Number.isInteger(count) || count < 1 || count > mostShards())
    throw new RangeError(`${count} shards: not a number from 1 to ${mostShards()}`)
  await database.transaction({ at: 'bulk.shards-set' }, async (transaction) => {
    await transaction.query('SELECT FROM bulk.shard ORDER BY shard FOR UPDATE')
    await transaction.execute('DELETE FROM bulk.shard WHERE shard >= $1', [count])
    // A coordinator that holds a shard under the old number loses it.
    await transaction.execute('UPDATE bulk.shard SET epoch = epoch + 1')
    await transaction.execute(
      'INSERT INTO bulk.shard (shard, epoch) SELECT shard, 1 FROM generate_series(0, $1::int - 1) AS s (shard) ON CONFLICT DO NOTHING',
      [count],
    )
  })
}

export interface ShardOwner {
  readonly shard: number
  readonly epoch: number
  /** Host and process that holds it; null if no process does. */
  readonly owner: string | null
}

/** The lock of a shard is a pair: this name, and its number. */
export const SHARD_LOCK = 'cupel.bulk-coordinator.shard'

/** The holder of each shard, in the order of the shards. */
export async function listShardOwners(database: Queryable): Promise<ShardOwner[]> {
  return await database.query<ShardOwner>(
    `SELECT ${asFields('shard, epoch')}, CASE WHEN EXISTS (
       SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
         AND l.classid::int8 = hashtext($1)::int8 & 4294967295 AND l.objid::int8 = s.shard
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())) THEN s.process END AS owner
     FROM bulk.shard s ORDER BY shard`,
    [SHARD_LOCK],
  )
}
