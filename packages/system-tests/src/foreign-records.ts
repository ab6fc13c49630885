/** Records that other programs append to the public topics of an installation under test: repeats, later releases, unreadable ones. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMPATIBILITY, SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry'
import { checkout, type Installation } from './installation.js'
import { appendRecord, readRawTopic, readTopic } from './kafka-log.js'

interface RawSchema {
  readonly name: string
  readonly fields: readonly object[]
}

export const GOLDEN = join(checkout, 'schemas/golden')
const REPORTS = 'screening.report.events.v1'
const LATEST = 'screening.latest-report.events.v1'
const WATCHES = 'screening.watch.events.v1'
export const UNREADABLE = 'not a record of a registry'
export const LATER_EVENT = 'SomethingLater'
export const LATER_REPORT = '00000000000000aa'

/** A second record with the id of a report, at its partition, which says that the address is green. */
export async function appendChanged({ ready }: Installation): Promise<void> {
  const [record] = await readRawTopic(ready, REPORTS)
  const registry = new SchemaRegistry({ host: ready.log.registry! })
  const event = (await registry.decode(record!.value)) as Record<string, unknown>
  const value = await registry.encode(record!.value.readInt32BE(1), { ...event, level: 'green', score: 0 })
  await appendRecord(ready, REPORTS, { ...pick(record!), value })
}

/** Writes events with a schema of the product, or with one that a later release could have. */
async function encoderOf({ ready }: Installation, path: string, later = false) {
  const registry = new SchemaRegistry({ host: ready.log.registry! })
  const schema = JSON.parse(readFileSync(join(checkout, 'schemas', path), 'utf8')) as RawSchema
  const { id } = await registry.register(
    { type: SchemaType.AVRO, schema: JSON.stringify(later ? laterSchema(schema) : schema) },
    {
      subject: `${later ? 'later' : 'same'}-${schema.name}`,
      compatibility: COMPATIBILITY.NONE,
    },
  )
  return (data: object): Promise<Buffer> => registry.encode(id, data)
}

/** A report of a future release, an event that no reader knows, and failures: one of them is for a screening with a report. */
export async function appendOfLaterRelease(installation: Installation): Promise<void> {
  const { ready } = installation
  const records = await readTopic(ready, REPORTS)
  const { key: known, partition, value: report } = records.find(({ type }) => type === 'ReportGenerated')!
  const encode = await encoderOf(installation, 'screening/ReportGenerated.avsc', true)
  const value = await encode({ ...report, ...LATER_DATA, reportId: LATER_REPORT })
  for (const type of ['ReportGenerated', LATER_EVENT])
    await appendRecord(ready, REPORTS, { key: LATER_REPORT, value, headers: { ce_type: type } })
  const failure = await encoderOf(installation, 'screening/ScreeningFailed.avsc')
  const [sample] = samplesOf('ScreeningFailed')
  // All records about a screening are in one partition.
  for (const place of [{ key: known, partition }, { key: '00000000000000bb' }])
    await appendRecord(ready, REPORTS, {
      ...{ ...place, headers: { ce_type: 'ScreeningFailed' } },
      value: await failure({ ...sample, reportId: place.key }),
    })
}

/** States of a key, each named by its time. */
export async function appendStates(
  installation: Installation,
  key: string,
  times: readonly string[],
): Promise<void> {
  const encode = await encoderOf(installation, 'screening/LatestReportRecorded.avsc')
  const [sample] = samplesOf('LatestReportRecorded')
  for (const generatedAt of times) {
    const value = await encode({ ...sample, reportId: generatedAt, generatedAt })
    await appendRecord(installation.ready, LATEST, {
      key,
      value,
      headers: { ce_type: 'LatestReportRecorded' },
    })
  }
}

/** A sample of another public event. Returns its row. */
export async function appendWatchEvent(installation: Installation): Promise<object> {
  const encode = await encoderOf(installation, 'screening/WatchRemoved.avsc')
  const topic = WATCHES
  const [data] = samplesOf('WatchRemoved')
  const headers = {
    ...{ ce_type: 'WatchRemoved', ce_id: 'event-1' },
    ...{ ce_subject: 'subject-1', ce_time: '2026-11-25T10:00:00.000Z' },
  }
  const record = { key: 'acc_golden', headers, value: await encode(data!) }
  await appendRecord(installation.ready, topic, record)
  // A repeat changes nothing, and neither does another event with the id.
  const changed = await encode({ ...data, accountId: 'acc_other' })
  await appendRecord(installation.ready, topic, record)
  await appendRecord(installation.ready, topic, { ...record, value: changed })
  return { event_id: 'event-1', type: 'WatchRemoved', topic, subject: 'subject-1', data }
}

/** An unreadable record, and a good one after it in the same partition. Returns the report id of the good one. */
export async function appendUnreadable(installation: Installation): Promise<string> {
  const encode = await encoderOf(installation, 'screening/ScreeningFailed.avsc')
  const [sample] = samplesOf('ScreeningFailed')
  const reportId = '00000000000000cc'
  const place = { key: reportId, headers: { ce_type: 'ScreeningFailed' } }
  await appendRecord(installation.ready, REPORTS, { ...place, value: UNREADABLE })
  const value = await encode({ ...sample, reportId })
  await appendRecord(installation.ready, REPORTS, { ...place, value })
  return reportId
}

function pick({ key, headers, partition }: Awaited<ReturnType<typeof readRawTopic>>[number]) {
  return { key, headers, partition }
}

/** A schema as a later release could have it: with more fields at the front and at the end, and with nested fields. */
export function laterSchema<T extends { readonly fields: readonly object[] }>(schema: T): T {
  const part = { type: 'record', name: 'LaterPart', fields: [{ name: 'text', type: 'string', default: '' }] }
  const fields = [
    { name: 'laterCount', type: 'long', default: 0 },
    ...schema.fields,
    { name: 'laterParts', type: { type: 'array', items: part }, default: [] },
    { name: 'laterText', type: ['null', 'string'], default: null },
  ]
  return { ...schema, fields }
}

export const LATER_DATA = { laterCount: 7, laterParts: [{ text: 'a' }, { text: 'b' }], laterText: 'later' }

/** The released samples of an event, as data. */
export function samplesOf(type: string): Record<string, unknown>[] {
  const names = readdirSync(join(GOLDEN, type)).filter((name) => name.endsWith('.json'))
  return names
    .sort()
    .map((name) => JSON.parse(readFileSync(join(GOLDEN, type, name), 'utf8')) as Record<string, unknown>)
}
