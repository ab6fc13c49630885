/** Three brokers for one test, each of which it may kill, freeze, stop and start again. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  planKafkaCluster,
  type ClusterNode,
  type KafkaAccess,
  type KafkaJars,
  type RunningKafka,
} from '@cupel/local-stack'
import { newKafkaFolder, RECORD_FOLDER } from './kafka-folder.js'

export interface TestCluster {
  readonly access: KafkaAccess
  /** Settings for Kafka's own tools. */
  readonly clientProperties: string
  /** Node 1 is the first one. */
  readonly brokers: readonly TestBroker[]
  stop(): Promise<void>
}

export interface TestBroker {
  readonly nodeId: number
  readonly port: number
  /** SIGKILL: nothing is flushed, and no other broker is notified. */
  kill(): Promise<void>
  /** Transfers its leaderships first. */
  stop(): Promise<void>
  /** Resolves when it serves again, on the same port and data. */
  start(): Promise<void>
  /** The broker keeps its connections and answers nothing, until `thaw`. */
  freeze(): void
  thaw(): void
}

const HEAP_MB = 256

/** `settings`: more settings of server.properties, for all three. */
export async function startTestCluster(
  jars: KafkaJars,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestCluster> {
  const folder = await newKafkaFolder()
  const cluster = await planKafkaCluster({
    jars,
    // Brokers of tests share the cores with the tests: one that waits for the processor must not count as dead.
    settings: { 'broker.session.timeout.ms': '4000', ...settings },
    folder: join(folder, 'kafka'),
    logFile: (name) => join(folder, `${name}.log`),
    recordFolder: join(folder, RECORD_FOLDER),
    heapMb: HEAP_MB,
    compiler: 'quick',
  })
  const brokers = cluster.nodes.map((node, index) => testBroker(node, index + 1))
  const stop = async (): Promise<void> => {
    for (const broker of brokers) broker.thaw()
    await Promise.all(brokers.map((broker) => broker.kill()))
    await rm(folder, { recursive: true, force: true })
  }
  const starting = await Promise.allSettled(brokers.map((broker) => broker.start()))
  const failed = starting.find((each) => each.status === 'rejected')
  if (failed !== undefined) {
    await stop()
    throw failed.reason
  }
  await cluster.untilComplete()
  const { access, clientProperties } = cluster
  return { access, clientProperties, brokers, stop }
}

function testBroker(node: ClusterNode, nodeId: number): TestBroker {
  let running: RunningKafka | null = null
  const signal = (name: NodeJS.Signals): void => {
    if (running !== null && running.child.exit() === null) process.kill(running.pid, name)
  }
  return {
    ...{ nodeId, port: node.port },
    async kill() {
      signal('SIGKILL')
      await running?.child.exited
      running = null
    },
    async stop() {
      await running?.stop()
      running = null
    },
    async start() {
      running = await node.start()
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  }
}
