/**
 * Provides one Postgres server per test run: the one that CUPEL_TEST_POSTGRES_URL names, otherwise a local one, otherwise a container.
 * Every file or test creates its own database on it.
 */
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@cupel/local-stack'
import { startPostgresContainer, type TestPostgres } from './postgres-container.js'

/** Tests kill processes, never the machine: writes need to reach only the operating system. */
export const FAST_SETTINGS = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=300',
  // A database of a test lives for seconds. Otherwise a process looks at each of hundreds, again and again.
  'autovacuum=off',
]

/** A file system in memory: creating and dropping hundreds of databases takes a fifth less processor time there. */
const MEMORY_FOLDER = '/dev/shm'
/** Required free space; the databases of a run take a part of it. */
const ENOUGH_BYTES = 4 * 1024 ** 3

export default async function providePostgres(): Promise<() => Promise<void>> {
  if (process.env['CUPEL_TEST_POSTGRES_URL'] !== undefined) return async () => undefined
  const postgres = await startLocally().catch(orInContainer)
  process.env['CUPEL_TEST_POSTGRES_URL'] = postgres.url
  return () => postgres.stop()
}

async function startLocally(): Promise<TestPostgres> {
  const folder = await mkdtemp(join(await parentFolder(), 'cupel-test-pg-'))
  try {
    const postgres = await startPostgres({
      folder: join(folder, 'postgres'),
      logFile: join(folder, 'postgres.log'),
      recordFolder: join(folder, 'processes'),
      settings: FAST_SETTINGS,
    })
    return {
      url: postgres.url('postgres'),
      async stop() {
        await postgres.stop()
        await rm(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** Under CI the local server must start: a container would hide why it does not. */
async function orInContainer(refusal: unknown): Promise<TestPostgres> {
  if (process.env['CI'] === 'true') throw refusal
  try {
    return await startPostgresContainer(FAST_SETTINGS)
  } catch {
    throw refusal
  }
}

async function parentFolder(): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(MEMORY_FOLDER)
    return bavail * bsize >= ENOUGH_BYTES ? MEMORY_FOLDER : tmpdir()
  } catch {
    // Not on this system.
    return tmpdir()
  }
}
