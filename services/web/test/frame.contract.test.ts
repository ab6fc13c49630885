/** The frame of the console against malicious visitors: forms, origins, cookies, headers, addresses and limits. */
import { connect } from 'node:net'
import { API_KEY_RANDOM_BYTES, renderApiKey } from '@cupel/domain'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { csrfToken } from '@cupel/console'
import { aSession, cookieOf, json, SECRET, startFakeApi, startFront, type FakeApi } from './fake-api.js'

const MISTYPED_KEY = `cpl_live_${'0'.repeat(57)}`
const OUTSIDE = 'https://evil.example'

let api: FakeApi
let url: string
const closing: (() => Promise<void>)[] = []
beforeAll(async () => {
  api = await startFakeApi()
  const front = await startFront(api)
  url = front.url
  closing.push(front.close, api.close)
})
afterAll(async () => {
  for (const close of closing) await close()
})
afterEach(() => {
  api.answer = json(200, { items: [], next_page_token: null })
  api.calls.length = 0
})

async function front(options: Parameters<typeof startFront>[1]): Promise<string> {
  const started = await startFront(api, options)
  closing.unshift(started.close)
  return started.url
}

const get = (path: string, headers: Record<string, string> = {}, at = url): Promise<Response> =>
  fetch(at + path, { headers, redirect: 'manual' })

interface Post {
  readonly cookie?: string
  readonly form?: Record<string, string>
  readonly headers?: Record<string, string>
}

/** Posts a form like a browser on a page of the console: undici sets no Origin itself. */
function post(path: string, { cookie, form = {}, headers = {} }: Post = {}, at = url): Promise<Response> {
  return fetch(at + path, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(form),
    headers: { 'sec-fetch-site': 'same-origin', ...(cookie === undefined ? {} : { cookie }), ...headers },
  })
}

/** The sign-in form of a new visitor: its cookie and its token. */
async function signInForm(at = url): Promise<{ readonly cookie: string; readonly csrf: string }> {
  const page = await get('/sign-in', {}, at)
  const [cookie = ''] = page.headers.getSetCookie()
  return {
    cookie: cookie.split(';', 1)[0]!,
    csrf: /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? '',
  }
}

const session = aSession()
const signedIn = { cookie: cookieOf(session) }
const csrf = csrfToken(session.token)

test('while it drains, pages are served and every answer ends its connection', async () => {
  const draining = await startFront(api)
  closing.unshift(draining.close)
  // This drain lasts longer than any test; it ends when the console closes.
  void draining.drain(3_600_000)
  const page = await get('/sign-in', {}, draining.url)
  expect([page.status, page.headers.get('connection')]).toEqual([200, 'close'])
})

test.each([
  ['a page', '/sign-in'],
  ['a redirect', '/'],
  ['an unknown path', '/nothing/../../etc/passwd'],
  ['an asset', '/assets/console.css'],
])('%s has the headers that keep browsers from harm', async (_, path) => {
  const { headers } = await get(path)
  const policy = String(headers.get('content-security-policy'))
  for (const rule of [
    "default-src 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
    "base-uri 'none'",
  ])
    expect(policy.split('; ')).toContain(rule)
  expect(policy).not.toContain('unsafe')
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  })
})

test('no page is kept by a cache; only assets, whose names contain their hash, are', async () => {
  for (const path of ['/sign-in', '/', '/nothing'])
    expect((await get(path, signedIn)).headers.get('cache-control')).toBe('no-store')
  expect((await get('/assets/console.js')).headers.get('cache-control')).toContain('immutable')
})

test('an asset is packed for a browser that takes it, and a page, which has secrets, is not', async () => {
  const plain = await get('/assets/icon.svg', { 'accept-encoding': 'identity' })
  const packed = await get('/assets/icon.svg', { 'accept-encoding': 'br, gzip' })
  expect(plain.headers.get('content-encoding')).toBeNull()
  expect(packed.headers.get('content-encoding')).toBe('gzip')
  expect(packed.headers.get('vary')).toBe('accept-encoding')
  expect(Number(packed.headers.get('content-length'))).toBeLessThan(
    Number(plain.headers.get('content-length')),
  )
  expect(await packed.text()).toBe(await plain.text())
  const page = await get('/sign-in', { 'accept-encoding': 'gzip' })
  expect(page.headers.get('content-encoding')).toBeNull()
})

