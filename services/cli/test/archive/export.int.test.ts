/** The events of an archive as tables: the questions of docs/archive-questions.md, asked with DuckDB, give the same answers as the log. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SIGNING_KEYS_FILE } from '@cupel/evidence/transparency'
import { topicOf, type DomainEvent, type EventType, type ReportGenerated } from '@cupel/contracts'
import { testEvent } from '@cupel/testkit/installation'
import { createSigningKeys } from '@cupel/signing'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDecided, type Decided } from '../decided.js'
import { MIXED, SANCTIONED, UNLISTED, wholeList } from '../some-labels.js'
import { checkout } from '@cupel/command-line'

let decided: Decided
let reports: readonly ReportGenerated[]
let archive: string
let events: string
let duckdb: DuckDBConnection
beforeAll(async () => {
  decided = await openDecided()
  createSigningKeys(join(decided.folder, SIGNING_KEYS_FILE))
  const before = await decided.screen(SANCTIONED.address, 'ETH')
  await decided.importLabels('sdn', [SANCTIONED.row], ...wholeList())
  await decided.importLabels('mine', [MIXED.row])
  const after: ReportGenerated[] = []
  for (const { address } of [SANCTIONED, MIXED, UNLISTED]) after.push(await decided.screen(address, 'ETH'))
  reports = [before, ...after]
  await decided.appendAgain(reports[1]!)
  await appendReading(reports[1]!.reportId, '2026-03-31T23:59:59.999Z')
  await appendReading(reports[1]!.reportId, '2026-04-01T00:00:00.000Z')
  await appendReading('another', '2026-04-01T00:00:00.000Z')
  await appendOpening(reports[1]!.reportId)
  for (const { reportId } of [reports[1]!, reports[2]!]) await appendNote(reportId)
  // A list that was read before there was the report cannot have shown it; of those read later only the account's own count.
  for (const at of ['2026-03-31T23:59:59.999Z', LATER]) await appendList({ route: '/v1/reports', at })
  await appendList({ route: '/v1/reports', at: LATER, accountId: 'acc_other' })
  await appendList({ route: '/v1/usage', at: LATER })
  await appendList({ route: MESSAGE, at: LATEST })
  await decided.log.append('test', [unknownRecord])
  archive = join(decided.folder, 'archive')
  events = join(decided.folder, 'events')
  await decided.json('archive', 'create', archive)
  duckdb = await (await DuckDBInstance.create(':memory:')).connect()
})
afterAll(async () => {
  duckdb.closeSync()
  await decided.close()
})

const ACCOUNT = 'acc_Ünal'
const LATER = '2999-01-01T00:00:00.000Z'
const LATEST = '2999-01-02T00:00:00.000Z'
const MESSAGE = '/v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}'

async function append<T extends EventType>(type: T, event: DomainEvent<T>, key: string): Promise<void> {
  await decided.log.append('test', [
    decided.codec.encode(event as DomainEvent, { topic: topicOf(type), key }),
  ])
}

const appendReading = (reportId: string, at: string): Promise<void> =>
  appendCall({ at, route: '/v1/reports/{report_id}', subjectIds: ['other', reportId] })

/** The reports of this test are of another account than its readers. */
const appendList = (call: { route: string; at: string; accountId?: string }): Promise<void> =>
  appendCall({ accountId: reports[1]!.accountId, ...call, subjectIds: [] })

async function appendCall({
  at,
  route,
  subjectIds,
  accountId = ACCOUNT,
}: {
  readonly at: string
  readonly route: string
  readonly subjectIds: readonly string[]
  readonly accountId?: string
}): Promise<void> {
  const event = testEvent('ApiRequestAudited', accountId, {
    ...{ accountId, environment: 'live', livemode: true, keyId: 'key_1', scope: 'read-write' },
    ...{
      clientAddress: '203.0.113.7',
      method: 'GET',
      route,
      status: 200,
      code: '',
    },
    ...{
      refusedBecause: '',
      requestId: 'req_1',
      subjectIds: [...subjectIds],
      latencyMs: 1.5,
      at,
      actor: '',
    },
  })
  await append('ApiRequestAudited', { ...event, envelope: { ...event.envelope, time: at } }, accountId)
}

const NOTED = {
  ...{ keyId: 'key_2', clientAddress: '203.0.113.9', method: 'POST', actor: 'Ann' },
  ...{ route: '/v1/reports/{report_id}/notes', at: '2026-11-30T10:00:00.000Z' },
}

