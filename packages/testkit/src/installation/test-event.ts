/** Events as tests append them: with a fresh id and the current time, and with themselves as cause. */
import { requestedEventId, type DomainEvent, type EventData, type EventType } from '@cupel/contracts'

export function testEvent<T extends EventType>(type: T, subject: string, data: EventData[T]): DomainEvent<T> {
  return { type, data, envelope: testEnvelope(subject) } as DomainEvent<T>
}

export function testEnvelope(subject: string): DomainEvent['envelope'] {
  const id = requestedEventId()
  const time = new Date().toISOString()
  return { id, source: 'test', time, subject, correlationId: id, causationId: id }
}
