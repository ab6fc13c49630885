/** Provides one Postgres server per test run. Every file or test creates its own database on it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@cupel/local-stack'

/** Tests kill processes, never the machine: writes need to reach the operating system only. */
const FAST_SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=300']

export default async function providePostgres(): Promise<() => Promise<void>> {
  if (process.env['CUPEL_TEST_POSTGRES_URL'] !== undefined) return async () => undefined
  const folder = await mkdtemp(join(tmpdir(), 'cupel-test-pg-'))
  const postgres = await startPostgres({
    folder: join(folder, 'postgres'),
    logFile: join(folder, 'postgres.log'),
    recordFolder: join(folder, 'processes'),
    settings: FAST_SETTINGS,
  })
  process.env['CUPEL_TEST_POSTGRES_URL'] = postgres.url('postgres')
  return async () => {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
