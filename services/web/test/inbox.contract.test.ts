/** The inbox says what changed in points, marks entries for one person, and opens cases. */
import { reasonText } from '@cupel/reports/document'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { csrfToken, type Session } from '@cupel/console'
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

const count = (unread: number, rest: object = {}) =>
  json(200, { unread, is_lower_bound: false, list_reasons: [], ...rest })
beforeEach(() => {
  api.unread = count(0)
  api.calls.length = 0
})

const ID = '3f0f6e2a-9c51-5a0e-8b6e-0c8d6f7a1b2c'
const none = {
  ...{ watch_id: null, reference: null, previous: null, current: null, why: null, reasons: [], causes: [] },
  ...{ split: null, split_missing: null, disposition: null, failures: null },
}
const change = {
  ...none,
  ...{ entry_id: ID, kind: 'report_changed', at: '2026-11-22T09:00:00.012Z', read: false },
  ...{ report_id: '622f9400217f0c08', address: '0xabc', chain: 'ETH', reference: '<b>mine</b>' },
  previous: { report_id: '9f2c4a1be07d6358', level: 'green', score: 2.5 },
  current: { report_id: '622f9400217f0c08', level: 'red', score: 83.5 },
  why: 'owned by Lazarus',
  split: { labels: 84, funds: -3, policy: 0, scorer: 0, time: 0, not_examined: 0 },
}

async function shown(path: string, session: Session = aSession()): Promise<string> {
  const answer = await fetch(`${front.url}${path}`, { headers: { cookie: cookieOf(session) } })
  expect(answer.status).toBe(200)
  return await answer.text()
}

/** The inbox has these entries, and nothing waits for a second person. */
const listing =
  (...items: readonly object[]): FakeApi['answer'] =>
  (call, response) =>
    json(200, { items: call.path.startsWith('/v1/inbox') ? items : [], next_page_token: null })(
      call,
      response,
    )

test('a change shows both levels, its split in points, and the comparison of both reports', async () => {
  api.answer = listing(change)
  const html = await shown('/inbox')
  expect(html).toContain('+81 points: labels +84, funds −3')
  expect(html).toContain('/compare?report=9f2c4a1be07d6358&amp;report=622f9400217f0c08')
  expect(html).toContain('owned by Lazarus')
  expect(html).not.toContain('<b>mine</b>')
})

test.each([
  ['busy', 'too many changes came at once'],
  ['refused', 'does not follow from its record'],
  ['later', 'The points are not split.'],
])('a change without a split because of %s says so', async (split_missing, words) => {
  api.answer = listing({ ...change, split: null, split_missing })
  const html = await shown('/inbox')
  expect(html).toContain('+81 points.')
  expect(html).toContain(words)
})

test('a part of a split that this version does not know is shown with the others', async () => {
  api.answer = listing({ ...change, split: { ...change.split, labels: 80, clusters: 4 } })
  expect(await shown('/inbox')).toContain('labels +80, funds −3, clusters +4')
})

test('a proposal leads to its case, and a failing watch to the watches', async () => {
  const at = { at: change.at, read: true, address: '0xdef', chain: 'ETH' }
  api.answer = listing(
    { ...none, ...at, entry_id: ID, kind: 'proposal_waiting', report_id: 'r1', disposition: 'cleared' },
    { ...none, ...at, entry_id: `${ID}2`, kind: 'watch_failed', report_id: null, failures: 3 },
  )
  const html = await shown('/inbox')
  expect(html).toContain('/reports/r1#case')
  expect(html).toContain('another person confirms or refuses it')
  expect(html).toContain('3 screenings in a row ended without a whole report')
})

test('lists that let nothing be green are named above the entries', async () => {
  api.answer = listing(change)
  api.unread = count(1, { list_reasons: ['list_incomplete'] })
  expect(await shown('/inbox')).toContain(reasonText('list_incomplete'))
})

test('the navigation of every page shows the count, and no count where the API gives none', async () => {
  api.answer = listing()
  api.unread = count(1_000, { is_lower_bound: true })
  expect(await shown('/watches')).toMatch(/1000\+<span class="for-readers"> unread/)
  for (const unread of [count(0), json(503, { code: 'unavailable', detail: 'Later.' }), json(200, {})]) {
    api.unread = unread
    expect(await shown('/watches')).not.toContain('for-readers')
  }
})

