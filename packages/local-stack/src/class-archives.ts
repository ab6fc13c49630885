/**
 * Archives of the classes that the broker and the registry load. A JVM that maps such an archive neither reads nor verifies these classes,
 * so a start takes half of its processor time (docs/performance.md). Each program runs once to write its archive.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startKafka } from './kafka.js'
import {
  DEFAULT_CACHE,
  ensureKafkaJars,
  makeOnce,
  type KafkaJars,
  type KafkaJarsOptions,
} from './maven-jars.js'
import { startPostgres } from './postgres.js'
import { startRegistry } from './registry.js'

const KAFKA_ARCHIVE = 'kafka.jsa'
const REGISTRY_ARCHIVE = 'registry.jsa'
const CALL_TIMEOUT_MS = 30_000

/**
 * Downloads missing programs and writes missing class archives, each once. Two processes at once share the work. An archive that cannot be
 * written is left out. Throws LocalStackError for the programs alone: `java-missing`, `download-failed`, `permission-denied`.
 */
export async function ensureKafkaPrograms(options: KafkaJarsOptions = {}): Promise<KafkaJars> {
  const jars = await ensureKafkaJars(options)
  const folder = join(options.cacheDir ?? DEFAULT_CACHE, 'kafka', `classes-${await fingerprint(jars)}`)
  try {
    await makeOnce(folder, async (made) => {
      options.onProgress?.('Preparing Kafka and the schema registry for faster starts (some 20 s, once).')
      await writeArchives(jars, made)
    })
  } catch {
    // The programs start without archives, for example from a cache that is read-only.
  }
  const archive = (name: string): string | undefined => {
    const file = join(folder, name)
    return existsSync(file) ? file : undefined
  }
  const [kafkaClasses, registryClasses] = [archive(KAFKA_ARCHIVE), archive(REGISTRY_ARCHIVE)]
  return {
    ...jars,
    ...(kafkaClasses === undefined ? {} : { kafkaClasses }),
    ...(registryClasses === undefined ? {} : { registryClasses }),
  }
}

/** An archive fits one version of Java and one set of jars. */
async function fingerprint({ java, kafkaLibs, registryJar }: KafkaJars): Promise<string> {
  const { stderr } = await promisify(execFile)(java, ['-version'])
  return createHash('sha256').update([stderr, kafkaLibs, registryJar].join('\n')).digest('hex').slice(0, 12)
}

/** An archive that cannot be written is left out: the program starts without it. */
async function writeArchives(jars: KafkaJars, target: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'cupel-classes-'))
  const places = (name: string): Places => ({
    jars,
    folder: join(folder, name),
    recordFolder: join(folder, 'run'),
    logFile: join(folder, `${name}.log`),
  })
  try {
    await Promise.allSettled([
      runOnce(() => startKafka({ ...places('kafka'), writesClasses: join(target, KAFKA_ARCHIVE) })),
      writeRegistryArchive(places, join(target, REGISTRY_ARCHIVE)),
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Places {
  readonly jars: KafkaJars
  readonly folder: string
  readonly recordFolder: string
  readonly logFile: string
}

/** The registry does what every installation asks of it, so that the classes of its storage and of its calls are archived too. */
async function writeRegistryArchive(places: (name: string) => Places, writesClasses: string): Promise<void> {
  const postgres = await startPostgres(places('postgres'))
  try {
    const databaseUrl = await postgres.ensureDatabase('registry')
    await runOnce(async () => {
      const registry = await startRegistry({ ...places('registry'), databaseUrl, writesClasses })
      // Without these calls the archive has fewer classes.
      await callOnce(registry.url).catch(() => undefined)
      return registry
    })
  } finally {
    await postgres.stop()
  }
}

async function callOnce(url: string): Promise<void> {
  const schema = JSON.stringify({
    type: 'record',
    name: 'Happened',
    fields: [{ name: 'a', type: 'string', default: '' }],
  })
  const call = async (method: string, path: string, body?: object): Promise<void> => {
    const headers = { 'content-type': 'application/vnd.schemaregistry.v1+json' }
    const response = await fetch(`${url}${path}`, {
      ...{ method, headers, signal: AbortSignal.timeout(CALL_TIMEOUT_MS) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    await response.arrayBuffer()
  }
  await call('PUT', '/config/happened', { compatibility: 'FULL_TRANSITIVE' })
  await call('POST', '/subjects/happened/versions', { schema })
  await call('PUT', '/config/happened', { compatibility: 'FULL_TRANSITIVE' })
  await call('POST', '/subjects/happened/versions', { schema })
  await call('GET', '/subjects')
  await call('GET', '/subjects/happened/versions')
  await call('GET', '/subjects/happened/versions/1')
}

async function runOnce(start: () => Promise<{ stop(): Promise<void> }>): Promise<void> {
  const running = await start()
  await running.stop()
}
