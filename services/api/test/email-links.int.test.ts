/** Recipients of e-mail at the API: addresses that are refused, the links of messages, and what an endpoint is told. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_USES_PER_MINUTE } from '@cupel/webhooks/routes'
import { newEmailLink } from './email-link.js'
import { call, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

const HOOKS = '/v1/webhook-endpoints'
let installation: Installation
let url: string
let key: string
beforeAll(async () => {
  installation = await startInstallation()
  url = (await installation.api({ resolve: async () => ['93.184.215.14'] })).url
})
afterAll(() => installation.stop())

const send = (method: string, path: string, body?: object): Promise<Reply> =>
  call(url, method, HOOKS + path, { key, ...(body === undefined ? {} : { body }) })
const link = (method: string, token: string, options = {}): Promise<Reply> =>
  call(url, method, `/v1/email/${token}`, options)
const shown = async (endpointId: string) => (await send('GET', `/${endpointId}`)).json()

test('a recipient is added without a secret, is sealed in table and log, and shown to its account', async () => {
  ;({ key } = await installation.key())
  const made = await send('POST', '', { url: 'mailto:Risk@EXAMPLE.com', events: ['watches.digest'] })
  expect(made.json()).toMatchObject({
    ...{ url: 'mailto:Risk@example.com', payload: 'email', events: ['watches.digest'] },
    ...{ secret: null, proven_at: null, status: 'enabled' },
  })
  const [dump] = await installation.database.query<{ text: string }>(
    `SELECT (SELECT string_agg(e::text, '') FROM webhooks.endpoint e) || (SELECT string_agg(o::text, '') FROM projection.outbox o)
       || (SELECT string_agg(b::text, '') FROM webhooks.body b) AS text`,
  )
  expect(dump!.text.toLowerCase()).not.toContain('risk@example.com')
  const again = await send('POST', '', { url: 'MAILTO:Risk@example.COM' })
  expect(again.json()).toMatchObject({ status: 400, code: 'invalid_webhook_url' })
  const rotated = await send('POST', `/${String(made.json()['endpoint_id'])}/rotate-secret`)
  expect(rotated.json()).toMatchObject({ status: 400, code: 'invalid_webhook_url' })
})

test.each([
  'mailto:',
  'mailto:nobody',
  'mailto:a@b',
  'mailto:a@example.com?subject=x',
  'mailto:a@example.com,b@example.com',
  'mailto:a@example.com%0d%0aBcc:b@example.com',
  'mailto:a b@example.com',
  'mailto:"a"@example.com',
  'mailto:a@[127.0.0.1]',
  'mailto:ä@example.com',
  `mailto:${'a'.repeat(65)}@example.com`,
  'mailto:a@example.com\u2028b',
])('%j is not a recipient, new or changed', async (address) => {
  ;({ key } = await installation.key())
  const own = (await send('POST', '', { url: 'mailto:own@example.com' })).json()
  for (const reply of [
    await send('POST', '', { url: address }),
    await send('PATCH', `/${String(own['endpoint_id'])}`, { url: address }),
  ])
    expect(reply.json()).toMatchObject({ status: 400, errors: [{ pointer: '/url' }] })
})

test('an endpoint stays a URL or an address, and takes the payload of its kind', async () => {
  ;({ key } = await installation.key())
  const [mail, hook] = await Promise.all(
    ['mailto:a@example.com', 'https://hooks.example.com/'].map(async (to) =>
      String((await send('POST', '', { url: to })).json()['endpoint_id']),
    ),
  )
  for (const [id, body] of [
    [mail, { payload: 'full' }],
    [mail, { url: 'https://hooks.example.com/' }],
    [hook, { payload: 'email' }],
    [hook, { url: 'mailto:b@example.com' }],
  ] as const)
    expect((await send('PATCH', `/${id}`, body)).json()).toMatchObject({ code: 'invalid_webhook_url' })
  const made = await send('POST', '', { url: 'mailto:c@example.com', payload: 'thin' })
  expect(made.json()).toMatchObject({ code: 'invalid_webhook_url' })
})

test('a link shows what it does and does nothing until its button is pressed', async () => {
  ;({ key } = await installation.key())
  const { token, endpointId } = await newEmailLink({ database: installation.database, url, key }, 'confirm')
  const page = await link('GET', token)
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.headers['cache-control']).toBe('no-store')
  expect(page.text).toContain('<form method="post"><button>Confirm</button></form>')
  expect(page.text).not.toContain('example.org')
  expect(await shown(endpointId)).toMatchObject({ proven_at: null })
  for (let time = 0; time < 2; time += 1) {
    const done = await link('POST', token)
    expect([done.status, done.text.includes('The address is confirmed')]).toEqual([200, true])
  }
  expect((await shown(endpointId))['proven_at']).not.toBeNull()
})

test('a program of mail unsubscribes with one POST; an old link confirms nothing afterwards, and the account can ask again', async () => {
  ;({ key } = await installation.key())
  const at = { database: installation.database, url, key }
  const confirm = await newEmailLink(at, 'confirm')
  const unsubscribe = await newEmailLink(at, 'unsubscribe')
  await link('POST', confirm.token)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const done = await link('POST', unsubscribe.token, { headers: form, body: 'List-Unsubscribe=One-Click' })
  expect([done.status, done.text.includes('The messages have stopped')]).toEqual([200, true])
  const { endpointId } = unsubscribe
  expect(await shown(endpointId)).toMatchObject({ status: 'disabled', disabled_reason: 'unsubscribed' })
  expect((await shown(confirm.endpointId))['status']).toBe('enabled')
  const resumed = await send('PATCH', `/${endpointId}`, { status: 'enabled' })
  expect(resumed.json()).toMatchObject({ status: 'enabled', disabled_reason: null, proven_at: null })
})

/** Other texts that a lenient reader takes for the same bytes. */
const spellingsOf = (mac: string): readonly string[] =>
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    .map((last) => mac.slice(0, -1) + last)
    .filter((one) => one !== mac && Buffer.from(one, 'base64url').equals(Buffer.from(mac, 'base64url')))

