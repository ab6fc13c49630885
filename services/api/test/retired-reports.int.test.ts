/** A report that was cut from the log is gone by name only for whoever may read it, and only in a month that an archive took over. */
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { call, screen } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'
import { newShare } from './report-work.js'
import { logThatWasCut, retireReports, RETIRED } from './retired-reports.js'

let installation: Installation
let own: { key: string; accountId: string }
let reportId: string
beforeEach(async () => {
  installation = await startInstallation()
  own = await installation.key()
  const { url } = await installation.api()
  reportId = String((await screen(url, own.key)).json()['report_id'])
  await until(async () =>
    expect(await installation.database.query('SELECT FROM report_view.report')).toHaveLength(1),
  )
})
afterEach(() => installation.stop())

const start = async (CUPEL_RETENTION_ARCHIVE?: string): Promise<string> =>
  (
    await installation.api({
      config: { CUPEL_INSTANCE: 4, CUPEL_RETENTION_ARCHIVE },
      log: logThatWasCut(installation.log),
    })
  ).url
const read = (url: string, { key, id = reportId }: { key: string; id?: string } = own) =>
  call(url, 'GET', `/v1/reports/${id}`, { key })

test('the account reads which archive has it, the month and the cut; other accounts and unknown ids are not found', async () => {
  await retireReports(installation, own.accountId)
  const url = await start()
  const reply = await read(url)
  expect(reply.json()).toMatchObject({ status: 410, code: 'report_retired', ...RETIRED })
  expect(reply.headers['content-type']).toBe('application/problem+json')
  const stranger = await installation.key()
  const sandbox = await installation.key({ accountId: own.accountId, environment: 'test' })
  for (const asked of [
    { key: stranger.key },
    { key: sandbox.key },
    { key: own.key, id: `${reportId.startsWith('0') ? '1' : '0'}${reportId.slice(1)}` },
  ]) {
    const { status, text } = await read(url, asked)
    expect([status, text.includes(RETIRED.archive)], text).toEqual([404, false])
  }
})

test('a PDF whose leaf is made of a record that was cut says so too', async () => {
  installation.prove()
  await retireReports(installation, own.accountId)
  // As a rebuild from the archive leaves it.
  await installation.database.execute(`UPDATE report_view.report SET document = $1`, [
    (await read((await installation.api({ config: { CUPEL_INSTANCE: 5 } })).url)).text,
  ])
  const url = await start()
  expect((await read(url)).status).toBe(200)
  const pdf = () => call(url, 'GET', `/v1/reports/${reportId}/pdf`, own)
  await until(async () => expect((await pdf()).json()).toMatchObject({ status: 410, ...RETIRED }))
})

test('a report that the log lacks in a month that nobody retired from it cannot be read now', async () => {
  await retireReports(installation, own.accountId)
  await installation.database.execute(`UPDATE projection.retired_month SET month = '2025-09'`)
  const url = await start()
  expect((await read(url)).json()).toMatchObject({ status: 503, code: 'unavailable' })
  await installation.database.execute(
    `UPDATE projection.retired_month SET month = '2025-10', store = 'database'`,
  )
  expect((await read(url)).json()).toMatchObject({ status: 503, code: 'unavailable' })
  // The cut of a month is one of all months before it.
  await installation.database.execute(`UPDATE projection.retired_month SET month = '2025-11', store = 'log'`)
  expect((await read(url)).json()).toMatchObject({ status: 410, month: '2025-10' })
})

test('if an archive is configured that does not give it, it cannot be read now', async () => {
  await retireReports(installation, own.accountId)
  const url = await start('/backup/cupel-archive')
  expect((await read(url)).json()).toMatchObject({ status: 503, code: 'unavailable' })
})

test('a page of the list ends before it, and the page that begins with it says where it is', async () => {
  await retireReports(installation, own.accountId)
  const uncut = await installation.api({ config: { CUPEL_INSTANCE: 5 } })
  const newer = String((await screen(uncut.url, own.key)).json()['report_id'])
  await until(async () =>
    expect(await installation.database.query('SELECT FROM report_view.report')).toHaveLength(2),
  )
  const url = await start()
  const list = (query = '') => call(url, 'GET', `/v1/reports${query}`, own)
  const page = (await list()).json()
  expect(page).toMatchObject({ items: [{ report_id: newer }], next_page_token: expect.any(String) })
  const rest = await list(`?page_token=${encodeURIComponent(String(page['next_page_token']))}`)
  expect(rest.json()).toMatchObject({ status: 410, code: 'report_retired', ...RETIRED })
})

test('whoever opens a share link reads that it is in an archive, and not in which', async () => {
  const uncut = await installation.api({ config: { CUPEL_INSTANCE: 5 } })
  const { token } = await newShare({ url: uncut.url, key: own.key, reportId })
  await retireReports(installation, own.accountId)
  const reply = await call(await start(), 'GET', `/v1/shared/${token}`)
  expect(reply.json()).toMatchObject({ status: 410, code: 'report_retired' })
  expect(reply.text).not.toContain(RETIRED.archive)
})
