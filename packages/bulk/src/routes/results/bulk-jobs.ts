/** Makes and cancels bulk jobs for callers: each change is an event, acknowledged before the answer. */
import type { Caller, ReportIds } from '@cupel/gate/access'
import { LATE, withinMs } from '@cupel/kit/concurrency'
import {
  appendAttributes,
  problemCodes,
  requestedEventId,
  topicOf,
  type BulkSubmitted,
  type DomainEvent,
  type ProblemCode,
} from '@cupel/contracts'
import { judgeItems, magicProblems, type AskedItem } from '@cupel/domain'
import { LogUnavailableError, type EventCodec, type EventLog } from '@cupel/event-log'
import { apiCallOf } from '@cupel/gate/audit'
import { type KeyedCall, statuses, traceparentFor } from '@cupel/gate/http'

export interface BulkOrder {
  readonly call: KeyedCall
  readonly jobId: string
  readonly name: string | undefined
  readonly items: readonly AskedItem[]
  /** Of the items that name none. */
  readonly chain: string | undefined
}

export interface SubmittedJob {
  readonly jobId: string
  readonly name: string | null
  readonly submittedAt: string
  readonly total: number
  /** Items whose address is not screened. */
  readonly refused: number
}

export interface BulkJobs {
  /** Null if the job could not be accepted: the log did not acknowledge. */
  submit(order: BulkOrder): Promise<SubmittedJob | null>
  /** Whether the request to cancel is in the log. */
  cancel(order: Pick<BulkOrder, 'call' | 'jobId'>): Promise<boolean>
}

export interface BulkJobsOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  /** Ids whose reports lie in the bulk half of the report topic. */
  readonly reportIds: Pick<ReportIds, 'next'>
  readonly reportPageUrl: () => string
  /** How long a call waits for an acknowledgement. */
  readonly deadlineMs: number
}

const EVENT_SOURCE = 'cupel/api'

/** `job_` and a UUIDv7 without its hyphens. */
export function newJobId(): string {
  return `job_${requestedEventId().replaceAll('-', '')}`
}

export function createBulkJobs(options: BulkJobsOptions): BulkJobs {
  const { log, codec } = options
  return {
    async submit(order) {
      const submittedAt = new Date().toISOString()
      const items = await itemsOf(order, options.reportIds)
      const event: DomainEvent<'BulkSubmitted'> = {
        type: 'BulkSubmitted',
        data: {
          jobId: order.jobId,
          accountId: order.call.caller.accountId,
          livemode: order.call.caller.livemode,
          name: order.name === undefined ? null : order.call.seal.seal(order.name),
          items,
          reportPageUrl: options.reportPageUrl(),
          submittedAt,
          call: apiCallOf(order.call, statuses.accepted),
        },
        envelope: envelopeOf(order, submittedAt),
      }
      const target = { topic: topicOf('BulkSubmitted', order.call.caller.livemode), key: order.jobId }
      order.call.trace?.note({ 'cupel.job_id': order.jobId, 'cupel.items': items.length })
      const step = order.call.trace?.step(`send ${target.topic}`, {
        kind: 'producer',
        eventId: event.envelope.id,
        attributes: appendAttributes(log.kind, target.topic),
      })
      const appended = log.append('api.bulk-submitted', [codec.encode(event, target)])
      const isAccepted = await isAcknowledged(
        step === undefined ? appended : appended.finally(() => step.end()),
        options.deadlineMs,
      )
      if (!isAccepted) return null
      const refused = items.filter(({ reportId }) => reportId === null).length
      return { jobId: order.jobId, name: order.name ?? null, submittedAt, total: items.length, refused }
    },
    async cancel(order) {
      const requestedAt = new Date().toISOString()
      const { accountId, livemode } = order.call.caller
      const event: DomainEvent<'BulkCancelRequested'> = {
        type: 'BulkCancelRequested',
        data: {
          jobId: order.jobId,
          accountId,
          livemode,
          requestedAt,
          call: apiCallOf(order.call, statuses.accepted),
        },
        envelope: envelopeOf(order, requestedAt),
      }
      const target = { topic: topicOf('BulkCancelRequested', livemode), key: order.jobId }
      return await isAcknowledged(
        log.append('api.bulk-cancel-requested', [codec.encode(event, target)]),
        options.deadlineMs,
      )
    },
  }
}

/** Each item with the id of its report; equal items share one. A text that is not screened may name a person, so it is sealed. */
async function itemsOf(
  { items: asked, chain, call }: BulkOrder,
  reportIds: Pick<ReportIds, 'next'>,
): Promise<BulkSubmitted['items']> {
  const items: BulkSubmitted['items'][number][] = []
  const references = await sealedReferences(asked, call)
  for (const item of judgeItems(asked, chain)) {
    const { address, reference: plain } = asked[items.length]!
    const reference = plain === undefined ? null : references.get(plain)!
    const refusal = item.ok ? scriptedRefusal(call.caller, item.screened.canonicalAddress) : item
    if (refusal === null && item.ok) {
      const reportId = items[item.first]?.reportId ?? (await reportIds.next())
      items.push({
        ...item.screened,
        reference,
        refusedText: null,
        reportId,
        errorCode: null,
        errorDetail: null,
      })
    } else {
      const { code: errorCode, detail: errorDetail } = refusal!
      const refusedText = call.seal.seal(storableText(address))
      items.push({ ...NOT_SCREENED, reference, refusedText, errorCode, errorDetail })
    }
  }
  return items
}

async function sealedReferences(
  asked: readonly AskedItem[],
  { seal }: Pick<KeyedCall, 'seal'>,
): Promise<ReadonlyMap<string, string>> {
  const plain = [...new Set(asked.flatMap(({ reference }) => reference ?? []))]
  const sealed = await seal.sealReferences(plain)
  return new Map(plain.map((reference, index) => [reference, sealed[index]!]))
}

/** Neither Avro nor Postgres can hold them; the result shows U+FFFD in their place. */
function storableText(address: string): string {
  return address.replaceAll(/\0|\p{Surrogate}/gu, '\ufffd')
}

const NOT_SCREENED = { address: '', canonicalAddress: '', chain: '', candidateChains: [], reportId: null }

/** Codes that can concern one address of many; the other codes are about whole calls. */
const ITEM_CODES: readonly ProblemCode[] = [
  'invalid_address',
  'unsupported_chain',
  'chain_mismatch',
  'screening_failed',
]

/** The error of an item for a magic address that gets such an error; null for other addresses. */
function scriptedRefusal(
  { livemode }: Pick<Caller, 'livemode'>,
  canonicalAddress: string,
): { readonly code: string; readonly detail: string } | null {
  const code = livemode ? undefined : magicProblems.get(canonicalAddress)
  if (code === undefined || !ITEM_CODES.includes(code)) return null
  return { code, detail: `${problemCodes[code].title}: the sandbox always fails this address with it.` }
}

function envelopeOf(
  { jobId, call }: Pick<BulkOrder, 'jobId' | 'call'>,
  time: string,
): DomainEvent['envelope'] {
  const id = requestedEventId()
  return {
    id,
    source: EVENT_SOURCE,
    time,
    subject: jobId,
    correlationId: call.requestId,
    causationId: call.requestId,
    traceparent: traceparentFor(call, id),
  }
}

/** Without an acknowledgement the caller is told of no job. The log may contain it all the same. */
async function isAcknowledged(append: Promise<unknown>, deadlineMs: number): Promise<boolean> {
  try {
    return (await withinMs(deadlineMs, append)) !== LATE
  } catch (error) {
    if (error instanceof LogUnavailableError) return false
    throw error
  }
}
