/** Reads facts about jobs from records of the bulk and report topics, before a transaction begins. */
import {
  laneOfReportPartition,
  reportPartition,
  topicOf,
  type BulkSubmitted,
  type DomainEvent,
} from '@cupel/contracts'
import {
  evolveJob,
  isReportId,
  MAX_BULK_ITEMS,
  nothingKnownOfJob,
  screenedAddressOf,
  type BulkJob,
} from '@cupel/domain'
import { TYPE_HEADER, type EventCodec, type LogRecord } from '@cupel/event-log'
import type { EndingEvent, OpenJob, Unit } from './job-table.js'
import type { Outcome } from './early-outcomes.js'

export interface Submission {
  readonly job: OpenJob
  readonly state: BulkJob
  /** Its screenings, in the order of release. */
  readonly screenings: readonly Unit[]
  /** Why the job cannot run; null if it can. */
  readonly contradiction: string | null
}

export type Fact =
  | { readonly kind: 'submission'; readonly submission: Submission }
  | { readonly kind: 'cancel'; readonly jobId: string; readonly at: string }
  | { readonly kind: 'ending'; readonly event: EndingEvent }
  | { readonly kind: 'outcome'; readonly outcome: Outcome }

/** Null if the record is not about a job. Throws if a record of the bulk topic cannot be decoded. */
export function factOf(codec: EventCodec, record: LogRecord): Fact | null {
  return isReportTopic(record.topic) ? outcomeOf(record) : jobFactOf(codec, record)
}

export function isReportTopic(topic: string): boolean {
  return topic === topicOf('ReportGenerated', true) || topic === topicOf('ReportGenerated', false)
}

const outcomes: Readonly<Record<string, Outcome['outcome']>> = {
  ReportGenerated: 'completed',
  ScreeningFailed: 'failed',
}

/**
 * Key and headers are enough: a report that this version cannot decode ends its item too, and other reports need not be
 * decoded.
 */
function outcomeOf({ key, headers }: LogRecord): Fact | null {
  const outcome = outcomes[headers[TYPE_HEADER] ?? '']
  const endedAt = headers['ce_time']
  if (outcome === undefined || endedAt === undefined || !isReportId(key)) return null
  return { kind: 'outcome', outcome: { reportId: key, outcome, endedAt } }
}

function jobFactOf(codec: EventCodec, record: LogRecord): Fact | null {
  const event = codec.decode(record)
  if (event.type === 'BulkSubmitted') return { kind: 'submission', submission: submissionOf(event, record) }
  if (event.type === 'BulkCancelRequested')
    return { kind: 'cancel', jobId: event.data.jobId, at: event.data.requestedAt }
  if (event.type === 'BulkCancelled' || event.type === 'BulkCompleted') return { kind: 'ending', event }
  return null
}

function submissionOf({ data, envelope }: DomainEvent<'BulkSubmitted'>, record: LogRecord): Submission {
  const { firsts, refused, screenings } = itemsOf(data)
  const event = { kind: 'submitted', at: data.submittedAt, firsts, refused } as const
  const { jobId, accountId, livemode, submittedAt, reportPageUrl } = data
  const { correlationId, id: causationId, traceparent = null } = envelope
  return {
    job: {
      ...{ jobId, accountId, livemode, submittedAt, reportPageUrl, correlationId, causationId, traceparent },
      ...{ units: screenings.length, released: 0, endedUnits: 0 },
    },
    state: evolveJob(nothingKnownOfJob, [event]),
    screenings,
    contradiction: contradictionOf(data, screenings, record),
  }
}

function itemsOf({ jobId, items }: BulkSubmitted): {
  firsts: number[]
  refused: number[]
  screenings: Unit[]
} {
  const firstOf = new Map<string, number>()
  const refused: number[] = []
  const screenings: Unit[] = []
  const firsts = items.map((item, index) => {
    if (item.reportId === null) {
      refused.push(index)
      return index
    }
    const first = firstOf.get(item.reportId) ?? index
    firstOf.set(item.reportId, first)
    if (first === index)
      screenings.push({
        reportId: item.reportId,
        jobId,
        position: screenings.length,
        itemIndex: index,
        reference: item.reference,
        ...screenedAddressOf(item),
      })
    return first
  })
  return { firsts, refused, screenings }
}

/** Why a submission contradicts itself or its record; null if it does not. */
function contradictionOf(
  { jobId, livemode, items }: BulkSubmitted,
  screenings: readonly Unit[],
  record: LogRecord,
): string | null {
  if (record.key !== jobId) return `the record of ${record.key} submits job ${jobId}`
  if (record.topic !== topicOf('BulkSubmitted', livemode)) return `livemode is ${livemode} on ${record.topic}`
  if (items.length === 0 || items.length > MAX_BULK_ITEMS) return `it has ${items.length} items`
  const reportOf = new Map<string, string>()
  const askedBy = new Map<string, string>()
  for (const { address, chain, candidateChains, reference, reportId } of items) {
    if (reportId === null) continue
    const asked = JSON.stringify([address, chain, candidateChains, reference])
    if ((reportOf.get(asked) ?? reportId) !== reportId) return 'equal items do not share a report'
    if ((askedBy.get(reportId) ?? asked) !== asked) return 'two items that differ share a report'
    reportOf.set(asked, reportId)
    askedBy.set(reportId, asked)
  }
  return screenings.every(({ reportId }) => isBulkReportId(reportId))
    ? null
    : 'a report id does not belong to the bulk lane'
}

function isBulkReportId(reportId: string): boolean {
  return isReportId(reportId) && laneOfReportPartition(reportPartition(reportId)) === 'bulk'
}
