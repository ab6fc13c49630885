/**
 * Applies the facts of the log about jobs to their rows, as the coordinator would, and releases and announces nothing: for a database that
 * was restored from a backup. Without it the coordinator would release screenings again whose reports are further on in the log.
 */
import { laneOfReportPartition, topicOf } from '@cupel/contracts'
import {
  type EventCodec,
  type EventLog,
  type LogRange,
  type LogRecord,
  UndecodableRecordError,
} from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { putCheckpoints, unreadRanges } from '@cupel/projections'
import { applyFacts } from './apply.js'
import { factOf, isReportTopic, type Fact } from './facts.js'
import { COORDINATOR_GROUP } from './follow-jobs.js'

export interface ReplayJobsParts {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly transaction: Queryable
}

/** Resolves to the number of facts that were applied. The coordinator continues after them. */
export async function replayJobs(parts: ReplayJobsParts): Promise<number> {
  const { log, transaction } = parts
  const identity = await log.identity()
  const positions = []
  let applied = 0
  // Submissions first: outcomes of jobs that are known need not be kept.
  const topics = (['BulkSubmitted', 'ReportGenerated'] as const).flatMap((type) => [
    topicOf(type, true),
    topicOf(type, false),
  ])
  for (const range of await unreadRanges(transaction, log, { group: COORDINATOR_GROUP, topics })) {
    const { topic, partition } = range
    if (isReportTopic(topic) && laneOfReportPartition(partition) === 'interactive') continue
    const read = await replayPartition(parts, range)
    applied += read.applied
    positions.push({ topic, partition, next: read.next })
  }
  await putCheckpoints(transaction, { group: COORDINATOR_GROUP, log: identity, positions })
  return applied
}

async function replayPartition(
  { log, codec, transaction }: ReplayJobsParts,
  range: LogRange,
): Promise<{ readonly applied: number; readonly next: number }> {
  let applied = 0
  for await (const records of log.read(range)) {
    const { facts, stoppedAt } = factsOf(codec, records)
    await applyFacts(transaction, facts)
    applied += facts.length
    // The running coordinator handles a record that cannot be read, and reports it.
    if (stoppedAt !== null) return { applied, next: stoppedAt }
  }
  return { applied, next: range.to }
}

function factsOf(
  codec: EventCodec,
  records: readonly LogRecord[],
): { readonly facts: readonly Fact[]; readonly stoppedAt: number | null } {
  const facts: Fact[] = []
  for (const record of records) {
    try {
      const fact = factOf(codec, record)
      if (fact !== null) facts.push(fact)
    } catch (error) {
      if (!(error instanceof UndecodableRecordError)) throw error
      return { facts, stoppedAt: record.offset }
    }
  }
  return { facts, stoppedAt: null }
}

/** Screenings whose requests are in the log are not released again. */
export async function noteReleased(transaction: Queryable, reportIds: readonly string[]): Promise<number> {
  return await transaction.execute(
    `UPDATE bulk.job j SET released = u.released
     FROM (SELECT job_id, max(position) + 1 AS released FROM bulk.unit WHERE report_id = ANY ($1::text[]) GROUP BY job_id) u
     WHERE j.job_id = u.job_id AND j.released < u.released`,
    [reportIds],
  )
}
