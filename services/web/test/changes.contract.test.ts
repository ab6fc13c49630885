/** Proposed changes of keys and lists in the console: how a form becomes a proposal, and how another person decides it. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Session } from '@cupel/console'
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

const change = {
  ...{ change_id: 'chg_0a1b2c3d4e5f60718293', status: 'open', kind: 'issue_key', account_id: 'acc_1' },
  ...{ livemode: true, reason: 'Because of <them>', needs_second_person: true, may_confirm: true },
  change: { scope: 'read-write', allowed_ips: [], expires_at: null, future_right: { of: '<them>' } },
  proposed_by: { key_id: '8f2k1m0a', person: 'Ann' },
  ...{ proposed_at: '2026-11-21T09:00:00.000Z', expires_at: '2026-12-05T09:00:00.000Z' },
  ...{ decided_by: null, decided_at: null },
}
const key = {
  ...{
    key_id: '3c9d2e1f',
    account_id: 'acc_1',
    livemode: true,
    scope: 'read-write',
    plan: 'pro',
    name: 'Pay',
  },
  ...{ allowed_ips: [], webhook_admin: false, status: 'active', rotated_from: null, expires_at: null },
  ...{ issued_at: '2026-11-21T09:00:00.000Z', revoked_at: null, last_used_at: null },
}
const policy = {
  ...{ ...change, change_id: 'chg_00000000000000000001', kind: 'activate_policy' },
  change: { id: 'default', version: 2 },
}
const PAGE = `/changes/${change.change_id}`
const NEEDED = json(409, { code: 'second_person_required', detail: 'Two persons make this change.' })
let shown: object
let older: string | null
beforeEach(() => {
  shown = {}
  older = null
  api.calls.length = 0
  api.answer = (call, response) => answerOf(call)(call, response)
})
function answerOf({ method, path, body }: SeenCall): FakeApi['answer'] {
  const { decision } = (body === '' ? {} : JSON.parse(body)) as { decision?: string }
  if (path.endsWith('/decision'))
    return json(200, {
      ...{ ...change, status: 'confirmed' },
      new_key: decision === 'confirm' ? { ...key, key: 'cpl_live_secret' } : null,
    })
  if (method === 'POST' && path === '/v1/proposed-changes') return json(201, change)
  if (path.startsWith('/v1/proposed-changes?'))
    return json(200, { items: [change, policy], next_page_token: older })
  if (path.startsWith('/v1/proposed-changes/')) return json(200, { ...change, ...shown })
  if (method !== 'GET') return NEEDED
  if (path.startsWith('/v1/keys/')) return json(200, key)
  if (path === '/v1/inbox/unread') return json(200, { unread: 0, is_lower_bound: false, list_reasons: [] })
  return json(200, { items: [], next_page_token: null })
}
const ofScope = (scope: string, more: Partial<Session> = {}) => cookieOf(aSession({ scope, ...more }))
const admin = ofScope('admin')
const get = async (path: string, cookie = admin): Promise<string> =>
  await (await fetch(front.url + path, { headers: { cookie } })).text()
async function post(path: string, fields: Record<string, string>, from = PAGE): Promise<Response> {
  const csrf = /name="csrf" value="([^"]+)"/.exec(await get(from))![1]!
  api.calls.length = 0
  return await fetch(front.url + path, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ csrf, ...fields }) },
    headers: { cookie: admin, origin: front.url, 'sec-fetch-site': 'same-origin' },
  })
}
const sent = (path: string): unknown =>
  JSON.parse(api.calls.find((one) => one.method === 'POST' && one.path === path)!.body)

test('a proposed change is told in words, a field of a later version too, and nothing is chosen beforehand', async () => {
  const html = await get(PAGE)
  for (const text of ['A new key', 'Read and screen', 'anywhere', 'Because of &lt;them>', 'future_right'])
    expect(html).toContain(text)
  expect(html).not.toContain('<them>')
  expect(html).toContain('Confirm or refuse the proposal')
  expect(html).not.toContain('checked')
})

test.each<readonly [string, object, string]>([
  ['needs another person', { may_confirm: false }, 'Another person than the one who proposed it'],
  ['was refused', { status: 'refused', may_confirm: false }, 'was refused'],
  ['nobody can read', { change: null, may_confirm: false }, 'Nobody can read any more'],
  ['has a state that the page does not know', { status: '<odd>' }, '&lt;odd>'],
])('a change that %s is not offered to be confirmed', async (_what, changed, says) => {
  shown = changed
  const html = await get(PAGE)
  expect(html).toContain(says)
  expect(html).not.toContain('value="confirm"')
})

test('nothing is decided without a choice', async () => {
  expect((await post(`${PAGE}/decision`, {})).status).toBe(400)
  expect(api.calls.filter(({ method }) => method === 'POST')).toEqual([])
})

test('a confirmed key is shown once, to whoever confirmed it', async () => {
  const reply = await post(`${PAGE}/decision`, { decision: 'confirm' })
  expect([reply.status, reply.headers.get('location')]).toEqual([303, `/keys/${key.key_id}/new`])
  expect(reply.headers.get('set-cookie')).not.toContain('cpl_live_secret')
  const refused = await post(`${PAGE}/decision`, { decision: 'refuse' })
  expect([refused.status, refused.headers.get('location')]).toEqual([303, PAGE])
})

test('a form that takes two persons becomes a proposal with the same fields', async () => {
  const fields = { scope: 'read-only', name: 'Pay', allowed_ips: '', reason: 'the new service' }
  const issued = await post('/keys', fields, '/keys')
  expect([issued.status, issued.headers.get('location')]).toEqual([303, PAGE])
  expect(sent('/v1/proposed-changes')).toEqual({
    issue_key: { scope: 'read-only', name: 'Pay', allowed_ips: [], webhook_admin: false },
    reason: 'the new service',
  })
  expect((await post(`/keys/${key.key_id}/change`, fields, `/keys/${key.key_id}`)).status).toBe(303)
  expect(sent('/v1/proposed-changes')).toMatchObject({
    change_key: { key_id: key.key_id, scope: 'read-only' },
  })
  expect((await post(`/keys/${key.key_id}/rotate`, { reason: 'old' }, `/keys/${key.key_id}`)).status).toBe(
    303,
  )
  expect(sent('/v1/proposed-changes')).toEqual({ rotate_key: { key_id: key.key_id }, reason: 'old' })
  const at = '/lists/imports/lio_0a1b2c3d4e5f60718293/confirm'
  expect((await post(at, { accept_removals: '12', reason: 'delisted' }, '/keys')).status).toBe(303)
  expect(sent('/v1/proposed-changes')).toEqual({
    confirm_import: { import_id: 'lio_0a1b2c3d4e5f60718293', accept_removals: 12 },
    reason: 'delisted',
  })
})

test('the inbox shows what waits to whoever may decide it, and says if that is not known or not all', async () => {
  expect(await get('/inbox')).toContain(PAGE)
  expect(await get('/inbox')).not.toContain('Older ones wait')
  older = 'token'
  expect(await get('/inbox')).toContain('Older ones wait')
  expect(await get('/inbox', ofScope('operator'))).toContain('The policy default 2')
  api.calls.length = 0
  expect(await get('/inbox', ofScope('read-write'))).not.toContain(PAGE)
  expect(api.calls.map(({ path }) => path).filter((path) => path.includes('proposed'))).toEqual([])
  const before = api.answer
  api.answer = (call, response) =>
    (call.path.startsWith('/v1/proposed') ? json(503, { code: 'unavailable', detail: 'Down.' }) : before)(
      call,
      response,
    )
  expect(await get('/inbox')).toContain('cannot be read right now')
})
