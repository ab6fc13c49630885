/**
 * Divides the shards among the live coordinators. A lock of a database session holds a shard; one session has all the locks of a process.
 * A lock ends at once when the process is killed. If the connection of the holder is cut, the server ends the idle session after some
 * seconds, and the holder stops before that. The next holder of a shard begins an epoch of it, which fences the previous holder.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { LATE, sleep, withinMs } from '@cupel/concurrency'
import type { Logger } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'
import { planShards, type SeenShards } from './plan-shards.js'
import { SHARD_LOCK, takeShards, type HeldShard, type Holding } from './shard-table.js'

/** Coordinators of this release share this lock. One of a release without shards holds it alone, and the others wait for its end. */
const LIFE_LOCK = 'cupel.bulk-coordinator'
/** Time between two attempts to get a shard. */
const ATTEMPT_INTERVAL_MS = 250
const SIGN_OF_LIFE_MS = 1_000
/** Without an answer for this long the holder stops its work: earlier than the server ends the session. */
const ANSWER_TIMEOUT_MS = 3_000
const SESSION_TIMEOUT_MS = 6_000

export interface ShardLeases {
  /** The shards held now; null if there are none. */
  readonly holding: () => Holding | null
  /** Waits for the work to end, and gives the shards up. */
  stop(): Promise<void>
}

export interface HoldShardsOptions {
  readonly database: Database
  readonly logger: Logger
  /**
   * Runs while these shards are held, and must resolve soon after its signal is aborted. It is called again with other shards, and after
   * it ends.
   */
  readonly work: (signal: AbortSignal, holding: Holding) => Promise<void>
  /** Other instances hold every shard. */
  readonly onStandBy: () => void
  readonly onTrouble: (error: unknown) => void
}

export function holdShards(options: HoldShardsOptions): ShardLeases {
  const stopping = new AbortController()
  let session: Session | null = null

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      let workEnded = (): Promise<void> => Promise.resolve()
      try {
        await options.database.withConnection(async (connection) => {
          const own = new Session(options, connection, stopping.signal)
          session = own
          workEnded = () => own.workEnded()
          await own.run()
        })
      } catch (error) {
        if (!stopping.signal.aborted) options.onTrouble(error)
      }
      // The connection of a failed session is dropped first: if it was silent, the statements of the work are given up with it.
      await workEnded()
      session = null
      await sleep(ATTEMPT_INTERVAL_MS, stopping.signal)
    }
  }

  const running = run()
  return {
    holding: () => session?.holding() ?? null,
    async stop() {
      stopping.abort()
      await running
    },
  }
}

interface Working {
  readonly holding: Holding
  /** Aborted to end the work, and when it has ended. */
  readonly ending: AbortController
  /** Rejects if the work failed. */
  readonly done: Promise<void>
}

/** One session of the database, and the work with the shards that it holds. */
class Session {
  private readonly options: HoldShardsOptions
  private readonly connection: Queryable
  private readonly stopping: AbortSignal
  private readonly holder = randomUUID()
  private shards: readonly HeldShard[] = []
  private working: Working | null = null
  private lastDone: Promise<void> = Promise.resolve()

  constructor(options: HoldShardsOptions, connection: Queryable, stopping: AbortSignal) {
    this.options = options
    this.connection = connection
    this.stopping = stopping
  }

  holding(): Holding | null {
    return this.working?.holding ?? null
  }

  /** Resolves when nothing works with the shards of this session any more. */
  workEnded(): Promise<void> {
    return this.lastDone.catch(() => undefined)
  }

  /** Rejects if the connection must be dropped, and the locks with it; then the work may not have ended yet. */
  async run(): Promise<void> {
    const [lock] = await this.connection.query<{ shared: boolean }>(
      'SELECT pg_try_advisory_lock_shared(hashtextextended($1, 0)) AS shared',
      [LIFE_LOCK],
    )
    if (lock?.shared !== true) return this.options.onStandBy()
    try {
      await this.connection.query(`SET idle_session_timeout = ${SESSION_TIMEOUT_MS}`)
      while (!this.stopping.aborted && this.working?.ending.signal.aborted !== true) await this.turn()
    } catch (error) {
      this.takeWork()
      throw error
    }
    await this.endWork()
    await this.connection.query('RESET idle_session_timeout')
    await this.connection.query('SELECT pg_advisory_unlock_all()')
  }

