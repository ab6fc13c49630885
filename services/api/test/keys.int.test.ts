/** Administration of keys and accounts: who may, that nobody gets more than they have, and what the log holds of it. */
import { issueKey, MAX_ISSUED_KEYS, MAX_WORKING_KEYS, type KeyOrder } from '@cupel/gate/access'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { call, screen, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let api: RunningApi
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
})
afterAll(() => installation.stop())

const KEYS = '/v1/keys'
const post = (key: string, path: string, body: object): Promise<Reply> =>
  call(api.url, 'POST', path, { key, body })
const patch = (key: string, keyId: string, body: object): Promise<Reply> =>
  call(api.url, 'PATCH', `${KEYS}/${keyId}`, { key, body })
const get = (key: string, path: string): Promise<Reply> => call(api.url, 'GET', path, { key })
const idOf = (reply: Reply): string => String(reply.json()['key_id'])
const items = (reply: Reply) => reply.json()['items'] as Record<string, unknown>[]

/** Events of keys of this account that were written, oldest first. */
async function written(accountId: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const rows = await installation.database.query<{ event: { type: string; data: Record<string, unknown> } }>(
    `SELECT event FROM projection.outbox WHERE event -> 'data' ->> 'accountId' = $1 AND event ->> 'type' LIKE 'ApiKey%' ORDER BY seq`,
    [accountId],
  )
  return await installation.opened(rows.map(({ event }) => event))
}

test('an issued key is shown once, works, and is told with who and why', async () => {
  const { key: admin, accountId, keyId } = await installation.key({ scope: 'admin' })
  const made = await post(admin, KEYS, { scope: 'read-write', name: 'payments', reason: 'the new service' })
  expect(made.status).toBe(201)
  expect(made.headers['location']).toBe(`${KEYS}/${idOf(made)}`)
  const key = String(made.json()['key'])
  expect((await screen(api.url, key)).status).toBe(200)
  for (const path of [KEYS, `${KEYS}/${idOf(made)}`]) {
    const shown = await get(admin, path)
    expect(shown.text).toContain('"payments"')
    expect(shown.text).not.toContain(key)
  }
  expect((await written(accountId)).at(-1)).toMatchObject({
    type: 'ApiKeyIssued',
    data: { keyId: idOf(made), scope: 'read-write', issuedBy: `key ${keyId}`, reason: 'the new service' },
  })
})

const lesser: readonly KeyOrder['scope'][] = ['read-only', 'read-write']
test.each(lesser)('a key with the scope %s administers nothing', async (scope) => {
  const { key, keyId } = await installation.key({ scope })
  const replies = [
    await get(key, KEYS),
    await get(key, `${KEYS}/${keyId}`),
    await post(key, KEYS, { scope: 'read-only' }),
    await patch(key, keyId, { scope: 'admin' }),
    await post(key, `${KEYS}/${keyId}/rotate`, {}),
    await post(key, `${KEYS}/${keyId}/revoke`, {}),
    await get(key, '/v1/accounts'),
    await post(key, '/v1/accounts', { name: 'Mine' }),
  ]
  for (const reply of replies) expect(reply.json()).toMatchObject({ status: 403, code: 'scope_required' })
  expect(replies[0]!.headers['www-authenticate']).toContain('scope="admin"')
})

