/** A new report of a known address begins with what people decided on the other reports of its owner. */
import { sampleReport } from '@cupel/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { aSession, cookieOf, json, startFakeApi, startFront, type FakeApi } from './fake-api.js'

const report = sampleReport()
const earlier = { ...report, report_id: '1111111111111111', generated_at: '2026-01-02T03:04:05.006Z' }
const entry = {
  ...{ version: 1, at: '2026-01-03T00:00:00.000Z', by: { key_id: 'k1', person: 'Dana' } },
  ...{ kind: 'disposition_changed', text: 'Known <b>payroll</b>', disposition: 'cleared' },
  ...{ previous_disposition: null, proposal_version: null },
}
const later = { ...entry, version: 2, kind: 'note', text: 'Only a note', disposition: null }
const caseOf = (history: readonly object[]) => ({
  ...{ report_id: earlier.report_id, address: report.address, chain: report.chain, level: 'red', score: 100 },
  ...{ disposition: 'cleared', version: history.length, needs_second_person: false, proposal: null },
  ...{ opened_at: entry.at, changed_at: entry.at, history },
})
const RETIRED = Symbol('an earlier report that an archive took over')
const NOTHING = { items: [], next_page_token: null }

let api: FakeApi
let front: Awaited<ReturnType<typeof startFront>>
/** Answers by path; pages of reports by the disposition that was asked for. */
let answers: Record<string, unknown> = {}
beforeAll(async () => {
  api = await startFakeApi()
  front = await startFront(api)
  api.answer = (call, response) => {
    const { pathname, searchParams } = new URL(call.path, 'http://api.invalid')
    const name = pathname === '/v1/reports' ? (searchParams.get('disposition') ?? 'reports') : pathname
    const answer = answers[name]
    if (answer === RETIRED)
      return json(410, { code: 'report_retired', detail: 'In an archive.' })(call, response)
    json(answer === undefined ? 404 : 200, answer ?? { code: 'not_found' })(call, response)
  }
})
afterAll(async () => {
  await front.close()
  await api.close()
})
beforeEach(() => {
  answers = {
    ...{ reports: NOTHING, escalated: NOTHING, [`/v1/reports/${report.report_id}`]: report },
    cleared: { items: [report, earlier], next_page_token: null },
    [`/v1/reports/${earlier.report_id}/case`]: caseOf([entry, later]),
  }
})

const shown = async (): Promise<string> =>
  /<section aria-labelledby="decisions".*?<\/section>/s.exec(await shownPage())?.[0] ?? ''

async function shownPage(): Promise<string> {
  const url = `${front.url}/reports/${report.report_id}`
  const reply = await fetch(url, { headers: { cookie: cookieOf(aSession()) } })
  expect(reply.status).toBe(200)
  return await reply.text()
}

test('a decision on another report is shown with its person, its time and its reason', async () => {
  const html = await shown()
  expect(html).toContain(`/reports/${earlier.report_id}#case`)
  expect(html).toContain('2026-01-03 00:00:00 UTC, Dana: set to Cleared')
  expect(html).toContain('Known &lt;b>payroll')
  expect(html).not.toContain('Only a note')
  expect(html).not.toContain(`/reports/${report.report_id}#case`)
})

test('nothing is said only if all reports of the owner were searched', async () => {
  answers['cleared'] = NOTHING
  expect(await shown()).toBe('')
  answers['cleared'] = { items: [], next_page_token: 'more' }
  expect(await shown()).toContain('further decisions may exist')
})

test('decisions that cannot be read are named as that', async () => {
  delete answers['escalated']
  expect(await shown()).toContain('cannot be read right now')
})

test('a decision whose case cannot be read is named, and the others are shown', async () => {
  const unread = { ...earlier, report_id: '2222222222222222', generated_at: '2026-01-01T00:00:00.000Z' }
  answers['cleared'] = { items: [report, earlier, unread], next_page_token: null }
  const html = await shown()
  expect(html).toContain('2026-01-03 00:00:00 UTC, Dana: set to Cleared')
  expect(html).toContain(`/reports/${unread.report_id}#case`)
  expect(html).toContain(`Report ${unread.report_id}: its decision cannot be read right now`)
  expect(html).not.toContain('Earlier decisions cannot be read')
})

test('a report whose predecessor is in an archive is shown', async () => {
  answers['reports'] = RETIRED
  const html = await shownPage()
  expect(html).toContain('set to Cleared')
  expect(html).toContain('an earlier report cannot be read right now')
})
