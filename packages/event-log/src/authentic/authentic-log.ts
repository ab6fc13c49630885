/**
 * The log with authenticated records: every appended record gets a MAC, and readers get only the records of this installation. A record of
 * another producer is counted, reported to operators, and passed to consumers as forged, so that they dead-letter it. It is never first and
 * never an answer (docs/adr/0297).
 */
import { startLoop } from '@cupel/kit/concurrency'
import { noMetrics, silentLogger, type Logger, type Metrics } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import {
  LogStoppedError,
  type EventLog,
  type ForgedRecord,
  type Forgery,
  type Headers,
  type LogBatch,
  type LogIdentity,
  type LogRecord,
  type NewRecord,
} from '../port.js'
import { createForgeryCheck, hasMacs, type ForgeryCheck } from './forgery.js'
import { RecordKeysError, type RecordKeys } from './record-keys.js'
import { withMac } from './record-mac.js'
import { loadOwnLogs } from './registered-keys.js'
import { textMacsOf } from './text-mac.js'

export interface AuthenticLog extends EventLog {
  /** The log with the records of other producers: for verification, and for readers that decide nothing. */
  readonly unchecked: EventLog
  /** Rejects with LogStoppedError if the log is not one of this installation. */
  forgeryCheck(): Promise<ForgeryCheck>
}

export interface AuthenticLogOptions {
  readonly log: EventLog
  /** Null for an auditor: it sees only whether a record has a MAC, and cannot append. */
  readonly keys: RecordKeys | null
  /** Stores which keys every process must have. */
  readonly database: Database
  readonly logger?: Logger
  readonly metrics?: Metrics
  /** A key was registered that this process lacks: it should end. */
  readonly onUnfit?: (error: Error) => void
}

/** A process notices `cupel log register-keys` within this time. */
export const RECORD_KEYS_REFRESH_MS = 5_000
/** Minimum time between two log lines about forged records; all are counted. */
const ALARM_REST_MS = 10_000

/** Rejects with RecordKeysError if the process lacks a registered key. */
export async function openAuthenticLog(options: AuthenticLogOptions): Promise<AuthenticLog> {
  const { log, keys } = options
  const registration = keys === null ? unregistered() : await followRegistration(options)
  const alarm = createAlarm(options)
  const own = new WeakMap<Headers, NewRecord>()
  const check = createForgeryCheck({
    keys,
    // Only the embedded log returns records from memory.
    isOwn: log.kind === 'embedded' ? (record, headers) => isSame(own.get(headers), record) : () => false,
  })
  let checking: Promise<ForgeryCheck> | null = null

  function forgeryCheck(): Promise<ForgeryCheck> {
    checking ??= registration.requireOwn().then(() => check)
    checking.catch(() => (checking = null))
    return checking
  }

  function authenticated(keys: RecordKeys, record: NewRecord): NewRecord {
    if (!hasMacs(record.topic)) return record
    const authentic = withMac(keys, record)
    if (log.kind === 'embedded') own.set(authentic.headers, authentic)
    return authentic
  }

  return {
    ...{ kind: log.kind, unchecked: log, forgeryCheck },
    macs: keys === null ? undefined : textMacsOf(keys),
    ensureTopics: (topics) => log.ensureTopics(topics),
    topicFaults: (...args) => log.topicFaults(...args),
    identity: () => log.identity(),
    partitionCount: (topic) => log.partitionCount(topic),
    partitionFor: (topic, key) => log.partitionFor(topic, key),
    append: (at, records) =>
      keys === null
        ? Promise.reject(new TypeError('A log that is read without record keys is not appended to'))
        : log.append(
            at,
            records.map((record) => authenticated(keys, record)),
          ),
    endOffset: (topic, partition) => log.endOffset(topic, partition),
    startOffset: (topic, partition) => log.startOffset(topic, partition),
    async *read(range) {
      const check = await forgeryCheck()
      for await (const records of log.read(range)) {
        const { authentic } = separate(records, check, alarm)
        if (authentic.length > 0) yield authentic
      }
    },
    async tail(tail) {
      const check = await forgeryCheck()
      const onRecords = (records: readonly LogRecord[]): void => {
        const { authentic } = separate(records, check, alarm)
        if (authentic.length > 0) tail.onRecords(authentic)
      }
      return await log.tail({ ...tail, onRecords })
    },
    async subscribe(subscription) {
      if (subscription.forgedToo === true) return await log.subscribe(subscription)
      const check = await forgeryCheck()
      const handle = (batch: LogBatch) => subscription.handle(authenticBatch(batch, check, alarm))
      return await log.subscribe({ ...subscription, handle })
    },
    async close() {
      await registration.stop()
      await log.close()
    },
  }
}

