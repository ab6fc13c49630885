/**
 * Keeps one coordinator active. The lease is a lock of a database session. It ends at once when the process is killed. Where the
 * connection of the holder is cut, the server ends the idle session after some seconds, and the holder stops before that.
 */
import { LATE, sleep, withinMs } from '@cupel/concurrency'
import type { Logger } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'

const LOCK = 'cupel.bulk-coordinator'
/** Time between two attempts to get the lease. */
const ATTEMPT_INTERVAL_MS = 250
const SIGN_OF_LIFE_MS = 1_000
/** Without an answer for this long the holder stops its work: earlier than the server ends the session. */
const ANSWER_TIMEOUT_MS = 3_000
const SESSION_TIMEOUT_MS = 6_000

export interface Lease {
  readonly isHeld: () => boolean
  /** Waits for the work to end, and releases the lease. */
  stop(): Promise<void>
}

/** `work` runs while the lease is held, and must resolve soon after its signal is aborted. It is called again after it ends. */
export function holdLease(options: {
  readonly database: Database
  readonly logger: Logger
  readonly work: (signal: AbortSignal) => Promise<void>
  /** Another instance holds the lease. */
  readonly onStandBy: () => void
  readonly onTrouble: (error: unknown) => void
}): Lease {
  const stopping = new AbortController()
  let held = false

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await options.database.withConnection(attempt)
      } catch (error) {
        if (!stopping.signal.aborted) options.onTrouble(error)
      }
      await sleep(ATTEMPT_INTERVAL_MS, stopping.signal)
    }
  }

  const attempt = async (connection: Queryable): Promise<void> => {
    const [lock] = await connection.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS taken',
      [LOCK],
    )
    if (lock?.taken !== true) return options.onStandBy()
    await connection.query(`SET idle_session_timeout = ${SESSION_TIMEOUT_MS}`)
    held = true
    options.logger.info({}, 'This instance coordinates bulk jobs')
    const ended = new AbortController()
    const working = options
      .work(AbortSignal.any([stopping.signal, ended.signal]))
      .finally(() => ended.abort())
    // Handled below; it may reject while a sign of life is awaited.
    working.catch(() => undefined)
    let lost: unknown = null
    try {
      while (!stopping.signal.aborted && !ended.signal.aborted) {
        await answered(connection.query('SELECT 1'))
        await sleep(SIGN_OF_LIFE_MS, AbortSignal.any([stopping.signal, ended.signal]))
      }
    } catch (error) {
      lost = error
      ended.abort()
    }
    held = false
    await working
    // The connection is dropped with an error, and its lock with it.
    if (lost !== null) throw lost
    await connection.query('RESET idle_session_timeout')
    await connection.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [LOCK])
  }

  const running = run()
  return {
    isHeld: () => held,
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** Rejects where the database does not answer in time. */
async function answered(question: Promise<unknown>): Promise<void> {
  if ((await withinMs(ANSWER_TIMEOUT_MS, question)) === LATE)
    throw new Error('The database did not answer in time; the lease is given up')
}
