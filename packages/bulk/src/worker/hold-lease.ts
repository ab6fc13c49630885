/**
 * One coordinator works at a time: the one whose database session holds the lock. The lock ends at once when the process is killed. If the
 * connection of the holder is cut, the server ends the idle session after some seconds, and the holder stops before that. The next holder
 * begins an epoch, which fences the previous one.
 */
import { LATE, sleep, withinMs } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'
import { LEASE_LOCK, takeLease, type Lease } from './lease-table.js'

/** Time between two attempts to get the lease. */
const ATTEMPT_INTERVAL_MS = 250
const SIGN_OF_LIFE_MS = 2_000
/** Without an answer for this long the holder stops its work: earlier than the server ends the session. */
const ANSWER_TIMEOUT_MS = 3_000
const SESSION_TIMEOUT_MS = 6_000

export interface LeaseHolding {
  readonly isHeld: () => boolean
  /** Waits for the work to end, and gives the lease up. */
  stop(): Promise<void>
}

export interface HoldLeaseOptions {
  readonly database: Database
  readonly logger: Logger
  /**
   * Runs while the lease is held, and must resolve soon after its signal is aborted. If it ends earlier, the lease is given up and taken
   * anew.
   */
  readonly work: (signal: AbortSignal, lease: Lease) => Promise<void>
  /** Another instance holds the lease. */
  readonly onStandBy: () => void
  readonly onTrouble: (error: unknown) => void
}

export function holdLease(options: HoldLeaseOptions): LeaseHolding {
  const stopping = new AbortController()
  let working: Promise<void> | null = null

  const hold = async (connection: Queryable): Promise<void> => {
    const { database, logger, work, onStandBy } = options
    if (!(await lock(connection))) return onStandBy()
    await connection.query(`SET idle_session_timeout = ${SESSION_TIMEOUT_MS}`)
    const lease = await takeLease(database)
    logger.info({ epoch: lease.epoch }, 'This instance coordinates the bulk jobs')
    const ending = new AbortController()
    // If the session is not answered, the work is told to end, and its end is awaited after the connection was dropped.
    working = work(AbortSignal.any([stopping.signal, ending.signal]), lease)
    try {
      while ((await withinMs(SIGN_OF_LIFE_MS, working)) === LATE) await answered(connection.query('SELECT 1'))
    } finally {
      ending.abort()
    }
    await connection.query('RESET idle_session_timeout')
    await connection.query('SELECT pg_advisory_unlock_all()')
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await options.database.withConnection(hold)
      } catch (error) {
        if (!stopping.signal.aborted) options.onTrouble(error)
      }
      // Its failure was thrown above, unless the session failed first.
      await working?.catch(() => undefined)
      working = null
      await sleep(ATTEMPT_INTERVAL_MS, stopping.signal)
    }
  }

  const running = run()
  return {
    isHeld: () => working !== null,
    async stop() {
      stopping.abort()
      await running
    },
  }
}

async function lock(connection: Queryable): Promise<boolean> {
  const [row] = await connection.query<{ taken: boolean }>(
    'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS taken',
    [LEASE_LOCK],
  )
  return row?.taken === true
}

/** Rejects if the database does not answer in time. */
async function answered<T>(question: Promise<T>): Promise<void> {
  if ((await withinMs(ANSWER_TIMEOUT_MS, question)) === LATE)
    throw new Error('The database did not answer in time; the lease is given up')
}
