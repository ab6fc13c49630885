import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../test/until.js'
import { keptBrokers, planKafkaCluster, type KafkaCluster } from './kafka-cluster.js'
import { servingBrokers } from './kafka-probe.js'
import { startKafka, type RunningKafka } from './kafka.js'
import { ensureKafkaPrograms } from './class-archives.js'
import type { KafkaJars } from './maven-jars.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
const CASE_TIMEOUT_MS = 240_000

describe.skipIf(missing !== undefined)(
  `A local cluster${missing === undefined ? '' : ` (${missing})`}`,
  { timeout: CASE_TIMEOUT_MS },
  () => {
    let jars: KafkaJars
    let folder: string
    let running: RunningKafka[] = []
    let before: KafkaCluster
    const plan = (): Promise<KafkaCluster> =>
      planKafkaCluster({
        ...{ jars, folder: join(folder, 'kafka'), recordFolder: join(folder, 'run'), heapMb: 256 },
        logFile: (name) => join(folder, `${name}.log`),
      })
    const startAll = async (cluster: KafkaCluster): Promise<void> => {
      running = await Promise.all(cluster.nodes.map((node) => node.start()))
      await cluster.untilComplete()
    }
    const stopAll = async (): Promise<void> => {
      await Promise.all(running.map((broker) => broker.stop()))
      running = []
    }
    const seen = async (cluster: KafkaCluster, index: number) =>
      await servingBrokers('127.0.0.1', cluster.nodes[index]!.port, cluster.access.sasl)

    beforeAll(async () => {
      jars = await ensureKafkaPrograms()
      folder = await mkdtemp(join(tmpdir(), 'cupel-local-cluster-'))
      before = await plan()
      await startAll(before)
    }, CASE_TIMEOUT_MS)
    afterAll(async () => {
      await stopAll()
      await rm(folder, { recursive: true, force: true })
    }, CASE_TIMEOUT_MS)

    test('serves while one of its brokers is down, which comes back as a member of it', async () => {
      const cluster = before
      expect(cluster.access.brokers).toHaveLength(3)
      const whole = await seen(cluster, 0)
      expect(whole).toMatchObject({ brokers: 3 })
      process.kill(running[0]!.pid, 'SIGKILL')
      await running[0]!.child.exited
      await until('the others to miss it', async () => (await seen(cluster, 1))?.brokers === 2)
      expect((await seen(cluster, 1))!.clusterId).toBe(whole!.clusterId)
      running[0] = await cluster.nodes[0]!.start()
      await cluster.untilComplete()
      expect(await seen(cluster, 0)).toEqual(whole)
    })

    test('is the same cluster on the same ports after a stop of all brokers', async () => {
      const cluster = await seen(before, 0)
      await stopAll()
      const after = await plan()
      await startAll(after)
      expect(await seen(after, 2)).toEqual(cluster)
      expect(after.access).toEqual(before.access)
    })

    test('the folder knows its number of brokers, and closes its secrets to others', async () => {
      const kept = join(folder, 'kafka')
      expect(await keptBrokers(kept)).toBe(3)
      for (const name of (await readdir(kept)).filter((each) => !each.startsWith('broker-')))
        expect((await stat(join(kept, name))).mode & 0o077, name).toBe(0)
      expect(await keptBrokers(join(folder, 'none'))).toBeNull()
      const alone = join(folder, 'alone')
      const one = await startKafka({
        ...{ jars, folder: alone, recordFolder: join(folder, 'alone-run'), heapMb: 256 },
        logFile: join(folder, 'alone.log'),
      })
      await one.stop()
      expect(await keptBrokers(alone)).toBe(1)
    })
  },
)
