/**
 * Three brokers behind relays. Each broker has one relay for clients, which ends TLS, one for the other brokers and one for the other
 * controllers. Each broker has its own volume where this process may mount one.
 */
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Kafka, logLevel } from 'kafkajs'
import { freePort, startKafka, type KafkaAccess, type KafkaJars, type KafkaOptions } from '@cupel/local-stack'
import { mountSmallVolume, type SmallVolume } from '../../src/small-volume.js'
import { callerAt } from './callers.js'
import type { Authority } from './certificates.js'
import { pidsOf, superviseMember, type Member } from './member.js'
import { startRelay, type Impairment, type Relay } from './relay.js'

export interface Broker extends Member {
  readonly nodeId: number
  /** Null if this process may not mount one. */
  readonly volume: SmallVolume | null
  /** The relay for clients. */
  readonly relay: Relay
  /** Impairs all incoming traffic and all traffic to other brokers, or only the part that `from` exchanges. */
  cutOff(how: Impairment, from?: 'everybody' | 'clients' | 'peers'): () => void
}

export interface Cluster {
  readonly brokers: readonly [Broker, ...Broker[]]
  /** Access for the test itself and Kafka's tools: without TLS, with the password of the brokers. */
  readonly access: KafkaAccess
  /** Bootstrap addresses for clients, with TLS and SCRAM. */
  readonly clients: string
  /** Whether each partition has a leader and enough replicas for an acknowledgement. Rejects if no broker answers. */
  serves(): Promise<boolean>
  /** Runs one of Kafka's own programs with the address and the login of the cluster. */
  tool(program: string, loginOption: string, ...args: string[]): Promise<void>
  stop(): Promise<void>
}

export const SCRAM_USER = 'cupel-services'
const BROKERS = 3
const MIN_IN_SYNC = 2
const HEAP_MB = 288
const VOLUME_BYTES = 1024 * 1_048_576
const CLUSTER_ID = Buffer.from('cupel-faults-001').toString('base64url')
/** Everything has three replicas, two of which acknowledge. */
const REPLICATION = {
  'default.replication.factor': '3',
  'min.insync.replicas': String(MIN_IN_SYNC),
  'offsets.topic.replication.factor': '3',
  'transaction.state.log.replication.factor': '3',
  'transaction.state.log.min.isr': '2',
  'share.coordinator.state.topic.replication.factor': '3',
  'share.coordinator.state.topic.min.isr': '2',
  'broker.session.timeout.ms': '4000',
}
const SCRAM = 'org.apache.kafka.common.security.scram.ScramLoginModule required;'

interface Ports {
  readonly own: number
  readonly controller: number
  readonly clients: number
}

interface Relays {
  readonly brokers: Relay
  readonly controllers: Relay
  readonly clients: Relay
}

export interface ClusterOptions {
  readonly folder: string
  readonly jars: KafkaJars
  readonly authority: Authority
  readonly mayMount: boolean
  /** The name of the client that calls from this port of the loopback address. */
  readonly clientAt: (port: number) => string | null
}

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { folder, jars } = options
  const ports = await Promise.all(
    Array.from({ length: BROKERS }, async (): Promise<Ports> => {
      const [own, controller, clients] = [await freePort(), await freePort(), await freePort()]
      return { own, controller, clients }
    }),
  )
  const caller = (port: number): string | null => callerAt(port, pidsOf(brokers))
  const certificate = await options.authority.issue('in force')
  const relays = await Promise.all(
    ports.map(async ({ own, controller, clients }): Promise<Relays> => ({
      brokers: await startRelay({ to: own, callerAt: caller }),
      controllers: await startRelay({ to: controller, callerAt: caller }),
      clients: await startRelay({ to: clients, certificate, callerAt: options.clientAt }),
    })),
  )
  const credentials = { mechanism: 'plain', username: 'cupel', password: 'only-for-this-test' } as const
  const brokers = await Promise.all(
    ports.map((own, index) => planBroker(options, { index, own, ports, relays, credentials })),
  )
  // No broker serves until a majority has started.
  await Promise.all(brokers.map((broker) => broker.start()))
  const access = {
    brokers: relays.map((relay) => `127.0.0.1:${relay.brokers.port}`),
    sasl: credentials,
  }
  const clientProperties = join(folder, 'kafka-1', 'client.properties')
  return {
    ...{ access },
    brokers: brokers as unknown as Cluster['brokers'],
    clients: relays.map((relay) => `localhost:${relay.clients.port}`).join(','),
    serves: () => servesAll(access),
    async tool(program, loginOption, ...args) {
      const login = ['--bootstrap-server', access.brokers.join(','), loginOption, clientProperties]
      const classPath = ['-XX:TieredStopAtLevel=1', '-cp', join(jars.kafkaLibs, '*')]
      await promisify(execFile)(jars.java, [...classPath, program, ...login, ...args])
    },
    async stop() {
      await Promise.all(brokers.map((broker) => broker.stop()))
      await Promise.all(
        relays.flatMap((each) => Object.values(each) as Relay[]).map((relay) => relay.close()),
      )
      for (const { volume } of brokers) volume?.unmount()
    },
  }
}