function authenticBatch(batch: LogBatch, check: ForgeryCheck, alarm: Alarm): LogBatch {
  const { authentic, forged } = separate(batch.records, check, alarm)
  return forged.length === 0 ? batch : { ...batch, records: authentic, forged }
}

interface Separated {
  readonly authentic: readonly LogRecord[]
  readonly forged: readonly ForgedRecord[]
}

const NONE: readonly ForgedRecord[] = []

function separate(records: readonly LogRecord[], check: ForgeryCheck, alarm: Alarm): Separated {
  let forged: ForgedRecord[] | null = null
  for (const record of records) {
    const forgery = check(record)
    if (forgery === null) continue
    alarm(record, forgery)
    forged ??= []
    forged.push({ record, forgery })
  }
  if (forged === null) return { authentic: records, forged: NONE }
  const left = new Set(forged.map(({ record }) => record))
  return { authentic: records.filter((record) => !left.has(record)), forged }
}

function isSame(made: NewRecord | undefined, { topic, key, value }: LogRecord): boolean {
  return made !== undefined && made.value === value && made.topic === topic && made.key === key
}

interface Registration {
  /** Rejects with LogStoppedError if the installation has other logs. */
  requireOwn(): Promise<void>
  stop(): Promise<void>
}

const unregistered = (): Registration => ({
  requireOwn: () => Promise.resolve(),
  stop: () => Promise.resolve(),
})

/** The keys and logs in the database, read again every few seconds. */
async function followRegistration({
  log,
  keys,
  database,
  logger = silentLogger,
  onUnfit,
}: AuthenticLogOptions): Promise<Registration> {
  let own = await loadOwnLogs(database, keys)
  const loop = startLoop({
    restMs: RECORD_KEYS_REFRESH_MS,
    firstAfterMs: RECORD_KEYS_REFRESH_MS,
    step: async () => void (own = await loadOwnLogs(database, keys)),
    onError: (error) => {
      if (error instanceof RecordKeysError) onUnfit?.(error)
      else logger.debug({ err: error }, 'The registered record keys could not be read')
    },
  })
  return {
    async requireOwn() {
      const identity = await log.identity()
      if (own !== null && !own.has(identity)) throw foreign(own, identity)
    },
    stop: () => loop.stop(),
  }
}

function foreign(own: ReadonlySet<LogIdentity>, identity: LogIdentity): LogStoppedError {
  return new LogStoppedError(
    'foreign-log',
    `The log of this installation is ${[...own].join(', ') || 'not registered'}, and this one is ${identity}: connect the log that belongs here, or run cupel log register-keys.`,
  )
}

type Alarm = (record: LogRecord, forgery: Forgery) => void

function createAlarm({ logger = silentLogger, metrics = noMetrics }: AuthenticLogOptions): Alarm {
  const forged = metrics.counter(
    'log_forged_records_total',
    'Records left out because another producer wrote them. Each reader counts those that it meets.',
    ['topic', 'forgery'],
  )
  let quietUntil = 0
  return ({ topic, partition, offset, key }, forgery) => {
    forged.inc({ topic, forgery })
    if (performance.now() < quietUntil) return
    quietUntil = performance.now() + ALARM_REST_MS
    logger.error(
      { topic, partition, offset, key, forgery },
      'ALARM: a record that this installation did not write was left out',
    )
  }
}
