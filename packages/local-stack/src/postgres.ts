/** Runs a Postgres server as a child process on the loopback address: it is created once and recovers after any kill. */
import { randomBytes } from 'node:crypto'
import { execFile } from 'node:child_process'
import { chown, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openDatabase, type Database } from '@cupel/postgres'
import { becomesReady, startChild, type Child } from './child-process.js'
import { folderRefused, keptPassword, makeFolder, readText } from './folder.js'
import { freePort } from './free-port.js'
import { diskFull, LocalStackError } from './local-stack-error.js'
import {
  choosePostgresUser,
  findPostgresBinaries,
  POSTGRES_MAJOR,
  type PostgresUser,
} from './postgres-binaries.js'
import { processIdentity } from './process-identity.js'
import { ProgramFailed, runProgram } from './run-program.js'
import { ensureServiceRole, SERVICE_ROLE } from './service-role.js'

export interface PostgresOptions {
  /** Holds the cluster, its password and its last port. */
  readonly folder: string
  readonly logFile: string
  readonly recordFolder: string
  /** By default the last one used, if it is free. */
  readonly port?: number
  /** Further `name=value` settings of the server. */
  readonly settings?: readonly string[]
}

export interface RunningPostgres {
  readonly child: Child
  readonly port: number
  /** Connection string for a database of this server. */
  readonly url: (database: string) => string
  /** Creates the database if it is missing and returns its connection string. */
  ensureDatabase(name: string): Promise<string>
  /**
   * Creates the role of the services if it is missing and returns its connection string for a database of this server. The string leads
   * over the server's socket file if the system has such files and the path is short enough: a socket file costs less than loopback.
   */
  ensureServiceRole(database: string): Promise<string>
  stop(): Promise<void>
}

const SUPERUSER = 'cupel'
const START_TIMEOUT_MS = 60_000
const POLL_MS = 15
const STOP_TIMEOUT_MS = 15_000
/** Backends of a killed server end within moments; until then a new server refuses the same folder. */
const LEFTOVER_TIMEOUT_MS = 15_000

const BASE_SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_permissions=0700',
  'max_connections=200',
  'timezone=UTC',
  'log_timezone=UTC',
  'lc_messages=C',
  // One server, no replicas: no process reads the extra log.
  'wal_level=minimal',
  'max_wal_senders=0',
  // The statements here are short; compiling them takes longer than running them.
  'jit=off',
]

/**
 * Starts the server of a folder, makes its cluster first if there is none, and resolves when it accepts connections. Throws
 * LocalStackError: `broken-data-folder`, `permission-denied`, `disk-full`, `child-failed`.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const folder = await makeFolder(options.folder)
  const data = join(folder, 'data')
  const binaries = findPostgresBinaries()
  const user = choosePostgresUser([data, binaries.postgres])
  const password = existsSync(data)
    ? await readPassword(folder)
    : await initialise(folder, binaries.initdb, user)
  await requireOurVersion(data)
  await stopForgotten(data)
  const port = options.port ?? (await freePort(await lastPort(folder)))
  const socketFolder = socketFolderOf(data)

  const child = await startServer()
  await writeFile(join(folder, 'port'), `${port}\n`)
  const url = (database: string): string =>
    connectionString(SUPERUSER, password, `${LOOPBACK}:${port}`, database)
  return {
    child,
    port,
    url,
    ensureDatabase: (name) => ensureDatabase(url, name),
    async ensureServiceRole(database) {
      const servicesPassword = await keptPassword(join(folder, 'service-password'))
      await asAdmin(url, (admin) => ensureServiceRole(admin, servicesPassword))
      const host = socketFolder === null ? LOOPBACK : encodeURIComponent(socketFolder)
      return connectionString(SERVICE_ROLE, servicesPassword, `${host}:${port}`, database)
    },
    stop: async () => void (await child.stop()),
  }

  async function startServer(): Promise<Child> {
    const sockets = `unix_socket_directories=${socketFolder === null ? '' : `"${socketFolder}"`}`
    const settings = [...BASE_SETTINGS, sockets, ...(options.settings ?? [])].flatMap((setting) => [
      '-c',
      setting,
    ])
    const giveUpAt = Date.now() + LEFTOVER_TIMEOUT_MS
    for (;;) {
      const started = startChild({
        name: 'postgres',
        ...user.command(binaries.postgres, ['-D', data, '-p', String(port), ...settings]),
        cwd: data,
        env: serverEnvironment(),
        logFile: options.logFile,
        recordFolder: options.recordFolder,
        stage: 'database',
        // Fast shutdown: ends sessions, writes a checkpoint. Source: PostgreSQL documentation, "Shutting Down the Server".
        stopSignal: 'SIGINT',
        stopTimeoutMs: STOP_TIMEOUT_MS,
      })
      const limits = { timeoutMs: START_TIMEOUT_MS, pollMs: POLL_MS }
      if ((await becomesReady(started, () => isReady(started, data), limits)) === 'ready') return started
      if (!LEFTOVER.test(started.output()) || Date.now() > giveUpAt)
        throw startFailure(started.output(), data, options.logFile)
      await sleep(200)
    }
  }
}

/** The address of a socket file takes 104 bytes on macOS, 108 on Linux, with a final zero. Source: sys/un.h. */
const SOCKET_PATH_BYTES = 103

