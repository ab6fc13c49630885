/** Applies numbered SQL files once each, in order, under one lock. A file that changed after it ran is an error. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database, Queryable } from './database.js'
import { sqlState } from './errors.js'

export interface Migration {
  /** `<owner>/<file>`, for example `access/0001-accounts.sql`. */
  readonly id: string
  readonly sql: string
}

/** A package that owns tables exports its folder of `NNNN-name.sql` files. */
export interface MigrationSource {
  readonly owner: string
  readonly directory: string
}

const LOCK = 'cupel.migrate'
/**
 * Services work while tables are changed. A migration that waits longer than this for a table releases all others. It is less than
 * `deadlock_timeout`, 1 s by default, after which Postgres could end the transaction of a service instead.
 */
const LOCK_TIMEOUT_MS = 500
const RETRY_PAUSE_MS = 250
/** A transaction that holds a table for this long is considered hung. */
const GIVE_UP_MS = 120_000
/** SQLSTATE: lock_not_available, deadlock_detected. */
const TABLE_IN_USE = new Set(['55P03', '40P01'])

export async function readMigrations(sources: readonly MigrationSource[]): Promise<Migration[]> {
  const migrations: Migration[] = []
  for (const { owner, directory } of sources) {
    const files = (await readdir(directory)).filter((file) => /^\d{4}-[a-z0-9-]+\.sql$/.test(file)).sort()
    for (const file of files) {
      migrations.push({ id: `${owner}/${file}`, sql: await readFile(join(directory, file), 'utf8') })
    }
  }
  return migrations
}

/**
 * Applies what is missing and returns its ids. Safe to call from several processes at once, and while services use the tables. If a table
 * is in use, nothing is applied, and the call retries for two minutes.
 */
export async function migrate(database: Database, migrations: readonly Migration[]): Promise<string[]> {
  const giveUpAt = performance.now() + GIVE_UP_MS
  for (;;) {
    try {
      return await migrateAtOnce(database, migrations)
    } catch (error) {
      if (!TABLE_IN_USE.has(sqlState(error) ?? '') || performance.now() > giveUpAt) throw error
    }
    await pause(RETRY_PAUSE_MS)
  }
}

async function migrateAtOnce(database: Database, migrations: readonly Migration[]): Promise<string[]> {
  return await database.transaction({ at: 'log.migrate' }, async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [LOCK])
    await transaction.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await transaction.query(
      `CREATE TABLE IF NOT EXISTS public.cupel_migration
         (id text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
    )
    const missing = await notApplied(transaction, migrations)
    for (const { id, sql } of missing) {
      await transaction.query(sql)
      await transaction.query('INSERT INTO public.cupel_migration (id, sha256) VALUES ($1, $2)', [
        id,
        sha256Of(sql),
      ])
    }
    return missing.map(({ id }) => id)
  })
}

/** The ids that `migrate` would apply. Changes nothing. Rejects if a file was changed after it had been applied. */
export async function pendingMigrations(
  database: Queryable,
  migrations: readonly Migration[],
): Promise<string[]> {
  const [row] = await database.query<{ exists: boolean }>(
    "SELECT to_regclass('public.cupel_migration') IS NOT NULL AS exists",
  )
  const missing = row!.exists ? await notApplied(database, migrations) : migrations
  return missing.map(({ id }) => id)
}

async function notApplied(database: Queryable, migrations: readonly Migration[]): Promise<Migration[]> {
  const rows = await database.query<{ id: string; sha256: string }>(
    'SELECT id, sha256 FROM public.cupel_migration',
  )
  const applied = new Map(rows.map((row) => [row.id, row.sha256]))
  return migrations.filter(({ id, sql }) => {
    const before = applied.get(id)
    if (before !== undefined && before !== sha256Of(sql))
      throw new Error(`Migration ${id} was changed after it had been applied`)
    return before === undefined
  })
}

const sha256Of = (sql: string): string => createHash('sha256').update(sql).digest('hex')