test.each([
  ['no token', {}],
  ['an empty token', { csrf: '' }],
  ['a token of another session', { csrf: csrfToken(aSession().token) }],
  ['the session’s own token cut by one character', { csrf: csrf.slice(1) }],
])('a form with %s changes nothing', async (_, form) => {
  const reply = await post('/sign-out', { cookie: signedIn.cookie, form })
  expect(reply.status).toBe(403)
  expect(api.calls).toEqual([])
})

test.each([
  ['the origin of another site', { 'sec-fetch-site': 'cross-site', origin: OUTSIDE }],
  ['only a forged origin', { origin: OUTSIDE }],
  ['another port of this host', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
  ['an opaque origin of another site', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ['another site that hides its origin', { 'sec-fetch-site': 'cross-site' }],
  ['an address that the person typed', { 'sec-fetch-site': 'none' }],
])('a form from %s changes nothing, even with the right token', async (_, headers) => {
  const reply = await post('/sign-out', { cookie: signedIn.cookie, form: { csrf }, headers })
  expect(reply.status).toBe(403)
  expect(api.calls).toEqual([])
})

test('a browser that tells nothing of the origin is refused', async () => {
  const reply = await fetch(`${url}/sign-out`, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ csrf }), headers: signedIn },
  })
  expect(reply.status).toBe(403)
})

test.each([
  ['as browsers send it from a page without referrer', { origin: 'null' }],
  ['with its origin', { origin: 'OWN' }],
])('a form of the console itself is taken, %s', async (_, { origin }) => {
  api.answer = (__, response) => response.writeHead(204).end()
  const headers = { origin: origin === 'OWN' ? url : origin }
  const reply = await post('/sign-out', { cookie: signedIn.cookie, form: { csrf }, headers })
  expect([reply.status, reply.headers.get('location')]).toEqual([303, '/sign-in'])
  expect(api.calls.map(({ method, path }) => `${method} ${path}`)).toEqual(['DELETE /v1/sessions/current'])
  expect(reply.headers.getSetCookie()).toEqual([expect.stringMatching(/^cupel-session=; .*Max-Age=0$/)])
})

test('behind a proxy only the configured address is an origin, whatever Host says', async () => {
  const at = await front({ publicUrl: 'https://cupel.example.com' })
  const from = async (origin: string) => {
    const headers = { origin, 'sec-fetch-site': 'same-origin' }
    return (await post('/sign-out', { cookie: signedIn.cookie, form: { csrf }, headers }, at)).status
  }
  expect(await from('https://cupel.example.com')).not.toBe(403)
  expect(await from(at)).toBe(403)
})

test('the cookie of a session is out of reach of scripts and other sites, and over TLS of other hosts', async () => {
  const { session_token, ...rest } = { session_token: session.token, account_id: 'acc_1', key_id: 'k' }
  api.answer = json(201, {
    session_token,
    ...rest,
    livemode: true,
    scope: 'read-only',
    actor: null,
    expires_at: 'x',
  })
  const at = await front({ trustedProxies: ['127.0.0.0/8'] })
  const flagsOf = async (headers: Record<string, string>): Promise<string> => {
    const page = await get('/sign-in', headers, at)
    const visit = page.headers.getSetCookie()[0]!
    const token = /name="csrf" value="([^"]+)"/.exec(await page.text())![1]!
    expect(visit).toContain('HttpOnly; SameSite=Strict')
    const form = { csrf: token, key: validKey() }
    const reply = await post('/sign-in', { cookie: visit.split(';', 1)[0]!, form, headers }, at)
    expect(reply.status).toBe(303)
    return reply.headers.getSetCookie()[0]!
  }
  expect(await flagsOf({})).toMatch(/^cupel-session=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/)
  const secure = await flagsOf({ 'x-forwarded-proto': 'https' })
  expect(secure).toMatch(/^__Host-cupel-session=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
})

