/**
 * Watches how long interactive screens wait for their decision. Nothing is stored: how they fared before says nothing about
 * now. It reads the interactive half of the report topic in a group of its own and rests between two looks, so that beside
 * interactive screens alone the coordinator costs next to nothing.
 */
import { laneOfReportPartition, REPORT_PARTITIONS, topicOf } from '@cupel/contracts'
import { TYPE_HEADER, type EventLog, type LogRecord, type Subscription } from '@cupel/event-log'
import { isReportTopic } from './facts.js'

export interface InteractiveDwellOptions {
  readonly log: EventLog
  readonly group: string
  /** Time an interactive screen waited, in milliseconds. */
  readonly onDwell: (dwellMs: number) => void
  readonly onStopped: (error: Error) => void
  readonly onRetry: (error: unknown) => void
}

const MAX_BATCH_RECORDS = 500
const CONCURRENT_PARTITIONS = REPORT_PARTITIONS
/** Half of the pace's period: no decision rests on screens of the one before. */
const REST_MS = 125

export async function watchInteractiveDwell(options: InteractiveDwellOptions): Promise<Subscription> {
  const { log, group, onDwell, onStopped, onRetry } = options
  const identity = await log.identity()
  // A look at the end while reading could be ahead of the reader's own.
  const ends = new Map<string, number>()
  return await log.subscribe({
    group,
    topics: [topicOf('ReportGenerated', true), topicOf('ReportGenerated', false)],
    reads: isInteractive,
    async checkpoint({ topic, partition }) {
      const key = `${topic}/${partition}`
      return { next: ends.get(key) ?? (await log.endOffset(topic, partition)), log: identity }
    },
    async handle({ topic, partition, records, nextOffset }) {
      for (const record of records) {
        const dwellMs = interactiveDwellMs(record)
        if (dwellMs !== null) onDwell(dwellMs)
      }
      ends.set(`${topic}/${partition}`, nextOffset)
      return undefined
    },
    maxBatchRecords: MAX_BATCH_RECORDS,
    concurrency: CONCURRENT_PARTITIONS,
    restMs: REST_MS,
    onStopped,
    onRetry,
  })
}

/** Whether a partition holds what interactive screens came to. */
export function isInteractive({ topic, partition }: { topic: string; partition: number }): boolean {
  return isReportTopic(topic) && laneOfReportPartition(partition) === 'interactive'
}

const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * From the headers of a report alone: the decision's time, and the request's, which its id carries (UUIDv7, RFC 9562: the
 * first 48 bits are milliseconds). In milliseconds; null where the record is no report of a request that a person made.
 */
export function interactiveDwellMs({ headers }: LogRecord): number | null {
  if (headers[TYPE_HEADER] !== 'ReportGenerated') return null
  const requested = UUID_V7.exec(headers['causationid'] ?? '')
  const decidedAt = Date.parse(headers['ce_time'] ?? '')
  if (requested === null || Number.isNaN(decidedAt)) return null
  return Math.max(0, decidedAt - Number.parseInt(requested[1]! + requested[2]!, 16))
}
