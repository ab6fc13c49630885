/** A report whose document retention took from its row is answered as before, byte for byte, wherever it is read. */
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { createTestJobs } from './bulk-jobs.js'
import { ADDRESS, call, screen } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'
import { newShare } from './report-work.js'

let installation: Installation
let api: RunningApi
let key: string
let reportId: string
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
  ;({ key } = await installation.key())
  reportId = String((await screen(api.url, key)).json()['report_id'])
})
afterAll(() => installation.stop())

const retire = (): Promise<number> =>
  installation.database.execute('UPDATE report_view.report SET document = NULL')

const documents = (): Promise<object[]> =>
  installation.database.query('SELECT FROM report_view.report WHERE document IS NOT NULL')

test('as JSON, in lists, as PDF, by a link, in its case and in a dossier', async () => {
  const { token } = await newShare({ url: api.url, key, reportId })
  const report = `/v1/reports/${reportId}`
  const note = await call(api.url, 'POST', `${report}/notes`, { key, body: { text: 'Known to us.' } })
  expect(note.status, note.text).toBe(201)
  const paths = [
    ...[report, `${report}/pdf`, `${report}/case`, `${report}/case/dossier`],
    ...['/v1/reports', '/v1/reports?level=green', `/v1/reports?address=${ADDRESS}`, `/v1/shared/${token}`],
  ]
  const readAll = async () => {
    const replies: string[] = []
    for (const path of paths) {
      const { status, text } = await call(api.url, 'GET', path, { key })
      expect(status, `${path}: ${text}`).toBe(200)
      replies.push(text)
    }
    return replies
  }
  await until(async () =>
    expect((await call(api.url, 'GET', '/v1/reports', { key })).text).toContain(reportId),
  )
  const before = await readAll()
  expect(before[0]).toContain(reportId)
  expect(await retire()).toBeGreaterThan(0)
  expect(await documents()).toEqual([])
  // Another instance remembers nothing of the first answers.
  api = await installation.api({ config: { CUPEL_INSTANCE: 5 } })
  expect(await readAll()).toEqual(before)
})

test('in the results of a bulk job, as a page, as files and as PDF', async () => {
  const { submit, decide, end } = createTestJobs(installation, api.url)
  const job = await submit(key)
  await decide(job, 0, 'green')
  await end(job, 1, 1)
  // A file is made in the thread of large reads, which has no log.
  const forms = [
    ...[
      ['results', 'application/json'],
      ['results?sort=risk', 'application/json'],
    ],
    ...[
      ['results', 'application/x-ndjson'],
      ['results', 'text/csv'],
      ['pdf', 'application/pdf'],
    ],
  ] as const
  const readAll = async () => {
    const replies: string[] = []
    for (const [path, accept] of forms) {
      const options = { key, headers: { accept } }
      const { status, text } = await call(api.url, 'GET', `/v1/bulk/${job.jobId}/${path}`, options)
      expect(status, `${path}: ${text}`).toBe(200)
      replies.push(text)
    }
    return replies
  }
  const itemId = job.submission.items[0]!.reportId
  await until(async () => expect((await readAll())[2]).toContain(itemId))
  const before = await readAll()
  await retire()
  expect(await documents()).toEqual([])
  expect(await readAll()).toEqual(before)
})

test('another account, and a row that names the place of another report, get nothing of it', async () => {
  await retire()
  const stranger = (await installation.key()).key
  expect((await call(api.url, 'GET', `/v1/reports/${reportId}`, { key: stranger })).status).toBe(404)
  const other = String((await screen(api.url, key)).json()['report_id'])
  await until(async () => {
    await retire()
    expect(
      await installation.database.query('SELECT FROM report_view.report WHERE report_id = $1', [other]),
    ).toHaveLength(1)
  })
  await installation.database.execute(
    `UPDATE report_view.report r SET log_partition = o.log_partition, log_offset = o.log_offset
     FROM report_view.report o WHERE r.report_id = $1 AND o.report_id = $2`,
    [other, reportId],
  )
  const reply = await call(api.url, 'GET', `/v1/reports/${other}`, { key })
  expect([reply.status, reply.text.includes(reportId)]).toEqual([500, false])
})
