/** Converts between typed events and records: Avro in the Confluent wire format (0x00, int32 schema id, payload), CloudEvents headers. */
import { createHash } from 'node:crypto'
import {
  eventSchemas,
  type DomainEvent,
  type Envelope,
  type EventData,
  type EventType,
} from '@cupel/contracts'
import { TYPE_HEADER, typeOf, type Headers, type LogRecord, type NewRecord } from './port.js'
import { avroType, type AvroType } from './schemas/avro.js'
import type { SchemaCatalog } from './schemas/schema-catalog.js'

export interface EventCodec {
  /**
   * The record of an event. `topic` is without installation prefix; for events of the bulk lane or the sandbox the caller passes the actual
   * topic, and the subject stays that of the event. Throws if the data does not fit the schema.
   */
  encode(event: DomainEvent, target: { topic: string; key: string; partition?: number }): NewRecord
  /** The event of a record; old records are read with the schema of their writer. Throws UndecodableRecordError. */
  decode(record: LogRecord): DomainEvent
  /** Like `decode`, for one type; null if the record has another type. */
  decodeAs<T extends EventType>(type: T, record: LogRecord): DomainEvent<T> | null
  /**
   * A reader of some fields of an event, which skips the others: a report's inputs are several times larger than the report. It returns
   * null if the record has another type. Throws UndecodableRecordError.
   */
  partOf<T extends EventType, K extends FieldOf<T>>(type: T, fields: readonly K[]): PartReader<T, K>
  /**
   * Reads the catalogue of schemas again. A schema is registered before it writes a record: a schema that is still unknown was never
   * registered.
   */
  refreshSchemas(): Promise<void>
}

export type FieldOf<T extends EventType> = keyof EventData[T] & string

export type PartReader<T extends EventType, K extends FieldOf<T>> = (
  record: LogRecord,
) => Pick<EventData[T], K> | null

export type UndecodableReason =
  /** This release does not know the event type. */
  | 'unknown-type'
  /** The catalogue does not hold the schema id yet; it is being read again, so a retry may succeed. */
  | 'unknown-schema'
  /** The bytes or headers are not those of an event: a retry never succeeds. */
  | 'malformed'

export class UndecodableRecordError extends Error {
  override readonly name = 'UndecodableRecordError'
  readonly reason: UndecodableReason
  constructor(reason: UndecodableReason, record: LogRecord, because: string, options?: { cause?: unknown }) {
    super(
      `Record ${record.topic}/${record.partition} at ${record.offset} cannot be decoded: ${because}`,
      options,
    )
    this.reason = reason
  }
}

const MAGIC_BYTE = 0
/** Magic byte and schema id, big-endian (Confluent wire format). */
const PREFIX_BYTES = 5
const INITIAL_SCRATCH_BYTES = 64 * 1024
/** An unknown schema id may have been registered since. The database is queried at most this often. */
const REFRESH_PAUSE_MS = 1_000

interface EventCoder {
  readonly type: AvroType
  readonly id: number
  /** Resolvers of earlier and later schemas by id; null for the schema of this release. */
  readonly resolvers: Map<number, ReturnType<AvroType['createResolver']> | null>
}

/** Throws if the catalogue lacks the schema of an event: then the registration job has not run for this release. */
export function createEventCodec(catalog: SchemaCatalog): EventCodec {
  const coders = new Map(
    (Object.keys(eventSchemas) as EventType[]).map((type) => [type as string, eventCoder(catalog, type)]),
  )
  const encodeValue = createPayloadWriter()
  const decodeValue = createPayloadReader(catalog)
  const decodeKnown = (type: string, coder: EventCoder, record: LogRecord): DomainEvent =>
    ({ type, data: decodeValue(coder, record), envelope: envelopeOf(record) }) as DomainEvent

  return {
    encode(event, { topic, key, partition }) {
      const value = encodeValue(coders.get(event.type)!, event.data)
      return { topic, partition, key, value, headers: headersOf(event) }
    },
    decode(record) {
      const type = typeOf(record)
      const coder = type === undefined ? undefined : coders.get(type)
      if (type === undefined || coder === undefined) {
        const because = type === undefined ? 'it names no event type' : `event type ${type} is not known`
        throw new UndecodableRecordError('unknown-type', record, because)
      }
      return decodeKnown(type, coder, record)
    },
    decodeAs<T extends EventType>(type: T, record: LogRecord) {
      if (typeOf(record) !== type) return null
      return decodeKnown(type, coders.get(type)!, record) as DomainEvent<T>
    },
    partOf<T extends EventType, K extends FieldOf<T>>(type: T, fields: readonly K[]): PartReader<T, K> {
      const coder = partCoder(type, coders.get(type)!, fields)
      return (record) =>
        typeOf(record) === type ? (decodeValue(coder, record) as Pick<EventData[T], K>) : null
    },
    refreshSchemas: () => catalog.refresh(),
  }
}

/** Encodes into one buffer that is reused and grows to the largest event; returns a copy. */
function createPayloadWriter(): (coder: EventCoder, data: unknown) => Buffer {
  let scratch = Buffer.allocUnsafeSlow(INITIAL_SCRATCH_BYTES)
  return ({ type, id }, data) => {
    let end = type.encode(data, scratch, PREFIX_BYTES)
    if (end < 0) {
      // A negative result is the number of bytes that were missing.
      scratch = Buffer.allocUnsafeSlow(2 * (scratch.length - end))
      end = type.encode(data, scratch, PREFIX_BYTES)
    }
    const value = Buffer.allocUnsafe(end)
    scratch.copy(value, 0, 0, end)
    value[0] = MAGIC_BYTE
    value.writeInt32BE(id, 1)
    return value
  }
}

