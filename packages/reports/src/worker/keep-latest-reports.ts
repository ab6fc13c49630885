/**
 * Keeps the topic of the latest reports. The first consumer reads the reports and appends each that is the latest of its address when it is
 * read. The second one reads the appended records, and appends the latest report again where the last record of a key differs from it. The
 * third one reads which accounts were erased, and appends a record without a value for each of their keys. For an erased account the first
 * appends nothing, and the second puts a record without a value after any that has one.
 *
 * A consumer queries the latest reports from the report view under a lock, and the append is acknowledged before the lock ends. So the next
 * process finds the same report or a later one. Only an append that was under way when its process lost the lock can come too late; the
 * second consumer reads that record like any other. So the last record of each key is its latest report once both have read everything.
 */
import {
  LATEST_REPORTS_CHECK_GROUP,
  LATEST_REPORTS_ERASURES_GROUP,
  LATEST_REPORTS_GROUP,
  topicOf,
  type Logger,
  type Metrics,
} from '@cupel/contracts'
import {
  endsOf,
  type EventCodec,
  type EventLog,
  type LogRecord,
  type Position,
  typeOf,
} from '@cupel/event-log'
import { findErasures } from '@cupel/personal-data'
import type { Database, Queryable } from '@cupel/postgres'
import {
  consume,
  inTransaction,
  PausedError,
  readModelGroup,
  waitUntilProjected,
  type Consumer,
} from '@cupel/projections'
import {
  addressOfKey,
  forgottenReportRecord,
  latestReportRecord,
  latestReportsAmong,
  latestReportsOf,
  reportedAddressesOf,
  reportView,
  type LatestReport,
} from '../read-model/index.js'

export interface LatestReportsOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  /** Takes two connections. */
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Reading stopped for good. */
  readonly onStopped: (error: Error) => void
  /** In place of REST_MS. */
  readonly restMs?: number
}

export interface LatestReports {
  /** Why the topic is not kept now; null if nothing is wrong. */
  problem(): string | null
  stop(): Promise<void>
}

const REPORT_TOPICS = [topicOf('ReportGenerated', true), topicOf('ReportGenerated', false)]
const LIVE_TOPIC = topicOf('LatestReportRecorded', true)
const LATEST_TOPICS = [LIVE_TOPIC, topicOf('LatestReportRecorded', false)]
/** No caller waits for the topic: a busy log is read in few pieces, and a report appears about this much later. */
const REST_MS = 1_000
const MAX_BATCH_RECORDS = 500
const MAX_CONCURRENT_PARTITIONS = 64
/** Batches of at most this many partitions share a transaction and a request to the log. */
const MAX_BATCHES = 16
/** How long a batch waits for the report view. After that it is read again. */
const VIEW_WAIT_MS = 10_000
const SCHEMA_PATIENCE_MS = 60_000
/** After this time the lock of a process that hangs is free. An append is given up earlier. */
const STUCK_AFTER_MS = 60_000

export function keepLatestReports(options: LatestReportsOptions): LatestReports {
  const consumers = [followReports(options), checkLatest(options), followErasures(options)]
  return {
    problem: () =>
      consumers.map((consumer) => consumer.problem()).find((problem) => problem !== null) ?? null,
    async stop() {
      await Promise.all(consumers.map((consumer) => consumer.stop()))
    },
  }
}

