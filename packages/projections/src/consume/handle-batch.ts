/**
 * Handles one batch of one partition: reads its records, decides their outcomes, and commits the outcomes up to the first record
 * that must not be passed now.
 */
import { noMetrics, type Logger, type Metrics } from '@cupel/contracts'
import {
  appendDeadLetter,
  FORGED_RECORD,
  type EventLog,
  type ForgedRecord,
  type LogBatch,
  type LogRecord,
} from '@cupel/event-log'
import type { FailpointName } from '@cupel/kit/failpoints'
import type { Committer, OutcomeBatch, Resumption } from './committer.js'
import { createFailureWindow, type FailureWindow } from './failure-window.js'
import { readBatch, Unhandleable, type BatchReading, type Obstacle } from './read-batch.js'
import { createSchemaPatience, type SchemaPatience } from './schema-patience.js'
import { UnappliableRecordError } from './unappliable-record.js'

export interface HandlingOptions<T, O> {
  readonly group: string
  readonly log: Pick<EventLog, 'append'>
  readonly logger: Logger
  /**
   * Reads one record. May return an Unhandleable; an error it throws makes the record one, unless the schema of the record
   * may become known.
   */
  readonly read: (record: LogRecord) => T | Unhandleable<O>
  /**
   * Decides the outcomes of the records of a batch: one for each, in order. Without it the outcome is the result of `read`.
   * A rejection concerns no single record: the batch is read again.
   */
  readonly decide?: (readings: readonly T[]) => Promise<readonly (O | Unhandleable<O>)[]>
  /** Without it the consumer stops before a record that it cannot handle. */
  readonly deadLetters?: DeadLetters<O>
  /** How long a record may wait for the schema it was written with; later records of its partition wait as long. */
  readonly schemaPatienceMs: number
}

export interface DeadLetters<O> {
  /** Names the append of a dead letter. The topic is the group's, see deadLetterTopic; it must exist. */
  readonly at: FailpointName
  /** Counts the dead letters. */
  readonly metrics?: Metrics
  /** A further outcome of a record whose reading failed. */
  readonly outcomeOf?: (record: LogRecord) => O
  /** The consumer pauses instead if most of the recent records fail, or if something it depends on is unreachable. */
  readonly window?: {
    readonly isReachable?: () => boolean
    /** Whether the outcome shows that the consumer works, now or later; by default every outcome does. */
    readonly isSuccess?: (outcome: O) => boolean | Promise<boolean>
  }
}

/** Nothing can be handled now, and no record is at fault: the batch is read again after a pause. */
export class PausedError extends Error {
  override readonly name = 'PausedError'
}

export type HandleBatch = (batch: LogBatch) => Promise<Resumption>

/** `stop` is called if reading must not go on; earlier outcomes are committed by then. */
export function createBatchHandler<T, O>(
  options: HandlingOptions<T, O>,
  committer: Committer<O>,
  stop: (error: Error) => void,
): HandleBatch {
  const handling: Handling<T, O> = {
    options,
    committer,
    stop,
    waitsForSchema: createSchemaPatience(options.schemaPatienceMs),
    failures: options.deadLetters?.window === undefined ? null : createFailureWindow(),
    countDeadLetter: deadLetterCount(options),
  }
  return (batch) => handle(handling, batch)
}

interface Handling<T, O> {
  readonly options: HandlingOptions<T, O>
  readonly committer: Committer<O>
  readonly stop: (error: Error) => void
  readonly waitsForSchema: SchemaPatience
  readonly failures: FailureWindow | null
  readonly countDeadLetter: () => void
}

/** The series begins at 0, so that its first increase is one. */
function deadLetterCount<T, O>({ group, deadLetters }: HandlingOptions<T, O>): () => void {
  const letters = (deadLetters?.metrics ?? noMetrics).counter(
    'dead_letters_total',
    'Records that a group could not handle and put aside',
    ['group'],
  )
  if (deadLetters !== undefined) letters.inc({ group }, 0)
  return () => letters.inc({ group })
}

async function handle<T, O>(handling: Handling<T, O>, batch: LogBatch): Promise<Resumption> {
  const { outcomes, obstacle } = await decideBatch(handling, batch)
  const nextOffset = obstacle?.offset ?? batch.nextOffset
  if (nextOffset > batch.firstOffset) {
    const resumption = await commitOutcomes(handling, { batch, nextOffset, outcomes })
    if (resumption !== undefined) return resumption
  }
  return obstacle === null ? undefined : haltAt(handling, batch, obstacle)
}

/** Called when everything before the obstacle is committed. */
function haltAt<T, O>(
  { stop }: Handling<T, O>,
  batch: LogBatch,
  { offset, error, isFinal }: Obstacle,
): Resumption {
  if (isFinal) stop(error)
  // If no record precedes it, the log pauses before it delivers the same record again.
  else if (offset === batch.firstOffset) throw error
  return { resumeAt: offset }
}

interface DecidedBatch<O> {
  /** One entry for each record before the obstacle. */
  readonly outcomes: readonly (O | Unhandleable<O>)[]
  readonly obstacle: Obstacle | null
}

async function decideBatch<T, O>(handling: Handling<T, O>, batch: LogBatch): Promise<DecidedBatch<O>> {
  const { read, decide, deadLetters } = handling.options
  const reading = readBatch<T, O>(batch, {
    read,
    waitsForSchema: handling.waitsForSchema,
    toUnhandleable:
      deadLetters === undefined
        ? null
        : (record, error) => new Unhandleable(causeOf(error), deadLetters.outcomeOf?.(record)),
  })
  const outcomes =
    decide === undefined
      ? (reading.readings as unknown as (O | Unhandleable<O>)[])
      : await decideReadings(decide, reading)
  return holdBack(handling, batch, { outcomes, obstacle: reading.obstacle })
}

