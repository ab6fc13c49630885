/**
 * Records that a test appends to the public topics of an installation: repeats, later releases, unreadable ones. They are signed with the key of
 * the installation, as if it had written them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMPATIBILITY, SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry'
import { readSigningKeys, signRecords, verifierKey } from '@cupel/signing'
import { checkout, type Installation, type ReadyLine } from './installation.js'
import { appendRecord, readRawTopic, readTopic } from './kafka-log.js'
import type { Trust } from './subscribers.js'
import { until } from './until.js'

interface RawSchema {
  readonly name: string
  readonly fields: readonly object[]
}

export const GOLDEN = join(checkout, 'schemas/golden')
const REPORTS = 'screening.report.events.v1'
const LATEST = 'screening.latest-report.events.v1'
const WATCHES = 'screening.watch.events.v1'
export const UNREADABLE = 'not a record of a registry'
/** The code of a failure that another producer wrote. */
export const FORGED = 'forged'
export const LATER_EVENT = 'SomethingLater'
export const LATER_REPORT = '00000000000000aa'
const CHECKPOINT_LIMIT_MS = 60_000

const keysOf = ({ home }: ReadyLine) => readSigningKeys(join(home, 'signing-keys.json'))

/** What the operator gives to subscribers. The first line of a checkpoint names the log. */
export async function trustOf({ ready }: Installation): Promise<Trust> {
  const publicKeysFile = join(ready.home, 'public-keys.txt')
  writeFileSync(publicKeysFile, keysOf(ready).publicKeys.map(verifierKey).join('\n'))
  const logs = join(ready.home, 'checkpoints/transparency')
  const logId = await until('the first checkpoint', CHECKPOINT_LIMIT_MS, () => {
    const [origin] = readFileSync(join(logs, readdirSync(logs)[0]!, 'checkpoint'), 'utf8').split('\n')
    return Promise.resolve(origin!.split('/transparency/')[1])
  })
  return { publicKeysFile, logId }
}

/** Appends a record with a signature of the installation. */
export async function appendSigned(
  installation: Installation,
  topic: string,
  record: Parameters<typeof appendRecord>[2],
): Promise<void> {
  const { signer } = keysOf(installation.ready)
  const { logId: log } = await trustOf(installation)
  const [signed] = signRecords([{ ...record, topic, value: Buffer.from(record.value ?? '') }], {
    signer,
    log,
  })
  await appendRecord(installation.ready, topic, { ...record, headers: signed!.headers })
}

/** A second record with the id of a report, at its partition, which says that the address is green. */
export async function appendChanged(installation: Installation): Promise<void> {
  const { ready } = installation
  const [record] = await readRawTopic(ready, REPORTS)
  const registry = new SchemaRegistry({ host: ready.log.registry! })
  const event = (await registry.decode(record!.value)) as Record<string, unknown>
  const value = await registry.encode(record!.value.readInt32BE(1), { ...event, level: 'green', score: 0 })
  await appendSigned(installation, REPORTS, { ...pick(record!), value })
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
    await appendSigned(installation, REPORTS, { key: LATER_REPORT, value, headers: { ce_type: type } })
  const failure = await encoderOf(installation, 'screening/ScreeningFailed.avsc')
  const [sample] = samplesOf('ScreeningFailed')
  // All records about a screening are in one partition.
  for (const place of [{ key: known, partition }, { key: '00000000000000bb' }])
    await appendSigned(installation, REPORTS, {
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
    await appendSigned(installation, LATEST, {
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
  await appendSigned(installation, topic, record)
  // A repeat changes nothing, and neither does another event with the id.
  const changed = await encode({ ...data, accountId: 'acc_other' })
  await appendSigned(installation, topic, record)
  await appendSigned(installation, topic, { ...record, value: changed })
  return { event_id: 'event-1', type: 'WatchRemoved', topic, subject: 'subject-1', data }
}

/** An unreadable record, one of another producer, and a good one after them in the same partition. Returns the report id of the good one. */
export async function appendUnreadable(installation: Installation): Promise<string> {
  const encode = await encoderOf(installation, 'screening/ScreeningFailed.avsc')
  const [sample] = samplesOf('ScreeningFailed')
  const reportId = '00000000000000cc'
  const place = { key: reportId, headers: { ce_type: 'ScreeningFailed' } }
  await appendSigned(installation, REPORTS, { ...place, value: UNREADABLE })
  const forged = await encode({ ...sample, reportId, code: FORGED })
  await appendRecord(installation.ready, REPORTS, { ...place, value: forged })
  const value = await encode({ ...sample, reportId })
  await appendSigned(installation, REPORTS, { ...place, value })
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
