/** Tests which clients may call with a key, and which reports each list shows. */
import { randomBytes } from 'node:crypto'
import {
  createAccount,
  createReportNames,
  highestReportEpoch,
  issueKey,
  loadInstallationSecrets,
} from '@cupel/gate/access'
import { API_KEY_RANDOM_BYTES, chains, renderApiKey, writtenForms } from '@cupel/domain'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { ADDRESS, call, screen, type Reply } from './http-client.js'
import { exampleOf, operations } from './described.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let api: RunningApi
beforeAll(async () => {
  installation = await startInstallation()
  // The test's own address counts as a proxy, so that X-Forwarded-For names the client.
  api = await installation.api({ config: { CUPEL_TRUSTED_PROXIES: ['127.0.0.0/8'] } })
})
afterAll(() => installation.stop())

/** A well-formed key that was never issued. */
const STRANGERS_KEY = renderApiKey('live', randomBytes(API_KEY_RANDOM_BYTES)).key
const NUMBERS_PER_EPOCH = 1n << 30n
const BITCOIN = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'
const UNKNOWN = '/v1/reports/0123456789abcdef'
const items = (reply: Reply) => reply.json()['items'] as Record<string, unknown>[]
const next = (reply: Reply) => reply.json()['next_page_token'] as string | null
const list = (key: string, query = '') => call(api.url, 'GET', `/v1/reports${query}`, { key })

describe('a key with an allowlist', () => {
  test.each([
    ['203.0.113.9', 404],
    ['::ffff:203.0.113.9', 404],
    ['6.6.6.6, 203.0.113.9', 404],
    ['203.0.113.9, 6.6.6.6', 403],
    ['203.0.114.1', 403],
    ['2001:db8::5', 404],
    ['2001:db9::5', 403],
    ['nonsense', 403],
    [undefined, 403],
  ])('from %s is answered %i', async (forwardedFor, status) => {
    const { key } = await installation.key({ allowedIps: ['203.0.113.0/24', '2001:db8::/32'] })
    const headers: Record<string, string> =
      forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
    const reply = await call(api.url, 'GET', UNKNOWN, { key, headers })
    expect(reply.status).toBe(status)
    if (status === 403) expect(reply.json()).toMatchObject({ code: 'ip_not_allowed' })
  })

  test('is not opened by X-Forwarded-For from a stranger', async () => {
    const { key } = await installation.key({ allowedIps: ['203.0.113.0/24'] })
    const direct = await installation.api({ config: { CUPEL_INSTANCE: 1 } })
    const reply = await call(direct.url, 'GET', UNKNOWN, {
      key,
      headers: { 'x-forwarded-for': '203.0.113.9' },
    })
    expect(reply.json()).toMatchObject({ status: 403, code: 'ip_not_allowed' })
  })
})

test('a key with an allowlist is closed to a client that its proxy does not name', async () => {
  // The peer of every call here is on the list, and no valid header names the client behind it.
  const { key } = await installation.key({ allowedIps: ['127.0.0.0/8', '203.0.113.0/24', '2001:db8::/32'] })
  for (const headers of [
    {},
    { 'x-forwarded-for': 'somebody' },
    { 'x-forwarded-for': '[2001:dead::9]:4711' },
  ]) {
    const reply = await call(api.url, 'GET', UNKNOWN, { key, headers })
    expect(reply.json()).toMatchObject({ status: 403, code: 'ip_not_allowed' })
  }
  for (const client of ['203.0.113.9', '203.0.113.9:4711', '2001:db8::9', '[2001:db8::9]:4711']) {
    const named = await call(api.url, 'GET', UNKNOWN, { key, headers: { 'x-forwarded-for': client } })
    expect(named.status, client).toBe(404)
  }
})

