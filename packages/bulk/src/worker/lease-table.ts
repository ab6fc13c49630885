/** The row of the lease: an epoch that fences a coordinator that lost it. */
import type { Database, Queryable } from '@cupel/postgres'

export interface Lease {
  /** Grows whenever a coordinator takes the lease. */
  readonly epoch: number
}

/** Another coordinator took the lease: nothing more of this one may be written. */
export class LeaseLostError extends Error {
  constructor() {
    super('Another coordinator took the lease of bulk jobs')
  }
}

/** The lock of a session that holds the lease. */
export const LEASE_LOCK = 'cupel.bulk-coordinator'
/** A process that is frozen within a transaction loses it after this long, so that it delays others no longer. */
const FROZEN_TRANSACTION_MS = 6_000
/** How long the taking of the lease waits for a transaction of the previous holder; then it is retried. */
const TAKE_TIMEOUT_MS = 2_000

export type Fence = (transaction: Queryable) => Promise<void>

/**
 * Returns a function that every transaction of a coordinator calls before it writes. It rejects with LeaseLostError if the lease was
 * taken since; otherwise nobody can take it until the transaction ends.
 */
export function createFence({ epoch }: Lease, onLost: () => void): Fence {
  return async (transaction) => {
    const [row] = await transaction.query<{ held: number }>(
      {
        name: 'bulk.fence',
        text: `WITH held AS (SELECT FROM bulk.lease WHERE epoch = $1 FOR SHARE)
               SELECT count(*)::int AS held, set_config('idle_in_transaction_session_timeout', $2, true) FROM held`,
      },
      [epoch, String(FROZEN_TRANSACTION_MS)],
    )
    if (row?.held === 1) return
    onLost()
    throw new LeaseLostError()
  }
}

/** Begins an epoch. The caller has the lock. Rejects while a transaction of an earlier holder lasts. */
export async function takeLease(database: Database): Promise<Lease> {
  return await database.transaction({ at: 'bulk.lease-taken' }, async (transaction) => {
    await transaction.query("SELECT set_config('lock_timeout', $1, true)", [String(TAKE_TIMEOUT_MS)])
    const [lease] = await transaction.query<Lease>(
      'UPDATE bulk.lease SET epoch = epoch + 1, taken_at = now() RETURNING epoch',
    )
    return lease!
  })
}
