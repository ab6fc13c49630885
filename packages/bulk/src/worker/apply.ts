/**
 * Applies facts to jobs, under the lock of their rows. The end of a job is decided here and nowhere else, in the transaction
 * that holds everything that leads to it.
 */
import { decidedEventId, type DomainEvent } from '@cupel/contracts'
import {
  decideCancellation,
  decideCompletion,
  evolveJob,
  failedJob,
  OPEN,
  type BulkEnd,
  type BulkEvent,
  type BulkJob,
} from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { lockOutEarly, lockOutSubmissions, noteEarly, takeEarly, type Outcome } from './early-outcomes.js'
import type { Fact, Submission } from './facts.js'
import {
  endOf,
  findUnits,
  insertJobs,
  insertUnits,
  lockJobs,
  saveJobs,
  type ChangedJob,
  type EndingEvent,
  type LockedJob,
  type OpenJob,
} from './job-table.js'
import { isQuietJob } from './quiet-jobs.js'

export interface Applied {
  /** Jobs that may be released now. */
  readonly opened: readonly OpenJob[]
  /** Jobs that changed. */
  readonly changed: readonly {
    readonly jobId: string
    readonly endedUnits: number
    readonly hasEnded: boolean
  }[]
  readonly endedReportIds: readonly string[]
  /** Jobs that cannot run, with the reason. */
  readonly refused: readonly { readonly jobId: string; readonly cause: string }[]
}

export async function applyFacts(transaction: Queryable, facts: readonly Fact[]): Promise<Applied> {
  const submitted = await insertSubmissions(transaction, facts)
  const eventsOfJob = await sortByJob(transaction, facts, submitted.early)
  // A job whose items were all refused or decided early ends when it is submitted; a job that cannot run ends at once.
  for (const { jobId } of [...submitted.refused, ...submitted.opened])
    if (!eventsOfJob.has(jobId)) eventsOfJob.set(jobId, [])
  const jobs = await lockJobs(transaction, [...eventsOfJob.keys()])
  const refused = new Set(submitted.refused.map(({ jobId }) => jobId))
  const changed = jobs.map((job) => changeOf(job, eventsOfJob.get(job.jobId)!, refused.has(job.jobId)))
  await saveJobs(transaction, changed)
  const over = new Set(changed.flatMap(({ jobId, state }) => (state.end === null ? [] : [jobId])))
  return {
    opened: submitted.opened.filter(({ jobId }) => !over.has(jobId)),
    changed: changed.map(({ jobId, endedUnits }) => ({ jobId, endedUnits, hasEnded: over.has(jobId) })),
    endedReportIds: facts.flatMap((fact) => (fact.kind === 'outcome' ? [fact.outcome.reportId] : [])),
    refused: submitted.refused,
  }
}

interface Submitted {
  readonly opened: readonly OpenJob[]
  readonly refused: readonly { readonly jobId: string; readonly cause: string }[]
  /** Outcomes of their screenings that were read before the submission. */
  readonly early: readonly Outcome[]
}

async function insertSubmissions(transaction: Queryable, facts: readonly Fact[]): Promise<Submitted> {
  const submissions = new Map<string, Submission>()
  for (const fact of facts) {
    if (fact.kind !== 'submission' || submissions.has(fact.submission.job.jobId)) continue
    submissions.set(fact.submission.job.jobId, fact.submission)
  }
  if (submissions.size > 0) await lockOutEarly(transaction)
  const inserted = await insertJobs(transaction, [...submissions.values()])
  const news = inserted.map((jobId) => submissions.get(jobId)!)
  const sound = news.filter(({ contradiction }) => contradiction === null)
  const units = sound.flatMap(({ screenings }) => screenings)
  const free = await insertUnits(transaction, units)
  const causeOf = ({ contradiction, screenings }: Submission): string | null =>
    contradiction ??
    (screenings.every(({ reportId }) => free.has(reportId)) ? null : 'a report id belongs to another job')
  return {
    opened: news.flatMap((one) => (causeOf(one) === null ? [one.job] : [])),
    refused: news.flatMap((one) => {
      const cause = causeOf(one)
      return cause === null ? [] : [{ jobId: one.job.jobId, cause }]
    }),
    early: await takeEarly(
      transaction,
      units.map(({ reportId }) => reportId),
    ),
  }
}

