/** Somebody with the owner's account of the database alters rows of reports: callers get the reports of the log, wherever they read them. */
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestJobs } from './bulk-jobs.js'
import { ADDRESS, call, screen } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'
import { newShare } from './report-work.js'

let installation: Installation
let url: string
let key: string
let reportId: string
/** Records of reports that readers asked the log for. */
let reads: number
beforeAll(async () => {
  installation = await startInstallation()
  const { log } = installation
  const counted = {
    ...log,
    read(range: Parameters<typeof log.read>[0]) {
      if (range.topic.startsWith('screening.report.events') && range.to === range.from + 1) reads += 1
      return log.read(range)
    },
  }
  url = (await installation.api({ log: counted })).url
  ;({ key } = await installation.key())
  reportId = await newReport()
})
afterAll(() => installation.stop())
beforeEach(() => void (reads = 0))

/** Its row is there. */
async function newReport(): Promise<string> {
  const id = String((await screen(url, key)).json()['report_id'])
  await until(async () => expect((await call(url, 'GET', '/v1/reports', { key })).text).toContain(id))
  return id
}

const change = (set: string, id: string): Promise<number> =>
  installation.database.execute(`UPDATE report_view.report SET ${set} WHERE report_id = $1`, [id])
const alter = (id: string): Promise<number> =>
  change(`document = (document::jsonb || '{"level": "red"}')::text, level = 'red'`, id)
const levelsOf = async (id: string): Promise<unknown> =>
  (
    await installation.database.query(
      `SELECT document::json ->> 'level' AS stored FROM report_view.report WHERE report_id = $1`,
      [id],
    )
  )[0]

interface Read {
  readonly path: string
  readonly accept?: string
}

async function textOf({ path, accept }: Read): Promise<string> {
  const headers = accept === undefined ? {} : { headers: { accept } }
  const { status, text } = await call(url, 'GET', path, { key, ...headers })
  expect(status, `${path}: ${text}`).toBe(200)
  return text
}

const textsOf = async (all: readonly Read[]): Promise<string[]> => {
  const texts: string[] = []
  for (const read of all) texts.push(await textOf(read))
  return texts
}

test('an altered document is not answered as JSON, in lists, as PDF, by a link, in a case or in a dossier', async () => {
  const { token } = await newShare({ url, key, reportId })
  const report = `/v1/reports/${reportId}`
  await call(url, 'POST', `${report}/notes`, { key, body: { text: 'Known to us.' } })
  const paths = [
    ...[report, `${report}/pdf`, `${report}/case`, `${report}/case/dossier`, '/v1/reports'],
    ...[`/v1/reports?address=${ADDRESS}`, `/v1/shared/${token}`],
  ].map((path) => ({ path }))
  const before = await textsOf(paths)
  expect(reads).toBe(0)
  expect(await alter(reportId)).toBe(1)
  expect(await levelsOf(reportId)).toEqual({ stored: 'red' })
  expect(await textsOf(paths)).toEqual(before)
  expect(reads).toBeGreaterThan(paths.length / 2)
  // The list finds the row by the level in its column, and shows the report as it is.
  expect(await textOf({ path: '/v1/reports?level=red' })).toBe(
    `{"items":[${before[0]}],"next_page_token":null}`,
  )
})

test('an altered document is not answered in the results of a job, as a page, as files and as PDF', async () => {
  const { submit, decide, end } = createTestJobs(installation, url)
  const job = await submit(key)
  await decide(job, 0, 'green')
  await end(job, 1, 1)
  const itemId = String(job.submission.items[0]!.reportId)
  const results = `/v1/bulk/${job.jobId}/results`
  const forms = [
    { path: results, accept: 'application/json' },
    { path: results, accept: 'application/x-ndjson' },
    { path: results, accept: 'text/csv' },
    { path: `/v1/bulk/${job.jobId}/pdf`, accept: 'application/pdf' },
  ]
  await until(async () => expect(await textOf(forms[1]!)).toContain(itemId))
  reads = 0
  const before = await textsOf(forms)
  expect(reads).toBe(0)
  await change(`document = (document::jsonb || '{"level": "red"}')::text`, itemId)
  expect(await levelsOf(itemId)).toEqual({ stored: 'red' })
  expect(await textsOf(forms)).toEqual(before)
  expect(reads).toBeGreaterThan(0)
})

test('a row without its MAC, or with that of another row, is answered from its record', async () => {
  const [one, other] = [await newReport(), await newReport()]
  const before = await textOf({ path: `/v1/reports/${one}` })
  reads = 0
  await change('document_mac = NULL', one)
  expect(await textOf({ path: `/v1/reports/${one}` })).toBe(before)
  expect(reads).toBe(1)
  await installation.database.execute(
    `UPDATE report_view.report r SET document = replace(o.document, o.report_id, r.report_id), document_mac = o.document_mac
     FROM report_view.report o WHERE r.report_id = $1 AND o.report_id = $2`,
    [one, other],
  )
  expect(await textOf({ path: `/v1/reports/${one}` })).toBe(before)
  expect(reads).toBe(2)
})

test('an altered row that names the place of another report is an error, and not an answer', async () => {
  const [one, other] = [await newReport(), await newReport()]
  await alter(one)
  await installation.database.execute(
    `UPDATE report_view.report r SET log_partition = o.log_partition, log_offset = o.log_offset
     FROM report_view.report o WHERE r.report_id = $1 AND o.report_id = $2`,
    [one, other],
  )
  const reply = await call(url, 'GET', `/v1/reports/${one}`, { key })
  expect([reply.status, reply.text.includes(other)]).toEqual([500, false])
})
