/** One follower works for a chain; others stand by. A follower that lost its connection to the database has lost the lease. */
import { sleep } from '@cupel/kit/concurrency'
import type { Database } from '@cupel/postgres'
import { FollowError } from './follow-error.js'

const LOCK = 'cupel.ledger-follow/'
const STANDBY_MS = 2_000

export interface Lease {
  /** Rejects with lease_lost if another follower may have it. */
  confirm(): Promise<void>
}

/** Resolves to undefined if the signal ends the wait. */
export async function withLease<Result>(
  database: Database,
  {
    chain,
    signal,
    onStandby,
  }: { readonly chain: string; readonly signal: AbortSignal; readonly onStandby: () => void },
  work: (lease: Lease) => Promise<Result>,
): Promise<Result | undefined> {
  return await database.withConnection(async (connection) => {
    const lock = async (verb: 'pg_try_advisory_lock' | 'pg_advisory_unlock'): Promise<boolean> => {
      const [row] = await connection.query<{ done: boolean }>(
        `SELECT ${verb}(hashtextextended($1, 0)) AS done`,
        [LOCK + chain],
      )
      return row!.done
    }
    for (let isFirst = true; !(await lock('pg_try_advisory_lock')); isFirst = false) {
      if (isFirst) onStandby()
      await sleep(STANDBY_MS, signal)
      if (signal.aborted) return undefined
    }
    try {
      return await work({
        async confirm() {
          await connection.query('SELECT 1').catch((cause: unknown) => {
            throw new FollowError('lease_lost', 'the connection that holds the lease has ended', { cause })
          })
        },
      })
    } finally {
      await lock('pg_advisory_unlock').catch(() => undefined)
    }
  })
}
