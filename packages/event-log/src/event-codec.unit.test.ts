import { createHash } from 'node:crypto'
import { eventSchemas, type DomainEvent, type EventType } from '@cupel/contracts'
import { expect, test } from 'vitest'
import { createEventCodec, UndecodableRecordError } from './event-codec.js'
import type { LogRecord, NewRecord } from './port.js'
import type { SchemaCatalog } from './schemas/schema-catalog.js'

const requested: DomainEvent<'ScreenRequested'> = {
  type: 'ScreenRequested',
  envelope: {
    id: '0199f2a4-0000-7000-8000-000000000001',
    source: 'cupel/api',
    time: '2026-11-21T09:00:00.000Z',
    subject: '9f2c4a1be07d6358',
    correlationId: 'req_1',
    causationId: 'req_1',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  },
  data: {
    reportId: '9f2c4a1be07d6358',
    accountId: 'acc_1',
    livemode: true,
    address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
    canonicalAddress: '0x098b716b8aaf21512996dc57eb0615e2383e2f96',
    chain: 'ETH',
    candidateChains: ['ETH', 'BSC'],
    customerReference: 'Auftrag № 7',
    lane: 'interactive',
    answerByAt: null,
    stagesByAt: null,
    requestedAt: '2026-11-21T09:00:00.000Z',
    reportUrl: 'https://example.test/9f2c4a1be07d6358',
    jobId: null,
    jobIndex: 3,
    transfer: null,
    call: null,
  },
}
const target = { topic: 'screening.screen.events.v1', key: '9f2c4a1be07d6358' }

/** Every event under a separate id, plus the schemas that a case adds. */
function catalog(added: ReadonlyMap<number, string> = new Map()): SchemaCatalog & { refreshes: number } {
  const types = Object.keys(eventSchemas) as EventType[]
  const schemas = new Map(types.map((type, index) => [index + 1, eventSchemas[type].schema as string]))
  return {
    refreshes: 0,
    idOf: (subject) => types.findIndex((type) => eventSchemas[type].subject === subject) + 1,
    schemaOf: (id) => schemas.get(id) ?? added.get(id),
    async refresh() {
      this.refreshes += 1
    },
  }
}