test('the sign-in form of one visitor is worthless to another', async () => {
  const [one, other] = [await signInForm(), await signInForm()]
  const form = { csrf: one.csrf, key: validKey() }
  expect((await post('/sign-in', { cookie: other.cookie, form })).status).toBe(403)
  expect((await post('/sign-in', { form })).status).toBe(403)
  expect(api.calls).toEqual([])
})

test.each([
  ...['//evil.example', '/\\evil.example', 'https://evil.example', '/\t/evil.example', 'javascript:alert(1)'],
  ...['/..//evil.example', '/%5cevil.example/..//x', '/sign-out', '', '/ok\r\nset-cookie: a=b'],
])('the sign-in never leads to %j', async (next) => {
  const reply = await get(`/sign-in?next=${encodeURIComponent(next)}`, signedIn)
  const location = String(reply.headers.get('location'))
  expect(new URL(location, 'http://here.example').host).toBe('here.example')
  expect(location).toMatch(/^\/(?![\\/])/)
  expect(location.startsWith('/sign-')).toBe(false)
})

test('the sign-in leads to the page that was asked for, with its query', async () => {
  const reply = await get('/reports/9f2c4a1be07d6358?print=1')
  expect(reply.headers.get('location')).toBe('/sign-in?next=%2Freports%2F9f2c4a1be07d6358%3Fprint%3D1')
  const back = await get(String(reply.headers.get('location')), signedIn)
  expect(back.headers.get('location')).toBe('/reports/9f2c4a1be07d6358?print=1')
})

test('the API learns the address of the browser, which a visitor cannot forge, and the browser never the secret', async () => {
  const proxied = await front({ trustedProxies: ['127.0.0.0/8'] })
  const forwarded = { ...signedIn, 'x-forwarded-for': '6.6.6.6, 203.0.113.9' }
  const lies = { ...forwarded, 'cupel-client-address': '1.2.3.4', 'cupel-web-secret': 'guess' }
  for (const [at, headers, address] of [
    [url, forwarded, '127.0.0.1'],
    [url, lies, '127.0.0.1'],
    [proxied, lies, '203.0.113.9'],
  ] as const) {
    api.calls.length = 0
    const reply = await get('/', headers, at)
    expect(api.calls[0]?.headers).toMatchObject({
      'cupel-client-address': address,
      'cupel-web-secret': SECRET,
    })
    expect(JSON.stringify([...reply.headers]) + (await reply.text())).not.toContain(SECRET)
  }
})

test('a session that the API does not know any more ends in the sign-in, and its cookie goes', async () => {
  api.answer = json(401, { code: 'invalid_key', detail: 'The session is unknown or over; sign in again.' })
  const reply = await get('/reports/9f2c4a1be07d6358', signedIn)
  expect([reply.status, reply.headers.get('location')]).toEqual([
    303,
    '/sign-in?next=%2Freports%2F9f2c4a1be07d6358',
  ])
  expect(reply.headers.getSetCookie()[0]).toContain('Max-Age=0')
})

test('what others wrote is text on every page, never markup', async () => {
  const hostile = '<script>alert(1)</script><img src=x onerror=alert(2)>'
  api.answer = json(409, { code: hostile, detail: hostile, request_id: hostile })
  const cookie = cookieOf(aSession({ actor: hostile, keyId: hostile, scope: hostile }))
  const text = await (await get('/', { cookie })).text()
  expect(text).toContain('&lt;script>alert(1)')
  expect(text).not.toContain('<script>alert')
  expect(text).not.toContain('<img src=x')
})

