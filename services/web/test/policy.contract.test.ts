/** Proposals of policies in the console: what they change in words, and who is offered to put one in force. */
import { compiledDefaultPolicy, defaultPolicy } from '@cupel/domain'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  aSession,
  cookieOf,
  json,
  startFakeApi,
  startFront,
  type FakeApi,
  type Front,
  type SeenCall,
} from './fake-api.js'
import type { Session } from '@cupel/console'

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

const policy = {
  ...{
    id: 'default',
    version: 1,
    sha256: '0',
    activated_at: '2026-11-20T09:00:00.000Z',
    document: defaultPolicy,
  },
}
const proposal = {
  ...{ change_id: 'chg_0a1b2c3d4e5f60718293', status: 'open', reason: 'Because of <them>' },
  ...{ kind: 'activate_policy', account_id: 'acc_1', livemode: true, decided_by: null, decided_at: null },
  change: { ...defaultPolicy, version: 2, levels: { ...defaultPolicy.levels, red: 80 } },
  proposed_by: { key_id: '8f2k1m0a', person: 'Ann' },
  ...{ proposed_at: '2026-11-21T09:00:00.000Z', expires_at: '2026-12-05T09:00:00.000Z' },
  ...{ needs_second_person: true, may_confirm: true },
  effect: {
    ...{ is_outdated: false, findings: [{ path: 'levels.red', message: 'Look <twice>.' }] },
    settings: [
      { path: 'levels.red', from: 70, to: 80 },
      { path: 'future_section.odd_name', from: null, to: 3 },
    ],
  },
}
const activation = {
  ...{ policy: policy, activated_at: policy.activated_at, activated_by: 'system', reason: 'First start' },
}
const PAGE = `/changes/${proposal.change_id}`
let change: object
beforeEach(() => {
  change = {}
  api.calls.length = 0
  api.answer = (call, response) => answerOf(call)(call, response)
})
function answerOf({ method, path }: SeenCall): FakeApi['answer'] {
  if (path.endsWith('/decision')) return json(200, { ...proposal, status: 'confirmed', new_key: null })
  if (method === 'POST' && path === '/v1/proposed-changes') return json(201, proposal)
  if (path.startsWith('/v1/proposed-changes/')) return json(200, { ...proposal, ...change })
  if (path.startsWith('/v1/proposed-changes?change_kind=activate_policy'))
    return json(200, { items: [proposal], next_page_token: null })
  if (path.startsWith('/v1/policy/activations'))
    return json(200, { items: [activation], next_page_token: null })
  return json(200, policy)
}
const operator = (more: Partial<Session> = {}) => cookieOf(aSession({ scope: 'operator', ...more }))
const get = async (path: string, cookie = operator()): Promise<string> =>
  await (await fetch(front.url + path, { headers: { cookie } })).text()

async function post(path: string, fields: Record<string, string>, cookie = operator()): Promise<Response> {
  const csrf = /name="csrf" value="([^"]+)"/.exec(await get('/policy', cookie))![1]!
  api.calls.length = 0
  return await fetch(front.url + path, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ csrf, ...fields }) },
    headers: { cookie, origin: front.url, 'sec-fetch-site': 'same-origin' },
  })
}

test('an operator sees proposals and history; others, and the sandbox, ask for neither', async () => {
  const html = await get('/policy')
  expect(html).toContain(PAGE)
  expect(html).toContain('First start')
  for (const cookie of [cookieOf(aSession({ scope: 'admin' })), operator({ livemode: false })]) {
    api.calls.length = 0
    expect(await get('/policy', cookie)).not.toContain('First start')
    expect(api.calls.map(({ path }) => path)).toEqual(['/v1/policy'])
  }
})

test('a proposal tells in words what it changes, also of a setting that the page does not know', async () => {
  const html = await get(PAGE)
  expect(html).toContain('Levels: red changes from 70 to 80.')
  expect(html).toContain('Future section: odd name is new: 3.')
  expect(html).toContain('Because of &lt;them>')
  expect(html).toContain('Look &lt;twice>.')
  expect(html).toContain('The policy default 2')
  expect(html).toContain('Confirm or refuse the proposal')
  expect(html).not.toContain('checked')
})

test.each<readonly [string, object, string]>([
  ['needs another person', { may_confirm: false }, 'Another person than the one who proposed it'],
  [
    'is outdated',
    { may_confirm: false, effect: { ...proposal.effect, is_outdated: true } },
    'Another policy came into force since',
  ],
  ['was confirmed', { status: 'confirmed', may_confirm: false, effect: null }, 'was confirmed'],
  ['has a state that the page does not know', { status: '<odd>', may_confirm: true }, '&lt;odd>'],
])('a proposal that %s is not offered to be confirmed', async (_what, changed, says) => {
  change = changed
  const html = await get(PAGE)
  expect(html).toContain(says)
  expect(html).not.toContain('value="confirm"')
})

test('the policy that was tried is proposed as it is, with the reason', async () => {
  const document = compiledDefaultPolicy.canonical
  const reply = await post('/policy/proposals', { document, reason: 'fewer findings' })
  expect([reply.status, reply.headers.get('location')]).toEqual([303, PAGE])
  const sent = api.calls.find(({ method }) => method === 'POST')!
  expect(JSON.parse(sent.body)).toEqual({
    activate_policy: JSON.parse(document) as unknown,
    reason: 'fewer findings',
  })
})

test.each(['no JSON', '{"id":"a","id":"b"}'])('%s is not proposed', async (document) => {
  const reply = await post('/policy/proposals', { document, reason: 'fewer findings' })
  expect(reply.status).toBe(400)
  expect(api.calls.filter(({ method }) => method === 'POST')).toEqual([])
})

test('nothing is put in force without a choice', async () => {
  const careless = await post(`${PAGE}/decision`, {})
  expect(careless.status).toBe(400)
  expect(api.calls.filter(({ method }) => method === 'POST')).toEqual([])
  const reply = await post(`${PAGE}/decision`, { decision: 'confirm' })
  expect([reply.status, reply.headers.get('location')]).toEqual([303, PAGE])
  const sent = api.calls.find(({ method }) => method === 'POST')!
  expect([sent.path, sent.body]).toEqual([
    `/v1/proposed-changes/${proposal.change_id}/decision`,
    JSON.stringify({ decision: 'confirm' }),
  ])
})

test('a refusal of the API is shown on the page of the proposal', async () => {
  const before = api.answer
  api.answer = (call, response) =>
    (call.path.endsWith('/decision')
      ? json(409, { code: 'change_conflict', detail: 'A later <one> exists.' })
      : before)(call, response)
  const reply = await post(`${PAGE}/decision`, { decision: 'confirm' })
  expect(reply.status).toBe(409)
  expect(await reply.text()).toContain('A later &lt;one> exists.')
})
