/** The list of cases asks for what was chosen; the page of a case shows names, and its forms send what was filled in. */
import type { ReportCase } from '@cupel/contracts'
import { sampleReport } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { csrfToken } from '@cupel/console'
import { aSession, cookieOf, json, startFakeApi, startFront, type FakeApi, type Front } from './fake-api.js'

let api: FakeApi
let front: Front
beforeAll(async () => {
  api = await startFakeApi()
  front = await startFront(api)
})
afterAll(async () => {
  await front.close()
  await api.close()
})

const report = sampleReport({ customer_reference: 'customer 7 & <b>' })
const id = report.report_id
const at = '2026-11-21T09:00:00.012Z'
const by = { key_id: '8f2k1m0a', person: null, key_name: 'Ann <i>' }
const none = { disposition: null, previous_disposition: null, proposal_version: null }
const file = {
  ...{ name: 'a\u202e<img src=x>.pdf', media_type: 'application/pdf', bytes: 12_345 },
  ...{ sha256: 'ab', content_sha256: 'cd' },
}
const reportCase: ReportCase = {
  ...{ report_id: id, address: report.address, chain: report.chain, level: 'red', score: 100 },
  ...{ disposition: 'open', version: 2, needs_second_person: false, proposal: null },
  assignee: { key_id: 'k_left', person: null, key_name: 'Eve', has_left: true },
  ...{ due_on: '2020-01-31', is_overdue: true, opened_at: at, changed_at: at },
  history: [
    { version: 1, kind: 'note', at, by, text: 'A note', ...none },
    { version: 2, kind: 'file_attached', at, by, text: '', ...none, file },
  ],
}
const people = [
  { key_id: '8f2k1m0a', person: 'Dana Doe' },
  { key_id: '8f2k1m0a', person: null, key_name: 'Desk' },
]

async function get(path: string, session = aSession()): Promise<Response> {
  api.calls.length = 0
  api.answer = (call, response) => {
    const [path] = call.path.split('?', 1)
    const body =
      path === `/v1/reports/${id}`
        ? report
        : path === `/v1/reports/${id}/case`
          ? reportCase
          : { items: path === '/v1/cases/assignees' ? people : [], next_page_token: null }
    json(200, body)(call, response)
  }
  return await fetch(`${front.url}${path}`, { headers: { cookie: cookieOf(session) }, redirect: 'manual' })
}

async function post(path: string, fields: Readonly<Record<string, string | Blob>>): Promise<Response> {
  const session = aSession()
  const form = new FormData()
  for (const [name, value] of Object.entries({ csrf: csrfToken(session.token), ...fields }))
    form.set(name, value)
  api.calls.length = 0
  return await fetch(`${front.url}${path}`, {
    ...{ method: 'POST', redirect: 'manual', body: form },
    headers: { cookie: cookieOf(session), 'sec-fetch-site': 'same-origin' },
  })
}

test.each([
  ['', 'disposition=unsettled'],
  ['?whose=me&level=red', 'disposition=unsettled&level=red&assignee=me'],
  ['?whose=nobody&disposition=cleared', 'disposition=cleared&assignee=nobody'],
  ['?whose=overdue', 'disposition=unsettled&overdue=true'],
  ['?whose=8f2k1m0a&level=violet&disposition=x', 'disposition=unsettled'],
])('the list %j asks the API for %s', async (query, asked) => {
  expect((await get(`/cases${query}`)).status).toBe(200)
  expect(api.calls.map(({ path }) => path)).toContain(`/v1/cases?${asked}`)
})

test('the page of a case shows names in place of key ids, who left, what is overdue, and no text of people as HTML', async () => {
  const html = await (await get(`/cases/${id}`)).text()
  const text = html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
  for (const said of [
    'Eve (has left: no key works any more)',
    'This case is overdue since 2020-01-31.',
    'Ann &lt;i>',
    'a[U+202E]&lt;img src=x>.pdf (PDF, 12,345 bytes, SHA-256 ab)',
    'Other reports of the customer reference customer 7 &amp; &lt;b>',
  ])
    expect(text).toContain(said)
  expect(html).not.toMatch(/<img src=x|<i>|key 8f2k1m0a/)
  expect(html).toContain(`href="/cases/${id}/dossier.pdf"`)
  const asked = api.calls.map(({ path }) => path)
  expect(asked).toContain(`/v1/reports?customer_reference=customer+7+%26+%3Cb%3E&page_size=21`)
  const reader = await (await get(`/cases/${id}`, aSession({ scope: 'read-only' }))).text()
  expect(reader).not.toMatch(/<button>(?:Assign|Attach the file|Decide)/)
  expect(api.calls.map(({ path }) => path)).not.toContain('/v1/cases/assignees')
})

test.each([
  ['8f2k1m0a Dana Doe', '2026-12-31', { key_id: '8f2k1m0a', person: 'Dana Doe' }, '2026-12-31'],
  ['8f2k1m0a', '', { key_id: '8f2k1m0a' }, null],
  ['', '', null, null],
])('the assignment %j until %j is sent as it is chosen', async (assignee, due_on, named, day) => {
  api.answer = json(200, reportCase)
  const fields = { assignee, due_on, assignment_reason: '', version: '2', back: 'case' }
  const answer = await post(`/reports/${id}/assignment`, fields)
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `/cases/${id}`])
  expect([api.calls[0]!.path, JSON.parse(api.calls[0]!.body)]).toEqual([
    `/v1/reports/${id}/case/assignment`,
    { assignee: named, due_on: day, version: 2 },
  ])
})

test('a file is sent with its bytes, and a refusal is said in words', async () => {
  api.answer = json(201, reportCase)
  const fields = { back: 'case', file: new File([Buffer.from([1, 2, 255])], 'a.png', { type: 'image/png' }) }
  expect((await post(`/reports/${id}/files`, fields)).headers.get('location')).toBe(`/cases/${id}`)
  expect(JSON.parse(api.calls[0]!.body)).toEqual({ name: 'a.png', content: 'AQL/' })
  api.answer = (call, response) => {
    if (call.method === 'GET') json(200, reportCase)(call, response)
    else json(400, { code: 'invalid_request', errors: [{ detail: 'The file is empty.' }] })(call, response)
  }
  const refused = await post(`/reports/${id}/files`, fields)
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain('The file is empty.')
})

test('a file of a case is passed on to be saved, and never as a type that a browser shows', async () => {
  api.answer = (call, response) => {
    expect(call.path).toBe(`/v1/reports/${id}/case/files/2`)
    response.setHeader('content-type', 'application/octet-stream')
    response.setHeader('content-disposition', 'attachment; filename="cupel-case-2.txt"')
    response.end('<script>alert(1)</script>')
  }
  const reply = await fetch(`${front.url}/cases/${id}/files/2`, { headers: { cookie: cookieOf(aSession()) } })
  expect([
    ...['content-type', 'content-disposition', 'x-content-type-options'].map((name) =>
      reply.headers.get(name),
    ),
  ]).toEqual(['application/octet-stream', 'attachment; filename="cupel-case-2.txt"', 'nosniff'])
  const stranger = await fetch(`${front.url}/cases/${id}/files/2`, { redirect: 'manual' })
  expect(stranger.status).toBe(303)
})
