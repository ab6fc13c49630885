/** Starts a Postgres server for one run and removes it afterwards. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@cupel/local-stack'

/** Runs `work` with the connection string of an empty database. */
export async function withPostgres<T>(work: (connectionString: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'cupel-judgement-pg-'))
  const postgres = await startPostgres({
    folder: join(folder, 'postgres'),
    logFile: join(folder, 'postgres.log'),
    recordFolder: join(folder, 'processes'),
  })
  try {
    return await work(await postgres.ensureDatabase('judgement'))
  } finally {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
