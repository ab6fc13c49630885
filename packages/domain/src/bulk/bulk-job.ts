/**
 * The state of a bulk job, folded from its events. The events of a job come from two topics, so that they may arrive in any order between
 * those, and any number of times. In any order, the same events give the same job. The coordinator and the read side fold with the same
 * function.
 */

/** One character per item, at the index of the item. Items that share a report share the mark of the first one. */
export type ItemMark = typeof OPEN | typeof COMPLETED | typeof FAILED | typeof CANCELLED

export const OPEN = '.'
export const COMPLETED = 'c'
export const FAILED = 'f'
export const CANCELLED = 'x'

export type BulkStatus = 'queued' | 'running' | 'completed' | 'completed_with_errors' | 'cancelled' | 'failed'

export interface BulkCounts {
  readonly total: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
}

export interface BulkEnd extends BulkCounts {
  readonly status: Exclude<BulkStatus, 'queued' | 'running'>
  /** UTC, RFC 3339 with milliseconds. */
  readonly endedAt: string
}

export interface BulkJob {
  /** Null before the submission is known. */
  readonly submittedAt: string | null
  /** See ItemMark; shorter than the job while the submission is unknown. */
  readonly marks: string
  /** For each item the index of the first one that shares its report: its own index if it is the first. */
  readonly firsts: readonly number[]
  /** Latest time at which an item ended; null before the first, and once the job has ended: then `end` has the time. */
  readonly latestAt: string | null
  /** Time of the earliest request; null if there is none. */
  readonly cancelRequestedAt: string | null
  readonly end: BulkEnd | null
}

export type BulkEvent =
  /** `refused`: indices of the items whose address is not screened. */
  | {
      readonly kind: 'submitted'
      readonly at: string
      readonly firsts: readonly number[]
      readonly refused: readonly number[]
    }
  /** `index`: the first item among those that share the report. The first record of a report id in its partition counts. */
  | {
      readonly kind: 'item-ended'
      readonly index: number
      readonly outcome: 'completed' | 'failed'
      readonly at: string
    }
  | { readonly kind: 'cancel-requested'; readonly at: string }
  /** Only `cancelledIndices` states which items are cancelled. */
  | { readonly kind: 'ended'; readonly end: BulkEnd; readonly cancelledIndices: readonly number[] }

export const nothingKnownOfJob: BulkJob = {
  submittedAt: null,
  marks: '',
  firsts: [],
  latestAt: null,
  cancelRequestedAt: null,
  end: null,
}

export function evolveJob(job: BulkJob, events: readonly BulkEvent[]): BulkJob {
  const marks = [...job.marks]
  let { submittedAt, firsts, latestAt, cancelRequestedAt, end } = job
  for (const event of events) {
    switch (event.kind) {
      case 'submitted':
        if (submittedAt !== null) break
        submittedAt = event.at
        firsts = event.firsts
        extend(marks, firsts.length)
        for (const index of event.refused)
          if (mark(marks, index, FAILED)) latestAt = later(latestAt, event.at)
        break
      case 'item-ended':
        if (mark(marks, event.index, event.outcome === 'completed' ? COMPLETED : FAILED))
          latestAt = later(latestAt, event.at)
        break
      case 'cancel-requested':
        if (cancelRequestedAt === null || event.at < cancelRequestedAt) cancelRequestedAt = event.at
        break
      case 'ended':
        if (end !== null) break
        end = event.end
        for (const index of event.cancelledIndices) {
          extend(marks, index + 1)
          marks[index] = CANCELLED
        }
    }
  }
  if (end !== null) latestAt = null
  return { submittedAt, marks: marks.join(''), firsts, latestAt, cancelRequestedAt, end }
}

/** Whether this is the first event about the item. The first event counts, except that a cancelled item was never done. */
function mark(marks: string[], index: number, by: ItemMark): boolean {
  extend(marks, index + 1)
  if (marks[index] !== OPEN) return false
  marks[index] = by
  return true
}

function extend(marks: string[], length: number): void {
  while (marks.length < length) marks.push(OPEN)
}

function later(one: string | null, other: string): string {
  return one === null || other > one ? other : one
}

/** The state of the item at this index. */
export function markOf(job: Pick<BulkJob, 'marks' | 'firsts'>, index: number): ItemMark {
  return job.marks[job.firsts[index] ?? index] as ItemMark
}

/** Counts of the items; completed + failed + cancelled = total once the job is done. */
export function countsOf(job: Pick<BulkJob, 'marks' | 'firsts'>): BulkCounts {
  const counts = { total: job.firsts.length, completed: 0, failed: 0, cancelled: 0 }
  for (let index = 0; index < counts.total; index += 1) {
    const by = markOf(job, index)
    if (by === COMPLETED) counts.completed += 1
    else if (by === FAILED) counts.failed += 1
    else if (by === CANCELLED) counts.cancelled += 1
  }
  return counts
}

/** Every item has ended, with any result. */
export function isDone(job: Pick<BulkJob, 'submittedAt' | 'marks' | 'firsts'>): boolean {
  if (job.submittedAt === null) return false
  for (let index = 0; index < job.firsts.length; index += 1) if (markOf(job, index) === OPEN) return false
  return true
}