test('a start tells which proxies are believed', async () => {
  const told: unknown[] = []
  const ignore = (): void => undefined
  const info = (fields: unknown): void => void told.push(fields)
  const logger = { debug: ignore, info, warn: ignore, error: ignore }
  const config = { CUPEL_INSTANCE: 2, CUPEL_TRUSTED_PROXIES: ['192.0.2.0/24'] }
  await installation.api({ logger, config })
  expect(told).toContainEqual({ ranges: ['192.0.2.0/24'] })
})

test('calls without a key draw no report id', async () => {
  const { key } = await installation.key()
  const fresh = await installation.api({ config: { CUPEL_INSTANCE: 3 } })
  const epoch = await highestReportEpoch(installation.deps)
  for (const stranger of [{}, { key: STRANGERS_KEY }])
    for (const path of ['/v1/screen', '/v1/bulk'])
      expect((await call(fresh.url, 'POST', path, { ...stranger, body: { address: ADDRESS } })).status).toBe(
        401,
      )

  const { report_id: id } = (await screen(fresh.url, key)).json()

  const { reportIdKey } = await loadInstallationSecrets(installation.database)
  const [first] = createReportNames(reportIdKey)(BigInt(epoch) * NUMBERS_PER_EPOCH, 1, () => 0)
  // The last two digits are the partition.
  expect(String(id).slice(0, -2)).toBe(first!.slice(0, -2))
})

test('an expired key is as invalid as an unknown one', async () => {
  const { key } = await installation.key({ expiresAt: '2020-01-01' })
  const reply = await call(api.url, 'GET', UNKNOWN, { key })
  expect(reply.json()).toMatchObject({ status: 401, code: 'invalid_key' })
  expect(reply.headers['www-authenticate']).toMatch(/^Bearer realm="cupel", error="invalid_token"/)
})

test('a read-only key reads everything of its account and posts nothing', async () => {
  const { key, accountId } = await installation.key()
  const { key: reader } = await installation.key({ accountId, scope: 'read-only' })
  const made = await screen(api.url, key)
  const path = made.headers['location']!
  expect((await call(api.url, 'GET', path, { key: reader })).text).toBe(made.text)
  expect((await list(reader)).status).toBe(200)
  expect((await call(api.url, 'GET', '/v1/chains', { key: reader })).status).toBe(200)
  expect((await screen(api.url, reader)).json()).toMatchObject({ status: 403, code: 'scope_required' })
})