const stored = (record: NewRecord): LogRecord => ({ ...record, partition: 0, offset: 7 })
const withHeaders = (record: LogRecord, headers: Record<string, string | undefined>): LogRecord => ({
  ...record,
  headers: Object.fromEntries(
    Object.entries({ ...record.headers, ...headers }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  ),
})
const withId = (record: LogRecord, id: number): LogRecord => {
  const value = Buffer.from(record.value)
  value.writeInt32BE(id, 1)
  return { ...record, value }
}

test('an event comes back as it was, envelope included', () => {
  const codec = createEventCodec(catalog())
  const record = codec.encode(requested, target)
  expect(record).toMatchObject(target)
  expect(codec.decode(stored(record))).toEqual(requested)
})

test.each([
  ['of a request', '019aa5c2-7c1e-7a52-9d0f-2b8f5f1f6c11', '019aa5c27c1e7a529d0f2b8f5f1f6c11'],
  ['of anything else', 'job_1', createHash('sha256').update('job_1').digest('hex').slice(0, 32)],
])('an event that continues no trace starts one, made of the correlation id %s', (_what, id, traceId) => {
  const codec = createEventCodec(catalog())
  const envelope = { ...requested.envelope, correlationId: id, traceparent: undefined }
  const encode = () => codec.encode({ ...requested, envelope }, target)
  expect(encode().headers!['traceparent']).toBe(`00-${traceId}-8000000000000001-00`)
  expect(encode()).toEqual(encode())
})

test('the value is in the Confluent wire format, the envelope in CloudEvents headers', () => {
  const { value, headers } = createEventCodec(catalog()).encode(requested, target)
  expect(value![0]).toBe(0)
  expect(value!.readInt32BE(1)).toBe(1)
  expect(headers).toEqual({
    ce_id: requested.envelope.id,
    ce_type: 'ScreenRequested',
    ce_source: 'cupel/api',
    ce_time: requested.envelope.time,
    ce_subject: requested.envelope.subject,
    ce_specversion: '1.0',
    correlationid: 'req_1',
    causationid: 'req_1',
    traceparent: requested.envelope.traceparent,
  })
})

test('events larger than any before are encoded, and earlier ones stay untouched', () => {
  const codec = createEventCodec(catalog())
  const small = codec.encode(requested, target)
  const large = { ...requested, data: { ...requested.data, customerReference: 'x'.repeat(300_000) } }
  expect(codec.decode(stored(codec.encode(large, target)))).toEqual(large)
  expect(codec.decode(stored(small))).toEqual(requested)
})

test('a reader that wants one type gets null for every other', () => {
  const codec = createEventCodec(catalog())
  const record = stored(codec.encode(requested, target))
  expect(codec.decodeAs('ScreenRequested', record)?.data.reportId).toBe('9f2c4a1be07d6358')
  expect(codec.decodeAs('ReportGenerated', record)).toBeNull()
})

test('a record written with an earlier schema is read with defaults for what it lacks', () => {
  const schema = JSON.parse(eventSchemas.ScreenRequested.schema) as { fields: { name: string }[] }
  const earlier = { ...schema, fields: schema.fields.filter((field) => field.name !== 'candidateChains') }
  const writer = createEventCodec({ ...catalog(), idOf: () => 100 })
  const older = createEventCodec(catalog(new Map([[100, JSON.stringify(earlier)]])))
  // The writer's own schema still has the field. An empty list is one zero byte; without it the bytes are those of the earlier schema.
  const bytes = writer.encode({ ...requested, data: { ...requested.data, candidateChains: [] } }, target)
  const chain = bytes.value.indexOf('\u0006ETH') + '\u0006ETH'.length
  const value = Buffer.concat([bytes.value.subarray(0, chain), bytes.value.subarray(chain + 1)])
  const { data } = older.decode(stored({ ...bytes, value }))
  expect(data).toEqual({ ...requested.data, candidateChains: [] })
})

test('data that does not fit the schema is not encoded', () => {
  const codec = createEventCodec(catalog())
  const wrong = { ...requested, data: { ...requested.data, jobIndex: 1.5 } }
  expect(() => codec.encode(wrong, target)).toThrow(/jobIndex|1.5/)
})

test('a release whose schemas are not registered says so at once', () => {
  expect(() => createEventCodec({ ...catalog(), idOf: () => undefined })).toThrow(/not registered/)
})

test('an unknown schema id is refused, and read again from the catalogue for the next time', () => {
  const known = new Map<number, string>()
  const schemas = catalog(known)
  const codec = createEventCodec(schemas)
  const record = withId(stored(codec.encode(requested, target)), 999)
  expect(() => codec.decode(record)).toThrow(expect.objectContaining({ reason: 'unknown-schema' }))
  expect(() => codec.decode(record)).toThrow(UndecodableRecordError)
  expect(schemas.refreshes).toBe(1)
  known.set(999, eventSchemas.ScreenRequested.schema)
  expect(codec.decode(record)).toEqual(requested)
})

test.each([
  ['an unknown type', 'unknown-type', (record: LogRecord) => withHeaders(record, { ce_type: 'Unheard' })],
  ['no type', 'unknown-type', (record: LogRecord) => withHeaders(record, { ce_type: undefined })],
  ['a missing header', 'malformed', (record: LogRecord) => withHeaders(record, { ce_id: undefined })],
  ['no value', 'malformed', (record: LogRecord) => ({ ...record, value: Buffer.alloc(0) })],
  [
    'another format',
    'malformed',
    (record: LogRecord) => ({ ...record, value: Buffer.from('{"json": true}') }),
  ],
  [
    'a truncated payload',
    'malformed',
    (record: LogRecord) => ({ ...record, value: record.value.subarray(0, 40) }),
  ],
  [
    'bytes too many',
    'malformed',
    (record: LogRecord) => ({ ...record, value: Buffer.concat([record.value, Buffer.alloc(1)]) }),
  ],
  ['the schema of another event', 'malformed', (record: LogRecord) => withId(record, 2)],
])('a record with %s is refused as %s', (_, reason, damage) => {
  const codec = createEventCodec(catalog())
  const record = damage(stored(codec.encode(requested, target)))
  expect(() => codec.decode(record)).toThrow(UndecodableRecordError)
  expect(() => codec.decode(record)).toThrow(expect.objectContaining({ reason }))
})

test('no single damaged byte decodes to something else than an error or a value', () => {
  const codec = createEventCodec(catalog())
  const record = stored(codec.encode(requested, target))
  for (let at = 0; at < record.value.length; at++) {
    for (const flip of [0x80, 0xff, 0x01]) {
      const value = Buffer.from(record.value)
      value[at] = value[at]! ^ flip
      try {
        expect(codec.decode({ ...record, value }).type).toBe('ScreenRequested')
      } catch (error) {
        expect(error).toBeInstanceOf(UndecodableRecordError)
      }
    }
  }
})