async function servesAll({ brokers, sasl }: KafkaAccess): Promise<boolean> {
  const admin = new Kafka({
    brokers: [...brokers],
    sasl,
    logLevel: logLevel.NOTHING,
    retry: { retries: 0 },
  }).admin()
  await admin.connect()
  try {
    const { topics } = await admin.fetchTopicMetadata()
    const partitions = topics.flatMap((topic) => topic.partitions)
    return partitions.every(({ leader, isr }) => leader >= 0 && isr.length >= MIN_IN_SYNC)
  } finally {
    await admin.disconnect()
  }
}

interface Plan {
  readonly index: number
  readonly own: Ports
  readonly ports: readonly Ports[]
  readonly relays: readonly Relays[]
  readonly credentials: KafkaAccess['sasl']
}

async function planBroker(options: ClusterOptions, plan: Plan): Promise<Broker> {
  const name = `kafka-${plan.index + 1}`
  const folder = join(options.folder, name)
  await mkdir(folder)
  const volume = options.mayMount ? mountSmallVolume(VOLUME_BYTES, folder) : null
  const order = orderOf(options, plan, { name, folder })
  const member = superviseMember(name, async () => (await startKafka(order)).child)
  const own = plan.relays[plan.index]!
  return {
    ...member,
    ...{ nodeId: plan.index + 1, volume, relay: own.clients },
    cutOff(how, from = 'everybody') {
      const { clients, ...peers } = own
      const incoming = { everybody: Object.values(own), clients: [clients], peers: Object.values(peers) }[
        from
      ]
      const others = from === 'clients' ? [] : plan.relays.filter((each) => each !== own)
      const ends = [
        ...incoming.map((relay: Relay) => relay.impair(how)),
        ...others.flatMap(({ brokers, controllers }) =>
          [brokers, controllers].map((relay) => relay.impair(how, (caller) => caller === name)),
        ),
      ]
      return () => ends.forEach((end) => end())
    },
  }
}

function orderOf(
  { jars, folder: home }: ClusterOptions,
  { index, own, relays, credentials }: Plan,
  { name, folder }: { name: string; folder: string },
): KafkaOptions {
  const relay = relays[index]!
  const loopback = (listener: string, port: number): string => `${listener}://127.0.0.1:${port}`
  return {
    ...{ jars, folder, heapMb: HEAP_MB, compiler: 'quick', port: own.own, controllerPort: own.controller },
    logFile: join(home, `${name}.log`),
    recordFolder: join(home, 'processes'),
    member: {
      ...{ name, nodeId: index + 1, clusterId: CLUSTER_ID, credentials },
      voters: relays.map(({ controllers }, at) => `${at + 1}@127.0.0.1:${controllers.port}`),
    },
    settings: {
      ...REPLICATION,
      // All services share a user that may do everything: rights are tried elsewhere.
      'super.users': `User:cupel;User:${SCRAM_USER}`,
      listeners: [
        loopback('LOCAL', own.own),
        loopback('CONTROLLER', own.controller),
        loopback('CLIENTS', own.clients),
      ].join(','),
      'advertised.listeners': [
        loopback('LOCAL', relay.brokers.port),
        loopback('CONTROLLER', relay.controllers.port),
        `CLIENTS://localhost:${relay.clients.port}`,
      ].join(','),
      'listener.security.protocol.map':
        'LOCAL:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT,CLIENTS:SASL_PLAINTEXT',
      'listener.name.clients.sasl.enabled.mechanisms': 'SCRAM-SHA-512',
      'listener.name.clients.scram-sha-512.sasl.jaas.config': SCRAM,
    },
  }
}
