/**
 * The log with authenticated records: every appended record gets a MAC, and readers get only the records of this installation. A record of
 * another producer is counted, reported to operators, and passed to consumers as forged, so that they dead-letter it. It is never first and
 * never an answer (docs/adr/0297).
 */
import { startLoop } from '@cupel/concurrency'
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
import { loadMacsRequired, type MacsRequired } from './macs-required.js'
import { RecordKeysError, type RecordKeys } from './record-keys.js'
import { withMac } from './record-mac.js'

export interface AuthenticLog extends EventLog {
  /** The log with the records of other producers: for verification, and for readers that decide nothing. */
  readonly unchecked: EventLog
  /** Resolves once it is known which records must have MACs. */
  forgeryCheck(): Promise<ForgeryCheck>
}

export interface AuthenticLogOptions {
  readonly log: EventLog
  /** Null for an installation without keys: its records get no MACs, and none is checked. */
  readonly keys: RecordKeys | null
  /** False for auditors, who have no record keys: they also read records of other producers, and cannot append. True by default. */
  readonly checksMacs?: boolean
  /** Stores from which offsets on MACs are required. */
  readonly database: Database
  readonly topicPrefix?: string
  readonly logger?: Logger
  readonly metrics?: Metrics
  /** MACs have become required, and this process cannot check them: it should end. */
  readonly onUnfit?: (error: Error) => void
}

/** A process applies `cupel log require-macs`, and its reversal, within this time. */
export const MACS_REQUIRED_REFRESH_MS = 5_000
/** Minimum time between two log lines about forged records; all are counted. */
const ALARM_REST_MS = 10_000

/** Rejects with RecordKeysError if MACs are required and keys are missing. */
export async function openAuthenticLog(options: AuthenticLogOptions): Promise<AuthenticLog> {
  const { log, keys, checksMacs = true } = options
  const requirement = checksMacs ? await followRequirement(options) : nothingRequired(log)
  const alarm = createAlarm(options)
  const own = new WeakMap<Headers, NewRecord>()
  const checkOn = (identity: LogIdentity): ForgeryCheck =>
    createForgeryCheck({
      keys,
      isDue: (position) => requirement.isDue(identity, position),
      // Only the embedded log returns records from memory.
      isOwn: log.kind === 'embedded' ? (record, headers) => isSame(own.get(headers), record) : () => false,
    })
  let checking: Promise<ForgeryCheck> | null = null

  function forgeryCheck(): Promise<ForgeryCheck> {
    checking ??= requirement.identity().then(checkOn)
    checking.catch(() => (checking = null))
    return checking
  }

  function authenticated(record: NewRecord): NewRecord {
    if (keys === null || !hasMacs(record.topic)) return record
    const authentic = withMac(keys, record)
    if (log.kind === 'embedded') own.set(authentic.headers, authentic)
    return authentic
  }

  return {
    kind: log.kind,
    unchecked: log,
    forgeryCheck,
    ensureTopics: (topics) => log.ensureTopics(topics),
    topicFaults: (...args) => log.topicFaults(...args),
    identity: () => log.identity(),
    partitionCount: (topic) => log.partitionCount(topic),
    partitionFor: (topic, key) => log.partitionFor(topic, key),
    append: (at, records) =>
      checksMacs
        ? log.append(at, records.map(authenticated))
        : Promise.reject(new TypeError('A log that is read without checking MACs is not appended to')),
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
      await requirement.stop()
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

interface Requirement {
  /** The identity of the log. Rejects with LogStoppedError if MACs are required of another one. */
  identity(): Promise<LogIdentity>
  readonly isDue: MacsRequired['isDue']
  stop(): Promise<void>
}

function nothingRequired(log: EventLog): Requirement {
  return { identity: () => log.identity(), isDue: () => false, stop: () => Promise.resolve() }
}

/** The requirement in the database, read again every few seconds: a stale value was right until then. */
async function followRequirement(options: AuthenticLogOptions): Promise<Requirement> {
  const { log, keys, database, topicPrefix = '', logger = silentLogger, onUnfit } = options
  const load = (): Promise<MacsRequired | null> => loadMacsRequired(database, keys, topicPrefix)
  let required = await load()
  const loop = startLoop({
    restMs: MACS_REQUIRED_REFRESH_MS,
    firstAfterMs: MACS_REQUIRED_REFRESH_MS,
    step: async () => void (required = await load()),
    onError: (error) => {
      if (error instanceof RecordKeysError) onUnfit?.(error)
      else logger.debug({ err: error }, 'Whether MACs are required could not be read')
    },
  })
  return {
    async identity() {
      const identity = await log.identity()
      if (required !== null && !required.logs.has(identity)) throw foreign(required.logs, identity)
      return identity
    },
    isDue: (identity, position) => required?.isDue(identity, position) ?? false,
    stop: () => loop.stop(),
  }
}

function foreign(logs: ReadonlySet<LogIdentity>, identity: LogIdentity): LogStoppedError {
  return new LogStoppedError(
    'foreign-log',
    `MACs are required of the log ${[...logs].join(', ')}, and this one is ${identity}: connect the log that belongs here, or run cupel log require-macs.`,
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
