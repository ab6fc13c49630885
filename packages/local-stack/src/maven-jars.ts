/**
 * Downloads the programs of the Kafka profile that are not npm packages, once, with Maven, into the checkout's cache. Each file must have
 * its SHA-256 in deploy/kafka/jars.sha256: Maven's own checksums come from the same source as the file.
 */
import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { LocalStackError } from './local-stack-error.js'
import { isSameProcess, processIdentity } from './process-identity.js'

export interface KafkaJars {
  /** The Java program, 17 or newer. */
  readonly java: string
  /** Folder with every jar of the broker. */
  readonly kafkaLibs: string
  /** The schema registry's runnable jar, its libraries beside it. */
  readonly registryJar: string
  /** Class archives of the two programs, see class-archives.ts. Absent: the programs load their classes from the jars. */
  readonly kafkaClasses?: string
  readonly registryClasses?: string
}

export interface KafkaJarsOptions {
  /** By default `.cache` in the checkout, so that installations and tests share the downloads. */
  readonly cacheDir?: string
  /** Lines of `sha256sum`, one for each file that may be downloaded. By default the project's file. */
  readonly pinFile?: string
  /** Called with one sentence before a download, which may take minutes. */
  readonly onProgress?: (sentence: string) => void
}

const JAVA_NEEDED = 17
const POM = fileURLToPath(new URL('../../../deploy/kafka/pom.xml', import.meta.url))
const PINS = fileURLToPath(new URL('../../../deploy/kafka/jars.sha256', import.meta.url))
export const DEFAULT_CACHE = fileURLToPath(new URL('../../../.cache', import.meta.url))
const MAVEN_TIMEOUT_MS = 20 * 60_000
const run = promisify(execFile)

/**
 * Downloads missing programs; afterwards neither Maven nor a network is needed. Two processes at once share the work.
 * Throws LocalStackError: `java-missing`, `download-failed`.
 */
