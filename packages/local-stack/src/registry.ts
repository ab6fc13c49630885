/** Runs a schema registry (Apicurio, with the Confluent interface) as a child process on the loopback address. */
import { mkdir } from 'node:fs/promises'
import { becomesReady, startChild, type Child } from './child-process.js'
import { freePort } from './free-port.js'
import { ARCHIVE_TIMEOUT_MS, classArchiveFlags, firstFault, javaEnvironment } from './kafka.js'
import { LocalStackError } from './local-stack-error.js'
import type { KafkaJars } from './maven-jars.js'

export interface RegistryOptions {
  /** Working folder of the process; its data is in the database. */
  readonly folder: string
  readonly jars: KafkaJars
  readonly logFile: string
  readonly recordFolder: string
  readonly port?: number
  /**
   * `postgresql://user:password@host:port/database`, an existing database only for the registry. Without it the schemas are lost when it
   * ends.
   */
  readonly databaseUrl?: string
  /** The registry writes its class archive to this file when it stops. */
  readonly writesClasses?: string
}

export interface RunningRegistry {
  readonly child: Child
  readonly pid: number
  readonly port: number
  /** Base of the Confluent interface. */
  readonly url: string
  stop(): Promise<void>
}

const HOST = '127.0.0.1'
const HEAP_MB = 384
const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 10_000
const POLL_MS = 100
const INTERFACE_PATH = '/apis/ccompat/v7'

/** Starts the registry and resolves when it answers. Throws LocalStackError: `child-failed`, `port-taken`. */
export async function startRegistry(options: RegistryOptions): Promise<RunningRegistry> {
  await mkdir(options.folder, { recursive: true })
  const port = options.port ?? (await freePort())
  const child = startChild({
    name: 'registry',
    command: options.jars.java,
    args: [
      `-Xmx${HEAP_MB}m`,
      '-XX:+UseSerialGC',
      // It gets a few calls per start: an early start matters more than speed.
      '-XX:TieredStopAtLevel=1',
      ...classArchiveFlags(options.jars.registryClasses, options.writesClasses),
      `-Dquarkus.http.host=${HOST}`,
      `-Dquarkus.http.port=${port}`,
      '-Dquarkus.log.level=WARN',
      '-jar',
      options.jars.registryJar,
    ],
    cwd: options.folder,
    // Not among the arguments, which every user of the machine may read.
    env: { ...javaEnvironment(), ...storage(options.databaseUrl) },
    logFile: options.logFile,
    recordFolder: options.recordFolder,
    stage: 'registry',
    stopSignal: 'SIGTERM',
    stopTimeoutMs: options.writesClasses === undefined ? STOP_TIMEOUT_MS : ARCHIVE_TIMEOUT_MS,
  })
  const url = `http://${HOST}:${port}${INTERFACE_PATH}`
  await answersOrThrow(child, url, options.logFile)
  return {
    child,
    pid: child.pid,
    port,
    url,
    stop: async () => void (await child.stop()),
  }
}

function storage(databaseUrl: string | undefined): NodeJS.ProcessEnv {
  if (databaseUrl === undefined) return {}
  const url = new URL(databaseUrl)
  return {
    APICURIO_STORAGE_SQL_KIND: 'postgresql',
    APICURIO_DATASOURCE_URL: `jdbc:postgresql://${url.host}${url.pathname}`,
    APICURIO_DATASOURCE_USERNAME: decodeURIComponent(url.username),
    APICURIO_DATASOURCE_PASSWORD: decodeURIComponent(url.password),
  }
}

async function answersOrThrow(child: Child, url: string, logFile: string): Promise<void> {
  const limits = { timeoutMs: START_TIMEOUT_MS, pollMs: POLL_MS }
  if ((await becomesReady(child, () => answers(`${url}/subjects`), limits)) === 'ready') return
  const output = child.output()
  const fault = firstFault(output) ?? `it did not answer within ${START_TIMEOUT_MS / 1000} s`
  const taken = /already in use|Address already/i.test(output)
  throw new LocalStackError(
    taken ? 'port-taken' : 'child-failed',
    `The schema registry could not be started: ${fault} (${logFile}).`,
  )
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    // The registry does not listen yet.
    return false
  }
}