test('the inbox itself asks again, so that a mark counts at once', async () => {
  api.answer = listing()
  const session = aSession()
  api.unread = count(2)
  expect(await shown('/watches', session)).toMatch(/2<span class="for-readers">/)
  api.unread = count(1)
  expect(await shown('/watches', session)).toMatch(/2<span class="for-readers">/)
  expect(await shown('/inbox', session)).toMatch(/1<span class="for-readers">/)
})

test('the first page shows the newest unread entries', async () => {
  api.answer = (call, response) =>
    (call.path.startsWith('/v1/inbox') ? listing(change) : listing())(call, response)
  expect(await shown('/')).toContain('+81 points: labels +84, funds −3')
  expect(api.calls.map(({ path }) => path)).toContain('/v1/inbox?show=unread&page_size=5')
})

async function post(path: string, fields: readonly (readonly [string, string])[]) {
  const session = aSession()
  const form = new URLSearchParams([['csrf', csrfToken(session.token)], ...fields.map((one) => [...one])])
  return await fetch(`${front.url}${path}`, {
    ...{ method: 'POST', redirect: 'manual', body: form },
    headers: { cookie: cookieOf(session), 'sec-fetch-site': 'same-origin' },
  })
}
const sent = () => api.calls.filter(({ method }) => method === 'POST')

test('the chosen entries are marked, and the filter stays', async () => {
  api.answer = count(0)
  const fields = [['entry', `${ID} r1`] as const, ['do', 'unread'] as const]
  const answer = await post('/inbox?show=unread&page_token=x', fields)
  expect(answer.headers.get('location')).toBe('/inbox?show=unread&marked=1')
  expect(sent().map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
    ['/v1/inbox/marks', { entry_ids: [ID], read: false }],
  ])
})

test('a page is marked as a whole, whatever is chosen', async () => {
  api.answer = count(0)
  await post('/inbox', [
    ['entry', `${ID} r1`],
    ['shown', `${ID} r1`],
    ['shown', `${ID}2 `],
    ['do', 'read-all'],
  ])
  expect(JSON.parse(sent()[0]!.body)).toEqual({ entry_ids: [ID, `${ID}2`], read: true })
})

test('each chosen report gets one case, a report with a case stays as it is, and a failing watch has none', async () => {
  api.answer = (call, response) =>
    (call.path.includes('/r2/')
      ? json(412, { code: 'version_mismatch', detail: 'It has one.' })
      : json(201, {}))(call, response)
  const answer = await post('/inbox', [
    ['entry', `${ID} r1`],
    ['entry', `${ID}2 r1`],
    ['entry', `${ID}3 r2`],
    ['entry', `${ID}4 `],
    ['note', 'Look at it'],
    ['do', 'cases'],
  ])
  expect(answer.headers.get('location')).toBe('/inbox?opened=1')
  expect(sent().map(({ path }) => path)).toEqual(['/v1/reports/r1/notes', '/v1/reports/r2/notes'])
  expect(JSON.parse(sent()[0]!.body)).toEqual({ text: 'Look at it', version: 0 })
})

test('a form without a choice, or without a note, changes nothing', async () => {
  api.answer = listing(change)
  expect((await post('/inbox', [['do', 'read']])).status).toBe(400)
  const fields = [['entry', `${ID} r1`] as const, ['note', ' '] as const, ['do', 'cases'] as const]
  expect((await post('/inbox', fields)).status).toBe(400)
  expect(sent()).toEqual([])
})

test('an action that the page does not offer marks nothing', async () => {
  api.answer = listing(change)
  for (const action of ['', 'delete', 'READ']) {
    const answer = await post('/inbox', [
      ['entry', `${ID} r1`],
      ['do', action],
    ])
    expect(answer.status, action).toBe(400)
  }
  expect(sent()).toEqual([])
})

test('a key that only reads marks entries and sees no button for cases', async () => {
  api.answer = listing(change)
  const html = await shown('/inbox', aSession({ scope: 'read-only' }))
  expect(html).toContain('Mark the chosen as read')
  expect(html).not.toContain('Open cases')
})

test.each(['read-write', 'admin', 'operator'])('a key with the scope %s opens cases', async (scope) => {
  api.answer = listing(change)
  expect(await shown('/inbox', aSession({ scope }))).toContain('Open cases')
})
