/**
 * The numbers of partitions of the topics of an installation. The topics of the two lanes may grow later. The report topics keep the number
 * that they were made with, because the last two digits of every report id name a partition.
 */
import {
  areReportPartitions,
  DEFAULT_REPORT_PARTITIONS,
  MAX_REPORT_PARTITIONS,
  topicOf,
  topicSpecs,
  useReportPartitions,
  type TopicSpec,
} from '@cupel/contracts'
import { recordedReportPartitions } from '@cupel/gate/access'
import { installationTopics, type EventLog } from '@cupel/event-log'
import { kafkaAccess } from '../../connections/index.js'
import { CommandError, EXIT_CONFIG, EXIT_USAGE } from '@cupel/command-line'
import type { Target } from './target.js'

export interface ChosenSizes {
  /** Partitions of each topic of screen requests; by default `CLUSTER_SCREEN_PARTITIONS` of a new topic on a cluster. */
  readonly screen?: number | undefined
  /** Partitions of each report topic; by default `CLUSTER_REPORT_PARTITIONS` of a new installation on a cluster. */
  readonly report?: number | undefined
}

/** A Kafka of fewer brokers counts as one machine. */
const CLUSTER_BROKERS = 3
const CLUSTER_SCREEN_PARTITIONS = 32
const CLUSTER_REPORT_PARTITIONS = 64
/** With more partitions, elections and starts are slow on every broker, and a group of so many scorers is slow to divide its work. */
export const MAX_SCREEN_PARTITIONS = 512

const reportTopics: readonly string[] = [topicOf('ReportGenerated', true), topicOf('ReportGenerated', false)]

/**
 * The topics to make, in the size that they must have. Sets the number of report partitions of this process.
 * Throws CommandError if a number was chosen that the installation cannot have.
 */
export async function sizedTopics(target: Target, chosen: ChosenSizes): Promise<readonly TopicSpec[]> {
  const { database, log } = target
  if (log.kind === 'embedded') {
    if (chosen.screen !== undefined || chosen.report !== undefined)
      throw refused('Partitions are chosen only on Kafka; the embedded log has a fixed number.')
    return installationTopics()
  }
  const missing = await missingTopics(target)
  const isCluster = await isOnCluster(target)
  const recorded = await recordedReportPartitions(database)
  const present = recorded ?? (await presentReportPartitions(log, missing))
  useReportPartitions(reportPartitionsOf(present, chosen.report, isCluster))
  if (chosen.screen !== undefined) await requireNoFewer(log, chosen.screen, missing)
  const ofNew = isCluster ? CLUSTER_SCREEN_PARTITIONS : undefined
  return installationTopics().map((spec) => {
    if (spec.mayGrow !== true) return spec
    const wanted = chosen.screen ?? (missing.has(spec.name) ? ofNew : undefined)
    return wanted === undefined ? spec : { ...spec, partitions: wanted }
  })
}

/** Names of topics of this version, without prefix, that do not exist. */
async function missingTopics({ log, config }: Target): Promise<ReadonlySet<string>> {
  const faults = await log.topicFaults(topicSpecs)
  return new Set(
    faults
      .filter(({ setting }) => setting === 'topic')
      .map(({ topic }) => topic.slice(config.CUPEL_TOPIC_PREFIX.length)),
  )
}

/** Whether the log has enough brokers for several machines. */
async function isOnCluster({ config, logger }: Target): Promise<boolean> {
  const { countBrokers } = await import('@cupel/event-log/kafka')
  const { brokers, ssl, sasl } = await kafkaAccess(config)
  return (
    (await countBrokers({
      ...{ brokers: [brokers].flat(), clientId: 'cupel-cli', logger },
      ...(ssl === undefined ? {} : { ssl }),
      ...(sasl === undefined ? {} : { sasl }),
    })) >= CLUSTER_BROKERS
  )
}

/** The number of partitions of existing report topics; null if the installation is new. */
async function presentReportPartitions(log: EventLog, missing: ReadonlySet<string>): Promise<number | null> {
  const topic = reportTopics.find((name) => !missing.has(name))
  if (topic === undefined) return null
  const count = await log.partitionCount(topic)
  if (areReportPartitions(count)) return count
  throw new CommandError(
    `The topic ${topic} has ${count} partitions: reports need a power of two from 2 to ${MAX_REPORT_PARTITIONS}.`,
    EXIT_CONFIG,
  )
}

/** The number that the report topics have or get. Throws CommandError if the ids were made with another number than the chosen one. */
export function reportPartitionsOf(
  present: number | null,
  chosen: number | undefined,
  isCluster: boolean,
): number {
  if (chosen !== undefined && !areReportPartitions(chosen))
    throw refused(
      `--report-partitions takes a power of two from 2 to ${MAX_REPORT_PARTITIONS}, not ${chosen}.`,
    )
  if (present === null) return chosen ?? (isCluster ? CLUSTER_REPORT_PARTITIONS : DEFAULT_REPORT_PARTITIONS)
  if (chosen === undefined || chosen === present) return present
  throw refused(
    `The reports of this installation are in ${present} partitions, and report ids name them, so that there cannot be ${chosen}. Another number needs another installation.`,
  )
}

/** Kafka cannot remove partitions. */
async function requireNoFewer(log: EventLog, chosen: number, missing: ReadonlySet<string>): Promise<void> {
  const lanes = topicSpecs.filter(({ mayGrow }) => mayGrow === true)
  const least = Math.max(...lanes.map(({ partitions }) => partitions))
  if (chosen < least || chosen > MAX_SCREEN_PARTITIONS)
    throw refused(
      `--screen-partitions takes a number from ${least} to ${MAX_SCREEN_PARTITIONS}, not ${chosen}.`,
    )
  for (const { name } of lanes) {
    const count = missing.has(name) ? 0 : await log.partitionCount(name)
    if (count > chosen)
      throw refused(
        `The topic ${name} has ${count} partitions, and none can be taken away: choose ${count} or more.`,
      )
  }
}

const refused = (sentence: string): CommandError => new CommandError(sentence, EXIT_USAGE)
