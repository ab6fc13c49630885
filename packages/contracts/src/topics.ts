/** Which topic holds which event, and how a topic is named on the wire. */
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

/** Every topic of an installation, the sandbox's included. */
export const topicSpecs: readonly TopicSpec[] = topicTable.flatMap((topic) => {
  const spec = {
    name: topic.name as string,
    partitions: topic.partitions,
    producer: topic.producer,
    config: topicDefaults,
  }
  return topic.sandbox ? [spec, { ...spec, name: SANDBOX_PREFIX + topic.name }] : [spec]
})

/** Partitions of the report topic: a power of two. The lower half belongs to the interactive lane, the upper half to bulk. */
export const REPORT_PARTITIONS: number = topicTable.find(
  (t) => t.name === 'screening.report.events.v1',
)!.partitions

/** Partition of the report topic named by the last two digits of a report id. */
export function reportPartition(reportId: string): number {
  return Number.parseInt(reportId.slice(-2), 16) % REPORT_PARTITIONS
}

const PARTITIONS_PER_LANE = REPORT_PARTITIONS / 2

/** The lane whose reports a partition of the report topic holds: an instance that answers screens reads no bulk reports. */
export function laneOfReportPartition(partition: number): Lane {
  return partition < PARTITIONS_PER_LANE ? 'interactive' : 'bulk'
}

/** The partition of the report topic that a lane uses for `turn` (an integer from 0): consecutive turns take all of them. */
export function reportPartitionOfLane(lane: Lane, turn: number | bigint): number {
  const partition = Number(BigInt(turn) % BigInt(PARTITIONS_PER_LANE))
  return lane === 'interactive' ? partition : PARTITIONS_PER_LANE + partition
}
