/** Encodes events as JSON, so that these tests need no schemas. It cannot decode text that is not JSON. */
import type { DomainEvent, EventData, EventType } from '@cupel/contracts'
import { TYPE_HEADER, type EventCodec } from '@cupel/event-log'

export const jsonCodec: EventCodec = {
  encode: (event, target) => ({
    ...target,
    value: Buffer.from(JSON.stringify(event)),
    headers: { [TYPE_HEADER]: event.type },
  }),
  decode: (record) => JSON.parse(String(record.value)) as DomainEvent,
  decodeAs: <T extends EventType>(type: T, record: Parameters<EventCodec['decode']>[0]) =>
    record.headers[TYPE_HEADER] === type ? (JSON.parse(String(record.value)) as DomainEvent<T>) : null,
  partOf: (type) => (record) => jsonCodec.decodeAs(type, record)?.data ?? null,
  refreshSchemas: async () => undefined,
}

export function event<T extends EventType>(type: T, id: string, data: Partial<EventData[T]>): DomainEvent<T> {
  return {
    type,
    data,
    envelope: {
      id,
      source: 'test',
      time: '2026-11-21T09:00:00.000Z',
      subject: id,
      correlationId: id,
      causationId: id,
    },
  } as unknown as DomainEvent<T>
}
