/** Accounts, their keys, and people in the console of an operator. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
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

const account = {
  ...{ account_id: 'acc_5f1c0a2b9d3e4f60718a', name: 'Bank <one>', created_at: '2026-11-21T09:00:00.000Z' },
  ...{ working_keys: 2, plans: ['pro', 'enterprise'], last_used_at: '2026-11-22T09:00:00.000Z' },
}
const role = { key_id: '8f2k1m0a', account_id: account.account_id, livemode: true, scope: 'admin' }
const people = {
  has_sign_in_service: true,
  groups: [
    { group: 'desk <1>', acts_with: role },
    { group: 'former', acts_with: null },
  ],
  signed_in: [
    {
      person: 'Ann <248>',
      ...role,
      begun_at: '2026-11-22T08:00:00.000Z',
      used_at: '2026-11-22T09:00:00.000Z',
    },
  ],
}
let answered: object
beforeEach(() => {
  answered = people
  api.calls.length = 0
  api.answer = (call, response) =>
    (call.method === 'POST'
      ? json(201, account)
      : call.path === '/v1/people'
        ? json(200, answered)
        : call.path.startsWith('/v1/accounts')
          ? json(200, { items: [account], next_page_token: null })
          : json(200, { items: [], next_page_token: null }))(call, response)
})
const operator = cookieOf(aSession({ scope: 'operator' }))
const get = async (path: string): Promise<string> =>
  await (await fetch(front.url + path, { headers: { cookie: operator } })).text()
async function post(path: string, fields: Record<string, string>): Promise<Response> {
  const csrf = /name="csrf" value="([^"]+)"/.exec(await get('/accounts'))![1]!
  api.calls.length = 0
  return await fetch(front.url + path, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ csrf, ...fields }) },
    headers: { cookie: operator, origin: front.url, 'sec-fetch-site': 'same-origin' },
  })
}

test('an operator sees accounts with plan, keys and last use, and people with what they may', async () => {
  const html = await get('/accounts')
  for (const text of [
    'Bank &lt;one>',
    'pro, enterprise',
    'desk &lt;1>',
    'Ann &lt;248>',
    'Administer this account',
  ])
    expect(html).toContain(text)
  expect(html).toContain('Nothing: the key of the settings does not work')
  expect(html).toContain(`/keys?account_id=${account.account_id}&amp;livemode=true`)
  answered = { has_sign_in_service: false, groups: [], signed_in: [] }
  expect(await get('/accounts')).toContain('No sign-in service is configured')
})

test('a new account leads to its keys, and a key of it is issued for it', async () => {
  const reply = await post('/accounts', { name: 'Bank', reason: 'contract 117' })
  const keys = `/keys?account_id=${account.account_id}&livemode=true`
  expect([reply.status, reply.headers.get('location')]).toEqual([303, keys])
  expect(JSON.parse(api.calls.find(({ method }) => method === 'POST')!.body)).toEqual({
    ...{ name: 'Bank', reason: 'contract 117' },
  })
  const html = await get(`/keys?account_id=${account.account_id}&livemode=false`)
  expect(api.calls.map(({ path }) => path)).toContain(
    `/v1/keys?account_id=${account.account_id}&livemode=false`,
  )
  expect(html).toContain('name="livemode" value="false"')
  await post('/keys', { account_id: account.account_id, livemode: 'false', scope: 'read-only' })
  expect(JSON.parse(api.calls.find(({ method }) => method === 'POST')!.body)).toMatchObject({
    ...{ account_id: account.account_id, livemode: false, scope: 'read-only' },
  })
})
