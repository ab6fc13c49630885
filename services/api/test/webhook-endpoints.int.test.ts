import { listDeliveries } from '@cupel/webhooks'
import { NameNotFound } from '@cupel/kit/outbound'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

const HOOKS = '/v1/webhook-endpoints'
let installation: Installation
let url: string
let account: { key: string; accountId: string }
beforeAll(async () => {
  installation = await startInstallation()
  const names: Record<string, readonly string[]> = {
    'inside.example': ['10.0.0.7'],
    'mixed.example': ['93.184.215.14', '127.0.0.1'],
  }
  const resolve = async (name: string) => {
    if (name === 'nowhere.example') throw new NameNotFound('none')
    return names[name] ?? ['93.184.215.14']
  }
  url = (await installation.api({ resolve })).url
  account = await installation.key()
})
afterAll(() => installation.stop())

const send = (method: string, path: string, body?: object, key = account.key): Promise<Reply> =>
  call(url, method, HOOKS + path, { key, ...(body === undefined ? {} : { body }) })
const create = async (body: object = {}, key?: string): Promise<Record<string, unknown>> =>
  (await send('POST', '', { url: 'https://hooks.example.com/a', ...body }, key)).json()

describe('an endpoint', () => {
  test('is made, read, changed, paused, resumed and deleted', async () => {
    const { key } = await installation.key()
    const made = await send('POST', '', { url: 'https://HOOKS.example.com', payload: 'thin' }, key)
    expect(made.status).toBe(201)
    const { secret, ...endpoint } = made.json()
    expect(secret).toMatch(/^whsec_/)
    expect(endpoint).toMatchObject({
      url: 'https://hooks.example.com/',
      payload: 'thin',
      status: 'enabled',
      disabled_reason: null,
      proven_at: null,
    })
    const path = `/${String(endpoint['endpoint_id'])}`
    expect(made.headers['location']).toBe(HOOKS + path)
    expect((await send('GET', path, undefined, key)).json()).toEqual(endpoint)
    expect((await send('GET', '', undefined, key)).json()).toEqual({
      items: [endpoint],
      next_page_token: null,
    })
    const paused = await send('PATCH', path, { status: 'disabled' }, key)
    expect(paused.json()).toEqual({ ...endpoint, status: 'disabled', disabled_reason: 'paused' })
    const resumed = await send('PATCH', path, { status: 'enabled', payload: 'full' }, key)
    expect(resumed.json()).toEqual({ ...endpoint, payload: 'full' })
    const gone = await send('DELETE', path, undefined, key)
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect((await send('GET', path, undefined, key)).status).toBe(404)
    expect((await send('DELETE', path, undefined, key)).status).toBe(404)
  })

  test('shows its secret when it is made and when it is rotated, and at no other time', async () => {
    const { key } = await installation.key()
    const made = await create({}, key)
    const path = `/${String(made['endpoint_id'])}`
    const rotated = await send('POST', `${path}/rotate-secret`, undefined, key)
    expect(rotated.status).toBe(200)
    expect(rotated.json()['secret']).not.toBe(made['secret'])
    const untilMs = Date.parse(String(rotated.json()['previous_secret_expires_at'])) - Date.now()
    expect(untilMs).toBeGreaterThan(86_000_000)
    expect(untilMs).toBeLessThan(86_460_000)
    const shown = [
      await send('GET', path, undefined, key),
      await send('GET', '', undefined, key),
      await send('PATCH', path, { payload: 'thin' }, key),
      await send('POST', `${path}/test`, undefined, key),
      await send('GET', `${path}/deliveries`, undefined, key),
      await call(url, 'GET', '/v1/audit-log', { key }),
    ]
    for (const { text } of shown) {
      expect(text).not.toContain(String(made['secret']).slice(6))
      expect(text).not.toContain(String(rotated.json()['secret']).slice(6))
    }
  })

  test.each([
    ['plain http', 'http://hooks.example.com/'],
    ['an own address', 'https://127.0.0.1/'],
    ['a name that leads inside', 'https://inside.example/'],
    ['a name that leads inside and outside', 'https://mixed.example/'],
    ['a name that nobody has', 'https://nowhere.example/'],
    ['another port', 'https://hooks.example.com:22/'],
    ['user and password', 'https://a:b@hooks.example.com/'],
    ['no URL', 'hooks'],
  ])('with %s is refused, new or changed', async (_what, refused) => {
    const own = `/${String((await create())['endpoint_id'])}`
    for (const reply of [
      await send('POST', '', { url: refused }),
      await send('PATCH', own, { url: refused }),
    ])
      expect(reply.json()).toMatchObject({
        status: 400,
        code: 'invalid_webhook_url',
        errors: [{ pointer: '/url' }],
      })
    await send('DELETE', own)
  })

  test.each([
    ['a field nobody knows', { url: 'https://hooks.example.com/', secret: 'whsec_mine' }, '/secret'],
    ['an unknown payload', { url: 'https://hooks.example.com/', payload: 'fat' }, '/payload'],
    ['no url', {}, '/url'],
    ['a url that is too long', { url: `https://hooks.example.com/${'x'.repeat(2_048)}` }, '/url'],
  ])('with %s is malformed', async (_what, body, pointer) => {
    expect((await send('POST', '', body)).json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer }],
    })
  })

  test('is changed in something or refused', async () => {
    const path = `/${String((await create())['endpoint_id'])}`
    expect((await send('PATCH', path, {})).json()).toMatchObject({ code: 'invalid_request' })
    await send('DELETE', path)
  })

  test('is not changed by keys that may not', async () => {
    const own = await create()
    const path = `/${String(own['endpoint_id'])}`
    const of = { accountId: account.accountId }
    const readOnly = (await installation.key({ ...of, scope: 'read-only' })).key
    const noAdmin = (await installation.key({ ...of, webhookAdmin: false })).key
    const changes: readonly [string, string, object?][] = [
      ['POST', '', { url: 'https://hooks.example.com/' }],
      ['PATCH', path, { status: 'disabled' }],
      ['DELETE', path],
      ['POST', `${path}/rotate-secret`],
      ['POST', `${path}/test`],
      ['POST', `${path}/redeliver`, { since: '2026-01-01T00:00:00Z' }],
      ['POST', `${path}/deliveries/019aa5c8-7f00-7000-8000-000000000001/redeliver`],
    ]
    for (const key of [readOnly, noAdmin]) {
      for (const [method, at, body] of changes)
        expect((await send(method, at, body, key)).json(), `${method} ${at}`).toMatchObject({
          code: 'scope_required',
        })
      expect((await send('GET', path, undefined, key)).status).toBe(200)
      expect((await send('GET', `${path}/deliveries`, undefined, key)).status).toBe(200)
    }
    expect((await send('GET', path)).json()['status']).toBe('enabled')
    await send('DELETE', path)
  })

  test('list pages hold each endpoint once', async () => {
    const { key } = await installation.key()
    const ids: unknown[] = []
    for (let index = 0; index < 5; index += 1) ids.push((await create({}, key))['endpoint_id'])
    const seen: unknown[] = []
    let token = ''
    do {
      const page = (await send('GET', `?page_size=2${token}`, undefined, key)).json()
      seen.push(...(page['items'] as { endpoint_id: string }[]).map((one) => one.endpoint_id))
      token = page['next_page_token'] === null ? '' : `&page_token=${String(page['next_page_token'])}`
    } while (token !== '')
    expect(seen).toEqual(ids)
  })
})

