/** Runs an Apache Kafka broker as a child process on the loopback address: it is formatted once and survives kills. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { becomesReady, startChild, type Child } from './child-process.js'
import { makeFolder } from './folder.js'
import { freePort } from './free-port.js'
import {
  brokerLogin,
  kafkaCredentials,
  writeClientProperties,
  writeSecret,
  type KafkaAccess,
  type KafkaCredentials,
} from './kafka-access.js'
import { servingCluster } from './kafka-probe.js'
import { diskFull, LocalStackError } from './local-stack-error.js'
import type { KafkaJars } from './maven-jars.js'
import { isSameProcess, processIdentity } from './process-identity.js'
import { ProgramFailed, runProgram } from './run-program.js'

/** `quick`: fast code at once. `full`: faster code, after a minute or two of load in which it is slower (docs/adr/0326). */
export type BrokerCompiler = 'quick' | 'full'

export interface KafkaOptions {
  /** Holds the broker's data, its settings and its last ports. */
  readonly folder: string
  readonly jars: KafkaJars
  readonly logFile: string
  readonly recordFolder: string
  /** By default the last ones used, if they are free. */
  readonly port?: number
  readonly controllerPort?: number
  readonly heapMb?: number
  /** By default quick. */
  readonly compiler?: BrokerCompiler
  /** Further settings of server.properties. */
  readonly settings?: Readonly<Record<string, string>>
  /** By default the broker is a cluster of its own. */
  readonly member?: KafkaMember
  /** The broker writes its class archive to this file when it stops. */
  readonly writesClasses?: string
}

/** The place of a broker in a cluster of several brokers, each of which is broker and controller. */
export interface KafkaMember {
  /** Unique among the processes of the installation. */
  readonly name: string
  /** From 1 on. */
  readonly nodeId: number
  readonly clusterId: string
  /** Every controller, as `id@host:port`. */
  readonly voters: readonly string[]
  /** The brokers sign in with each other: all have the same credentials. */
  readonly credentials: KafkaCredentials
}

export interface RunningKafka {
  readonly child: Child
  readonly pid: number
  readonly port: number
  readonly access: KafkaAccess
  /** Settings for Kafka's own tools, with the password: open to their owner only. */
  readonly clientProperties: string
  stop(): Promise<void>
}

export const HOST = '127.0.0.1'
const HEAP_MB = 512
export const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 15_000
/** Time to write a class archive on a busy machine. */
export const ARCHIVE_TIMEOUT_MS = 120_000
const POLL_MS = 50
const DEPLOY = new URL('../../../deploy/kafka/', import.meta.url)

/**
 * Starts the broker of a folder, formats its storage first if there is none, and resolves when it serves. Throws LocalStackError:
 * `broken-data-folder`, `permission-denied`, `port-taken`, `home-in-use`, `disk-full`, `child-failed`.
 */
export async function startKafka(options: KafkaOptions): Promise<RunningKafka> {
  const folder = await makeFolder(options.folder)
  // A copy of a folder may be open to others.
  await chmod(folder, 0o700)
  await requireUnused(folder)
  const last = await readJson<Ports>(join(folder, 'ports.json'))
  const port = options.port ?? (await freePort(last?.port))
  const controllerPort = options.controllerPort ?? (await freePort(last?.controllerPort))
  const data = join(folder, 'data')
  const { member } = options
  const sasl = member?.credentials ?? (await kafkaCredentials(folder))
  const access = { brokers: [`${HOST}:${port}`], sasl }
  const settings = await settingsText({
    ...{ port, controllerPort, dataFolder: data, login: brokerLogin(sasl) },
    further: { ...membership(member), ...options.settings },
  })
  if (!existsSync(data)) await format({ folder, jars: options.jars, settings, member })
  const file = join(folder, 'server.properties')
  await writeSecret(file, settings)
  const clientProperties = await writeClientProperties(folder, access)

  const child = startChild({
    name: member?.name ?? 'kafka',
    command: options.jars.java,
    args: [...jvmFlags(options), '-cp', classPath(options.jars), 'kafka.Kafka', file],
    cwd: folder,
    env: javaEnvironment(),
    logFile: options.logFile,
    recordFolder: options.recordFolder,
    stage: 'log',
    stopSignal: 'SIGTERM',
    stopTimeoutMs: options.writesClasses === undefined ? STOP_TIMEOUT_MS : ARCHIVE_TIMEOUT_MS,
  })
  await writeFile(
    join(folder, 'broker.json'),
    JSON.stringify({ pid: child.pid, identity: processIdentity(child.pid) }),
  )
  await servesOrThrow(child, { port, access }, { folder, logFile: options.logFile })
  await writeFile(join(folder, 'ports.json'), JSON.stringify({ port, controllerPort }))
  return {
    child,
    pid: child.pid,
    port,
    access,
    clientProperties,
    stop: async () => void (await child.stop()),
  }
}