export async function ensureKafkaJars(options: KafkaJarsOptions = {}): Promise<KafkaJars> {
  const java = await findJava()
  const cache = options.cacheDir ?? DEFAULT_CACHE
  const pom = await readFile(POM, 'utf8')
  const pinText = await readFile(options.pinFile ?? PINS, 'utf8')
  const pins = readPins(pinText)
  const progress = options.onProgress ?? (() => undefined)
  const kafkaVersion = property(pom, 'kafka.version')
  const registryVersion = property(pom, 'apicurio.version')

  // Each pom with its pins has its own folder: a running broker keeps the jars it was started with.
  const pomHash = createHash('sha256').update(pom).update(pinText).digest('hex').slice(0, 12)
  const kafkaLibs = join(cache, 'kafka', `libs-${kafkaVersion}-${pomHash}`)
  await makeOnce(kafkaLibs, async (folder) => {
    progress(`Fetching Apache Kafka ${kafkaVersion} with Maven (about 45 MB, once).`)
    await maven('dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${folder}`)
    await requirePinned(folder, pins)
  })
  const registry = join(cache, 'registry', registryVersion)
  await makeOnce(registry, async (folder) => {
    progress(`Fetching the schema registry Apicurio ${registryVersion} with Maven (about 110 MB, once).`)
    const artifact = `io.apicurio:apicurio-registry-app:${registryVersion}:tar.gz:all`
    await maven('dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`)
    await requirePinned(folder, pins)
    await unpack(folder)
  })
  return {
    java,
    kafkaLibs,
    registryJar: join(registry, `apicurio-registry-app-${registryVersion}-runner.jar`),
  }
}

/** The Java program of JAVA_HOME, else of the path. Throws LocalStackError `java-missing` if it is missing or too old. */
export async function findJava(): Promise<string> {
  const home = process.env['JAVA_HOME']
  const java = home === undefined || home === '' ? 'java' : join(home, 'bin', 'java')
  let text: string
  try {
    text = (await run(java, ['-version'])).stderr
  } catch (cause) {
    throw new LocalStackError(
      'java-missing',
      `The Kafka profile needs Java ${JAVA_NEEDED} or newer, and ${java} cannot be run: install it, set JAVA_HOME, or start without --kafka.`,
      { cause },
    )
  }
  // `openjdk version "17.0.15" 2025-04-15`; until Java 8 it was `"1.8.0_392"`.
  const found = Number(/version "(?:1\.)?(\d+)/.exec(text)?.[1] ?? 0)
  if (found >= JAVA_NEEDED) return java
  throw new LocalStackError(
    'java-missing',
    `The Kafka profile needs Java ${JAVA_NEEDED} or newer, and ${java} is Java ${found}: set JAVA_HOME to a newer one, or start without --kafka.`,
  )
}

/**
 * Lets `make` fill a temporary folder and renames it at the end, so that the target is complete. The lock only avoids double work by two
 * processes; without it the first rename wins.
 */
export async function makeOnce(target: string, make: (folder: string) => Promise<void>): Promise<void> {
  if (existsSync(target)) return
  const lock = `${target}.lock`
  const folder = `${target}.${randomUUID()}.incomplete`
  try {
    await mkdir(join(target, '..'), { recursive: true })
    await takeLock(lock, () => existsSync(target))
    if (existsSync(target)) return
    await mkdir(folder)
    await make(folder)
    await rename(folder, target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'EACCES' && code !== 'EROFS' && code !== 'ENOSPC') throw error
    throw new LocalStackError(
      'permission-denied',
      `The cache folder ${target} cannot be written (${code}).`,
      {
        cause: error,
      },
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
    await dropLock(lock)
  }
}

const LOCK_POLL_MS = 200

/** Resolves when this process has the lock, or when `done` returns that it needs none. */
async function takeLock(lock: string, done: () => boolean): Promise<void> {
  while (!done()) {
    try {
      await writeFile(lock, JSON.stringify(ourselves()), { flag: 'wx' })
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const holder = await readHolder(lock)
    // The process that wrote the file was killed, possibly while it was writing.
    if (holder === 'gone') await rm(lock, { force: true })
    await sleep(LOCK_POLL_MS)
  }
}

const ourselves = (): { pid: number; identity: string } => ({
  pid: process.pid,
  identity: processIdentity(process.pid) ?? '',
})

const UNFINISHED_LOCK_MS = 5_000

async function readHolder(lock: string): Promise<'alive' | 'gone'> {
  try {
    const record: unknown = JSON.parse(await readFile(lock, 'utf8'))
    return isSameProcess(record as { pid: number; identity: string }) ? 'alive' : 'gone'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'alive'
    const age = Date.now() - ((await stat(lock).catch(() => null))?.mtimeMs ?? Date.now())
    return age > UNFINISHED_LOCK_MS ? 'gone' : 'alive'
  }
}

async function dropLock(lock: string): Promise<void> {
  const text = await readFile(lock, 'utf8').catch(() => '')
  if (text === JSON.stringify(ourselves())) await rm(lock, { force: true })
}

async function maven(goal: string, ...args: readonly string[]): Promise<void> {
  const mvn = process.platform === 'win32' ? 'mvn.cmd' : 'mvn'
  try {
    await run(mvn, ['--batch-mode', '--strict-checksums', '--quiet', '--file', POM, goal, ...args], {
      timeout: MAVEN_TIMEOUT_MS,
      maxBuffer: 64 * 1024 * 1024,
    })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT')
      throw new LocalStackError(
        'download-failed',
        'The first start with --kafka fetches the broker with Maven, and mvn cannot be run: install Maven (once), or start without --kafka.',
        { cause },
      )
    const output = String((cause as { stdout?: unknown }).stdout ?? '')
    const fault = output.split('\n').find((line) => line.startsWith('[ERROR]'))
    throw new LocalStackError(
      'download-failed',
      `Maven could not fetch what --kafka needs: ${fault?.replace('[ERROR]', '').trim() ?? String(cause)} Check the network and Maven's settings, then start again.`,
      { cause },
    )
  }
}

function readPins(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').filter((line) => line !== '')
  return new Map(lines.map((line) => [line.slice(66).trim(), line.slice(0, 64)]))
}

/** Throws LocalStackError `download-failed` if a file is not the one that the project was tested with. */
async function requirePinned(folder: string, pins: ReadonlyMap<string, string>): Promise<void> {
  for (const name of await readdir(folder)) {
    const sha256 = createHash('sha256')
    for await (const chunk of createReadStream(join(folder, name))) sha256.update(chunk as Buffer)
    if (pins.get(name) === sha256.digest('hex')) continue
    throw new LocalStackError(
      'download-failed',
      `Maven fetched a file ${name} that is not the one of deploy/kafka/jars.sha256. It was not used: check from where Maven fetches (its settings and mirrors), remove ${name} from its local repository, and start again.`,
    )
  }
}

async function unpack(folder: string): Promise<void> {
  const archive = (await readdir(folder)).find((file) => file.endsWith('.tar.gz'))
  if (archive === undefined)
    throw new LocalStackError('download-failed', 'Maven fetched no archive of the schema registry.')
  try {
    await run('tar', ['-xzf', archive], { cwd: folder })
  } catch (cause) {
    throw new LocalStackError(
      'download-failed',
      `The archive ${archive} could not be unpacked with tar: start again to fetch it anew.`,
      { cause },
    )
  }
  await rm(join(folder, archive))
}

function property(pom: string, name: string): string {
  const value = new RegExp(`<${name.replace('.', '\\.')}>([^<]+)</`).exec(pom)?.[1]
  if (value === undefined) throw new Error(`${POM} has no property ${name}`)
  return value
}
