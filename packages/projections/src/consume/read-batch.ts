/** Reads the records of a batch up to the first one that must not be passed. */
import type { LogBatch, LogRecord } from '@cupel/event-log'
import type { SchemaPatience } from './schema-patience.js'
import { messageOf, UnappliableRecordError } from './unappliable-record.js'

/**
 * A record that cannot be handled, now or later. It is dead-lettered with its cause, and the records after it are handled.
 * `outcome`, if present, replaces the outcome that the record would have had.
 */
export class Unhandleable<O = never> {
  readonly cause: string
  readonly outcome: O | undefined
  constructor(cause: string, outcome?: O) {
    this.cause = cause
    this.outcome = outcome
  }
}

/** The record at which a batch ends; the batch does not include it. */
export interface Obstacle {
  readonly offset: number
  readonly error: Error
  /** Whether reading stops here for good. Otherwise the record is read again after a pause. */
  readonly isFinal: boolean
}

export interface BatchReading<T, O> {
  /** One entry for each record before the obstacle. */
  readonly readings: (T | Unhandleable<O>)[]
  readonly obstacle: Obstacle | null
}

export interface ReadBatchOptions<T, O> {
  readonly read: (record: LogRecord) => T | Unhandleable<O>
  readonly waitsForSchema: SchemaPatience
  /** Turns an error of `read` into a dead letter; null if the consumer has none and stops before the record. */
  readonly toUnhandleable: ((record: LogRecord, error: unknown) => Unhandleable<O>) | null
}

export function readBatch<T, O>(
  { records }: LogBatch,
  { read, waitsForSchema, toUnhandleable }: ReadBatchOptions<T, O>,
): BatchReading<T, O> {
  const readings: (T | Unhandleable<O>)[] = []
  for (const record of records) {
    try {
      const reading = read(record)
      if (reading instanceof Unhandleable && toUnhandleable === null) throw new Error(reading.cause)
      readings.push(reading)
    } catch (error) {
      const obstacle = obstacleOf(record, error, { waitsForSchema, mayPass: toUnhandleable !== null })
      if (obstacle !== null) return { readings, obstacle }
      readings.push(toUnhandleable!(record, error))
    }
  }
  return { readings, obstacle: null }
}

function obstacleOf(
  record: LogRecord,
  error: unknown,
  { waitsForSchema, mayPass }: { waitsForSchema: SchemaPatience; mayPass: boolean },
): Obstacle | null {
  const { offset } = record
  if (waitsForSchema(error, record))
    return { offset, error: error instanceof Error ? error : new Error(messageOf(error)), isFinal: false }
  return mayPass ? null : { offset, error: new UnappliableRecordError(record, error), isFinal: true }
}
