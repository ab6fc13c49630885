/** Releases screenings to the bulk lane, one window at a time, the accounts in turn. */
import { decidedEventId, screenTopic, type DomainEvent, type Tracing } from '@cupel/contracts'
import { firstRound, screenedAddressOf, shareRoom, type RoundState } from '@cupel/domain'
import type { EventCodec, EventLog, NewRecord } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import type { Backlog } from './backlog.js'
import { listEnded, moveReleased, readUnits, type OpenJob, type Unit } from './job-table.js'
import type { Pace } from './pace.js'
import type { Fence } from './lease-table.js'
import { isQuietJob } from './quiet-jobs.js'

export interface ReleaseOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly backlog: Backlog
  readonly pace: Pace
  readonly fence: Fence
  /** Null or absent: no traces are made. */
  readonly tracing?: Tracing | null | undefined
}

/** A round uses at least this part of the window: it costs two database queries and one append, whatever its size. */
const SMALLEST_PART_OF_WINDOW = 8

/**
 * Releases as many screenings as the window has room for, and returns how many. The append comes before the row: a crash in
 * between releases the same bytes again, and of two reports with one id the first counts.
 */
export function createRelease({
  log,
  codec,
  database,
  backlog,
  pace,
  fence,
  tracing,
}: ReleaseOptions): () => Promise<number> {
  let round: RoundState = firstRound
  return async () => {
    const startedMs = performance.now()
    const window = pace.window()
    const underWay = backlog.underWay()
    const room = window - underWay
    if (backlog.waiting() === 0) return 0
    if (room < backlog.waiting()) pace.wasFull()
    if (room <= 0 || (underWay > 0 && room < window / SMALLEST_PART_OF_WINDOW)) return 0
    const shared = shareRoom(round, backlog.queues(), room)
    const moves = shared.allotments.map(({ jobId, items }) => {
      const { released } = backlog.get(jobId)!
      return { jobId, expected: released, next: released + items }
    })
    const units = await readUnits(
      database,
      moves.map(({ jobId, expected, next }) => ({ jobId, from: expected, to: next })),
    )
    // A job may have been cancelled meanwhile: its screenings are released for nothing, and its row refuses the move.
    const records = units.flatMap((unit) => {
      const job = backlog.get(unit.jobId)
      return job === undefined ? [] : [recordOf(codec, job, unit)]
    })
    if (records.length > 0) {
      pace.released(records.map(({ key }) => key))
      await log.append('bulk.items-released', records)
    }
    const moved = await database.transaction({ at: 'bulk.release' }, async (transaction) => {
      await fence(transaction)
      return await moveReleased(transaction, moves)
    })
    if (tracing) traceReleases(tracing, backlog, moves, startedMs)
    for (const { jobId, next } of moves) if (moved.has(jobId)) backlog.released(jobId, next)
    const refused = await refusedMoves(moves.flatMap(({ jobId }) => (moved.has(jobId) ? [] : [jobId])))
    if (refused.length > 0)
      throw new Error(
        `The rows of ${refused.length} jobs are not as they were left: somebody else releases them`,
      )
    round = shared.round
    return records.length
  }

  /** The last outcome of a job, or its cancellation, may be committed while the backlog does not know of its end yet. */
  async function refusedMoves(jobIds: readonly string[]): Promise<string[]> {
    const open = jobIds.filter((jobId) => backlog.get(jobId) !== undefined)
    if (open.length === 0) return []
    for (const jobId of await listEnded(database, open)) backlog.ended(jobId)
    return open.filter((jobId) => backlog.get(jobId) !== undefined)
  }
}

/** Their requests name the submission of the job, as every release of the same bytes does. */
function traceReleases(
  tracing: Tracing,
  backlog: Backlog,
  moves: readonly { readonly jobId: string; readonly expected: number; readonly next: number }[],
  startedMs: number,
): void {
  for (const { jobId, expected, next } of moves) {
    const parent = backlog.get(jobId)?.traceparent
    if (!parent) continue
    const attributes = { 'cupel.job_id': jobId, 'cupel.items': next - expected }
    tracing.begin({ name: 'release items', kind: 'producer', parent, startedMs, attributes }).end()
  }
}

/** The record follows only from the job, so that a second release has the same bytes. */
function recordOf(codec: EventCodec, job: OpenJob, unit: Unit): NewRecord {
  const { reportId } = unit
  const event: DomainEvent<'ScreenRequested'> = {
    type: 'ScreenRequested',
    data: {
      reportId,
      accountId: job.accountId,
      livemode: job.livemode,
      ...screenedAddressOf(unit),
      customerReference: unit.reference,
      lane: 'bulk',
      answerByAt: null,
      stagesByAt: null,
      requestedAt: job.submittedAt,
      reportUrl: job.reportPageUrl + reportId,
      jobId: isQuietJob(job.jobId) ? null : job.jobId,
      jobIndex: isQuietJob(job.jobId) ? null : unit.itemIndex,
      transfer: null,
      call: null,
    },
    envelope: {
      id: decidedEventId('ScreenRequested', reportId),
      source: 'cupel/bulk-coordinator',
      time: job.submittedAt,
      subject: reportId,
      correlationId: job.correlationId,
      causationId: job.causationId,
      ...(job.traceparent === null ? {} : { traceparent: job.traceparent }),
    },
  }
  return codec.encode(event, { topic: screenTopic('bulk', job.livemode), key: reportId })
}
