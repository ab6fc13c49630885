import { readFileSync } from 'node:fs'
import { eventSchemas, type EventType } from '@cupel/contracts'
import { expect, test } from 'vitest'
import { createEventCodec, UndecodableRecordError } from './event-codec.js'
import type { LogRecord } from './port.js'

const golden = new URL('../../../schemas/golden/ReportGenerated/', import.meta.url)
const payload = readFileSync(new URL('1.bin', golden))
const sample = JSON.parse(readFileSync(new URL('1.json', golden), 'utf8')) as {
  report: string
  reportId: string
  level: string
}
const EARLIER_ID = 900

/** This release's schemas, and the sample's schema under a separate id, as an earlier release left it. */
const types = Object.keys(eventSchemas) as EventType[]
const codec = createEventCodec({
  idOf: (subject) => types.findIndex((type) => eventSchemas[type].subject === subject) + 1,
  schemaOf: (id) =>
    id === EARLIER_ID
      ? readFileSync(new URL('1.avsc', golden), 'utf8')
      : eventSchemas[types[id - 1]!]?.schema,
  refresh: () => Promise.resolve(),
})

function record(schemaId: number, type = 'ReportGenerated', value = payload): LogRecord {
  const prefix = Buffer.alloc(5)
  prefix.writeInt32BE(schemaId, 1)
  const headers = { ce_type: type }
  return { topic: 't', partition: 0, offset: 0, key: 'k', value: Buffer.concat([prefix, value]), headers }
}

const reportIn = codec.partOf('ReportGenerated', ['report'])

test('some fields are read without the rest, whichever schema they were written with', () => {
  expect(reportIn(record(EARLIER_ID))).toEqual({ report: sample.report })
  const levelled = codec.partOf('ReportGenerated', ['level', 'reportId'])
  expect(levelled(record(EARLIER_ID))).toEqual({ level: sample.level, reportId: sample.reportId })
})

test('other events are not of this type, and a record cut short is refused', () => {
  expect(reportIn(record(1, 'ScreeningFailed'))).toBeNull()
  expect(() => reportIn(record(EARLIER_ID, 'ReportGenerated', payload.subarray(0, -9)))).toThrow(
    UndecodableRecordError,
  )
  expect(() => reportIn(record(901))).toThrow(/not in the catalogue/)
})

test('a field that the event does not have is a mistake of the reader', () => {
  expect(() => codec.partOf('ReportGenerated', ['reportid' as 'reportId'])).toThrow(/reportid/)
})
