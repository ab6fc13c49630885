/**
 * Keeps the topic of the latest reports. One consumer reads the reports and appends each that is the latest of its address when it is read;
 * a second one reads what was appended and appends the latest report again where the last record of a key says something else. A third one
 * reads which accounts were erased and appends a record without a value for each of their keys. Of an erased account the first appends
 * nothing, and the second puts a record without a value after any that has one.
 *
 * What is the latest is asked of the report view under a lock, and the append is acknowledged before the lock is given up: whichever process
 * comes next finds the same report or a later one. Only an append that was under way when its process lost the lock can come too late; the
 * second consumer reads that record as any other. So the last record of each key is its latest report once both have read everything.
 */
import {
  LATEST_REPORTS_CHECK_GROUP,
  LATEST_REPORTS_ERASURES_GROUP,
  LATEST_REPORTS_GROUP,
  topicOf,
  type Logger,
  type Metrics,
} from '@cupel/contracts'
import { typeOf, type EventCodec, type EventLog, type LogRecord } from '@cupel/event-log'
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
} from '@cupel/read-models'

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
  /** Why the topic is not kept now; null where nothing is wrong. */
  problem(): string | null
  stop(): Promise<void>
}

const REPORT_TOPICS = [topicOf('ReportGenerated', true), topicOf('ReportGenerated', false)]
const LIVE_TOPIC = topicOf('LatestReportRecorded', true)
const LATEST_TOPICS = [LIVE_TOPIC, topicOf('LatestReportRecorded', false)]
/** Nobody waits for the topic: a busy log is read in few pieces, and a report appears about this much later. */
const REST_MS = 1_000
const MAX_BATCH_RECORDS = 500
const MAX_CONCURRENT_PARTITIONS = 64
/** Batches of so many partitions share a transaction and a request to the log. */
const MAX_BATCHES = 16
/** Until the report view has what was read. Then the batch is read again. */
const VIEW_WAIT_MS = 10_000
const SCHEMA_PATIENCE_MS = 60_000
/** An append is given up before: the lock of a process that hangs is free after this. */
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

/** What one record of a topic of reports says of the topic of the latest ones; null where it is no report. */
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
    // A record of another producer is the last one of its key for subscribers too.
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

/** Reports that are made of an account while its erasure is read are those of the two other consumers. */
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
        // An erasure may be of less than an account: then the account is not among these.
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
 * One process at a time asks what is the latest and appends it. Each statement of the transaction sees what was committed before it began,
 * so that the question comes after the lock.
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

/** A key without a report has no latest one: what another producer wrote there stays, and readers with MACs are told of it. */
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
  const ends = new Map<string, { topic: string; partition: number; offset: number }>()
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
 * An older database that took the place of the last one, or a new process, asks nothing of a view that lacks reports which were recorded as
 * the latest already.
 */
async function untilViewHasPresentEnds({ log, database }: LatestReportsOptions): Promise<void> {
  const ends = REPORT_TOPICS.map(async (topic) => {
    const partitions = Array.from({ length: await log.partitionCount(topic) }, (_, partition) => partition)
    return await Promise.all(
      partitions.map(async (partition) => ({
        ...{ topic, partition },
        offset: await log.endOffset(topic, partition),
      })),
    )
  })
  await untilViewHasEnds(database, (await Promise.all(ends)).flat())
}

async function untilViewHasEnds(
  database: Database,
  ends: readonly { readonly topic: string; readonly partition: number; readonly offset: number }[],
): Promise<void> {
  const group = readModelGroup(reportView)
  const have = await Promise.all(
    ends.map((end) => waitUntilProjected({ ...end, database, group, timeoutMs: VIEW_WAIT_MS })),
  )
  if (have.includes(false)) throw new PausedError('The report view is behind: the latest reports wait for it')
}