describe('the list of reports', () => {
  let key: string
  let accountId: string
  let made: string[]
  beforeAll(async () => {
    ;({ key, accountId } = await installation.key())
    made = []
    for (let count = 0; count < 5; count += 1) made.unshift((await screen(api.url, key)).text)
    made.unshift((await screen(api.url, key, { address: BITCOIN, chain: 'BTC' })).text)
    await until(async () => expect(items(await list(key))).toHaveLength(6))
  })

  test('shows documents as they were recorded, newest first', async () => {
    const reply = await list(key)
    expect(reply.text).toBe(`{"items":[${made.join(',')}],"next_page_token":null}`)
  })

  test('goes from page to page without a gap or a repeat, while new reports are made', async () => {
    const first = await list(key, '?page_size=2')
    await screen(api.url, key)
    await until(async () => expect(items(await list(key))).toHaveLength(7))
    const second = await list(key, `?page_size=3&page_token=${next(first)}`)
    const third = await list(key, `?page_size=3&page_token=${next(second)}`)
    expect([first, second, third].flatMap(items)).toEqual(made.map((text) => JSON.parse(text) as unknown))
    expect(next(third)).toBeNull()
  })

  test('is narrowed by address in any form, by chain and by level', async () => {
    expect(items(await list(key, `?address=${BITCOIN}`))).toHaveLength(1)
    const [segwit] = writtenForms(BITCOIN, 'BTC', 'BTC').filter((form) => form.startsWith('bc1'))
    const [nested] = writtenForms(BITCOIN, 'BTC', 'BTC').filter((form) => form.startsWith('3'))
    const [cash] = writtenForms(BITCOIN, 'BTC', 'BCH')
    for (const form of [segwit, nested, cash])
      expect(items(await list(key, `?address=${form}`))).toHaveLength(1)
    expect(items(await list(key, `?address=${ADDRESS.toLowerCase()}`)).length).toBeGreaterThanOrEqual(5)
    expect(items(await list(key, '?chain=btc'))).toHaveLength(1)
    expect(items(await list(key, '?level=red'))).toHaveLength(0)
    expect(items(await list(key, '?level=green&chain=BTC'))).toHaveLength(1)
  })

  test('is empty for other accounts and for the other environment', async () => {
    const { key: stranger } = await installation.key()
    const { key: sandbox } = await installation.key({ accountId, environment: 'test' })
    for (const outsider of [stranger, sandbox]) expect(items(await list(outsider))).toEqual([])
  })

  test('takes a page token only from the account, environment, list and filter it was made for', async () => {
    const token = next(await list(key, '?page_size=1'))!
    const { key: stranger } = await installation.key()
    const { key: sandbox } = await installation.key({ accountId, environment: 'test' })
    const attempts = [
      list(stranger, `?page_token=${token}`),
      list(sandbox, `?page_token=${token}`),
      list(key, `?page_token=${token}&level=green`),
      list(key, `?page_token=${token}&disposition=none`),
      list(key, `?page_token=${token.slice(0, -4)}AAAA`),
      list(key, `?page_token=${token}%3D`),
      list(key, '?page_token='),
      list(key, '?page_token=x'),
      call(api.url, 'GET', `/v1/chains?page_token=${token}`, { key }),
    ]
    for (const reply of await Promise.all(attempts)) {
      expect(reply.json()).toMatchObject({ status: 400, code: 'invalid_request' })
      expect(reply.json()['errors']).toMatchObject([{ pointer: '/page_token' }])
    }
    const { key: colleague } = await installation.key({ accountId, scope: 'read-only' })
    expect((await list(colleague, `?page_token=${token}`)).status).toBe(200)
  })

  test.each([
    ['?page_size=0', 400, '/page_size'],
    ['?page_size=201', 400, '/page_size'],
    ['?page_size=-1', 400, '/page_size'],
    ['?page_size=1.5', 400, '/page_size'],
    ['?page_size=', 400, '/page_size'],
    ['?page_size=0x10', 400, '/page_size'],
    ['?page_size=2&page_size=3', 400, '/page_size'],
    ['?level=RED', 400, '/level'],
    ['?levl=red', 400, '/levl'],
    ['?address=%00', 400, '/address'],
    ['?address=0x1', 400, '/address'],
    ['?chain=XYZ', 422, '/chain'],
    [`?chain=BTC&address=${ADDRESS}`, 422, '/chain'],
    [`?chain=XYZ&address=${ADDRESS}`, 422, '/chain'],
  ])('refuses %s with %i', async (query, status, pointer) => {
    const reply = await list(key, query)
    expect(reply.json()).toMatchObject({ status })
    expect(reply.json()['errors']).toMatchObject([{ pointer }])
  })
})

test('the list of chains is the table, in pages', async () => {
  const { key } = await installation.key()
  const whole = await call(api.url, 'GET', '/v1/chains', { key })
  expect(items(whole).map((chain) => chain['code'])).toEqual(chains.map((chain) => chain.code))
  expect(next(whole)).toBeNull()
  const codes: unknown[] = []
  for (let token: string | null = ''; token !== null;) {
    const query: string = token === '' ? '?page_size=10' : `?page_size=10&page_token=${token}`
    const page: Reply = await call(api.url, 'GET', `/v1/chains${query}`, { key })
    codes.push(...items(page).map((chain) => chain['code']))
    token = next(page)
  }
  expect(codes).toEqual(chains.map((chain) => chain.code))
  expect((await call(api.url, 'GET', '/v1/chains')).status).toBe(401)
})

