/** One screen: request appended to the log, answered from the record its scorer appends. */
import type { Caller } from '@cupel/access'
import { requestedEventId, screenTopic, type DomainEvent, type Metrics } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Work } from '../http/endpoint.js'
import type { PendingTable, ScreenOutcome } from './pending-table.js'
import type { ReportIds } from './report-ids.js'
import { isOverloaded } from './overload.js'

/** What is to be screened, after the edge has judged the request. */
export interface ScreenOrder {
  readonly caller: Caller
  readonly requestId: string
  readonly traceparent: string | undefined
  readonly address: string
  readonly canonicalAddress: string
  readonly chain: string
  readonly candidateChains: readonly string[]
  readonly customerReference: string | null
  /** Where the call carries an Idempotency-Key: the report has this id. */
  readonly work: Work | null
}

export type ScreenResult =
  { readonly reportId: string; readonly outcome: ScreenOutcome } | { readonly refused: RefusedBecause }

/** Nothing was accepted: the caller may simply try again. */
export type RefusedBecause = 'not_ready' | 'overloaded' | 'log_unavailable'

export interface Screens {
  screen(order: ScreenOrder): Promise<ScreenResult>
}

export interface ScreensOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly pending: PendingTable
  readonly reportIds: ReportIds
  /** Waits for a report wherever it will be recorded: this instance may not follow that partition. */
  readonly awaitElsewhere: (caller: Caller, reportId: string) => Promise<ScreenOutcome>
  readonly isReady: () => boolean
  readonly deadlineMs: number
  readonly reportUrlOf: (reportId: string) => string
  readonly metrics: Metrics
}

const EVENT_SOURCE = 'cupel/api'
const DWELL_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createScreens(options: ScreensOptions): Screens {
  const { log, codec, pending, metrics } = options
  const dwellSeconds = metrics.histogram(
    'api_screen_dwell_seconds',
    'Time from append to report.',
    DWELL_BUCKETS,
  )
  const outcomes = metrics.counter('api_screens_total', 'Screens by what became of them.', ['outcome'])

  return {
    async screen(order) {
      const because = refusalBefore(options)
      if (because !== null) {
        outcomes.inc({ outcome: because })
        return { refused: because }
      }
      const reportId = order.work?.id ?? (await options.reportIds.next())
      const { accountId, livemode } = order.caller
      const isResumed = order.work?.isResumed === true
      // Registered first: the report may come back before the append is acknowledged.
      const answered = isResumed
        ? options.awaitElsewhere(order.caller, reportId)
        : pending.register({ reportId, accountId, livemode })
      const event = screenRequested(order, reportId, options)
      const appendedMs = performance.now()
      const record = codec.encode(event, { topic: screenTopic('interactive', livemode), key: reportId })
      let isAcknowledged = false
      const onAcknowledged = (): void => {
        isAcknowledged = true
        pending.accept(reportId)
      }
      const outcome = await Promise.race([
        answered,
        rejectionOf(log.append('api.screen-requested', [record]), onAcknowledged),
      ])
      if (outcome === 'rejected') {
        // The record may have been written all the same; its id was given to nobody.
        if (!isResumed) pending.withdraw(reportId)
        outcomes.inc({ outcome: 'log_unavailable' })
        return { refused: 'log_unavailable' }
      }
      if (outcome.kind === 'report') dwellSeconds.observe((performance.now() - appendedMs) / 1000)
      outcomes.inc({ outcome: outcome.kind })
      if (outcome.kind === 'late' && !isAcknowledged) return { reportId, outcome: { kind: 'lost' } }
      return { reportId, outcome }
    },
  }
}

function refusalBefore({ pending, isReady, deadlineMs }: ScreensOptions): RefusedBecause | null {
  if (!isReady()) return 'not_ready'
  const load = { pending: pending.size(), oldestAgeMs: pending.oldestAgeMs(), deadlineMs }
  return isOverloaded(load) ? 'overloaded' : null
}

/** Settles only if the append fails; an acknowledgement is no answer, but makes the id one that may be handed out. */
function rejectionOf(append: Promise<unknown>, onAcknowledged: () => void): Promise<'rejected'> {
  return new Promise((resolve) => {
    append.then(onAcknowledged, () => resolve('rejected'))
  })
}

function screenRequested(
  order: ScreenOrder,
  reportId: string,
  options: Pick<ScreensOptions, 'deadlineMs' | 'reportUrlOf'>,
): DomainEvent<'ScreenRequested'> {
  const nowMs = Date.now()
  const requestedAt = new Date(nowMs).toISOString()
  return {
    type: 'ScreenRequested',
    data: {
      reportId,
      accountId: order.caller.accountId,
      livemode: order.caller.livemode,
      address: order.address,
      canonicalAddress: order.canonicalAddress,
      chain: order.chain,
      candidateChains: order.candidateChains,
      customerReference: order.customerReference,
      lane: 'interactive',
      answerByAt: new Date(nowMs + options.deadlineMs).toISOString(),
      requestedAt,
      reportUrl: options.reportUrlOf(reportId),
      jobId: null,
      jobIndex: null,
      call: null,
    },
    envelope: {
      id: requestedEventId(),
      source: EVENT_SOURCE,
      time: requestedAt,
      subject: reportId,
      correlationId: order.requestId,
      causationId: order.requestId,
      traceparent: order.traceparent,
    },
  }
}
