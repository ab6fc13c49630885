/**
 * The public topics, read by an ordinary Avro consumer (a plain Kafka client and the client of the schema registry) and by the quick
 * starts of examples/subscribers.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noteSkip } from '@cupel/testkit'
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry'
import avro from 'avsc'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, type Client } from '../src/client.js'
import { enterpriseKey } from '../src/command.js'
import {
  checkout,
  createHome,
  removeHome,
  startInstallation,
  type Installation,
} from '../src/installation.js'
import { appendRecord, readRawTopic, readTopic } from '../src/kafka-log.js'
import { until } from '../src/until.js'
import { prepareSubscribers, settingsOf, type Subscriber } from '../src/subscribers.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`public topics on the Kafka profile: ${missing}`)
const quickStarts = missing === undefined ? await prepareSubscribers().catch(noQuickStarts) : []

const ADDRESS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const OTHERS = ['0x00000000219ab540356cBB839Cbe05303d7705Fa', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq']
const REPORTS = 'screening.report.events.v1'
const LATEST = 'screening.latest-report.events.v1'
const GOLDEN = join(checkout, 'schemas/golden')
const LIMIT_MS = 300_000

interface Subject {
  readonly topic: string
  readonly record: string
  readonly visibility: 'public' | 'internal'
}

describe.skipIf(missing !== undefined)('public topics', () => {
  const home = createHome()
  let installation: Installation
  let client: Client

  beforeAll(async () => {
    installation = await startInstallation({
      ...{ kafka: true, home },
      // A busy machine is slower than a customer is patient.
      environment: { CUPEL_SCREEN_DEADLINE_MS: '20000', CUPEL_LATEST_REPORTS: 'true' },
    })
    client = createClient(installation.ready.base_urls, await enterpriseKey(home))
  }, LIMIT_MS)
  afterAll(async () => {
    await client?.close()
    await installation?.stop()
    removeHome(home)
  })

  test(
    'every record of them is an event of the topic, from the beginning',
    async () => {
      const answer = await client.screen(ADDRESS)
      expect(answer.status).toBe(200)
      for (const [topic, types] of publicTopics()) {
        const records = await readTopic(installation.ready, topic)
        for (const { type, value } of records) {
          expect(types).toContain(type)
          expect(Object.keys(value).length).toBeGreaterThan(0)
        }
        if (topic === REPORTS) expect(records.map(({ type }) => type)).toEqual(['ReportGenerated'])
      }
    },
    LIMIT_MS,
  )

  test(
    'the topic of the latest reports ends with the report that was made last of each address',
    async () => {
      const answer = await client.screen(ADDRESS)
      const { report_id: reportId } = JSON.parse(answer.text) as { report_id: string }
      await until('the latest report in its topic', LIMIT_MS, async () => {
        const records = await readTopic(installation.ready, LATEST)
        const last = new Map(records.map(({ key, value }) => [key, value['reportId']]))
        expect([...last.values()]).toEqual([reportId])
        const [key] = [...last.keys()]
        const { accountId, chain, canonicalAddress } = records[0]!.value
        expect(key).toBe(`${String(accountId)}/${String(chain)}/${String(canonicalAddress)}`)
        return true
      })
    },
    LIMIT_MS,
  )

  test.skipIf(quickStarts.length === 0)(
    'each quick start prints the first outcome of every screening, in whatever language',
    async () => {
      for (const address of OTHERS) expect((await client.screen(address)).status).toBe(200)
      await appendChanged(installation)
      const records = (await readTopic(installation.ready, REPORTS)).slice()
      const first = new Map(
        records
          .map(({ value }) => value)
          .reverse()
          .map((value) => [value['reportId'], value]),
      )
      expect(records.length).toBe(first.size + 1)
      const expected = [...first.values()].map((value) => lineOf('ReportGenerated', value)).sort(byReportId)

      const printed = await Promise.all(
        quickStarts.map(({ language, run }) =>
          run([], settingsOf(installation.ready, `quick-start-${language}`)),
        ),
      )
      for (const [index, lines] of printed.entries())
        expect([...lines].sort(byReportId), quickStarts[index]!.language).toEqual(expected)
    },
    LIMIT_MS,
  )
})

test.each(quickStarts)(
  'the quick start in $language reads every sample that a release wrote, and what a later release will write',
  async ({ run }) => {
    const folder = mkdtempSync(join(tmpdir(), 'cupel-golden-'))
    try {
      const types = ['ReportGenerated', 'ScreeningFailed']
      for (const type of types) {
        cpSync(join(GOLDEN, type), join(folder, type), { recursive: true })
        writeLaterRelease(join(folder, type))
      }
      const expected = types.flatMap((type) => {
        const lines = samplesOf(type).map((sample) => lineOf(type, sample))
        // The later release says the same as the newest sample, and more.
        return [...lines, lines.at(-1)!]
      })
      expect(expected.length).toBeGreaterThan(3)
      expect(await run(['golden', folder])).toEqual(expected)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

/** One more sample: the newest one as a release would write it whose schema has further fields, at the front, at the end and with parts. */
function writeLaterRelease(folder: string): void {
  const newest = Math.max(...readdirSync(folder).map((name) => Number.parseInt(name, 10)))
  const read = (end: string): string => readFileSync(join(folder, `${newest}.${end}`), 'utf8')
  const schema = JSON.parse(read('avsc')) as { namespace: string; fields: readonly object[] }
  const part = { type: 'record', name: 'LaterPart', fields: [{ name: 'text', type: 'string', default: '' }] }
  const later = {
    ...schema,
    fields: [
      { name: 'laterCount', type: 'long', default: 0 },
      ...schema.fields,
      { name: 'laterParts', type: { type: 'array', items: part }, default: [] },
      { name: 'laterText', type: ['null', 'string'], default: null },
    ],
  }
  const data = {
    ...(JSON.parse(read('json')) as object),
    ...{ laterCount: 7, laterParts: [{ text: 'a' }, { text: 'b' }], laterText: 'later' },
  }
  const written = avro.Type.forSchema(later as avro.Schema, { wrapUnions: 'never' }).toBuffer(data)
  writeFileSync(join(folder, `${newest + 1}.bin`), written)
  writeFileSync(join(folder, `${newest + 1}.avsc`), JSON.stringify(later))
  writeFileSync(join(folder, `${newest + 1}.json`), JSON.stringify(data))
}