test('a key that is issued works at once, on every instance', async () => {
  const other = await installation.api({ config: { CUPEL_INSTANCE: 2 } })
  const { accountId } = await createAccount(installation.database, { name: 'New', by: 'ops' })
  const order = { accountId, environment: 'live', scope: 'read-write', plan: 'pro', by: 'ops' } as const
  const { key } = await issueKey(installation.database, order)
  for (const { url } of [api, other]) expect((await screen(url, key)).status).toBe(200)
})

test('every operation refuses a parameter that it does not know, and says which', async () => {
  // What needs a greater scope is refused before it is read.
  const { key } = await installation.key({ scope: 'operator' })
  const ids: Record<string, string> = {
    report_id: '0123456789abcdef',
    earlier_id: '0123456789abcdef',
    transfer_id: '0123456789abcdef',
    job_id: 'job_019aa5c87f0070008000000000000001',
    endpoint_id: 'we_0a1b2c3d4e5f60718293',
    share_id: 'shr_0a1b2c3d4e5f60718293',
    delivery_id: '3f0f6e2a-9c51-5a0e-8b6e-0c8d6f7a1b2c',
    watch_id: 'wat_0a1b2c3d4e5f60718293',
    tile: '0/000.p/1',
    version: '1',
    code: 'not_found',
    import_id: 'lio_0a1b2c3d4e5f60718293',
    label_id: 'lbl_0a1b2c3d4e5f60718293',
    change_id: 'chg_0a1b2c3d4e5f60718293',
    key_id: '0a1b2c3d',
  }
  for (const { method, path, operation } of operations) {
    // A faulty link opens nothing, and the answer gives no reason.
    if (path === '/v1/shared/{token}' || path === '/v1/email/{link}') continue
    // An endpoint that is off answers before it reads anything.
    if (path === '/v1/sessions/oidc') continue
    const concrete = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'no-example-id')
    const body = operation.requestBody === undefined ? {} : { body: exampleOf(method, path) }
    const reply = await call(api.url, method, `${concrete}?colour=red`, { key, ...body })
    expect(reply.json(), `${method} ${path}`).toMatchObject({
      ...{ status: 400, code: 'invalid_request' },
      errors: [{ pointer: '/colour' }],
    })
  }
})

test('of a job that runs the results are those of finished items, and of all where asked', async () => {
  const { key } = await installation.key()
  // No coordinator runs here. An address that no store can hold fails at once as an item.
  const addresses = [ADDRESS, 'a\u0000b', ADDRESS, '\ud800']
  const job = await call(api.url, 'POST', '/v1/bulk', { key, body: { addresses } })
  expect([job.status, job.json()['failed']]).toEqual([202, 2])
  const results = (query: string, accept = 'application/json') =>
    call(api.url, 'GET', `${job.headers['location']}/results?${query}`, { key, headers: { accept } })
  const refused = (number: number, address: string) => ({
    ...{ number, address, status: 'failed' },
    error: expect.objectContaining({ code: 'invalid_address' }) as unknown,
  })
  const failed = [refused(2, 'a\ufffdb'), refused(4, '\ufffd')]
  expect(items(await results(''))).toEqual(failed)
  expect(items(await results('include=pending')).map(({ status }) => status)).toEqual([
    ...['pending', 'failed', 'pending', 'failed'],
  ])
  const first = await results('page_size=1')
  expect(items(first)).toEqual([failed[0]])
  const second = await results(`page_size=1&page_token=${next(first)}`)
  expect([items(second), next(second)]).toEqual([[failed[1]], null])
  expect((await results(`include=pending&page_token=${next(first)}`)).status).toBe(400)
  expect((await results('', 'text/csv')).text.trim().split('\r\n')).toHaveLength(1 + 2)
  expect((await results('include=all')).json()).toMatchObject({ errors: [{ pointer: '/include' }] })
})