/** Decodes a payload of any version of the event's schema. Throws UndecodableRecordError. */
function createPayloadReader(catalog: SchemaCatalog): (coder: EventCoder, record: LogRecord) => unknown {
  let refreshedAt = -Infinity
  return decodeValue

  function decodeValue(coder: EventCoder, record: LogRecord): unknown {
    const { value } = record
    if (value.length < PREFIX_BYTES || value[0] !== MAGIC_BYTE)
      throw new UndecodableRecordError('malformed', record, 'its value has no schema id')
    const id = value.readInt32BE(1)
    const resolver = resolverOf(coder, id, record)
    let decoded: { value: unknown; offset: number }
    try {
      decoded =
        resolver === null
          ? coder.type.decode(value, PREFIX_BYTES)
          : coder.type.decode(value, PREFIX_BYTES, resolver)
    } catch (cause) {
      throw new UndecodableRecordError('malformed', record, `its payload does not fit schema ${id}`, {
        cause,
      })
    }
    if (decoded.offset !== value.length)
      throw new UndecodableRecordError(
        'malformed',
        record,
        `its payload is not exactly one value of schema ${id}`,
      )
    return decoded.value
  }

  function resolverOf(coder: EventCoder, id: number, record: LogRecord) {
    const known = coder.resolvers.get(id)
    if (known !== undefined) return known
    const schema = catalog.schemaOf(id)
    if (schema === undefined) {
      refreshSoon()
      throw new UndecodableRecordError('unknown-schema', record, `schema ${id} is not in the catalogue`)
    }
    try {
      const resolver = coder.type.createResolver(avroType(schema))
      coder.resolvers.set(id, resolver)
      return resolver
    } catch (cause) {
      throw new UndecodableRecordError('malformed', record, `schema ${id} is not one of its event`, { cause })
    }
  }

  function refreshSoon(): void {
    const now = performance.now()
    if (now - refreshedAt < REFRESH_PAUSE_MS) return
    refreshedAt = now
    // If it fails, the next unknown id queries again; the caller's error names the missing schema.
    catalog.refresh().catch(() => undefined)
  }
}

function eventCoder(catalog: SchemaCatalog, event: EventType): EventCoder {
  const { subject, schema } = eventSchemas[event]
  const id = catalog.idOf(subject, schema)
  if (id === undefined)
    throw new Error(`The schema of ${event} is not registered: run the schema registration of this release`)
  return {
    get type() {
      return ownType(event)
    },
    id,
    resolvers: new Map([[id, null]]),
  }
}

/** Types of this release. Most processes read and write a few of them. */
const ownTypes = new Map<EventType, AvroType>()

function ownType(event: EventType): AvroType {
  const known = ownTypes.get(event)
  if (known !== undefined) return known
  const type = avroType(eventSchemas[event].schema)
  ownTypes.set(event, type)
  return type
}

/** Reads an event through a schema that has some of its fields: Avro skips the others. */
function partCoder(event: EventType, { id }: EventCoder, names: readonly string[]): EventCoder {
  const schema = JSON.parse(eventSchemas[event].schema) as { fields: { name: string }[] }
  const fields = schema.fields.filter(({ name }) => names.includes(name))
  if (fields.length !== names.length)
    throw new RangeError(`${event} does not have all of the fields ${names.join(', ')}`)
  // Every schema needs a resolver here, including that of this release.
  return { type: avroType(JSON.stringify({ ...schema, fields })), id, resolvers: new Map() }
}

/**
 * The trace of an event that continues none (W3C Trace Context, version 00). It is made from the correlation id, so that all events of one
 * request share it. A repeat has the same bytes.
 */
function startedTrace({ id, correlationId }: Envelope): string {
  return `00-${hexOf(correlationId)}-${hexOf(id).slice(-16)}-00`
}

/** 32 hexadecimal digits: those of a UUID, or of a hash of any other id. */
function hexOf(id: string): string {
  return UUID.test(id) ? id.replaceAll('-', '') : createHash('sha256').update(id).digest('hex').slice(0, 32)
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** CloudEvents 1.0, Kafka binding, binary content mode. */
function headersOf({ type, envelope }: DomainEvent): Headers {
  const headers: Record<string, string> = {
    ce_id: envelope.id,
    [TYPE_HEADER]: type,
    ce_source: envelope.source,
    ce_time: envelope.time,
    ce_subject: envelope.subject,
    ce_specversion: '1.0',
    correlationid: envelope.correlationId,
    causationid: envelope.causationId,
  }
  headers['traceparent'] = envelope.traceparent ?? startedTrace(envelope)
  return headers
}

function envelopeOf(record: LogRecord): Envelope {
  const { headers } = record
  const required = (name: string): string => {
    const value = headers[name]
    if (value === undefined)
      throw new UndecodableRecordError('malformed', record, `header ${name} is missing`)
    return value
  }
  const traceparent = headers['traceparent']
  return {
    id: required('ce_id'),
    source: required('ce_source'),
    time: required('ce_time'),
    subject: required('ce_subject'),
    correlationId: required('correlationid'),
    causationId: required('causationid'),
    ...(traceparent === undefined ? {} : { traceparent }),
  }
}
