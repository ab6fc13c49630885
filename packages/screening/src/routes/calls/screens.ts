/** One screen: appends the request to the log and answers from the record that the scorer appends. */
import type { ReportIds } from '@cupel/gate/access'
import {
  appendAttributes,
  requestedEventIdAt,
  screenTopic,
  type DomainEvent,
  type Metrics,
  type Step,
  type TransferTerms,
} from '@cupel/contracts'
import { createTimeLimit } from '@cupel/kit/concurrency'
import { screenedAddressOf, type ScreenedAddress } from '@cupel/domain'
import type { EventCodec, EventLog } from '@cupel/event-log'
import { apiCallOf } from '@cupel/gate/audit'
import { type KeyedCall, statuses, traceparentFor } from '@cupel/gate/http'
import type { AwaitReport } from './await-report.js'
import { createFailureRate } from './failure-rate.js'
import { createPatience } from './patience.js'
import type { PendingTable, ScreenInWait, ScreenOutcome } from './pending-table.js'
import { isOverloaded } from './overload.js'

export interface ScreenOrder extends ScreenedAddress {
  /** With an Idempotency-Key, the report has the id of the call's work. */
  readonly call: KeyedCall
  readonly customerReference: string | null
  /** The transfer whose counterparty the address is; absent where an address is screened by itself. */
  readonly transfer?: TransferTerms
  /** How long the caller waits for late stages; null: as long as their budgets. */
  readonly waitSeconds: number | null
}

export type ScreenResult =
  | {
      readonly reportId: string
      readonly outcome: ScreenOutcome
      /** Whether the log acknowledged the request, which records the call. */
      readonly isRecorded: boolean
      /** The wait that was granted; null where the caller asked for none, or no place was left. */
      readonly waitedSeconds: number | null
    }
  /** `reportId` where an earlier attempt under the same Idempotency-Key may have been accepted. */
  | { readonly refused: RefusedBecause; readonly reportId: string | null }

/** Why nothing was accepted; the caller may retry. */
export type RefusedBecause = 'not_ready' | 'overloaded'

export interface Screens {
  screen(order: ScreenOrder): Promise<ScreenResult>
  /** What an operator should know of the screens of the last minute; null if most were answered. */
  failing(): string | null
}

export interface ScreensOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly pending: PendingTable
  readonly reportIds: ReportIds
  /** Waits for a report in any partition, also in one that this instance does not follow. */
  readonly awaitElsewhere: AwaitReport
  readonly isReady: () => boolean
  readonly deadlineMs: number
  /** Time of the installation: the scorer and the coordinator compare it with theirs. */
  readonly now: () => Date
  readonly reportUrlOf: (reportId: string) => string
  readonly metrics: Metrics
}

const EVENT_SOURCE = 'cupel/api'
const DWELL_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** The decision and its way through the log may take this long after the wait for stages. */
const ANSWER_AFTER_WAIT_MS = 2_000
/** How long a request may wait for its acknowledgement after its report has arrived. */
const ACKNOWLEDGEMENT_TIMEOUT_MS = 250

export function createScreens(options: ScreensOptions): Screens {
  const { log, codec, pending, metrics } = options
  const dwellSeconds = metrics.histogram(
    'api_screen_dwell_seconds',
    'Time from the append of a request to its report.',
    DWELL_BUCKETS,
  )
  const { ended, failing } = countOutcomes(metrics)
  const inTime = createTimeLimit(ACKNOWLEDGEMENT_TIMEOUT_MS)
  const patience = createPatience()

  async function screen(order: ScreenOrder): Promise<ScreenResult> {
    const because = refusalBefore(options)
    const { caller, work, receivedMs } = order.call
    const isResumed = work?.isResumed === true
    if (because !== null) {
      ended(because)
      return { refused: because, reportId: isResumed ? work.id : null }
    }
    const reportId = work?.id ?? (await options.reportIds.next())
    const screen = screenInWait(order, reportId, options)
    const deadlineMs = screen.patienceMs ?? options.deadlineMs
    // Registered first: the report may arrive before the append is acknowledged.
    const answered = isResumed
      ? options.awaitElsewhere(caller, screen, receivedMs + deadlineMs)
      : pending.register(screen)
    const { event, target } = screen.request
    let isRefused = false
    const appendedMs = performance.now()
    const steps = beginSteps(order, screen, log.kind)
    const acknowledged = log.append('api.screen-requested', [codec.encode(event, target)]).then(
      () => {
        steps?.append.end()
        return (screen.isAccepted = true)
      },
      () => {
        steps?.append.fail()
        steps?.append.end()
        // The record may still be in the log, so the caller gets its id and the outbox gets the request.
        isRefused = true
        if (!isResumed) pending.expire(reportId)
        return false
      },
    )
    let outcome = await answered
    if (steps !== undefined) endWaiting(steps.wait, outcome)
    if (isRefused && outcome.kind === 'late') outcome = { kind: 'deferred' }
    if (outcome.kind === 'report')
      dwellSeconds.observe((performance.now() - appendedMs) / 1000, {}, order.call.trace)
    ended(outcome.kind)
    // A resumed call has another latency than its report, which the first attempt may have caused.
    const isRecorded =
      outcome.kind === 'report' && !isResumed && (screen.isAccepted || (await inTime(acknowledged)) === true)
    return { reportId, outcome, isRecorded, waitedSeconds: order.waitSeconds }
  }

  return {
    failing,
    async screen(order) {
      const leave = order.waitSeconds === null ? null : patience.take(order.call.caller.accountId)
      if (leave === null) return await screen({ ...order, waitSeconds: null })
      try {
        return await screen(order)
      } finally {
        leave()
      }
    },
  }
}

