/**
 * Follows the partition of the report topic that this instance uses, live and sandbox, and settles the screens that wait.
 * Every reader takes the first record with an id as the report. Records of other instances on the same partition are skipped
 * without being decoded.
 */
import { topicOf, type EventData, type Logger, type Metrics } from '@cupel/contracts'
import {
  typeOf,
  type EventCodec,
  type EventLog,
  type LogRecord,
  type LogStoppedError,
  type Tail,
} from '@cupel/event-log'
import { isUnknownSchema } from '@cupel/projections'
import { withoutReport, type PendingTable, type ScreenInWait } from './pending-table.js'

export interface ReportTail {
  /** Whether a report appended now would be seen. */
  readonly isReady: () => boolean
  stop(): Promise<void>
}

export interface ReportTailOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly partition: number
  readonly pending: PendingTable
  readonly logger: Logger
  readonly metrics: Metrics
  /** The tail ended for good. Without it no screen can be answered. */
  readonly onStopped: (error: LogStoppedError) => void
}

/**
 * Pause before a record whose schema is not known yet is read again; the codec loads the schemas again meanwhile. A record waits
 * as long as its screen does, so there are never more waiting records than pending screens.
 */
const UNKNOWN_SCHEMA_RETRY_MS = 200

export async function followReports(options: ReportTailOptions): Promise<ReportTail> {
  const { log, partition, onStopped } = options
  const handle = createRecordHandler(options)
  const tails: Tail[] = []
  for (const livemode of [true, false]) {
    const onRecords = (records: readonly LogRecord[]): void => {
      for (const record of records) handle(record, livemode)
    }
    tails.push(
      await log.tail({ topic: topicOf('ReportGenerated', livemode), partition, onRecords, onStopped }),
    )
  }
  return {
    isReady: () => tails.every((tail) => tail.isReady()),
    stop: async () => void (await Promise.all(tails.map((tail) => tail.stop()))),
  }
}

/** Header with the id of the request that caused an outcome. */
const REQUEST_HEADER = 'causationid'

/** The recorded report and its owner. */
const ANSWERING = ['report', 'accountId', 'livemode', 'address'] as const
type Answer = Pick<EventData['ReportGenerated'], (typeof ANSWERING)[number]>

type Outcome = Answer | Pick<EventData['ScreeningFailed'], 'accountId' | 'livemode'>

/**
 * No call gets the report of another tenant, address or request, whatever produced the wrong report or gave two screenings one id.
 * The failure of a request that could not be decoded names no account.
 */
function answers(outcome: Outcome, record: LogRecord, screen: ScreenInWait): boolean {
  const { event } = screen.request
  const isNameless = !('report' in outcome) && outcome.accountId === ''
  return (
    (isNameless || outcome.accountId === screen.accountId) &&
    outcome.livemode === screen.livemode &&
    (!('report' in outcome) || isAnswered(event.data, outcome.address)) &&
    record.headers[REQUEST_HEADER] === event.envelope.id
  )
}

/** Whoever leaves the counterparty to the transaction does not know whose report it gets. */
const isAnswered = (
  { address, transfer }: ScreenInWait['request']['event']['data'],
  reported: string,
): boolean => reported === address || transfer?.unstated.includes('counterparty') === true

function createRecordHandler(options: ReportTailOptions): (record: LogRecord, livemode: boolean) => void {
  const { codec, pending, logger } = options
  const answerIn = codec.partOf('ReportGenerated', ANSWERING)
  const reports = options.metrics.counter(
    'api_reports_answered_total',
    'Reports seen in time for the call that waited.',
  )
  const foreign = options.metrics.counter(
    'api_foreign_outcomes_total',
    'Outcomes with the report id of a screen in wait that belong to another account, environment, address or request.',
  )
  const refuse = (reportId: string): void => {
    foreign.inc()
    logger.error({ reportId }, 'ALARM: two screenings have one report id; nobody is answered with it')
    pending.spoil(reportId)
  }

  return function handle(record, livemode) {
    const screen = pending.find(record.key)
    if (screen === undefined) return
    if (screen.livemode !== livemode) return refuse(record.key)
    const type = typeOf(record)
    try {
      if (type === 'ReportGenerated') {
        const answer = answerIn(record)!
        if (!answers(answer, record, screen)) return refuse(record.key)
        const { traceparent } = record.headers
        if (pending.settle(record.key, { kind: 'report', document: answer.report, traceparent }))
          reports.inc()
      } else if (type === 'ScreeningFailed') {
        const { data } = codec.decodeAs('ScreeningFailed', record)!
        if (!answers(data, record, screen)) return refuse(record.key)
        pending.settle(record.key, withoutReport(data))
      }
    } catch (error) {
      if (isUnknownSchema(error)) {
        setTimeout(() => handle(record, livemode), UNKNOWN_SCHEMA_RETRY_MS).unref()
        return
      }
      logger.error({ err: error, reportId: record.key }, 'The outcome of a screen cannot be decoded')
      pending.settle(record.key, { kind: 'failed', code: 'internal_error' })
    }
  }
}