/** The events of each job, in the order of their records. */
async function sortByJob(
  transaction: Queryable,
  facts: readonly Fact[],
  early: readonly Outcome[],
): Promise<Map<string, BulkEvent[]>> {
  const recorded = facts.flatMap((fact) => (fact.kind === 'outcome' ? [fact.outcome] : []))
  const all = [...early, ...recorded]
  const units = await findUnits(transaction, [...new Set(all.map(({ reportId }) => reportId))])
  await noteUnknown(transaction, all, units)
  const byJob = new Map<string, BulkEvent[]>()
  const add = (jobId: string, event: BulkEvent): void => {
    const events = byJob.get(jobId)
    if (events === undefined) byJob.set(jobId, [event])
    else events.push(event)
  }
  for (const { reportId, outcome, endedAt } of all) {
    const unit = units.get(reportId)
    if (unit !== undefined)
      add(unit.jobId, { kind: 'item-ended', index: unit.itemIndex, outcome, at: endedAt })
  }
  for (const fact of facts) {
    if (fact.kind === 'cancel') add(fact.jobId, { kind: 'cancel-requested', at: fact.at })
    if (fact.kind === 'ending') add(fact.event.data.jobId, endedEvent(fact.event))
  }
  return byJob
}

/** Notes the outcomes whose job is not known, and adds those that are known by now to `units`. */
async function noteUnknown(
  transaction: Queryable,
  all: readonly Outcome[],
  units: Awaited<ReturnType<typeof findUnits>>,
): Promise<void> {
  const isUnknown = ({ reportId }: Outcome): boolean => !units.has(reportId)
  const unknown = all.filter(isUnknown)
  if (unknown.length === 0) return
  await lockOutSubmissions(transaction)
  const found = await findUnits(transaction, [...new Set(unknown.map(({ reportId }) => reportId))])
  for (const [reportId, unit] of found) units.set(reportId, unit)
  await noteEarly(transaction, unknown.filter(isUnknown))
}

function endedEvent(event: EndingEvent): BulkEvent {
  const cancelledIndices = event.type === 'BulkCancelled' ? event.data.cancelledIndices : []
  return { kind: 'ended', end: endOf(event), cancelledIndices }
}

function changeOf(job: LockedJob, events: readonly BulkEvent[], isRefused: boolean): ChangedJob {
  const state = evolveJob(job.state, events)
  // An end in the log was announced by the coordinator that decided it. An own end that is read back is known already.
  const known = events.find((event) => event.kind === 'ended')
  const wasOpen = job.state.end === null
  if (wasOpen && known !== undefined)
    return change(job, state, {
      event: endingEvent(job, state.end!, known.cancelledIndices),
      isAnnounced: true,
    })
  const decided = wasOpen ? decideEnd(job, state, isRefused) : null
  if (decided === null) return change(job, state, null)
  const ended = evolveJob(state, [{ kind: 'ended', ...decided }])
  const event = endingEvent(job, decided.end, decided.cancelledIndices)
  // No caller submitted the screenings of watches, so their end is not announced.
  return change(job, ended, { event, isAnnounced: isQuietJob(job.jobId) })
}

function change(job: LockedJob, state: BulkJob, ending: ChangedJob['ending']): ChangedJob {
  return { jobId: job.jobId, state, endedUnits: endedUnitsOf(job, state), ending }
}

interface DecidedEnd {
  readonly end: BulkEnd
  readonly cancelledIndices: readonly number[]
}

function decideEnd(job: LockedJob, state: BulkJob, isRefused: boolean): DecidedEnd | null {
  if (isRefused) return { end: failedJob(state.firsts.length, job.submittedAt), cancelledIndices: [] }
  const completion = decideCompletion(state)
  if (completion !== null) return { end: completion, cancelledIndices: [] }
  return state.cancelRequestedAt === null ? null : decideCancellation(state, state.cancelRequestedAt)
}

/** Number of ended screenings. Equal addresses are one screening, and a refused item is none. */
function endedUnitsOf(job: LockedJob, state: BulkJob): number {
  let open = 0
  for (const [index, first] of state.firsts.entries())
    if (first === index && state.marks[index] === OPEN) open += 1
  return job.units - open
}

/** The event that ends a job. Its id and time follow from the job, so that a repeat has the same bytes. */
function endingEvent(job: OpenJob, end: BulkEnd, cancelledIndices: readonly number[]): EndingEvent {
  const { jobId, accountId, livemode } = job
  const { total, completed, failed, cancelled, endedAt } = end
  const isCancelled = end.status === 'cancelled'
  const envelope: DomainEvent['envelope'] = {
    id: decidedEventId(isCancelled ? 'BulkCancelled' : 'BulkCompleted', jobId),
    source: 'cupel/bulk-coordinator',
    time: endedAt,
    subject: jobId,
    correlationId: job.correlationId,
    causationId: job.causationId,
    ...(job.traceparent === null ? {} : { traceparent: job.traceparent }),
  }
  const counts = { total, completed, failed, cancelled }
  return isCancelled
    ? {
        type: 'BulkCancelled',
        data: { jobId, accountId, livemode, ...counts, cancelledIndices, cancelledAt: endedAt },
        envelope,
      }
    : {
        type: 'BulkCompleted',
        data: { jobId, accountId, livemode, status: end.status, ...counts, completedAt: endedAt },
        envelope,
      }
}