test('a link is used so often in a minute and no more, by its page and its button together', async () => {
  ;({ key } = await installation.key())
  const at = { database: installation.database, url, key }
  const [greedy, other] = [await newEmailLink(at, 'confirm'), await newEmailLink(at, 'confirm')]
  const statuses: number[] = []
  for (let use = 0; use < MAX_USES_PER_MINUTE; use += 1)
    statuses.push((await link(use % 2 === 0 ? 'GET' : 'POST', greedy.token)).status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  for (const method of ['GET', 'POST']) {
    const refused = await link(method, greedy.token)
    expect(refused.json()).toMatchObject({ status: 429, code: 'rate_limited' })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  }
  expect((await link('POST', other.token)).status).toBe(200)
})

test('a link that was changed, or made for another address, opens nothing', async () => {
  ;({ key } = await installation.key())
  const { token, endpointId } = await newEmailLink({ database: installation.database, url, key }, 'confirm')
  const [letter, id, until, ...rest] = token.split('-')
  // It may have the sign that divides the parts.
  const mac = rest.join('-')
  const others = [
    token.replace('c-', 'u-'),
    [letter, id, String(Number(until) + 1), mac].join('-'),
    [letter, '0'.repeat(20), until, mac].join('-'),
    [letter, id, until, `${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`].join('-'),
    ...spellingsOf(mac).map((spelled) => [letter, id, until, spelled].join('-')),
  ]
  expect(others).toHaveLength(7)
  for (const other of others) {
    expect((await link('GET', other)).status, other).toBe(404)
    expect((await link('POST', other)).status, other).toBe(404)
  }
  await send('PATCH', `/${endpointId}`, { url: 'mailto:somebody-else@example.org' })
  expect((await link('POST', token)).status).toBe(404)
})

test('an endpoint chooses what it is told, and an unknown message is refused', async () => {
  ;({ key } = await installation.key())
  const made = await send('POST', '', { url: 'https://hooks.example.com/', events: ['report.changed'] })
  const path = `/${String(made.json()['endpoint_id'])}`
  expect(made.json()).toMatchObject({ events: ['report.changed'] })
  expect((await send('PATCH', path, { payload: 'thin' })).json()).toMatchObject({
    events: ['report.changed'],
  })
  expect((await send('PATCH', path, { events: null })).json()).toMatchObject({ events: null })
  for (const events of [['report.chnged'], [], ['endpoint.test']])
    expect((await send('PATCH', path, { events })).json()).toMatchObject({ code: 'invalid_request' })
})

test('a delivery is read with its body, and only by its account', async () => {
  ;({ key } = await installation.key())
  const made = await send('POST', '', { url: 'https://hooks.example.com/' })
  const endpointId = String(made.json()['endpoint_id'])
  const ping = (await send('POST', `/${endpointId}/test`)).json()
  const path = `/${endpointId}/deliveries/${String(ping['delivery_id'])}`
  const read = (await send('GET', path)).json()
  expect(read).toMatchObject({ type: 'endpoint.test', payload: 'full', headers: null })
  expect(JSON.parse(String(read['body']))).toMatchObject({ data: { endpoint_id: endpointId } })
  ;({ key } = await installation.key())
  expect((await send('GET', path)).status).toBe(404)
})