function countOutcomes(metrics: Metrics) {
  const outcomes = metrics.counter('api_screens_total', 'Screens by outcome.', ['outcome'])
  const failureRate = createFailureRate()
  return {
    ended(outcome: RefusedBecause | ScreenOutcome['kind']): void {
      outcomes.inc({ outcome })
      failureRate.note(outcome === 'report' || outcome === 'refused')
    },
    failing: () => failureRate.detail(),
  }
}

/** The first attempt of a resumed call may belong to another trace, so its report is linked and is not a child. */
function beginSteps(
  { call }: ScreenOrder,
  { reportId, request: { event, target } }: ScreenInWait,
  log: EventLog['kind'],
): { readonly append: Step; readonly wait: Step } | undefined {
  const { trace } = call
  if (trace === undefined) return undefined
  trace.note({ 'cupel.report_id': reportId })
  const append = trace.step(`send ${target.topic}`, {
    kind: 'producer',
    eventId: event.envelope.id,
    attributes: appendAttributes(log, target.topic),
  })
  return { append, wait: trace.step('wait for report') }
}

function endWaiting(wait: Step, outcome: ScreenOutcome): void {
  wait.note({ 'cupel.outcome': outcome.kind })
  if (outcome.kind === 'report') wait.link(outcome.traceparent)
  wait.end()
}

function refusalBefore({ pending, isReady, deadlineMs }: ScreensOptions): RefusedBecause | null {
  if (!isReady()) return 'not_ready'
  const load = { pending: pending.size(), oldestAgeMs: pending.oldestAgeMs(), deadlineMs }
  return isOverloaded(load) ? 'overloaded' : null
}

/** The entry of a pending screen, with its request for the log or, if the log does not take it, for the outbox. */
function screenInWait(
  order: ScreenOrder,
  reportId: string,
  options: Pick<ScreensOptions, 'deadlineMs' | 'now' | 'reportUrlOf'>,
): ScreenInWait {
  const { accountId, livemode } = order.call.caller
  const waitMs = order.waitSeconds === null ? null : order.waitSeconds * 1_000
  const patienceMs = waitMs === null ? undefined : Math.max(options.deadlineMs, waitMs + ANSWER_AFTER_WAIT_MS)
  const target = { topic: screenTopic('interactive', livemode), key: reportId }
  const times = { deadlineMs: patienceMs ?? options.deadlineMs, waitMs }
  const request = { event: screenRequested(order, reportId, { ...options, ...times }), target }
  return { reportId, accountId, livemode, isAccepted: false, patienceMs, request }
}

function screenRequested(
  order: ScreenOrder,
  reportId: string,
  options: Pick<ScreensOptions, 'deadlineMs' | 'now' | 'reportUrlOf'> & { readonly waitMs: number | null },
): DomainEvent<'ScreenRequested'> {
  const { call } = order
  const nowMs = options.now().getTime()
  const requestedAt = new Date(nowMs).toISOString()
  const id = requestedEventIdAt(nowMs)
  return {
    type: 'ScreenRequested',
    data: {
      ...screenedAddressOf(order),
      customerReference: order.customerReference,
      reportId,
      accountId: call.caller.accountId,
      livemode: call.caller.livemode,
      lane: 'interactive',
      answerByAt: new Date(nowMs + options.deadlineMs).toISOString(),
      stagesByAt: options.waitMs === null ? null : new Date(nowMs + options.waitMs).toISOString(),
      requestedAt,
      reportUrl: options.reportUrlOf(reportId),
      jobId: null,
      jobIndex: null,
      transfer: order.transfer ?? null,
      call: apiCallOf(call, statuses.ok),
    },
    envelope: {
      id,
      source: EVENT_SOURCE,
      time: requestedAt,
      subject: reportId,
      correlationId: call.requestId,
      causationId: call.requestId,
      traceparent: traceparentFor(call, id),
    },
  }
}