describe('an admin', () => {
  const limits: Partial<KeyOrder> = {
    ...{ scope: 'admin', plan: 'pro', webhookAdmin: false },
    ...{ expiresAt: '2100-01-01T00:00:00.000Z', allowedIps: ['127.0.0.0/8'] },
  }
  const more = [
    { plan: 'enterprise' },
    { webhook_admin: true },
    { expires_at: '2100-01-02T00:00:00Z' },
    { allowed_ips: [] },
    { allowed_ips: ['127.0.0.1', '203.0.113.7'] },
  ]

  test.each(more)('who lacks it gives no key %o', async (body) => {
    const { key, accountId } = await installation.key(limits)
    const made = await post(key, KEYS, { scope: 'read-only', ...body })
    expect(made.json(), made.text).toMatchObject({ status: 403, code: 'scope_required' })
    const plain = await post(key, KEYS, { scope: 'read-only' })
    expect(plain.json()).toMatchObject({ plan: 'pro', allowed_ips: ['127.0.0.0/8'], webhook_admin: false })
    expect((await patch(key, idOf(plain), body)).json()).toMatchObject({ code: 'scope_required' })
    expect(await written(accountId)).toHaveLength(2)
  })

  test('does not take a greater key over by rotating it', async () => {
    const { key, accountId } = await installation.key(limits)
    const greater = await installation.key({ accountId, scope: 'read-only', allowedIps: [] })
    const operator = await installation.key({ accountId, scope: 'operator' })
    for (const { keyId } of [greater, operator]) {
      const reply = await post(key, `${KEYS}/${keyId}/rotate`, {})
      expect(reply.json(), reply.text).toMatchObject({ status: 403, code: 'scope_required' })
    }
    expect((await post(key, `${KEYS}/${operator.keyId}/revoke`, {})).status).toBe(403)
    expect((await patch(key, operator.keyId, { name: 'mine' })).status).toBe(403)
  })

  test.each([{ scope: 'admin' }, { scope: 'read-write' }, { webhook_admin: true }])(
    'adds no right to a key whose other rights exceed hers: %o',
    async (change) => {
      const { key, accountId } = await installation.key({ ...limits, webhookAdmin: true })
      const order = { accountId, scope: 'read-only', webhookAdmin: false } as const
      const { keyId } = await installation.key({ ...order, allowedIps: [], expiresAt: null })
      expect((await patch(key, keyId, change)).json()).toMatchObject({ code: 'scope_required' })
      expect((await patch(key, keyId, { name: 'a name gives nothing' })).status).toBe(200)
      expect((await patch(key, keyId, { ...change, ...narrowed })).status).toBe(200)
    },
  )
  const narrowed = { allowed_ips: ['127.0.0.1'], expires_at: '2099-01-01T00:00:00Z', plan: 'pro' }

  test('takes no right away from a key of an operator', async () => {
    const { key, accountId } = await installation.key({ scope: 'admin' })
    const { keyId } = await installation.key({ accountId, scope: 'operator' })
    expect((await patch(key, keyId, { scope: 'read-only' })).json()).toMatchObject({ code: 'scope_required' })
  })

  test('gives nobody the scope operator', async () => {
    for (const scope of ['admin', 'operator'] as const) {
      const { key } = await installation.key({ scope })
      const reader = idOf(await post(key, KEYS, { scope: 'read-only' }))
      expect((await post(key, KEYS, { scope: 'operator' })).status).toBe(400)
      expect((await patch(key, reader, { scope: 'operator' })).status).toBe(400)
    }
  })

  test('neither changes nor ends the key that acts, so that one stays', async () => {
    const { key, keyId, accountId } = await installation.key({ scope: 'admin' })
    const other = await installation.key({ scope: 'admin', accountId })
    for (const reply of [
      await patch(key, keyId, { scope: 'read-only' }),
      await post(key, `${KEYS}/${keyId}/revoke`, {}),
    ])
      expect(reply.json()).toMatchObject({ status: 409, code: 'key_conflict' })
    // Both at once: one is ended, and the other is refused or was ended before its call.
    await Promise.all([
      post(key, `${KEYS}/${other.keyId}/revoke`, {}),
      post(other.key, `${KEYS}/${keyId}/revoke`, {}),
    ])
    const statuses = await Promise.all([key, other.key].map(async (one) => (await get(one, KEYS)).status))
    expect(statuses.sort()).toEqual([200, 401])
  })

  test('whose key was rotated changes no keys until it ends', async () => {
    const { key, keyId } = await installation.key({ scope: 'admin' })
    const successor = await post(key, `${KEYS}/${keyId}/rotate`, { overlap_hours: 1 })
    expect(successor.json()).toMatchObject({ status: 'active', scope: 'admin', rotated_from: keyId })
    expect((await get(key, KEYS)).status).toBe(200)
    expect((await post(key, KEYS, { scope: 'read-only' })).json()).toMatchObject({ code: 'scope_required' })
    expect((await post(String(successor.json()['key']), KEYS, { scope: 'read-only' })).status).toBe(201)
  })

  test('names no other account and no other environment', async () => {
    const { key } = await installation.key({ scope: 'admin' })
    const { accountId: foreign, keyId } = await installation.key()
    for (const reply of [
      await get(key, `${KEYS}?account_id=${foreign}`),
      await get(key, `${KEYS}?livemode=false`),
      await post(key, KEYS, { scope: 'read-only', account_id: foreign }),
      await post(key, KEYS, { scope: 'read-only', livemode: false }),
    ])
      expect(reply.json()).toMatchObject({ status: 403, code: 'scope_required' })
    const strange = [
      await get(key, `${KEYS}/${keyId}`),
      await patch(key, keyId, { name: 'x' }),
      await post(key, `${KEYS}/${keyId}/rotate`, {}),
      await post(key, `${KEYS}/${keyId}/revoke`, {}),
    ]
    for (const reply of strange) expect(reply.json()).toMatchObject({ status: 404, code: 'not_found' })
    expect(strange.map(({ text }) => text).join()).not.toContain(foreign)
  })
})

