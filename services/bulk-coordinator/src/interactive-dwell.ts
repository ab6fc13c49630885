/**
 * Watches how long interactive screens wait for their decision. Nothing is stored: earlier screens say nothing about the load
 * now. It reads the interactive half of the report topic in a group of its own and rests between two reads, so that it costs
 * next to nothing while no bulk job runs.
 */
import { laneOfReportPartition, reportPartitions, topicOf, type Logger } from '@cupel/contracts'
import { TYPE_HEADER, type EventLog, type LogRecord } from '@cupel/event-log'
import { consume, inMemory, type Consumer } from '@cupel/projections'
import { isReportTopic } from './facts.js'
import { membershipOf } from './membership.js'

const DWELL_GROUP = 'bulk-coordinator.dwell.v1'
const MAX_BATCH_RECORDS = 500
/** Half of the pace's period, so that no decision rests on screens of the period before. */
const REST_MS = 125

export function watchInteractiveDwell({
  log,
  logger,
  onDwell,
  onStopped,
}: {
  readonly log: EventLog
  readonly logger: Logger
  /** Time an interactive screen waited, in milliseconds. */
  readonly onDwell: (dwellMs: number) => void
  readonly onStopped: (error: Error) => void
}): Consumer {
  return consume<number | null>({
    ...{ log, logger, onStopped },
    group: DWELL_GROUP,
    membership: membershipOf(log, DWELL_GROUP),
    topics: [topicOf('ReportGenerated', true), topicOf('ReportGenerated', false)],
    reads: isInteractive,
    maxBatchRecords: MAX_BATCH_RECORDS,
    concurrency: reportPartitions(),
    restMs: REST_MS,
    // A forged dwell can only slow bulk jobs down, as a full lane can. Without a check each screen costs less time.
    forgedToo: true,
    // Only headers are read.
    schemaPatienceMs: 0,
    read: interactiveDwellMs,
    commit: inMemory<number | null>((dwellsMs) => {
      for (const dwellMs of dwellsMs) if (dwellMs !== null) onDwell(dwellMs)
    }),
  })
}

/** Whether a partition holds reports of interactive screens. */
export function isInteractive({ topic, partition }: { topic: string; partition: number }): boolean {
  return isReportTopic(topic) && laneOfReportPartition(partition) === 'interactive'
}

const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * Milliseconds from the request to the decision, read from the headers of a report alone: the id of the request carries its time (UUIDv7,
 * RFC 9562: the first 48 bits are milliseconds). Both times are of the installation's clock. Null if no person requested the report.
 */
export function interactiveDwellMs({ headers }: LogRecord): number | null {
  if (headers[TYPE_HEADER] !== 'ReportGenerated') return null
  const requested = UUID_V7.exec(headers['causationid'] ?? '')
  const decidedAt = Date.parse(headers['ce_time'] ?? '')
  if (requested === null || Number.isNaN(decidedAt)) return null
  return Math.max(0, decidedAt - Number.parseInt(requested[1]! + requested[2]!, 16))
}
