/** Maps events to topics, and topics to their names on the wire. */
import type { EventType } from './events.js'
import { eventSchemas } from './generated/event-schemas.js'
import { topicDefaults, topicTable } from './generated/topic-table.js'

export type TopicName = (typeof topicTable)[number]['name']

/** One topic to create. `name` is without installation prefix. */
export interface TopicSpec {
  readonly name: string
  readonly partitions: number
  /** `fast`: lowest latency, repeats possible. `ordered`: idempotent producer, order kept under retries. */
  readonly producer: 'fast' | 'ordered'
  readonly config: Readonly<Record<string, string>>
  /**
   * Whether the topic may have more partitions, and more can be added: nothing names a partition of the topic, and its records need no
   * order.
   */
  readonly mayGrow?: boolean
}

const SANDBOX_PREFIX = 'sandbox.'

/** Name of the topic that holds an event; test-mode events go to the same name under `sandbox.`. */
export function topicOf(type: EventType, livemode = true): string {
  const topic = eventSchemas[type].topic
  return livemode ? topic : SANDBOX_PREFIX + topic
}

/** Screens use two separate topics, so that interactive screens never wait behind the screens of bulk jobs. */
export type Lane = 'interactive' | 'bulk'

/** Topic of a lane's ScreenRequested events; both topics share one subject. */
export function screenTopic(lane: Lane, livemode = true): string {
  const topic: TopicName =
    lane === 'interactive' ? 'screening.screen.events.v1' : 'screening.bulk-screen.events.v1'
  return livemode ? topic : SANDBOX_PREFIX + topic
}

type TopicRow = (typeof topicTable)[number]

/** Every topic of the log, the sandbox's included, each with its smallest number of partitions. */
export const topicSpecs: readonly TopicSpec[] = topicTable
  .filter((topic) => !('derived' in topic))
  .flatMap(specsOf)

/**
 * Topics that are made from the log and can be made again at any time. No read model reads them; archives, checkpoints and proofs leave
 * them out. They are compacted, so that their offsets have gaps.
 */
export const derivedTopicSpecs: readonly TopicSpec[] = topicTable
  .filter((topic) => 'derived' in topic)
  .flatMap(specsOf)

function specsOf(topic: TopicRow): TopicSpec[] {
  const spec = {
    name: topic.name as string,
    partitions: topic.partitions,
    producer: topic.producer,
    config: 'config' in topic ? topic.config : topicDefaults,
    ...('mayGrow' in topic ? { mayGrow: topic.mayGrow } : {}),
  }
  return topic.sandbox ? [spec, { ...spec, name: SANDBOX_PREFIX + topic.name }] : [spec]
}

/** Reads the reports and appends the latest ones. */
export const LATEST_REPORTS_GROUP = 'projector.latest-reports.v1'
/** Reads the appended reports and corrects those that are not the latest. */
export const LATEST_REPORTS_CHECK_GROUP = 'projector.latest-reports-check.v1'
/** Reads which accounts were erased and removes them from the topics. */
export const LATEST_REPORTS_ERASURES_GROUP = 'projector.latest-reports-erasures.v1'
/** The groups that maintain the derived topics. Without their checkpoints the topics are made again from the log. */
export const derivedTopicGroups: readonly string[] = [
  LATEST_REPORTS_GROUP,
  LATEST_REPORTS_CHECK_GROUP,
  LATEST_REPORTS_ERASURES_GROUP,
]

const publicNames = new Set(
  Object.values(eventSchemas)
    .filter(({ visibility }) => visibility === 'public')
    .flatMap(({ topic }) => [topic, SANDBOX_PREFIX + topic]),
)

/** Whether subscribers may read a topic, named without the installation's prefix: it has a public event. */
export function isPublicTopic(topic: string): boolean {
  return publicNames.has(topic)
}

const derivedNames = new Set(derivedTopicSpecs.map(({ name }) => name))

/** Whether a topic, named without the installation's prefix, keeps only the last record of each key. */
export function isCompacted(topic: string): boolean {
  return derivedNames.has(topic)
}

const REPORT_TOPIC: TopicName = 'screening.report.events.v1'

/** Partitions of the report topics of an installation that recorded no number: the local ones, and every one of 0.1.0. */
export const DEFAULT_REPORT_PARTITIONS: number = topicTable.find((t) => t.name === REPORT_TOPIC)!.partitions
/** The last two digits of a report id name a partition. */
export const MAX_REPORT_PARTITIONS = 256

let reportPartitionsInUse = DEFAULT_REPORT_PARTITIONS

/** Whether report topics can have this many partitions: a power of two, so that digits name them, and one half for each lane. */
export function areReportPartitions(count: number): boolean {
  return (
    Number.isInteger(count) && count >= 2 && count <= MAX_REPORT_PARTITIONS && (count & (count - 1)) === 0
  )
}

/**
 * Sets the number of report partitions of this process's installation: the number that was recorded when they were made. It is called
 * before any code names, reads or writes a report. Throws RangeError if `areReportPartitions` is false.
 */
export function useReportPartitions(count: number): void {
  if (!areReportPartitions(count))
    throw new RangeError(`${count} report partitions: not a power of two from 2 to ${MAX_REPORT_PARTITIONS}`)
  reportPartitionsInUse = count
}

/** Partitions of the report topics. The lower half belongs to the interactive lane, the upper half to bulk. */
export function reportPartitions(): number {
  return reportPartitionsInUse
}

/** The topics of this process's installation: `topicSpecs` with its number of report partitions. */
export function topicsInUse(): readonly TopicSpec[] {
  return topicSpecs.map((spec) =>
    isReportTopic(spec.name) ? { ...spec, partitions: reportPartitionsInUse } : spec,
  )
}

/** Whether a topic holds the reports of one of the modes. */
function isReportTopic(topic: string): boolean {
  return topic === REPORT_TOPIC || topic === SANDBOX_PREFIX + REPORT_TOPIC
}

/** Partition of the report topic named by the last two digits of a report id. */
export function reportPartition(reportId: string): number {
  return reportPartitionAmong(reportId, reportPartitionsInUse)
}

/** Like `reportPartition`, in a log whose report topics have this many partitions. */
export function reportPartitionAmong(reportId: string, partitions: number): number {
  return Number.parseInt(reportId.slice(-2), 16) % partitions
}

/** The lane whose reports a partition of the report topic holds: an instance that answers screens reads no bulk reports. */
export function laneOfReportPartition(partition: number): Lane {
  return partition < reportPartitionsInUse / 2 ? 'interactive' : 'bulk'
}

/** The partition of the report topic that a lane uses for `turn` (an integer from 0): consecutive turns take all of them. */
export function reportPartitionOfLane(lane: Lane, turn: number | bigint): number {
  const half = reportPartitionsInUse / 2
  const partition = Number(BigInt(turn) % BigInt(half))
  return lane === 'interactive' ? partition : half + partition
}