  private async turn(): Promise<void> {
    const seen = await answered(look(this.connection))
    // Its shards were taken under another number of shards.
    if (this.working !== null && this.working.holding.count !== seen.count) {
      this.working.ending.abort()
      return
    }
    const plan = planShards(seen)
    const locked = await this.lock(plan.take)
    if (locked.length > 0 || plan.give.length > 0) await this.change(seen.count, locked, plan.give)
    if (this.working === null) this.options.onStandBy()
    const signals = [this.stopping, ...(this.working === null ? [] : [this.working.ending.signal])]
    await sleep(plan.isShort ? ATTEMPT_INTERVAL_MS : SIGN_OF_LIFE_MS, AbortSignal.any(signals))
  }

  private async lock(shards: readonly number[]): Promise<number[]> {
    if (shards.length === 0) return []
    const rows = await answered(
      this.connection.query<{ shard: number; taken: boolean }>(
        'SELECT shard, pg_try_advisory_lock(hashtext($1), shard) AS taken FROM unnest($2::int4[]) AS s (shard)',
        [SHARD_LOCK, shards],
      ),
    )
    return rows.flatMap(({ shard, taken }) => (taken ? [shard] : []))
  }

  /** Ends the work before a shard is given up, and begins it again with the shards that are held then. */
  private async change(count: number, locked: readonly number[], give: readonly number[]): Promise<void> {
    const { database, logger } = this.options
    await this.endWork()
    if (give.length > 0)
      await this.connection.query(
        'SELECT pg_advisory_unlock(hashtext($1), shard) FROM unnest($2::int4[]) AS s (shard)',
        [...[SHARD_LOCK, give]],
      )
    const process_ = `${hostname()}/${process.pid}`
    const taken =
      locked.length === 0
        ? []
        : await takeShards(database, { shards: locked, holder: this.holder, process: process_ })
    this.shards = [...this.shards.filter(({ shard }) => !give.includes(shard)), ...taken]
    const holding = { holder: this.holder, shards: this.shards, count }
    const names = this.shards.map(({ shard }) => shard)
    logger.info({ shards: names, of: count }, 'This instance coordinates the bulk jobs of these shards')
    if (this.shards.length > 0 && !this.stopping.aborted) this.working = this.begin(holding)
  }

  private begin(holding: Holding): Working {
    const ending = new AbortController()
    const done = this.options
      .work(AbortSignal.any([this.stopping, ending.signal]), holding)
      .finally(() => ending.abort())
    // Handled where it is awaited; it may reject while a sign of life is awaited.
    done.catch(() => undefined)
    this.lastDone = done
    return { holding, ending, done }
  }

  /** Keeps the session alive while the work ends. Rejects with the error of the work, or if the session is not answered. */
  private async endWork(): Promise<void> {
    const working = this.takeWork()
    if (working === null) return
    while ((await withinMs(SIGN_OF_LIFE_MS, working.done)) === LATE)
      await answered(this.connection.query('SELECT 1'))
  }

  private takeWork(): Working | null {
    const working = this.working
    this.working = null
    working?.ending.abort()
    return working
  }
}

/** Reads from the locks of the server which coordinators live and which shards they hold. */
async function look(connection: Queryable): Promise<SeenShards> {
  const [row] = await connection.query<SeenShards>(
    `WITH lock AS (
       SELECT l.pid, l.objsubid, (l.classid::int8 << 32) | l.objid::int8 AS key, l.classid::int8 AS name, l.objid::int8 AS shard
       FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
     SELECT (SELECT count(*)::int FROM bulk.shard) AS count, pg_backend_pid() AS me,
       coalesce((SELECT json_agg(pid ORDER BY pid) FROM lock WHERE objsubid = 1 AND key = hashtextextended($1, 0)), '[]') AS live,
       coalesce((SELECT json_agg(json_build_object('shard', shard, 'by', pid)) FROM lock
         WHERE objsubid = 2 AND name = hashtext($2)::int8 & 4294967295), '[]') AS held`,
    [LIFE_LOCK, SHARD_LOCK],
  )
  return row!
}

/** Rejects if the database does not answer in time. */
async function answered<T>(question: Promise<T>): Promise<T> {
  const answer = await withinMs(ANSWER_TIMEOUT_MS, question)
  if (answer === LATE) throw new Error('The database did not answer in time; the shards are given up')
  return answer
}