async function appendNote(reportId: string): Promise<void> {
  const call = { ...NOTED, requestId: 'req_2', scope: 'read-write', status: 201 }
  const data = {
    ...{ reportId, accountId: ACCOUNT, livemode: true, version: 1, text: 'Seen.', addedAt: NOTED.at },
    ...{ addedBy: NOTED.keyId, keyName: '', actor: '', subject: '', call },
  }
  await append('ReportNoteAdded', testEvent('ReportNoteAdded', reportId, data), reportId)
}

async function appendOpening(reportId: string): Promise<void> {
  const openedAt = '2026-04-02T00:00:00.000Z'
  const data = {
    shareId: 'shr_1',
    reportId,
    accountId: ACCOUNT,
    livemode: true,
    openedAt,
    opens: 1,
    call: null,
  }
  await append(
    'ReportShareOpened',
    testEvent('ReportShareOpened', reportId, { ...data, clientAddress: '203.0.113.8' }),
    reportId,
  )
}

/** A record of a later release. */
const unknownRecord = {
  ...{ topic: topicOf('ApiRequestAudited'), partition: 0, key: 'later', value: Buffer.from([0, 9, 9]) },
  headers: { ce_type: 'SomethingLater', ce_id: 'later' },
}

/** The block of the page below `<!-- question: name -->`, with the values of the test. */
function question(name: string, values: Readonly<Record<string, string>>): string {
  const page = readFileSync(join(checkout, 'docs/archive-questions.md'), 'utf8')
  const found = new RegExp(`<!-- question: ${name} -->\\n\\n\`\`\`sql\\n([^]*?)\`\`\``).exec(page)
  const sql = Object.entries(values).reduce((text, [variable, value]) => {
    const line = new RegExp(`(SET VARIABLE ${variable} = (?:TIMESTAMP )?)'[^']*'`)
    expect(text).toMatch(line)
    return text.replace(line, `$1'${value}'`)
  }, found![1]!)
  return sql.replaceAll("'events/", `'${events}/`)
}

async function ask(sql: string): Promise<Record<string, unknown>[]> {
  const read = await duckdb.runAndReadAll(sql)
  return read.getRowObjectsJson()
}

const usedLabels = ({ inputs }: ReportGenerated) => inputs.labels.filter(({ used }) => used)

test('has a file for each type and month, only for the owner, with every record once', async () => {
  const exported = await decided.json<{ records: number }>('archive', 'export', archive, events)
  expect(exported).toMatchObject({ folder: events, undecoded: 1 })
  const { records } = await decided.json<{ records: number }>('archive', 'verify', archive)
  expect(exported.records).toBe(records)
  expect(readdirSync(join(events, 'ApiRequestAudited')).sort()).toEqual([
    '2026-03.parquet',
    '2026-04.parquet',
    '2999-01.parquet',
  ])
  expect(readdirSync(join(events, 'Undecoded'))).toEqual(['without-time.parquet'])
  expect(statSync(join(events, 'ApiRequestAudited/2026-03.parquet')).mode & 0o777).toBe(0o600)
  const [counted] = await ask(
    `SELECT count(*) AS records, count(DISTINCT (log_topic, log_partition, log_offset)) AS places
     FROM read_parquet('${events}/*/*.parquet', union_by_name = true)`,
  )
  expect(counted).toEqual({ records: String(records), places: String(records) })
  expect(await ask(`SELECT event_type, hex(value) AS value FROM '${events}/Undecoded/*.parquet'`)).toEqual([
    { event_type: 'SomethingLater', value: '000909' },
  ])
})

test('has every field of a report as the log has it', async () => {
  const rows = await ask(`SELECT * FROM '${events}/ReportGenerated/*.parquet' WHERE NOT is_repeat`)
  for (const report of reports) {
    const { inputs, categories } = report
    const row = rows.find((one) => one['report_id'] === report.reportId)!
    expect(row).toMatchObject({
      ...{
        report: report.report,
        report_sha256: report.reportSha256,
        score: report.score,
        level: report.level,
      },
      ...{ customer_reference: null, job_index: null, livemode: true, level_reasons: report.levelReasons },
      ...{
        categories_clean_exchange: categories.cleanExchange,
        inputs_label_set_seq: String(inputs.labelSetSeq),
      },
      ...{ inputs_policy_version: inputs.policyVersion, inputs_exposure: null, log_key: report.reportId },
    })
    expect(JSON.parse(row['inputs_labels'] as string)).toEqual(inputs.labels)
  }
  expect(rows).toHaveLength(reports.length)
})