/** Only the variables that a Java program needs: JAVA_TOOL_OPTIONS and the like must not change the broker. */
export function javaEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env
  return { PATH, HOME, TMPDIR, LC_ALL: 'C.UTF-8', TZ: 'UTC' }
}

function jvmFlags(options: KafkaOptions): string[] {
  const heap = options.heapMb ?? HEAP_MB
  return [
    // A fixed size: growing the heap under load pauses the broker.
    `-Xms${heap}m`,
    `-Xmx${heap}m`,
    ...(options.compiler === 'full' ? [] : ['-XX:TieredStopAtLevel=1']),
    '-XX:+UseSerialGC',
    ...classArchiveFlags(options.jars.kafkaClasses, options.writesClasses),
    '-Djava.awt.headless=true',
    `-Dlog4j2.configurationFile=${fileURLToPath(new URL('log4j2.properties', DEPLOY))}`,
  ]
}

/**
 * Flags of the JVM: it maps the classes that an earlier run archived, or archives those of this run when it ends. An archive that does not
 * fit the JVM or the jars is ignored. Source: JEP 350, Dynamic CDS Archives.
 */
export function classArchiveFlags(archive: string | undefined, written: string | undefined): string[] {
  if (written !== undefined) return [`-XX:ArchiveClassesAtExit=${written}`]
  return archive === undefined ? [] : [`-XX:SharedArchiveFile=${archive}`]
}

/** The settings of a member of a cluster; none for a single broker. */
function membership(member: KafkaMember | undefined): Record<string, string> {
  if (member === undefined) return {}
  return {
    'node.id': String(member.nodeId),
    // The members are known beforehand, so that each can be formatted by itself.
    'controller.quorum.bootstrap.servers': '',
    'controller.quorum.voters': member.voters.join(','),
  }
}

const classPath = (jars: KafkaJars): string => join(jars.kafkaLibs, '*')

async function settingsText(values: {
  port: number
  controllerPort: number
  dataFolder: string
  login: string
  further: Readonly<Record<string, string>> | undefined
}): Promise<string> {
  const template = await readFile(new URL('server.properties', DEPLOY), 'utf8')
  const filled = template
    .replaceAll('{{port}}', String(values.port))
    .replaceAll('{{controllerPort}}', String(values.controllerPort))
    .replaceAll('{{dataFolder}}', values.dataFolder)
    .replaceAll('{{login}}', values.login)
  // Later lines win.
  const further = Object.entries(values.further ?? {}).map(([name, value]) => `${name}=${value}\n`)
  return filled + further.join('')
}

/**
 * Formats a temporary folder and renames it at the end, so that a start killed in the middle leaves no incomplete storage.
 */