/** The identity and the place of a report; null for any other record. */
interface ReportSeen {
  readonly reportId: string
  readonly livemode: boolean
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

function followReports(options: LatestReportsOptions): Consumer {
  const { log, codec, database, metrics } = options
  const recorded = metrics.counter('latest_reports_recorded_total', 'Latest reports appended to their topic')
  return consume<ReportSeen | null>({
    ...common(options),
    group: LATEST_REPORTS_GROUP,
    topics: REPORT_TOPICS,
    ready: () => untilViewHasPresentEnds(options),
    read: reportSeen,
    async decide(seen) {
      await untilViewHas(database, seen)
      return seen
    },
    commit: inTransaction<ReportSeen | null>({
      database,
      at: 'latest-reports.commit',
      maxBatches: MAX_BATCHES,
      async write(transaction, batches) {
        const seen = batches.flatMap(({ outcomes }) => outcomes.filter((one) => one !== null))
        if (seen.length === 0) return
        await lock(transaction)
        const reports = await latestReportsAmong(transaction, seen)
        const erased = await findErasures(transaction, reports.map(accountOf))
        const latest = reports.filter(({ accountId }) => !erased.has(accountId))
        await log.append(
          'latest-reports.append',
          latest.map((report) => latestReportRecord(codec, report)),
        )
        recorded.inc({}, latest.length)
      },
    }),
  })
}

function checkLatest(options: LatestReportsOptions): Consumer {
  const { log, codec, database, logger, metrics } = options
  const repeated = metrics.counter(
    'latest_reports_repeated_total',
    'Latest reports appended again because the last record of their key said something else',
  )
  return consume<LogRecord>({
    ...common(options),
    group: LATEST_REPORTS_CHECK_GROUP,
    topics: LATEST_TOPICS,
    ready: () => untilViewHasPresentEnds(options),
    // For subscribers too, a record of another producer can be the last one of its key.
    forgedToo: true,
    read: (record) => record,
    commit: inTransaction<LogRecord>({
      database,
      at: 'latest-reports.checked',
      maxBatches: MAX_BATCHES,
      async write(transaction, batches) {
        const last = lastOfEachKey(batches.flatMap(({ records }) => records))
        if (last.size === 0) return
        await lock(transaction)
        const reports = await latestOfKeys(transaction, last)
        const erased = await findErasures(transaction, reports.map(accountOf))
        const wrong = reports.flatMap((report) => {
          const erasedAt = erased.get(report.accountId)
          const record =
            erasedAt === undefined
              ? latestReportRecord(codec, report)
              : forgottenReportRecord(report, erasedAt)
          return last.get(placeOf(record))!.value.equals(record.value) ? [] : [record]
        })
        if (wrong.length === 0) return
        logger.warn(
          { records: wrong.length, key: wrong[0]!.key },
          'The latest reports of these keys are appended again: other records followed them',
        )
        await log.append('latest-reports.append', wrong)
        repeated.inc({}, wrong.length)
      },
    }),
  })
}

/** The two other consumers handle the reports that are made for an account while its erasure is read. */
function followErasures(options: LatestReportsOptions): Consumer {
  const { log, codec, database, metrics } = options
  const forgotten = metrics.counter(
    'latest_reports_forgotten_total',
    'Records without a value appended to the topic of the latest reports because their account was erased',
  )
  return consume<string>({
    ...common(options),
    group: LATEST_REPORTS_ERASURES_GROUP,
    topics: [topicOf('PersonalDataErased')],
    ready: () => untilViewHasPresentEnds(options),
    read: (record) => codec.decodeAs('PersonalDataErased', record)?.data.accountId ?? '',
    commit: inTransaction<string>({
      database,
      at: 'latest-reports.erased',
      maxBatches: MAX_BATCHES,
      async write(transaction, batches) {
        await lock(transaction)
        // An erasure may concern a part of an account; then the account is not in the result.
        const erased = await findErasures(
          transaction,
          batches.flatMap(({ outcomes }) => outcomes),
        )
        for (const [accountId, erasedAt] of erased)
          for await (const page of reportedAddressesOf(transaction, accountId)) {
            await log.append(
              'latest-reports.append',
              page.map((about) => forgottenReportRecord(about, erasedAt)),
            )
            forgotten.inc({}, page.length)
          }
      },
    }),
  })
}

function common({ log, logger, onStopped, restMs = REST_MS }: LatestReportsOptions) {
  return {
    ...{ log, logger, onStopped, restMs },
    maxBatchRecords: MAX_BATCH_RECORDS,
    concurrency: MAX_CONCURRENT_PARTITIONS,
    schemaPatienceMs: SCHEMA_PATIENCE_MS,
  }
}

/** The key of such a record is the report id. */
function reportSeen(record: LogRecord): ReportSeen | null {
  if (typeOf(record) !== 'ReportGenerated') return null
  const { key: reportId, topic, partition, offset } = record
  return { reportId, livemode: topic === REPORT_TOPICS[0], topic, partition, offset }
}

/**
 * One process at a time queries the latest reports and appends them. Each statement of the transaction sees what was committed before the
 * statement began, so the query comes after the lock.
 */
async function lock(transaction: Queryable): Promise<void> {
  await transaction.query(`SET LOCAL idle_in_transaction_session_timeout = ${STUCK_AFTER_MS}`)
  await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended('cupel.latest-reports', 0))`)
}

/** The last record of each key, by topic and key. Equal keys are in one partition, in order. */
function lastOfEachKey(records: readonly LogRecord[]): ReadonlyMap<string, LogRecord> {
  return new Map(records.map((record) => [placeOf(record), record]))
}

const accountOf = ({ accountId }: LatestReport): string => accountId

const placeOf = ({ topic, key }: { readonly topic: string; readonly key: string }): string =>
  `${topic} ${key}`

/** A key without a report has no latest one: the record of another producer stays there, and readers with MACs are told of it. */
async function latestOfKeys(
  transaction: Queryable,
  last: ReadonlyMap<string, LogRecord>,
): Promise<LatestReport[]> {
  const addresses = [...last.values()].flatMap(
    ({ topic, key }) => addressOfKey(key, topic === LIVE_TOPIC) ?? [],
  )
  return await latestReportsOf(transaction, addresses)
}

async function untilViewHas(database: Database, seen: readonly (ReportSeen | null)[]): Promise<void> {
  const ends = new Map<string, Position>()
  for (const one of seen)
    if (one !== null)
      ends.set(`${one.topic}/${one.partition}`, {
        topic: one.topic,
        partition: one.partition,
        offset: one.offset + 1,
      })
  await untilViewHasEnds(database, [...ends.values()])
}

/**
 * Prevents queries to a view that lacks reports already recorded as the latest. A new process, or an older database in the place of the
 * last one, can meet such a view.
 */
async function untilViewHasPresentEnds({ log, database }: LatestReportsOptions): Promise<void> {
  await untilViewHasEnds(database, await endsOf(log, REPORT_TOPICS))
}

async function untilViewHasEnds(database: Database, ends: readonly Position[]): Promise<void> {
  const group = readModelGroup(reportView)
  const have = await Promise.all(
    ends.map((end) => waitUntilProjected({ ...end, database, group, timeoutMs: VIEW_WAIT_MS })),
  )
  if (have.includes(false)) throw new PausedError('The report view is behind: the latest reports wait for it')
}
