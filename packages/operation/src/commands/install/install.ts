/** Runs the steps of an installation under one lock, or only reports their changes. */
import { sqlState, type Database, type Queryable } from '@cupel/postgres'
import { CommandError, EXIT_NOT_FOUND } from '@cupel/command-line'
import type { Step } from './step.js'
import { installationSteps } from './steps.js'
import type { Target } from './target.js'
import { sizedTopics, type ChosenSizes } from './topic-sizes.js'

export interface InstallOptions {
  readonly dryRun: boolean
  /** Whether there must be an installation already: a mistyped address must not begin another one. */
  readonly isUpgrade: boolean
  readonly note: (sentence: string) => void
  /** Partitions of topics, if an operator chose them. */
  readonly sizes?: ChosenSizes
  /** The user of a service at the brokers, where each is granted its rights. */
  readonly principalOf?: (service: string) => string
  /** Whether nothing is appended to the log, so that an archive can be restored into it. */
  readonly leavesLogEmpty?: boolean
}

export interface StepResult {
  readonly name: string
  /** One sentence for each change. */
  readonly changes: readonly string[]
}

const LOCK = 'cupel.install'
/** SQLSTATE deadlock_detected. */
const DEADLOCK = '40P01'
const DEADLOCK_ATTEMPTS = 10
const OLDEST_POSTGRES = 15

/**
 * Brings the installation to this version; resolves to the changes of every step, made or planned. Two runs at once take turns, and the
 * second one finds nothing to do. After a failure or a kill the next run continues where this one stopped.
 */
export async function install(target: Target, options: InstallOptions): Promise<readonly StepResult[]> {
  await requireVersion(target.database)
  if (options.isUpgrade) await requireInstallation(target.database)
  // An impossible number is refused before anything is made.
  if (options.sizes !== undefined) await sizedTopics(target, options.sizes)
  const steps = installationSteps(target, options.note, options).filter(
    ({ usesLog }) => !(usesLog === true && options.leavesLogEmpty === true),
  )
  const results: StepResult[] = []
  if (options.dryRun) {
    for (const { name, needed } of steps) results.push({ name, changes: await needed() })
    return results
  }
  return await underLock(target.database, options.note, async () => {
    for (const step of steps) results.push({ name: step.name, changes: await made(step) })
    return results
  })
}

/** Services may use the tables meanwhile. A step that Postgres ends for a deadlock changed nothing, or is continued where it stopped. */
async function made({ needed, make }: Step): Promise<readonly string[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await make(await needed())
    } catch (error) {
      if (sqlState(error) !== DEADLOCK || attempt === DEADLOCK_ATTEMPTS) throw error
    }
  }
}

async function underLock<T>(
  database: Database,
  note: (sentence: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  return await database.withConnection(async (connection) => {
    const [lock] = await connection.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS taken',
      [LOCK],
    )
    if (!lock!.taken) {
      note('Another `cupel install` is at work on this database; waiting for it.')
      await connection.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [LOCK])
    }
    try {
      return await work()
    } finally {
      await connection.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [LOCK])
    }
  })
}

async function requireVersion(database: Queryable): Promise<void> {
  const version = await postgresVersion(database)
  if (version < OLDEST_POSTGRES)
    throw new CommandError(`Postgres ${version} is too old: ${OLDEST_POSTGRES} or later is needed.`)
}

/** The major version of the server. */
export async function postgresVersion(database: Queryable): Promise<number> {
  const [row] = await database.query<{ version: number }>(
    "SELECT current_setting('server_version_num')::int / 10000 AS version",
  )
  return row!.version
}

async function requireInstallation(database: Queryable): Promise<void> {
  const [row] = await database.query<{ exists: boolean }>(
    "SELECT to_regclass('public.cupel_migration') IS NOT NULL AS exists",
  )
  if (!row!.exists)
    throw new CommandError(
      'There is no installation in this database: check CUPEL_DATABASE_ADMIN_URL, or begin one with `cupel install`.',
      EXIT_NOT_FOUND,
    )
}
