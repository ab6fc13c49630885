/** The forms of bulk jobs send what the person chose, and open cases only where there are none. */
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

const ETH = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const JOB = 'job_019aa5c87f0070008000000000000001'
const job = {
  ...{ job_id: JOB, name: 'Clients', status: 'completed', total: 2, completed: 2, failed: 0, cancelled: 0 },
  levels: { green: 0, orange: 0, red: 2, grey: 0 },
  ...{ created_at: '2026-11-21T09:00:00.000Z', completed_at: '2026-11-21T09:00:01.000Z' },
}

async function post(path: string, fields: Readonly<Record<string, string>>) {
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

const work = '019aa5c8-7f00-7000-8000-000000000002'
const text = `client,address\nJane,${ETH}\n,${ETH}\n`

test('a job is submitted with its name, and with the references of the chosen column', async () => {
  api.answer = json(202, { job_id: JOB })
  const fields = {
    ...{ text, work, name: 'Clients' },
    ...{ column: '1', 'reference-column': '0', header: 'yes' },
  }
  const answer = await post('/bulk', fields)
  expect(answer.headers.get('location')).toBe(`/bulk/${JOB}`)
  expect(JSON.parse(api.calls[0]!.body)).toEqual({
    name: 'Clients',
    items: [{ address: ETH, reference: 'Jane' }, { address: ETH }],
  })
})

test('a file with two columns of addresses is not submitted before one is chosen', async () => {
  const two = `from,to\n${ETH},${ETH}\n`
  const answer = await post('/bulk', { text: two, work, name: '' })
  expect(answer.status).toBe(400)
  const html = await answer.text()
  expect(html).toContain('2 columns have addresses')
  expect(html).not.toMatch(/<input type="radio"[^>]* checked/)
  expect(api.calls).toEqual([])
})

test('the list shows names as text, and each level with its count', async () => {
  const levels = { green: 1, orange: 0, red: 3, grey: 0 }
  api.answer = json(200, { items: [{ ...job, name: '<b>x</b>', levels }], next_page_token: null })
  const answer = await fetch(`${front.url}/bulk`, { headers: { cookie: cookieOf(aSession()) } })
  const html = await answer.text()
  expect(html).toContain('&lt;b>x&lt;/b>')
  expect(html.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ')).toMatch(/■ Red 3 ● Green 1/)
  expect(html).not.toContain('level-orange')
})

test.each([
  ['running', 'Failed Not done'],
  ['completed_with_errors', '■ Red 2 ▲ Orange 0'],
])('a job that is %s shows counts with its rows only if they cannot change', async (status, shown) => {
  const running = { ...job, status, total: 9, completed: 2, failed: 1, completed_at: null, started_at: null }
  api.answer = (call, response) =>
    json(200, call.path.includes('/results?') ? { items: [], next_page_token: null } : running)(
      call,
      response,
    )
  const answer = await fetch(`${front.url}/bulk/${JOB}`, { headers: { cookie: cookieOf(aSession()) } })
  const [, chips = ''] = /<nav class="chips[^]*?>([^]*?)<\/nav>/.exec(await answer.text()) ?? []
  expect(chips.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')).toContain(shown)
})

const opened = { opened: 2, existing: 1, left_out: 0, not_done: 3, without_report: 0 }

test('cases are opened for all red reports by one call, and the page says what it left as it was', async () => {
  api.answer = json(200, opened)
  const answer = await post(`/bulk/${JOB}/cases`, { note: ' To be reviewed ' })
  expect(answer.headers.get('location')).toBe(`/bulk/${JOB}?opened=2&existing=1&waiting=3`)
  const calls = api.calls.filter(({ method }) => method === 'POST')
  expect(calls.map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
    [`/v1/bulk/${JOB}/cases`, { level: 'red', text: 'To be reviewed' }],
  ])
  api.answer = (call, response) => {
    if (call.path.includes('/results?')) json(200, { items: [], next_page_token: null })(call, response)
    else json(200, job)(call, response)
  }
  const shown = await fetch(`${front.url}/bulk/${JOB}?opened=2&existing=1&waiting=3`, {
    headers: { cookie: cookieOf(aSession()) },
  })
  expect(await shown.text()).toContain(
    '2 cases were opened. 1 red report has a case already. 3 addresses wait for a report.',
  )
})

test.each([
  [
    'that came too late for some',
    json(200, { ...opened, opened: 0, left_out: 1 }),
    '0 cases were opened. 1 red report could not be looked at in time',
  ],
  [
    'that the API refused',
    json(429, { code: 'rate_limited', detail: 'Too many calls of this key.' }),
    'Too many calls of this key.',
  ],
])('a press %s says so on the page of the job', async (_what, refuses, said) => {
  api.answer = (call, response) => {
    if (call.method === 'POST') refuses(call, response)
    else if (call.path.includes('/results?')) json(200, { items: [], next_page_token: null })(call, response)
    else json(200, job)(call, response)
  }
  const answer = await post(`/bulk/${JOB}/cases`, { note: 'x' })
  expect(answer.status).toBe(429)
  expect(await answer.text()).toContain(said)
})

const LOWER = '0x28c6c06298d514db089934071355e5743bf21d60'
const MIXED = '0x28C6c06298d514Db089934071355E5743bf21d60'

test('each address with a report is watched once, in one call, with the reference of its first result', async () => {
  const result = (address: string, chain: string, reference?: string) => ({
    ...{ number: 1, status: 'completed', reference },
    report: { report_id: 'r', address, chain },
  })
  const pages = [
    [result(MIXED, 'ETH', 'first'), result(LOWER, 'ETH', 'second')],
    [result(LOWER, 'BSC'), { number: 4, status: 'completed' }],
  ]
  api.answer = (call, response) => {
    if (call.method === 'POST') return json(201, { items: [{}, {}] })(call, response)
    const isFirst = !call.path.includes('page_token')
    return json(200, { items: pages[isFirst ? 0 : 1], next_page_token: isFirst ? 'more' : null })(
      call,
      response,
    )
  }
  const answer = await post(`/bulk/${JOB}/watches`, { level: 'red', digest: 'yes' })
  expect(answer.headers.get('location')).toBe(`/bulk/${JOB}?watched=2`)
  expect(api.calls[0]!.path).toContain('level=red&status=completed')
  const sent = api.calls.filter(({ method }) => method === 'POST')
  expect(sent.map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
    [
      '/v1/watches',
      {
        watches: [
          { address: MIXED, chain: 'ETH', digest: true, reference: 'first' },
          { address: LOWER, chain: 'BSC', digest: true },
        ],
      },
    ],
  ])
})

test('where the account may have no more watches, the page of the job says why', async () => {
  const items = [{ number: 1, status: 'completed', report: { report_id: 'r', address: MIXED, chain: 'ETH' } }]
  api.answer = (call, response) => {
    if (call.method === 'POST')
      return json(409, { code: 'too_many_watches', detail: 'At most 10000 watches.' })(call, response)
    if (call.path.includes('/results?sort'))
      return json(200, { items: [], next_page_token: null })(call, response)
    return json(200, call.path.includes('/results?') ? { items, next_page_token: null } : job)(call, response)
  }
  const answer = await post(`/bulk/${JOB}/watches`, { level: '' })
  expect(answer.status).toBe(409)
  expect(await answer.text()).toContain('At most 10000 watches.')
})
