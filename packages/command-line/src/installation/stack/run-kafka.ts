/** The brokers of a local installation: one, or a cluster of three. */
import {
  CLUSTER_BROKERS,
  keptBrokers,
  planKafkaCluster,
  startKafka,
  type HeldHome,
  type KafkaAccess,
  type KafkaJars,
  type RunningKafka,
} from '@cupel/local-stack'
import { CommandError, EXIT_USAGE } from '../../index.js'
import { keep, portOf } from './keep.js'
import type { StackOptions } from './stack-options.js'

export interface Brokers {
  readonly access: KafkaAccess
  readonly clientProperties: string
}

const folderOf = (home: HeldHome): string => `${home.profileFolder('kafka')}/kafka`

/** The number of brokers in an argument. Throws CommandError. */
export function parseBrokers(text: string): number {
  if (text === '1' || text === String(CLUSTER_BROKERS)) return Number(text)
  throw new CommandError(`--brokers takes 1 or ${CLUSTER_BROKERS}, not ${text}.`, EXIT_USAGE)
}

/** Throws CommandError if the home was begun with another number of brokers: a start cannot move their records. */
export async function requireBrokers(home: HeldHome, wanted: number | undefined): Promise<void> {
  const kept = await keptBrokers(folderOf(home))
  if (wanted === undefined || kept === null || kept === wanted) return
  const count = (brokers: number): string => (brokers === 1 ? 'one broker' : `${brokers} brokers`)
  throw new CommandError(
    `${home.folder} was begun with ${count(kept)} and cannot be started with ${count(wanted)}: leave --brokers out, or choose another folder with CUPEL_HOME.`,
    EXIT_USAGE,
  )
}

/** Starts the brokers, and each again when it ends. */
export async function runKafka(options: StackOptions, jars: KafkaJars): Promise<Brokers> {
  const brokers = (await keptBrokers(folderOf(options.home))) ?? options.brokers ?? 1
  return brokers === 1 ? await runOne(options, jars) : await runCluster(options, jars)
}

async function runOne(options: StackOptions, jars: KafkaJars): Promise<Brokers> {
  const { home } = options
  return await keep<RunningKafka>('kafka', options, (before) =>
    startKafka({
      jars,
      folder: folderOf(home),
      logFile: home.logFile('kafka', 'kafka'),
      recordFolder: home.processFolder,
      compiler: options.config.CUPEL_LOCAL_BROKER_COMPILER,
      ...portOf(before),
    }),
  )
}

async function runCluster(options: StackOptions, jars: KafkaJars): Promise<Brokers> {
  const { home } = options
  const cluster = await planKafkaCluster({
    jars,
    folder: folderOf(home),
    logFile: (name) => home.logFile('kafka', name),
    recordFolder: home.processFolder,
    compiler: options.config.CUPEL_LOCAL_BROKER_COMPILER,
  })
  const starting = cluster.nodes.map((node) => keep<RunningKafka>(node.name, options, () => node.start()))
  // A broker that is still starting must not be left behind.
  await Promise.allSettled(starting)
  await Promise.all(starting)
  await cluster.untilComplete()
  return cluster
}