describe('the keys of an account', () => {
  const full = { environment: 'live', scope: 'read-only', plan: 'pro', by: 'test' } as const

  test('that work are so many and no more, also if two calls come at once, unless an operator issues them', async () => {
    const { key: admin, accountId, keyId } = await installation.key({ scope: 'admin' })
    for (let count = 2; count < MAX_WORKING_KEYS; count += 1)
      await issueKey(installation.database, { ...full, accountId })
    const twice = await Promise.all([1, 2].map(() => post(admin, KEYS, { scope: 'read-only' })))
    expect(twice.map(({ status }) => status).sort()).toEqual([201, 400])
    for (const path of [KEYS, `${KEYS}/${keyId}/rotate`]) {
      const refused = await post(admin, path, path === KEYS ? { scope: 'read-only' } : {})
      expect(refused.json()).toMatchObject({
        code: 'invalid_request',
        detail: expect.stringContaining('100'),
      })
    }
    const { key: operator } = await installation.key({ scope: 'operator' })
    const order = { account_id: accountId, livemode: true, scope: 'read-only' }
    expect((await post(operator, KEYS, order)).status).toBe(201)
    const [newest] = items(await get(admin, KEYS))
    for (const ended of [idOf(twice.find(({ status }) => status === 201)!), String(newest!['key_id'])])
      expect((await post(admin, `${KEYS}/${ended}/revoke`, {})).status).toBe(200)
    expect((await post(admin, KEYS, { scope: 'read-only' })).status).toBe(201)
  })

  test('that its admins issue and end in a month are so many and no more', async () => {
    const { key: admin, accountId, keyId } = await installation.key({ scope: 'admin' })
    await installation.database.execute(
      `INSERT INTO access.api_key (key_id, account_id, environment, key_hash, scope, plan, name, allowed_ips, webhook_admin,
         issued_at, issued_by, revoked_at)
       SELECT left(md5(key_id || at), 8), account_id, environment, sha256((key_id || at)::bytea), scope, plan, name, allowed_ips,
         webhook_admin, now(), issued_by, now() FROM access.api_key, generate_series(2, $2) AS at WHERE key_id = $1`,
      [keyId, MAX_ISSUED_KEYS - 1],
    )
    expect((await post(admin, KEYS, { scope: 'read-only' })).status).toBe(201)
    expect((await post(admin, KEYS, { scope: 'read-only' })).json()['code']).toBe('invalid_request')
    await installation.database.execute(
      `UPDATE access.api_key SET issued_at = now() - interval '31 days' WHERE account_id = $1 AND key_id <> $2`,
      [accountId, keyId],
    )
    expect((await post(admin, KEYS, { scope: 'read-only' })).status).toBe(201)
  })
})

