/** Lists of events by their facts, which schemas/subjects.json states once for each event. */
import type { EventType } from './events.js'
import { eventFacts } from './generated/event-facts.js'

export interface EventFacts {
  /** Paths of personal data within the event's data; `[]` stands for every item. */
  readonly personal: readonly string[]
  /** Fields that name an operator or a key. Only names of operators are personal data. */
  readonly operators: readonly string[]
  /** How the event records a call; null for an event that records none. */
  readonly call: CallFacts | null
  /** Whether the audit export shows the event itself. */
  readonly audited: boolean
  /** Whether a restore applies it to the primary tables. Deliveries, bulk jobs and report numbers have their own parts of a restore. */
  readonly restoresTable: boolean
}

export interface CallFacts {
  /** Fields with the ids of the objects that the call made or changed. */
  readonly subjects: readonly string[]
  /** Field with the moment when the outcome was known; null if another event tells the outcome. */
  readonly endedAt: string | null
}

type TypeWith<F extends Partial<EventFacts>> = {
  [T in EventType]: (typeof eventFacts)[T] extends F ? T : never
}[EventType]

export type CallEventType = TypeWith<{ readonly call: CallFacts }>
export type RestoredEventType = TypeWith<{ readonly restoresTable: true }>

const all: Readonly<Record<EventType, EventFacts>> = eventFacts
const types = Object.keys(all) as EventType[]

export const factsOf = (type: EventType): EventFacts => all[type]

/** Every event that records a call. */
export const callEventTypes: readonly CallEventType[] = types.filter(
  (type): type is CallEventType => all[type].call !== null,
)

/** Every event that the audit export shows. */
export const auditedEventTypes: readonly EventType[] = types.filter((type) => all[type].audited)

/** Every event that a restore applies to the primary tables. */
export const restoredEventTypes: readonly RestoredEventType[] = types.filter(
  (type): type is RestoredEventType => all[type].restoresTable,
)

/** Every event with personal data of an account. */
export const personalEventTypes: readonly EventType[] = types.filter((type) => all[type].personal.length > 0)
