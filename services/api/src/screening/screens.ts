/** One screen: appends the request to the log and answers from the record that the scorer appends. */
import type { Caller } from '@cupel/access'
import { requestedEventId, screenTopic, type DomainEvent, type Metrics } from '@cupel/contracts'
import { createTimeLimit } from '@cupel/concurrency'
import type { ScreenedAddress } from '@cupel/domain'
import type { EventCodec, EventLog } from '@cupel/event-log'
import { apiCallOf } from '../audit/api-call.js'
import type { KeyedCall } from '../http/endpoint.js'
import { statuses } from '../http/status.js'
import { traceparentOf } from '../http/traceparent.js'
import type { PendingTable, ScreenOutcome } from './pending-table.js'
import type { ReportIds } from './report-ids.js'
import { isOverloaded } from './overload.js'

export interface ScreenOrder extends ScreenedAddress {
  /** With an Idempotency-Key, the report has the id of the call's work. */
  readonly call: KeyedCall
  readonly customerReference: string | null
}

export type ScreenResult =
  | {
      readonly reportId: string
      readonly outcome: ScreenOutcome
      /** Whether the log acknowledged the request, which records the call. */
      readonly isRecorded: boolean
    }
  | { readonly refused: RefusedBecause }

/** Why nothing was accepted; the caller may retry. */
export type RefusedBecause = 'not_ready' | 'overloaded' | 'log_unavailable'

export interface Screens {
  screen(order: ScreenOrder): Promise<ScreenResult>
}

export interface ScreensOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly pending: PendingTable
  readonly reportIds: ReportIds
  /** Waits for a report in any partition, also in one that this instance does not follow. */
  readonly awaitElsewhere: (caller: Caller, reportId: string) => Promise<ScreenOutcome>
  readonly isReady: () => boolean
  readonly deadlineMs: number
  readonly reportUrlOf: (reportId: string) => string
  readonly metrics: Metrics
}

const EVENT_SOURCE = 'cupel/api'
const DWELL_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** How much longer than its report a request may wait for its acknowledgement. */
const ACKNOWLEDGEMENT_TIMEOUT_MS = 250

export function createScreens(options: ScreensOptions): Screens {
  const { log, codec, pending, metrics } = options
  const dwellSeconds = metrics.histogram(
    'api_screen_dwell_seconds',
    'Time from the append of a request to its report.',
    DWELL_BUCKETS,
  )
  const outcomes = metrics.counter('api_screens_total', 'Screens by outcome.', ['outcome'])
  const inTime = createTimeLimit(ACKNOWLEDGEMENT_TIMEOUT_MS)
  const refused = (because: RefusedBecause): ScreenResult => {
    outcomes.inc({ outcome: because })
    return { refused: because }
  }

  return {
    async screen(order) {
      const because = refusalBefore(options)
      if (because !== null) return refused(because)
      const { caller, work } = order.call
      const reportId = work?.id ?? (await options.reportIds.next())
      const isResumed = work?.isResumed === true
      // Registered first: the report may arrive before the append is acknowledged.
      const answered = isResumed
        ? options.awaitElsewhere(caller, reportId)
        : pending.register({ reportId, accountId: caller.accountId, livemode: caller.livemode })
      const record = codec.encode(screenRequested(order, reportId, options), {
        topic: screenTopic('interactive', caller.livemode),
        key: reportId,
      })
      const appendedMs = performance.now()
      const append = acknowledgement(log.append('api.screen-requested', [record]), () =>
        pending.accept(reportId),
      )
      const outcome = await Promise.race([answered, append.failed])
      if (outcome === 'failed') {
        // The record may be in the log all the same, but no caller was given its id.
        if (!isResumed) pending.withdraw(reportId)
        return refused('log_unavailable')
      }
      if (outcome.kind === 'report') dwellSeconds.observe((performance.now() - appendedMs) / 1000)
      outcomes.inc({ outcome: outcome.kind })
      if (outcome.kind === 'late' && !append.isAcknowledged())
        return { reportId, outcome: { kind: 'lost' }, isRecorded: false }
      // The latency of a resumed call is not that of the report, which the first attempt may have caused.
      const isRecorded =
        outcome.kind === 'report' &&
        !isResumed &&
        (append.isAcknowledged() || (await inTime(append.settled)) === true)
      return { reportId, outcome, isRecorded }
    },
  }
}

function refusalBefore({ pending, isReady, deadlineMs }: ScreensOptions): RefusedBecause | null {
  if (!isReady()) return 'not_ready'
  const load = { pending: pending.size(), oldestAgeMs: pending.oldestAgeMs(), deadlineMs }
  return isOverloaded(load) ? 'overloaded' : null
}

interface Acknowledgement {
  readonly isAcknowledged: () => boolean
  /** Resolves to whether the log acknowledged the append. */
  readonly settled: Promise<boolean>
  /** Resolves only where the append fails: an acknowledgement answers no call. */
  readonly failed: Promise<'failed'>
}

/** From its acknowledgement on, the id of a request may be given to its caller. */
function acknowledgement(append: Promise<unknown>, onAcknowledged: () => void): Acknowledgement {
  let isAcknowledged = false
  const settled = append.then(
    () => {
      isAcknowledged = true
      onAcknowledged()
      return true
    },
    () => false,
  )
  const failed = new Promise<'failed'>((resolve) => {
    void settled.then((succeeded) => {
      if (!succeeded) resolve('failed')
    })
  })
  return { isAcknowledged: () => isAcknowledged, settled, failed }
}

function screenRequested(
  { call, ...order }: ScreenOrder,
  reportId: string,
  options: Pick<ScreensOptions, 'deadlineMs' | 'reportUrlOf'>,
): DomainEvent<'ScreenRequested'> {
  const nowMs = Date.now()
  const requestedAt = new Date(nowMs).toISOString()
  return {
    type: 'ScreenRequested',
    data: {
      ...order,
      reportId,
      accountId: call.caller.accountId,
      livemode: call.caller.livemode,
      lane: 'interactive',
      answerByAt: new Date(nowMs + options.deadlineMs).toISOString(),
      requestedAt,
      reportUrl: options.reportUrlOf(reportId),
      jobId: null,
      jobIndex: null,
      call: apiCallOf(call, statuses.ok),
    },
    envelope: {
      id: requestedEventId(),
      source: EVENT_SOURCE,
      time: requestedAt,
      subject: reportId,
      correlationId: call.requestId,
      causationId: call.requestId,
      traceparent: traceparentOf(call.headers),
    },
  }
}