test('a change counts from the next call on, for the same key and its sessions', async () => {
  const { key: admin, accountId } = await installation.key({ scope: 'admin' })
  const { key, keyId } = await installation.key({ accountId, name: 'desk' })
  const session = String((await post(key, '/v1/sessions', {})).json()['session_token'])
  const changed = await patch(admin, keyId, { scope: 'read-only', name: 'reader', reason: 'it only reads' })
  expect(changed.json()).toMatchObject({
    key_id: keyId,
    scope: 'read-only',
    name: 'reader',
    plan: 'enterprise',
  })
  for (const holder of [key, session]) {
    expect((await screen(api.url, holder)).json()).toMatchObject({ status: 403, code: 'scope_required' })
    expect((await get(holder, '/v1/reports')).status).toBe(200)
  }
  await patch(admin, keyId, { allowed_ips: ['203.0.113.0/24'] })
  for (const holder of [key, session])
    expect((await get(holder, '/v1/reports')).json()).toMatchObject({ status: 403, code: 'ip_not_allowed' })
  expect((await written(accountId)).slice(-2)).toMatchObject([
    {
      type: 'ApiKeyChanged',
      data: { keyId, scope: 'read-only', areAddressesChanged: false, reason: 'it only reads' },
    },
    { type: 'ApiKeyChanged', data: { keyId, allowedIps: ['203.0.113.0/24'], areAddressesChanged: true } },
  ])
})

test('an operator opens an account, issues its first admin, and sees no other way in', async () => {
  const { key: operator } = await installation.key({ scope: 'operator' })
  const opened = await post(operator, '/v1/accounts', { name: 'Newcomer Ltd', reason: 'contract 117' })
  const account = String(opened.json()['account_id'])
  expect(opened.status).toBe(201)
  expect(items(await get(operator, '/v1/accounts?page_size=200'))).toContainEqual(opened.json())
  const first = await post(operator, KEYS, {
    scope: 'admin',
    plan: 'enterprise',
    account_id: account,
    name: 'first',
  })
  expect(first.json()).toMatchObject({ account_id: account, name: 'first', scope: 'admin' })
  expect(items(await get(operator, `${KEYS}?account_id=${account}`))).toMatchObject([{ name: 'first' }])
  const own = items(await get(String(first.json()['key']), KEYS))
  expect(own).toMatchObject([{ key_id: idOf(first), name: 'first' }])
  const nobody = await post(operator, KEYS, { scope: 'admin', account_id: 'acc_00000000000000000000' })
  expect(nobody.json()).toMatchObject({ status: 404 })
})

test('the pages of keys and accounts have each once', async () => {
  const { key, accountId } = await installation.key({ scope: 'operator' })
  for (let count = 0; count < 4; count += 1) {
    await issueKey(installation.database, {
      ...{ accountId, environment: 'live', scope: 'read-only', plan: 'pro', by: 'test' },
    })
    await post(key, '/v1/accounts', { name: `Account ${count}` })
  }
  for (const [path, id] of [
    [KEYS, 'key_id'],
    ['/v1/accounts', 'account_id'],
  ] as const) {
    const whole = items(await get(key, `${path}?page_size=200`)).map((one) => one[id])
    const paged: unknown[] = []
    for (let token: string | null = ''; token !== null;) {
      const page = await get(key, `${path}?page_size=2${token === '' ? '' : `&page_token=${token}`}`)
      paged.push(...items(page).map((one) => one[id]))
      token = page.json()['next_page_token'] as string | null
    }
    expect(paged).toEqual(whole)
    expect(new Set(paged).size).toBeGreaterThanOrEqual(5)
  }
})

test.each([
  [{ scope: 'root' }, '/scope'],
  [{ scope: 'read-only', allowed_ips: ['somewhere'] }, '/allowed_ips/0'],
  [{ scope: 'read-only', expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
  [{ scope: 'read-only', expires_at: 'tomorrow' }, '/expires_at'],
  [{ scope: 'read-only', name: ' ' }, '/name'],
  [{ scope: 'read-only', reason: 'two\nlines' }, '/reason'],
  [{ scope: 'read-only', plan: 'gold' }, '/plan'],
])('%o is refused at %s', async (body, pointer) => {
  const { key } = await installation.key({ scope: 'admin' })
  const reply = await post(key, KEYS, body)
  expect(reply.json(), reply.text).toMatchObject({ status: 400, errors: [{ pointer }] })
})
