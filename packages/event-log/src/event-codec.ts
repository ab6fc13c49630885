/** Between typed events and records: Avro in the Confluent wire format (0x00, int32 schema id, payload), CloudEvents headers. */
import type { DomainEvent, EventType } from '@cupel/contracts'
import type { LogRecord, NewRecord } from './port.js'

export interface EventCodec {
  /**
   * The record of an event. `topic` is without installation prefix; for events of the bulk lane or the sandbox the caller
   * passes the topic it belongs to, the subject stays that of the event.
   */
  encode(event: DomainEvent, target: { topic: string; key: string; partition?: number }): NewRecord
  /** The event of a record: old records are read with the schema they were written with. Throws UndecodableRecordError. */
  decode(record: LogRecord): DomainEvent
  /** As decode, for a reader that knows what it wants; null where the record is of another type. */
  decodeAs<T extends EventType>(type: T, record: LogRecord): DomainEvent<T> | null
}
