import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from './free-port.js'
import { servingCluster } from './kafka-probe.js'
import { javaEnvironment, startKafka, type KafkaOptions, type RunningKafka } from './kafka.js'
import { ensureKafkaPrograms } from './class-archives.js'
import type { KafkaJars } from './maven-jars.js'
import { startPostgres } from './postgres.js'
import { startRegistry } from './registry.js'
import { runProgram } from './run-program.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
const CASE_TIMEOUT_MS = 240_000

const clusterOf = ({ port, access }: RunningKafka): Promise<string | null> =>
  servingCluster('127.0.0.1', port, access.sasl)

describe.skipIf(missing !== undefined)(
  `Local Kafka${missing === undefined ? '' : ` (${missing})`}`,
  { timeout: CASE_TIMEOUT_MS },
  () => {
    let jars: KafkaJars
    let folder: string
    const options = (name: string): KafkaOptions => ({
      jars,
      folder: join(folder, name),
      logFile: join(folder, `${name}.log`),
      recordFolder: join(folder, `${name}-run`),
    })
    beforeAll(async () => {
      jars = await ensureKafkaPrograms()
      folder = await mkdtemp(join(tmpdir(), 'cupel-local-kafka-'))
      // Under root, Postgres belongs to another user, who must be able to pass through.
      await chmod(folder, 0o711)
    }, CASE_TIMEOUT_MS)
    afterAll(async () => await rm(folder, { recursive: true, force: true }))

    /** A Kafka program that only starts; it fails if the JVM must map the archive and cannot. */
    const versionWith = (archive: string, ...flags: readonly string[]): Promise<void> =>
      runProgram(
        jars.java,
        [
          ...['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', ...flags, `-XX:SharedArchiveFile=${archive}`],
          ...['-cp', join(jars.kafkaLibs, '*'), 'kafka.Kafka', '--version'],
        ],
        { cwd: folder, env: javaEnvironment() },
      )

    test('the class archive is one that the JVM can map, and a broken one is ignored', async () => {
      expect(jars.kafkaClasses).toBeDefined()
      expect(jars.registryClasses).toBeDefined()
      await versionWith(jars.kafkaClasses!, '-Xshare:on')
      const broken = join(folder, 'broken.jsa')
      await writeFile(broken, 'no archive')
      await expect(versionWith(broken, '-Xshare:on')).rejects.toThrow()
      await versionWith(broken)
    })

    test('a broker that was killed comes back as the same cluster on the same port', async () => {
      const first = await startKafka(options('killed'))
      const cluster = await clusterOf(first)
      expect(cluster).toMatch(/^[\w-]{22}$/)
      process.kill(first.pid, 'SIGKILL')
      await first.child.exited
      // A copy of a home may be like this: no password, and settings that every user of the machine may read.
      const ofFolder = (name: string): string => join(folder, 'killed', name)
      await rm(ofFolder('password'))
      await chmod(ofFolder('server.properties'), 0o644)
      await chmod(join(folder, 'killed'), 0o755)
      const second = await startKafka(options('killed'))
      expect(second.access.brokers).toEqual(first.access.brokers)
      const { sasl } = second.access
      expect(sasl.password).toMatch(/^[\w-]{32}$/)
      expect(await servingCluster('127.0.0.1', second.port, first.access.sasl)).toBeNull()
      expect((await stat(join(folder, 'killed'))).mode & 0o077).toBe(0)
      for (const name of ['password', 'server.properties', 'client.properties']) {
        expect(await readFile(ofFolder(name), 'utf8')).toContain(sasl.password)
        expect((await stat(ofFolder(name))).mode & 0o077, name).toBe(0)
      }
      expect(await clusterOf(second)).toBe(cluster)
      await second.stop()
      expect(await clusterOf(second)).toBeNull()

      // Another port for the earlier data, as when another process took the first port.
      const moved = await startKafka({
        ...options('killed'),
        port: await freePort(),
        controllerPort: await freePort(),
      })
      expect(await clusterOf(moved)).toBe(cluster)

      // Its controller would write into the metadata before Kafka finds that the folder is locked.
      await expect(
        startKafka({ ...options('killed'), recordFolder: join(folder, 'other-run') }),
      ).rejects.toMatchObject({
        code: 'home-in-use',
      })
      // The broker that holds the port answers. The start must not mistake it for the broker that it starts.
      await expect(startKafka({ ...options('second'), port: moved.port })).rejects.toMatchObject({
        code: 'port-taken',
      })
      await moved.stop()
    })

    test('a start that was killed while formatting is begun again', async () => {
      const half = join(folder, 'half', 'data.incomplete')
      await mkdir(half, { recursive: true })
      await writeFile(join(half, 'meta.properties'), 'version=')
      const kafka = await startKafka(options('half'))
      await kafka.stop()
      expect(await readdir(join(folder, 'half'))).not.toContain('data.incomplete')
    })

    test('data that is not a Kafka storage is named, not deleted', async () => {
      const data = join(folder, 'broken', 'data')
      await mkdir(data, { recursive: true })
      await writeFile(join(data, 'meta.properties'), 'nonsense')
      await expect(startKafka(options('broken'))).rejects.toMatchObject({ code: 'broken-data-folder' })
      expect(await readFile(join(data, 'meta.properties'), 'utf8')).toBe('nonsense')
    })

    test('a registry on Postgres keeps its schemas and their ids', async () => {
      const postgres = await startPostgres({
        folder: join(folder, 'postgres'),
        logFile: join(folder, 'postgres.log'),
        recordFolder: join(folder, 'postgres-run'),
      })
      const connectionString = await postgres.ensureDatabase('registry')
      const registryOptions = {
        jars,
        folder: join(folder, 'registry'),
        logFile: join(folder, 'registry.log'),
        recordFolder: join(folder, 'registry-run'),
        databaseUrl: connectionString,
      }
      const body = JSON.stringify({ schema: JSON.stringify({ type: 'record', name: 'A', fields: [] }) })
      const register = async (url: string): Promise<unknown> => {
        const headers = { 'content-type': 'application/json' }
        const answer = await fetch(`${url}/subjects/kept/versions`, { method: 'POST', body, headers })
        return await answer.json()
      }
      const first = await startRegistry(registryOptions)
      const id = await register(first.url)
      process.kill(first.pid, 'SIGKILL')
      await first.child.exited
      const second = await startRegistry(registryOptions)
      expect(await register(second.url)).toEqual(id)
      const commandLine = await readFile(`/proc/${second.pid}/cmdline`, 'utf8').catch(() => '')
      expect(commandLine).not.toContain(new URL(connectionString).password)
      await second.stop()
      await postgres.stop()
    })

    test('only their owner can read logs and settings that may tell something', async () => {
      expect((await stat(join(folder, 'registry.log'))).mode & 0o077).toBe(0)
    })
  },
)