test('names the reds of a month and the lists that made them', async () => {
  const month = reports[1]!.generatedAt.slice(0, 7)
  const [from, until] = [`${month}-01`, `${Number(month.slice(0, 4)) + 1}-01-01`]
  const expected = reports
    .filter(({ level }) => level === 'red')
    .flatMap((report) =>
      usedLabels(report).map(({ source, dataset, sanction }) => ({
        ...{ report_id: report.reportId, address: report.address, chain: report.chain },
        ...{ generated_at: report.generatedAt, level_reasons: report.levelReasons, source, dataset },
        list: sanction?.list ?? null,
      })),
    )
  expect(expected.map(({ dataset }) => dataset)).toEqual(['sdn', 'mine'])
  expect(await ask(question('reds', { from_time: from, until_time: until }))).toEqual(expected)
  expect(await ask(question('reds', { from_time: '2026-01-01', until_time: from }))).toEqual([])
})

test('names who looked at a report', async () => {
  const report = reports[1]!.reportId
  const call = {
    ...{ what: 'GET /v1/reports/{report_id}', status: 200, account_id: ACCOUNT, key_id: 'key_1', actor: '' },
    client_address: '203.0.113.7',
  }
  expect(await ask(question('readers', { report }))).toEqual([
    { seen_at: '2026-03-31T23:59:59.999Z', ...call },
    { seen_at: '2026-04-01T00:00:00.000Z', ...call },
  ])
  expect(await ask(question('readers', { report: reports[0]!.reportId }))).toEqual([])
  expect(await ask(question('calls', { report }))).toEqual([
    {
      ...{ called_at: NOTED.at, what: `${NOTED.method} ${NOTED.route}`, account_id: ACCOUNT },
      ...{ key_id: NOTED.keyId, actor: NOTED.actor, client_address: NOTED.clientAddress },
    },
  ])
  expect(await ask(question('lists', { report }))).toEqual([
    { ...call, seen_at: LATER, what: 'GET /v1/reports', account_id: reports[1]!.accountId },
    { ...call, seen_at: LATEST, what: `GET ${MESSAGE}`, account_id: reports[1]!.accountId },
  ])
  expect(await ask(question('openings', { report }))).toEqual([
    {
      ...{ opened_at: '2026-04-02T00:00:00.000Z', share_id: 'shr_1', account_id: ACCOUNT, opens: 1 },
      client_address: '203.0.113.8',
    },
  ])
})

test('names the decisions that used a list before a date', async () => {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const expected = []
  for (const report of reports.slice(1)) {
    const { labelState } = await decided.shared(report)
    const list = labelState.labelSets.find(({ dataset }) => dataset === 'sdn')!
    const { reportId, address, level, generatedAt } = report
    expected.push({
      ...{ report_id: reportId, address, level, generated_at: generatedAt, list_sha256: list.sha256 },
      labels_used: String(usedLabels(report).filter(({ dataset }) => dataset === 'sdn').length),
    })
  }
  expect(expected.map((one) => one.labels_used)).toEqual(['1', '0', '0'])
  const values = { list_dataset: 'sdn', before_time: tomorrow }
  expect(await ask(question('list', values))).toEqual(expected)
  expect(await ask(question('list', { ...values, before_time: '2026-01-01' }))).toEqual([])
})

test('is made only into an empty folder, and not of a damaged archive', async () => {
  expect((await decided.cupel('archive', 'export', archive, events)).error).toMatchObject({
    message: expect.stringContaining('is not empty') as string,
  })
  const topic = topicOf('ReportGenerated')
  const segments = readdirSync(join(archive, 'segments', topic), { recursive: true, withFileTypes: true })
  const segment = segments.find((entry) => entry.isFile())!
  const file = join(segment.parentPath, segment.name)
  const bytes = readFileSync(file)
  bytes[bytes.length - 40]! ^= 1
  writeFileSync(file, bytes)
  const other = join(decided.folder, 'other')
  mkdirSync(other)
  const { error } = await decided.cupel('archive', 'export', archive, other)
  expect(error).toMatchObject({ message: expect.stringContaining(segment.name) as string })
  expect([readdirSync(other), existsSync(`${other}.draft`)]).toEqual([[], false])
})