async function decideReadings<T, O>(
  decide: NonNullable<HandlingOptions<T, O>['decide']>,
  { readings }: BatchReading<T, O>,
): Promise<readonly (O | Unhandleable<O>)[]> {
  if (!readings.some(isUnhandleable)) return await decide(readings as T[])
  const decided = (await decide(readings.filter((one): one is T => !isUnhandleable(one)))).values()
  return readings.map((one) => (isUnhandleable<O>(one) ? one : decided.next().value!))
}

/** Ends the batch before the first record that must not be dead-lettered now. */
function holdBack<T, O>(
  handling: Handling<T, O>,
  batch: LogBatch,
  decided: DecidedBatch<O>,
): DecidedBatch<O> {
  const { failures } = handling
  const window = handling.options.deadLetters?.window
  if (failures === null || window === undefined) return decided
  for (let index = 0; index < decided.outcomes.length; index += 1) {
    const outcome = decided.outcomes[index]!
    if (!isUnhandleable<O>(outcome)) {
      noteSuccess(failures, window.isSuccess?.(outcome) ?? true)
      continue
    }
    const reason = reasonToPause(failures, window.isReachable?.() ?? true, outcome.cause)
    if (reason === null) continue
    const { offset } = batch.records[index]!
    const obstacle = { offset, error: new PausedError(reason), isFinal: false }
    return { outcomes: decided.outcomes.slice(0, index), obstacle }
  }
  return decided
}

/** What fails later is read again, and counts then. */
function noteSuccess(failures: FailureWindow, isSuccess: boolean | Promise<boolean>): void {
  const note = (is: boolean): void => (is ? failures.succeeded() : undefined)
  if (typeof isSuccess === 'boolean') note(isSuccess)
  else void isSuccess.then(note, () => undefined)
}

function reasonToPause(failures: FailureWindow, isReachable: boolean, cause: string): string | null {
  if (!isReachable) return `Log or database do not answer, so the record is not blamed: ${cause}`
  return failures.mayGiveUp()
    ? null
    : `Most of the recent records could not be handled, the last one: ${cause}`
}

interface Decided<O> {
  readonly batch: LogBatch
  readonly nextOffset: number
  readonly outcomes: readonly (O | Unhandleable<O>)[]
}

async function commitOutcomes<T, O>(handling: Handling<T, O>, decided: Decided<O>): Promise<Resumption> {
  const { batch, nextOffset } = decided
  const { topic, partition, firstOffset } = batch
  const { records, outcomes, deadLetters } = separate(handling, decided)
  const whole: OutcomeBatch<O> = {
    ...{ topic, partition, firstOffset, nextOffset, records, outcomes },
    atEnd: nextOffset >= batch.endOffset,
  }
  try {
    return await handling.committer.commit(whole, deadLetters)
  } catch (error) {
    // Only a consumer without dead letters stops: others retry, and the error names the record.
    if (!(error instanceof UnappliableRecordError) || handling.options.deadLetters !== undefined) throw error
    handling.stop(error)
    return { resumeAt: error.position.offset }
  }
}

interface Separated<O> {
  readonly records: readonly LogRecord[]
  readonly outcomes: readonly O[]
  /** Settles when the dead letters are acknowledged, or one could not be appended; null if there are none. */
  readonly deadLetters: Promise<unknown> | null
}

/** Starts to append the dead letters. The remaining records have outcomes. */
function separate<T, O>(handling: Handling<T, O>, { batch, nextOffset, outcomes }: Decided<O>): Separated<O> {
  const records =
    outcomes.length === batch.records.length ? batch.records : batch.records.slice(0, outcomes.length)
  const forged = forgedBefore(handling, batch, nextOffset)
  if (forged.length === 0 && !outcomes.some(isUnhandleable))
    return { records, outcomes: outcomes as O[], deadLetters: null }
  const appends = forged.map(({ record, forgery }) =>
    deadLetter(handling, record, `${FORGED_RECORD}: ${forgery}`),
  )
  const kept = { records: [] as LogRecord[], outcomes: [] as O[] }
  for (const [index, record] of records.entries()) {
    const given = outcomes[index]!
    if (isUnhandleable<O>(given)) appends.push(deadLetter(handling, record, given.cause))
    const outcome = isUnhandleable<O>(given) ? given.outcome : given
    if (outcome === undefined) continue
    kept.records.push(record)
    kept.outcomes.push(outcome)
  }
  const deadLetters = Promise.all(appends)
  // The commit handles a rejection, which may come before the commit has begun to wait.
  deadLetters.catch(() => undefined)
  return { ...kept, deadLetters }
}

/** Records of other producers that the checkpoint is about to pass. Without dead letters they are only logged. */
function forgedBefore<T, O>(
  { options }: Handling<T, O>,
  { forged = [] }: LogBatch,
  nextOffset: number,
): readonly ForgedRecord[] {
  return options.deadLetters === undefined ? [] : forged.filter(({ record }) => record.offset < nextOffset)
}

async function deadLetter<T, O>(
  { options: { log, logger, group, deadLetters }, countDeadLetter }: Handling<T, O>,
  record: LogRecord,
  cause: string,
): Promise<void> {
  if (deadLetters === undefined) throw new Error(`${group} has no dead letters: ${cause}`)
  const { key, topic, partition, offset } = record
  logger.error(
    { group, key, topic, partition, offset, cause },
    'A record cannot be handled and is dead-lettered',
  )
  await appendDeadLetter(log, deadLetters.at, { group, record, cause })
  countDeadLetter()
}

function causeOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

function isUnhandleable<O>(outcome: unknown): outcome is Unhandleable<O> {
  return outcome instanceof Unhandleable
}
