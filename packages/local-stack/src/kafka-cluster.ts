/**
 * Several Kafka brokers as child processes on the loopback address, as one cluster that keeps serving when one of them fails: three
 * replicas of each partition, two of which have a record before it is acknowledged.
 */
import { existsSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolder } from './folder.js'
import { freePort } from './free-port.js'
import { kafkaCredentials, writeClientProperties, type KafkaAccess } from './kafka-access.js'
import { servingBrokers } from './kafka-probe.js'
import {
  HOST,
  randomClusterId,
  readJson,
  START_TIMEOUT_MS,
  startKafka,
  type KafkaMember,
  type KafkaOptions,
  type RunningKafka,
} from './kafka.js'
import { LocalStackError } from './local-stack-error.js'

/** The brokers of a local cluster: with three replicas of everything, one may fail. */
export const CLUSTER_BROKERS = 3

export interface KafkaClusterOptions extends Pick<
  KafkaOptions,
  'jars' | 'recordFolder' | 'heapMb' | 'compiler' | 'settings'
> {
  /** Holds the folders of the brokers, the password and the ports. */
  readonly folder: string
  readonly logFile: (name: string) => string
}

/** A broker of the cluster, which may be started again after it ended. */
export interface ClusterNode {
  /** `kafka-1` */
  readonly name: string
  readonly port: number
  /** Resolves when the broker serves; for that a majority of the brokers must be started. */
  start(): Promise<RunningKafka>
}

export interface KafkaCluster {
  readonly access: KafkaAccess
  /** Settings for Kafka's own tools, with the password: open to their owner only. */
  readonly clientProperties: string
  readonly nodes: readonly ClusterNode[]
  /** Resolves when all brokers know each other. Throws LocalStackError `child-failed`. */
  untilComplete(): Promise<void>
}

/** A cluster's memory is divided among its brokers. */
const HEAP_MB = 384
const POLL_MS = 100

/** Settings for three brokers. `server.properties` has those for one. */
const SETTINGS = {
  'default.replication.factor': '3',
  'min.insync.replicas': '2',
  'offsets.topic.replication.factor': '3',
  'transaction.state.log.replication.factor': '3',
  'transaction.state.log.min.isr': '2',
  'share.coordinator.state.topic.replication.factor': '3',
  'share.coordinator.state.topic.min.isr': '2',
  // As docs/runbooks/install.md recommends for brokers that share cores: until a dead broker counts as dead, nothing of which it has a replica is acknowledged.
  'broker.session.timeout.ms': '3000',
}

interface KeptCluster {
  readonly clusterId: string
  readonly ports: readonly { readonly port: number; readonly controllerPort: number }[]
}

const KEPT = 'cluster.json'

/** The number of brokers that the folder was created with; null if it was not. */
export async function keptBrokers(folder: string): Promise<number | null> {
  const kept = await readJson<KeptCluster>(join(folder, KEPT))
  if (kept !== null) return kept.ports.length
  return existsSync(join(folder, 'data')) ? 1 : null
}

/** Chooses ports and makes the password; starts nothing. It takes the ports of the last time if they are free. */
export async function planKafkaCluster(options: KafkaClusterOptions): Promise<KafkaCluster> {
  const folder = await makeFolder(options.folder)
  const kept = await readJson<KeptCluster>(join(folder, KEPT))
  const ports = await choosePorts(kept)
  const clusterId = kept?.clusterId ?? randomClusterId()
  await keep(folder, { clusterId, ports })
  const credentials = await kafkaCredentials(folder)
  const access: KafkaAccess = { brokers: ports.map(({ port }) => `${HOST}:${port}`), sasl: credentials }
  const voters = ports.map(({ controllerPort }, index) => `${index + 1}@${HOST}:${controllerPort}`)
  const nodes = ports.map((own, index): ClusterNode => {
    const member: KafkaMember = {
      ...{ name: `kafka-${index + 1}`, nodeId: index + 1 },
      ...{ clusterId, voters, credentials },
    }
    const { jars, recordFolder, compiler, heapMb = HEAP_MB } = options
    return {
      ...{ name: member.name, port: own.port },
      start: () =>
        startKafka({
          ...{ jars, recordFolder, heapMb, member, ...own },
          ...(compiler === undefined ? {} : { compiler }),
          folder: join(folder, `broker-${member.nodeId}`),
          logFile: options.logFile(member.name),
          settings: { ...SETTINGS, ...options.settings },
        }),
    }
  })
  return {
    ...{ access, nodes },
    clientProperties: await writeClientProperties(folder, access),
    untilComplete: () => untilComplete(access, ports),
  }
}

async function choosePorts(kept: KeptCluster | null): Promise<KeptCluster['ports']> {
  const ports: { port: number; controllerPort: number }[] = []
  const taken = new Set<number>()
  const another = async (preferred?: number): Promise<number> => {
    for (let wanted = preferred; ; wanted = undefined) {
      const port = await freePort(wanted)
      if (taken.has(port)) continue
      taken.add(port)
      return port
    }
  }
  for (let index = 0; index < (kept?.ports.length ?? CLUSTER_BROKERS); index += 1) {
    const last = kept?.ports[index]
    ports.push({ port: await another(last?.port), controllerPort: await another(last?.controllerPort) })
  }
  return ports
}

/** Writes the file completely or not at all: a cluster whose id is lost cannot be started again. */
async function keep(folder: string, cluster: KeptCluster): Promise<void> {
  const draft = join(folder, `${KEPT}.${process.pid}.tmp`)
  await writeFile(draft, JSON.stringify(cluster), { mode: 0o600 })
  await rename(draft, join(folder, KEPT))
}

/** A topic that is created earlier has fewer replicas, or none. */
async function untilComplete({ sasl }: KafkaAccess, ports: KeptCluster['ports']): Promise<void> {
  const giveUpAt = Date.now() + START_TIMEOUT_MS
  for (;;) {
    const seen = await Promise.all(ports.map(({ port }) => servingBrokers(HOST, port, sasl)))
    if (seen.every((each) => each?.brokers === ports.length)) return
    if (Date.now() > giveUpAt)
      throw new LocalStackError(
        'child-failed',
        `The ${ports.length} brokers of Kafka did not find each other within ${START_TIMEOUT_MS / 1000} s.`,
      )
    await sleep(POLL_MS)
  }
}