test('an API that is down, or answers nonsense, is a page that says so', async () => {
  api.answer = (_, response) => response.destroy()
  const down = await get('/', signedIn)
  expect([down.status, down.headers.get('retry-after')]).toEqual([503, '2'])
  api.answer = (_, response) => response.writeHead(502).end('<html>')
  expect((await get('/', signedIn)).status).toBe(502)
  api.answer = (_, response) => response.writeHead(200).end('{')
  expect((await get('/', signedIn)).status).toBe(500)
})

test('a key in a form is repeated nowhere', async () => {
  api.answer = json(401, { code: 'invalid_key', detail: 'The API key is unknown, revoked or expired.' })
  const { cookie, csrf: token } = await signInForm()
  for (const key of [MISTYPED_KEY, validKey()]) {
    const reply = await post('/sign-in', { cookie, form: { csrf: token, key } })
    expect([400, 401]).toContain(reply.status)
    expect(JSON.stringify([...reply.headers]) + (await reply.text())).not.toContain(key)
  }
})

test('a method that a page does not take is 405, and HEAD has no body', async () => {
  const put = await fetch(`${url}/sign-in`, { method: 'PUT' })
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  const head = await fetch(`${url}/sign-in`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
})

test('a form that is not a form, or too large, is refused before anything is done with it', async () => {
  const headers = { ...signedIn, 'sec-fetch-site': 'same-origin' }
  const send = async (type: string, body: string) =>
    (await fetch(`${url}/sign-out`, { method: 'POST', headers: { ...headers, 'content-type': type }, body }))
      .status
  expect(await send('application/json', '{}')).toBe(415)
  expect(await send('application/x-www-form-urlencoded', `csrf=${'x'.repeat(3 * 1_048_576)}`)).toBe(413)
  expect(await send('multipart/form-data; boundary=b', '--b\r\nnonsense')).toBe(400)
  expect(api.calls).toEqual([])
})

/** Writes bytes to the console; resolves to everything received until the connection ended. */
function bytes(at: string, ...chunks: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(new URL(at).port), '127.0.0.1', () => {
      for (const chunk of chunks) socket.write(chunk)
    })
    socket.on('data', (data: Buffer) => (text += data.toString()))
    socket.on('error', () => resolve(text))
    socket.on('close', () => resolve(text))
  })
}

test('a head that is too large, a body that never comes, and bytes that are not a request end the connection', async () => {
  const limits = { headersTimeoutMs: 300, requestTimeoutMs: 400, timeoutCheckIntervalMs: 100 }
  const at = await front({ limits })
  const head = 'POST /sign-in HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\n'
  expect(await bytes(at, `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 431 /,
  )
  const own = `sec-fetch-site: same-origin\r\ncookie: cupel-visit=${'a'.repeat(43)}\r\n`
  expect(await bytes(at, `${head}${own}content-length: 100\r\n\r\n`, 'csrf=')).toMatch(/^HTTP\/1.1 408 |^$/)
  // A form that is refused before it has come gets one answer, also if it never comes.
  const refused = await bytes(at, `${head}content-length: 100\r\n\r\n`, 'csrf=')
  expect(refused.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403'])
  expect(await bytes(at, 'GET / HTTP/1.1\r\nhost: ')).toMatch(/^HTTP\/1.1 408 |^$/)
  expect(await bytes(at, '\u0016\u0003\u0001 nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /)
})

test.each([
  ['two Host lines', 'host: x\r\nhost: y\r\n'],
  ['no Host line', ''],
])('a head with %s is refused', async (_, lines) => {
  expect(await bytes(url, `GET /sign-in HTTP/1.1\r\n${lines}connection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 400 /,
  )
})

test('one visitor holds so many connections and no more', async () => {
  const at = await front({ limits: { maxConnectionsPerPeer: 5 } })
  const sockets = Array.from({ length: 5 }, () => connect(Number(new URL(at).port), '127.0.0.1'))
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
  expect(await bytes(at, 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')).toBe('')
  for (const socket of sockets) socket.destroy()
})

/** A key of the right form that only the fake API accepts. */
function validKey(): string {
  return renderApiKey('live', new Uint8Array(API_KEY_RANDOM_BYTES)).key
}
