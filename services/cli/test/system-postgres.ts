/** A Postgres of the system, another major version than the one of local installations, on the loopback address. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@cupel/local-stack'
import { openDatabase } from '@cupel/postgres'
import { until } from '@cupel/testkit'

const DEBIAN = '/usr/lib/postgresql'

/** Folders of the programs of the versions that the system has, the oldest first, and those that CUPEL_TEST_POSTGRES_PROGRAMS names. */
export function systemPostgres(): readonly string[] {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number).filter(Number.isInteger) : []
  const folders = versions.sort((a, b) => a - b).map((version) => join(DEBIAN, String(version), 'bin'))
  const named = process.env['CUPEL_TEST_POSTGRES_PROGRAMS']?.split(':') ?? []
  return [...folders.filter((folder) => existsSync(join(folder, 'initdb'))), ...named]
}

export interface SystemPostgres {
  /** Connection string of the superuser for the database `postgres`. */
  readonly url: string
  stop(): Promise<void>
}

export async function startSystemPostgres(programs: string): Promise<SystemPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-system-postgres-'))
  const user = ordinaryUser()
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const port = await freePort()
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, 'of-this-test')
  const access = ['-U', 'dba', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, ...access, '--no-sync', '--encoding=UTF8', '--locale=C'],
    { ...user, cwd: folder },
  )
  const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'fsync=off']
  const server = spawn(join(programs, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
    ...{ ...user, cwd: folder, stdio: 'ignore' },
  })
  const ended = once(server, 'exit')
  const url = `postgresql://dba:of-this-test@127.0.0.1:${port}/postgres`
  const database = openDatabase({ connectionString: url, maxConnections: 1, applicationName: 'test' })
  await until(() => database.query('SELECT 1'))
  await database.close()
  return {
    url,
    async stop() {
      server.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Postgres refuses to run as root. */
function ordinaryUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}