async function format({
  folder,
  jars,
  settings,
  member,
}: {
  folder: string
  jars: KafkaJars
  settings: string
  member: KafkaMember | undefined
}): Promise<void> {
  const half = join(folder, 'data.incomplete')
  const file = join(folder, 'format.properties')
  await rm(half, { recursive: true, force: true })
  await writeSecret(file, `${settings}log.dirs=${half}\n`)
  const clusterId = member?.clusterId ?? randomClusterId()
  try {
    await runProgram(
      jars.java,
      [
        '-XX:TieredStopAtLevel=1',
        '-XX:+UseSerialGC',
        ...classArchiveFlags(jars.kafkaClasses, undefined),
        `-Dlog4j2.configurationFile=${fileURLToPath(new URL('log4j2.properties', DEPLOY))}`,
        '-cp',
        classPath(jars),
        'kafka.tools.StorageTool',
        'format',
        ...(member === undefined ? ['--standalone'] : []),
        '-t',
        clusterId,
        '-c',
        file,
      ],
      { cwd: folder, env: javaEnvironment() },
    )
  } catch (cause) {
    const text = cause instanceof ProgramFailed ? cause.output : String(cause)
    const full = diskFull('Kafka', folder, text)
    if (full !== null) throw full
    throw new LocalStackError(
      'child-failed',
      `Kafka could not format its storage in ${folder}: ${firstFault(text) ?? String(cause)}.`,
      { cause },
    )
  }
  await rm(file, { force: true })
  await rename(half, join(folder, 'data'))
}

/** An id like those of Kafka's `random-uuid`. It never begins with a dash, which would make it an option. */
export function randomClusterId(): string {
  for (;;) {
    const id = randomBytes(16).toString('base64url')
    if (!id.startsWith('-')) return id
  }
}

/** Kafka locks its folder only after its controller has begun to write: two concurrent brokers would corrupt the metadata. */
async function requireUnused(folder: string): Promise<void> {
  const record = await readJson<{ pid: number; identity: string }>(join(folder, 'broker.json'))
  if (record !== null && isSameProcess(record)) throw inUse(folder)
}

const inUse = (folder: string): LocalStackError =>
  new LocalStackError(
    'home-in-use',
    `Another Kafka broker already runs on the folder ${folder}: stop it first.`,
  )

async function servesOrThrow(
  child: Child,
  { port, access }: Pick<RunningKafka, 'port' | 'access'>,
  { folder, logFile }: Pick<KafkaOptions, 'folder' | 'logFile'>,
): Promise<void> {
  const properties = await readFile(join(folder, 'data', 'meta.properties'), 'utf8').catch(() => '')
  const clusterId = /^cluster\.id=(.+)$/m.exec(properties)?.[1]?.trim()
  // Another broker on the port answers while this one is still failing: the cluster id distinguishes them.
  const isServing = async (): Promise<boolean> => {
    const serving = await servingCluster(HOST, port, access.sasl)
    return serving !== null && serving === clusterId
  }
  const outcome = await becomesReady(child, isServing, { timeoutMs: START_TIMEOUT_MS, pollMs: POLL_MS })
  if (outcome === 'ready') return
  const full = diskFull('Kafka', folder, child.output())
  if (full !== null) throw full
  if (outcome === 'late')
    throw new LocalStackError(
      'child-failed',
      `Kafka did not serve within ${START_TIMEOUT_MS / 1000} s: ${firstFault(child.output()) ?? 'it said nothing'} (${logFile}).`,
    )
  throw startFailure(child.output(), folder, logFile)
}

function startFailure(output: string, folder: string, logFile: string): LocalStackError {
  const fault = firstFault(output) ?? 'it ended without a word'
  if (/Failed to acquire lock on file \.lock/.test(output)) return inUse(folder)
  if (/Address already in use|could not be bound/i.test(output))
    return new LocalStackError('port-taken', `Kafka cannot listen on its ports: ${fault} (${logFile}).`)
  if (/AccessDenied|Permission denied/.test(output))
    return new LocalStackError('permission-denied', `Kafka cannot use the folder ${folder}: ${fault}.`)
  return new LocalStackError(
    'broken-data-folder',
    `Kafka cannot use the data in ${folder}: ${fault}. Restore it from a backup, or move it away to begin empty; the whole story is in ${logFile}.`,
  )
}

/** The first line of Java's output with an exception or an error. */
export function firstFault(output: string): string | null {
  const lines = output.split('\n')
  const line =
    lines.find((text) => /\b(FATAL|ERROR)\b/.test(text)) ??
    lines.find((text) => /(Exception|Error)\b/.test(text)) ??
    null
  return line === null ? null : line.replace(/^\S+ (FATAL|ERROR) /, '').trim()
}

interface Ports {
  readonly port: number
  readonly controllerPort: number
}

/** Null if the file does not exist or is incomplete. */
export async function readJson<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T
  } catch {
    return null
  }
}