describe('deliveries', () => {
  test('are listed, paged, filtered and sent again, one by one and by range', async () => {
    const { key, accountId } = await installation.key()
    const endpointId = String((await create({}, key))['endpoint_id'])
    const path = `/${endpointId}`
    const made: Record<string, unknown>[] = []
    for (let ping = 0; ping < 3; ping += 1)
      made.push((await send('POST', `${path}/test`, undefined, key)).json())
    const deliveryId = String(made[0]!['delivery_id'])
    expect(made[0]).toMatchObject({ type: 'endpoint.test', job_id: null, status: 'pending', attempts: [] })
    const first = (await send('GET', `${path}/deliveries?page_size=2`, undefined, key)).json()
    expect(first['items']).toEqual([made[2], made[1]])
    const rest = await send(
      'GET',
      `${path}/deliveries?page_size=2&page_token=${String(first['next_page_token'])}`,
      undefined,
      key,
    )
    expect(rest.json()).toMatchObject({ items: [made[0], { type: 'endpoint.test' }], next_page_token: null })
    const otherFilter = await send(
      'GET',
      `${path}/deliveries?status=held&page_token=${String(first['next_page_token'])}`,
      undefined,
      key,
    )
    expect(otherFilter.json()).toMatchObject({ status: 400, errors: [{ pointer: '/page_token' }] })

    await installation.database.execute(
      `UPDATE webhooks.delivery SET status = 'exhausted', next_attempt_at = NULL WHERE delivery_id = $1`,
      [deliveryId],
    )
    const exhausted = await send('GET', `${path}/deliveries?status=exhausted`, undefined, key)
    expect(exhausted.json()['items']).toMatchObject([{ delivery_id: deliveryId, next_attempt_at: null }])
    const again = await send('POST', `${path}/deliveries/${deliveryId}/redeliver`, undefined, key)
    expect(again.status).toBe(202)
    expect(again.json()).toMatchObject({
      delivery_id: deliveryId,
      webhook_id: made[0]!['webhook_id'],
      status: 'pending',
    })

    await installation.database.execute(
      `UPDATE webhooks.delivery SET status = 'exhausted' WHERE endpoint_id = $1`,
      [endpointId],
    )
    const since = new Date(Date.now() - 60_000).toISOString()
    const range = (body: object) => send('POST', `${path}/redeliver`, body, key)
    expect((await range({ since, until: since })).json()).toEqual({ count: 0 })
    expect((await range({ since })).json()).toEqual({ count: 4 })
    expect((await range({ since, statuses: ['pending'] })).json()).toEqual({ count: 4 })
    expect((await range({ since: 'yesterday' })).json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/since' }],
    })
    const owner = { accountId, livemode: true, endpointId }
    const { items } = await listDeliveries(installation.database, { ...owner, pageSize: 10, after: null })
    expect(items.map(({ status }) => status)).toEqual(['pending', 'pending', 'pending', 'pending'])
  })

  test('of one endpoint are unknown under another, of the same account as well', async () => {
    const { key } = await installation.key()
    const [one, two] = [await create({}, key), await create({}, key)]
    const ping = await send('POST', `/${String(one['endpoint_id'])}/test`, undefined, key)
    const deliveryId = String(ping.json()['delivery_id'])
    const path = (endpoint: Record<string, unknown>) =>
      `/${String(endpoint['endpoint_id'])}/deliveries/${deliveryId}/redeliver`
    expect((await send('POST', path(two), undefined, key)).json()).toMatchObject({
      status: 404,
      code: 'not_found',
    })
    expect((await send('POST', path(one), undefined, key)).status).toBe(202)
    const stranger = (await installation.key()).key
    expect((await send('POST', path(one), undefined, stranger)).status).toBe(404)
  })

  test('are not sent to a disabled endpoint, which says so', async () => {
    const { key } = await installation.key()
    const path = `/${String((await create({}, key))['endpoint_id'])}`
    const ping = await send('POST', `${path}/test`, undefined, key)
    await send('PATCH', path, { status: 'disabled' }, key)
    const held = await send('GET', `${path}/deliveries?status=held`, undefined, key)
    expect(held.json()['items']).toHaveLength(2)
    const again = `${path}/deliveries/${String(ping.json()['delivery_id'])}/redeliver`
    for (const [at, body] of [
      [`${path}/test`],
      [again],
      [`${path}/redeliver`, { since: '2026-01-01T00:00:00Z' }],
    ] as const)
      expect((await send('POST', at, body, key)).json()).toMatchObject({
        status: 409,
        code: 'endpoint_disabled',
      })
  })
})
