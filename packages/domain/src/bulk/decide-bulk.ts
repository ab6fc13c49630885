/** The decisions about a bulk job: which addresses are screened, and how the job ends. */
import { parseAddress, screenedAddress, type AddressRefusal, type ScreenedAddress } from '../address/index.js'
import { CANCELLED, countsOf, isDone, markOf, OPEN, type BulkEnd, type BulkJob } from './bulk-job.js'

/** Maximum number of items of a job. */
export const MAX_BULK_ITEMS = 1_000

/** An item of a job, as its caller asked for it. */
export interface AskedItem {
  readonly address: string
  /** Chain code; absent: that of the job. */
  readonly chain?: string | undefined
  readonly reference?: string | undefined
}

/** An address of a job, as judged at submission. */
export type JudgedItem =
  | {
      readonly ok: true
      readonly screened: ScreenedAddress
      /** Index of the first item with exactly this text, chain and reference: they share one report. */
      readonly first: number
    }
  | {
      readonly ok: false
      readonly code: AddressRefusal['code']
      readonly detail: string
      readonly first: number
    }

/**
 * Judges each address by itself. Equal items are one screening. Different texts for the same address are separate screenings, because a
 * report echoes the requested text and the reference. `chain`: of the items that name none.
 */
export function judgeItems(items: readonly AskedItem[], chain: string | undefined): JudgedItem[] {
  const firsts = new Map<string, number>()
  return items.map(({ address, chain: own = chain, reference }, index): JudgedItem => {
    const asked = JSON.stringify([address, own, reference])
    const first = firsts.get(asked) ?? index
    firsts.set(asked, first)
    const parsed = parseAddress(address, own)
    if (!parsed.ok) return { ok: false, code: parsed.code, detail: parsed.detail, first }
    return { ok: true, screened: screenedAddress(parsed), first }
  })
}

/**
 * The end of a job whose items are all done; null if an item is not done, or if the job has ended. A pure function of the items: a repeated
 * decision is identical, byte for byte.
 */
export function decideCompletion(job: BulkJob): BulkEnd | null {
  if (job.end !== null || !isDone(job)) return null
  const counts = countsOf(job)
  return {
    ...counts,
    status: counts.failed > 0 ? 'completed_with_errors' : 'completed',
    endedAt: job.latestAt ?? job.submittedAt!,
  }
}

export interface Cancellation {
  readonly end: BulkEnd
  readonly cancelledIndices: readonly number[]
}

/** Cancels the items that are not done; null if the job is unknown, has ended, or has nothing left to cancel. */
export function decideCancellation(job: BulkJob, requestedAt: string): Cancellation | null {
  if (job.end !== null || job.submittedAt === null || isDone(job)) return null
  const cancelledIndices = job.firsts.flatMap((_, index) => (markOf(job, index) === OPEN ? [index] : []))
  const marks = [...job.marks]
  for (const index of cancelledIndices) marks[index] = CANCELLED
  // An item that ended before the request was read keeps its result, and no item may end after the job.
  const endedAt = job.latestAt !== null && job.latestAt > requestedAt ? job.latestAt : requestedAt
  return {
    end: { ...countsOf({ marks: marks.join(''), firsts: job.firsts }), status: 'cancelled', endedAt },
    cancelledIndices,
  }
}

/** The end of a job that cannot run at all. */
export function failedJob(total: number, submittedAt: string): BulkEnd {
  return { status: 'failed', total, completed: 0, failed: total, cancelled: 0, endedAt: submittedAt }
}