function noQuickStarts(reason: Error): readonly Subscriber[] {
  noteSkip(`the quick starts of subscribers: ${reason.message}`)
  return []
}

/** A second record with the id of a report, at its partition, which says that the address is green. */
async function appendChanged({ ready }: Installation): Promise<void> {
  const [record] = await readRawTopic(ready, REPORTS)
  const registry = new SchemaRegistry({ host: ready.log.registry! })
  const event = (await registry.decode(record!.value)) as Record<string, unknown>
  const value = await registry.encode(record!.value.readInt32BE(1), { ...event, level: 'green', score: 0 })
  await appendRecord(ready, REPORTS, { ...pick(record!), value })
}

function pick({ key, headers, partition }: Awaited<ReturnType<typeof readRawTopic>>[number]) {
  return { key, headers, partition }
}

/** What a quick start prints of an event. */
function lineOf(type: string, event: Readonly<Record<string, unknown>>): object {
  const { reportId, accountId, livemode } = event
  const common = { type, report_id: reportId, account_id: accountId, livemode }
  if (type === 'ScreeningFailed') return { ...common, code: event['code'] }
  const { address, chain, level, score } = event
  return { ...common, address, chain, level, score }
}

function byReportId(one: object, other: object): number {
  return (one as { report_id: string }).report_id < (other as { report_id: string }).report_id ? -1 : 1
}

function samplesOf(type: string): Record<string, unknown>[] {
  const names = readdirSync(join(GOLDEN, type)).filter((name) => name.endsWith('.json'))
  return names
    .sort()
    .map((name) => JSON.parse(readFileSync(join(GOLDEN, type, name), 'utf8')) as Record<string, unknown>)
}

/** The types of events by public topic, as schemas/subjects.json states them. */
function publicTopics(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(join(checkout, 'schemas/subjects.json'), 'utf8')
  const subjects = Object.values(JSON.parse(text) as Record<string, Subject>)
  const topics = new Map<string, string[]>()
  for (const { topic, record, visibility } of subjects)
    if (visibility === 'public') topics.set(topic, [...(topics.get(topic) ?? []), record])
  return topics
}
