/** Applies numbered SQL files once each, in order, under one lock. A file that changed after it ran is an error. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from './database.js'

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

/** Applies what is missing and returns its ids. Safe to call from several processes at once. */
export async function migrate(database: Database, migrations: readonly Migration[]): Promise<string[]> {
  return await database.transaction({ at: 'log.migrate' }, async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [LOCK])
    await transaction.query(
      `CREATE TABLE IF NOT EXISTS public.cupel_migration
         (id text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
    )
    const rows = await transaction.query<{ id: string; sha256: string }>(
      'SELECT id, sha256 FROM public.cupel_migration',
    )
    const applied = new Map(rows.map((row) => [row.id, row.sha256]))
    const added: string[] = []
    for (const { id, sql } of migrations) {
      const sha256 = createHash('sha256').update(sql).digest('hex')
      const before = applied.get(id)
      if (before === sha256) continue
      if (before !== undefined) throw new Error(`Migration ${id} was changed after it had been applied`)
      await transaction.query(sql)
      await transaction.query('INSERT INTO public.cupel_migration (id, sha256) VALUES ($1, $2)', [id, sha256])
      added.push(id)
    }
    return added
  })
}
