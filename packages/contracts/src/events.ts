/** The events of the platform: their payloads are generated from schemas/, their envelope is CloudEvents. */
import type { EventData } from './generated/events.js'

export type EventType = keyof EventData

/** CloudEvents attributes and tracing, carried as record headers (binary content mode). */
export interface Envelope {
  /** Deterministic if a consumer decided (UUIDv5), UUIDv7 if a person asked. Repeats are byte-identical. */
  readonly id: string
  /** The service that appended the event, for example `cupel/scorer`. */
  readonly source: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly time: string
  /** The aggregate the event is about: report id, account id, set. */
  readonly subject: string
  /** Shared by everything that follows from one request. */
  readonly correlationId: string
  /** Id of the event or request that caused this one. */
  readonly causationId: string
  readonly traceparent?: string | undefined
}

/** One event, typed by its name: `DomainEvent<'ReportGenerated'>`. */
export type DomainEvent<T extends EventType = EventType> = {
  [K in T]: { readonly type: K; readonly data: EventData[K]; readonly envelope: Envelope }
}[T]
