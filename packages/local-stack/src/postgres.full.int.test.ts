import { execFileSync, fork, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { databasePeer, openDatabase, type Database } from '@cupel/postgres'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { until } from '../test/until.js'
import { processIdentity, startPostgres, stopOrphans, type RunningPostgres } from './index.js'

let folder: string
let running: RunningPostgres | null
/** Holds a cleanly stopped cluster that tests copy, because making one takes seconds. */
let made: string
beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'cupel-postgres-made-'))
  const server = await startIn(made)
  await server.stop()
})
afterAll(() => rmSync(made, { recursive: true, force: true }))
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-postgres-'))
  running = null
})
afterEach(async () => {
  await running?.stop()
  await stopOrphans(join(folder, 'processes'))
  rmSync(folder, { recursive: true, force: true })
})

async function start(): Promise<RunningPostgres> {
  return (running = await startIn(folder))
}

const startIn = (place: string): Promise<RunningPostgres> =>
  startPostgres({
    folder: join(place, 'postgres'),
    logFile: join(place, 'postgres.log'),
    recordFolder: join(place, 'processes'),
  })

/** The state after a first start and a stop. Owners and permissions are kept. */
const useStopped = (): void => void execFileSync('cp', ['-a', join(made, 'postgres'), folder])

async function using<T>(server: RunningPostgres, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase({
    connectionString: await server.ensureDatabase('kept'),
    maxConnections: 1,
    applicationName: 'test',
  })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

test('what was stored is there after a stop and a start', async () => {
  useStopped()
  await using(await start(), (database) => database.execute('CREATE TABLE t AS SELECT 7 AS n'))
  await running!.stop()

  const rows = await using(await start(), (database) => database.query('SELECT n FROM t'))

  expect(rows).toEqual([{ n: 7 }])
})

test('a server killed at once after a commit has that commit when it is back, on the same port', async () => {
  useStopped()
  const first = await start()
  await using(first, (database) => database.execute('CREATE TABLE t AS SELECT 7 AS n'))
  process.kill(first.child.pid, 'SIGKILL')
  expect(await first.child.exited).toEqual({ code: null, signal: 'SIGKILL' })

  const second = await start()

  expect(await using(second, (database) => database.query('SELECT n FROM t'))).toEqual([{ n: 7 }])
  expect(second.port).toBe(first.port)
})

test('what a killed supervisor left running is stopped, and its data are kept', async () => {
  const { supervisor, postgresPid } = await orphan()
  expect(processIdentity(postgresPid)).not.toBeNull()

  const stopped = await stopOrphans(join(folder, 'processes'))

  expect(stopped).toEqual(['postgres'])
  expect(processIdentity(postgresPid)).toBeNull()
  expect(supervisor.signalCode).toBe('SIGKILL')
  await start()
})

test('a server that no record tells of is stopped before a new one takes its folder', async () => {
  const { postgresPid } = await orphan()
  rmSync(join(folder, 'processes'), { recursive: true })

  await start()

  expect(processIdentity(postgresPid)).toBeNull()
  expect(running!.child.pid).not.toBe(postgresPid)
})

test('lock files whose pid means another program by now do not stop the start', async () => {
  useStopped()
  const data = join(folder, 'postgres', 'data')
  const lockFile = join(data, 'postmaster.pid')
  const port = readFileSync(join(folder, 'postgres', 'port'), 'utf8').trim()
  for (const file of [lockFile, join(data, `.s.PGSQL.${port}.lock`)])
    writeFileSync(file, `${process.pid}\n${data}\n`)

  await start()

  expect(readFileSync(lockFile, 'utf8').split('\n')[0]).toBe(String(running!.child.pid))
})

test('only who has the password gets in, and only its owner can read it', async () => {
  useStopped()
  const server = await start()
  const url = new URL(server.url('postgres'))
  expect(url.hostname).toBe('127.0.0.1')
  url.password = 'guessed'
  const stranger = openDatabase({ connectionString: url.href, maxConnections: 1, applicationName: 'test' })

  await expect(stranger.query('SELECT 1')).rejects.toThrow(/password authentication failed/)

  await stranger.close()
  expect(statSync(join(folder, 'postgres', 'password')).mode & 0o777).toBe(0o600)
})

test('a start killed while it was making the cluster is made good by the next', async () => {
  mkdirSync(join(folder, 'postgres', 'data.incomplete'), { recursive: true })
  writeFileSync(join(folder, 'postgres', 'data.incomplete', 'PG_VERSION'), '18\n')

  await start()

  expect(existsSync(join(folder, 'postgres', 'data.incomplete'))).toBe(false)
})

test.each([
  {
    broken: 'no cluster at all',
    damage: (data: string) => rmSync(join(data, 'PG_VERSION')),
    sentence: /is not a Postgres data folder.*move it away to begin empty/,
  },
  {
    broken: 'a cluster of another version',
    damage: (data: string) => writeFileSync(join(data, 'PG_VERSION'), '15\n'),
    sentence: /made by Postgres 15, and this is Postgres 18/,
  },
  {
    broken: 'a damaged control file',
    damage: (data: string) => writeFileSync(join(data, 'global', 'pg_control'), Buffer.alloc(8192, 7)),
    sentence: /cannot use the data folder .*Restore it from a backup/,
  },
  {
    broken: 'a lost password',
    damage: (data: string) => rmSync(join(data, '..', 'password')),
    sentence: /not the file "password" that opens it/,
  },
])(
  'a data folder with $broken is refused in one sentence and left as it is',
  async ({ damage, sentence }) => {
    useStopped()
    const data = join(folder, 'postgres', 'data')
    damage(data)

    const refused = await start().catch((error: unknown) => error as Error)

    expect(refused).toMatchObject({ code: 'broken-data-folder', message: expect.stringMatching(sentence) })
    expect((refused as Error).message).not.toContain('\n')
    expect(existsSync(join(data, 'base'))).toBe(true)
  },
)

test('a folder that cannot be made is refused as a missing permission', async () => {
  writeFileSync(join(folder, 'postgres'), 'a file in the way')

  await expect(start()).rejects.toMatchObject({ code: 'permission-denied' })
})

async function orphan(): Promise<{ supervisor: ChildProcess; postgresPid: number }> {
  useStopped()
  const script = fileURLToPath(new URL('../test/orphan-maker.ts', import.meta.url))
  const supervisor = fork(script, [folder], {
    execArgv: ['--conditions=cupel-source', '--import=tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const { pid } = await new Promise<{ pid: number }>((resolve, reject) => {
    supervisor.once('message', (message) => resolve(message as { pid: number }))
    supervisor.once('exit', (code) => reject(new Error(`the supervisor ended with ${code}`)))
  })
  supervisor.kill('SIGKILL')
  await until('the supervisor’s end', () => supervisor.signalCode !== null)
  return { supervisor, postgresPid: pid }
}

test('the role of the services reads and writes rows of the installation and can do nothing else', async () => {
  const server = await start()
  const serviceUrl = await server.ensureServiceRole('kept')
  await using(server, async (owner) => {
    await owner.execute('CREATE SCHEMA before')
    await owner.execute('CREATE TABLE before.t (n int PRIMARY KEY GENERATED ALWAYS AS IDENTITY, text text)')
    await owner.execute('GRANT USAGE ON SCHEMA before TO cupel_service')
    await owner.execute('GRANT SELECT, INSERT, UPDATE, DELETE ON before.t TO cupel_service')
  })
  const services = openDatabase({ connectionString: serviceUrl, maxConnections: 1, applicationName: 'test' })
  try {
    await services.execute(`INSERT INTO before.t (text) VALUES ('a')`)
    await services.execute(`UPDATE before.t SET text = 'b'`)
    expect(await services.query('SELECT n, text FROM before.t')).toEqual([{ n: 1, text: 'b' }])
    for (const statement of [
      'TRUNCATE before.t',
      'ALTER TABLE before.t DISABLE TRIGGER ALL',
      'ALTER TABLE before.t DISABLE ROW LEVEL SECURITY',
      'DROP TABLE before.t',
      'DROP SCHEMA before CASCADE',
      'CREATE SCHEMA own',
      'CREATE TABLE public.own (n int)',
      'SET session_replication_role = replica',
      'ALTER ROLE cupel_service SUPERUSER',
      'ALTER ROLE cupel PASSWORD NULL',
      'SET ROLE cupel',
      'CREATE ROLE other',
      'CREATE DATABASE other',
      `COPY before.t TO PROGRAM 'cat'`,
      `SELECT pg_read_file('PG_VERSION')`,
      'ALTER SYSTEM SET fsync = off',
    ])
      await expect(services.execute(statement), statement).rejects.toMatchObject({ code: '42501' })
  } finally {
    await services.close()
  }
  expect(statSync(join(folder, 'postgres', 'service-password')).mode & 0o777).toBe(0o600)
})

test('services reach the server over its socket file, and over loopback if the path of a socket file is too long', async () => {
  const near = await start()
  const data = join(folder, 'postgres', 'data')
  expect(databasePeer(await near.ensureServiceRole('postgres')).host).toBe(
    Buffer.byteLength(`${data}/.s.PGSQL.65535`) <= 103 ? null : '127.0.0.1',
  )
  await near.stop()

  running = await startIn(join(folder, 'a'.repeat(80)))

  const serviceUrl = await running.ensureServiceRole('postgres')
  expect(databasePeer(serviceUrl).host).toBe('127.0.0.1')
  const services = openDatabase({ connectionString: serviceUrl, maxConnections: 1, applicationName: 'test' })
  expect(await services.query('SELECT 1 AS n')).toEqual([{ n: 1 }])
  await services.close()
})

test('the role of the services keeps its password over starts, and gets it back where somebody changed it', async () => {
  const first = await start()
  await using(first, () => Promise.resolve())
  const password = new URL(await first.ensureServiceRole('kept')).password
  await using(first, (owner) => owner.execute(`ALTER ROLE cupel_service SUPERUSER PASSWORD 'another'`))
  await first.stop()

  const serviceUrl = await (await start()).ensureServiceRole('kept')

  expect(new URL(serviceUrl).password).toBe(password)
  const services = openDatabase({ connectionString: serviceUrl, maxConnections: 1, applicationName: 'test' })
  try {
    expect(await services.query('SELECT usesuper FROM pg_user WHERE usename = current_user')).toEqual([
      { usesuper: false },
    ])
  } finally {
    await services.close()
  }
})