/** The folder of the server's socket file; only the user of the server may enter it. */
function socketFolderOf(data: string): string | null {
  const isUsable = process.platform !== 'win32' && !/["\\]/.test(data)
  return isUsable && Buffer.byteLength(join(data, '.s.PGSQL.65535')) <= SOCKET_PATH_BYTES ? data : null
}

const LEFTOVER = /shared memory block .* is still in use|lock file "postmaster.pid" already exists/

/** Only the variables that a server needs: PG* variables of the user must not change it. */
function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }
}

/**
 * Makes the cluster beside its final place and moves it there last, so that a start killed in the middle leaves no incomplete cluster
 * behind. The password is written first: data without a password would be lost.
 */
async function initialise(folder: string, initdb: string, user: PostgresUser): Promise<string> {
  const password = randomBytes(24).toString('base64url')
  const half = join(folder, 'data.incomplete')
  const passwordFile = join(folder, 'password.initdb')
  try {
    await rm(half, { recursive: true, force: true })
    await mkdir(half, { mode: 0o700 })
    await writeFile(join(folder, 'password'), `${password}\n`, { mode: 0o600 })
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
    if (user.ids !== null) {
      await chown(half, user.ids.uid, user.ids.gid)
      await chown(passwordFile, user.ids.uid, user.ids.gid)
    }
  } catch (error) {
    throw folderRefused(folder, error)
  }
  const {
    command,
    args,
    user: ids,
  } = user.command(initdb, [
    `--pgdata=${half}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ])
  try {
    await runProgram(command, args, { cwd: half, env: serverEnvironment(), user: ids })
  } catch (cause) {
    const text = cause instanceof ProgramFailed ? cause.output : String(cause)
    const full = diskFull('Postgres', folder, text)
    if (full !== null) throw full
    throw new LocalStackError(
      'child-failed',
      `Postgres could not make its data folder in ${folder}: ${firstFault(text) ?? 'initdb failed'}.`,
      { cause },
    )
  } finally {
    await rm(passwordFile, { force: true })
  }
  await rename(half, join(folder, 'data'))
  return password
}

async function readPassword(folder: string): Promise<string> {
  const text = (await readText(join(folder, 'password')))?.trim()
  if (text !== undefined && text !== '') return text
  throw new LocalStackError(
    'broken-data-folder',
    `The data folder ${folder} holds a database but not the file "password" that opens it: restore that file, or move the folder away to begin empty.`,
  )
}

async function requireOurVersion(data: string): Promise<void> {
  const version = (await readText(join(data, 'PG_VERSION')))?.trim()
  if (version === String(POSTGRES_MAJOR)) return
  throw new LocalStackError(
    'broken-data-folder',
    version === undefined
      ? `The data folder ${data} is not a Postgres data folder (PG_VERSION is missing): restore it from a backup, or move it away to begin empty.`
      : `The data folder ${data} was made by Postgres ${version}, and this is Postgres ${POSTGRES_MAJOR}: bring its contents over with dump and restore, or move it away to begin empty.`,
  )
}

async function lastPort(folder: string): Promise<number | undefined> {
  const port = Number((await readText(join(folder, 'port')))?.trim())
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}

/**
 * Handles an unrecorded server: a server that still runs on this folder is ended. Lock files whose pid is gone, or now belongs to another
 * program, are removed: Postgres itself would treat that program as a server.
 */
async function stopForgotten(data: string): Promise<void> {
  const pid = Number((await readText(join(data, 'postmaster.pid')))?.split('\n', 1)[0])
  if (!Number.isInteger(pid) || pid <= 0 || !(await isServerOf(pid, data))) return await removeLocks(data)
  process.kill(pid, 'SIGINT')
  const killAt = Date.now() + STOP_TIMEOUT_MS
  while (processIdentity(pid) !== null) {
    if (Date.now() > killAt) process.kill(pid, 'SIGKILL')
    await sleep(POLL_MS)
  }
}

async function removeLocks(data: string): Promise<void> {
  const names = existsSync(data) ? await readdir(data) : []
  const locks = names.filter((name) => name === 'postmaster.pid' || name.startsWith('.s.PGSQL.'))
  await Promise.all(locks.map((name) => rm(join(data, name), { force: true })))
}

async function isServerOf(pid: number, data: string): Promise<boolean> {
  if (processIdentity(pid) === null) return false
  if (process.platform === 'linux') {
    const commandLine = await readText(`/proc/${pid}/cmdline`)
    return commandLine !== null && commandLine.split('\0').includes(data)
  }
  const { stdout } = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)])
  return stdout.includes(data)
}

/** The server writes its state into its lock file. Source: src/include/utils/pidfile.h, LOCK_FILE_LINE_PM_STATUS. */
const STATUS_LINE = 7

async function isReady(child: Child, data: string): Promise<boolean> {
  const lines = (await readText(join(data, 'postmaster.pid')))?.split('\n')
  return Number(lines?.[0]) === child.pid && lines?.[STATUS_LINE]?.trim() === 'ready'
}

function startFailure(output: string, data: string, logFile: string): LocalStackError {
  const full = diskFull('Postgres', data, output)
  if (full !== null) return full
  const fault = firstFault(output) ?? `it did not become ready in ${START_TIMEOUT_MS / 1000} s`
  if (/could not bind|Address already in use/.test(output))
    return new LocalStackError('port-taken', `Postgres cannot listen on its port: ${fault} (${logFile}).`)
  if (/Permission denied/.test(fault))
    return new LocalStackError('permission-denied', `Postgres cannot use the data folder ${data}: ${fault}.`)
  return new LocalStackError(
    'broken-data-folder',
    `Postgres cannot use the data folder ${data}: ${fault}. Restore it from a backup, or move it away to begin empty; the whole story is in ${logFile}.`,
  )
}

/** The fault in the server's output: its last FATAL or PANIC, otherwise an error of initdb. */
function firstFault(output: string): string | null {
  const lines = output.split('\n')
  const fatal = lines.findLast((line) => /(FATAL|PANIC):/.test(line))
  const line = fatal ?? lines.find((text) => /error:/.test(text)) ?? null
  return line === null ? null : line.replace(/^.*?(FATAL|PANIC|error):\s*/, '').trim()
}

const LOOPBACK = '127.0.0.1'

const connectionString = (user: string, password: string, place: string, database: string): string =>
  `postgresql://${user}:${password}@${place}/${encodeURIComponent(database)}`

async function ensureDatabase(url: (database: string) => string, name: string): Promise<string> {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new Error(`Not a plain database name: ${name}`)
  await asAdmin(url, async (admin) => {
    const [row] = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (row === undefined) await admin.execute(`CREATE DATABASE ${name}`)
  })
  return url(name)
}

async function asAdmin(
  url: (database: string) => string,
  work: (admin: Database) => Promise<void>,
): Promise<void> {
  const admin = openDatabase({
    connectionString: url('postgres'),
    maxConnections: 1,
    applicationName: 'cupel-local-stack',
  })
  try {
    await work(admin)
  } finally {
    await admin.close()
  }
}
