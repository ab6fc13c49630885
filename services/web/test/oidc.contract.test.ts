/** Sign-ins through a sign-in service, with every fault between a browser, a provider and the API. */
import { createHash } from 'node:crypto'
import { noMetrics, silentLogger } from '@cupel/contracts'
import { readClientSecret, readOidcSettings } from '@cupel/kit/oidc'
import { IDENTITY_SECRET, startIdentityProvider, until, type IdentityProvider } from '@cupel/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openSignInService, createFlowSeal, createSignInService } from '@cupel/console'
import { aSession, cookieOf, json, startFakeApi, startFront, type FakeApi } from './fake-api.js'

const KEY = '8f2k1m0a'
const CALLBACK = '/sign-in/oidc/callback'
const NAME = 'Example ID'

let people: IdentityProvider
let api: FakeApi
let url: string
const closing: (() => Promise<void>)[] = []
beforeAll(async () => {
  people = await startIdentityProvider()
  api = await startFakeApi()
  url = await startConsole()
  closing.push(api.close, people.close)
})
afterAll(async () => {
  for (const close of closing) await close()
})
afterEach(() => {
  people.isDown = false
  people.metadata = {}
  api.answer = json(200, {})
  api.calls.length = 0
})

/** Starts a separate console that has not contacted the provider yet. */
async function startConsole(): Promise<string> {
  const settings = (await readOidcSettings(people.settingsFile({ desk: KEY }, { name: NAME })))!
  const clientSecret = await readClientSecret(settings)
  let own = ''
  const publicUrl = (): string => own
  const service = createSignInService({
    ...{ settings, clientSecret, publicUrl, logger: silentLogger, metrics: noMetrics },
  })
  const front = await startFront(api, { service })
  own = front.url
  closing.unshift(front.close)
  return front.url
}

const get = (path: string, cookie = '', at = url): Promise<Response> =>
  fetch(at + path, { headers: { cookie }, redirect: 'manual' })

interface Begun {
  readonly cookie: string
  readonly state: string
  readonly nonce: string
  readonly asked: URLSearchParams
}

async function begin(query = '', at = url): Promise<Begun> {
  const reply = await get(`/sign-in/oidc${query}`, '', at)
  expect(reply.status, await reply.text()).toBe(303)
  const asked = new URL(reply.headers.get('location')!).searchParams
  const cookie = reply.headers.getSetCookie()[0]!.split(';', 1)[0]!
  return { cookie, asked, state: asked.get('state')!, nonce: asked.get('nonce')! }
}

/** Makes the token endpoint answer with an ID token of these claims. */
function grant(nonce: string, claims: object = {}): void {
  people.onToken = async () => ({
    status: 200,
    body: { access_token: 'unused', token_type: 'Bearer', id_token: await people.sign({ nonce, ...claims }) },
  })
}

const answer = (state: string, rest: Readonly<Record<string, string>> = {}): string =>
  `${CALLBACK}?${new URLSearchParams({ code: 'c0de', state, iss: people.issuer, ...rest }).toString()}`

const NEW_SESSION = {
  session_token: aSession().token,
  ...{
    account_id: 'acc_1',
    key_id: KEY,
    livemode: true,
    scope: 'read-only',
    plan: 'pro',
    webhook_admin: false,
  },
  ...{ actor: 'Ann (ann)', expires_at: '2026-11-21T17:00:00.000Z' },
}

/** Returns the text of a page without its markup. */
async function textOf(reply: Response): Promise<string> {
  const html = await reply.text()
  return html
    .slice(html.indexOf('<main'))
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
}

test('the sign-in page names the service, and leads to it with a code flow that nobody else can finish', async () => {
  const html = await (await get('/sign-in?next=/reports/1c4274fd241cf3f0')).text()
  expect(html).toContain('href="/sign-in/oidc?next=%2Freports%2F1c4274fd241cf3f0"')
  expect(html).toContain(`Sign in with ${NAME}`)

  const reply = await get('/sign-in/oidc')
  const to = new URL(reply.headers.get('location')!)
  expect(to.origin + to.pathname).toBe(`${people.issuer}/authorize`)
  const asked = Object.fromEntries(to.searchParams)
  expect(asked).toMatchObject({ response_type: 'code', code_challenge_method: 'S256', client_id: 'cupel' })
  expect(asked).toMatchObject({ redirect_uri: url + CALLBACK, scope: 'openid profile' })
  for (const name of ['state', 'nonce', 'code_challenge']) expect(asked[name]).toMatch(/^[\w-]{43}$/)
  const [cookie = ''] = reply.headers.getSetCookie()
  expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/)
  for (const secret of [asked['state']!, asked['nonce']!]) expect(cookie).not.toContain(secret)
})

test('the API gets the ID token and the secret of its nonce, and the browser a session and no flow', async () => {
  const { cookie, state, nonce, asked } = await begin('?next=%2Fhistory&key=8f2k1m0a')
  grant(nonce)
  const granted = people.onToken
  let seen: Parameters<typeof granted>[0] | null = null
  people.onToken = (request) => {
    seen = request
    return granted(request)
  }
  api.answer = json(201, NEW_SESSION)
  const reply = await get(answer(state), cookie)

  expect([reply.status, reply.headers.get('location')]).toEqual([303, '/history'])
  const cookies = reply.headers.getSetCookie()
  expect(cookies.find((one) => one.startsWith('cupel-session='))).toContain(NEW_SESSION.session_token)
  expect(cookies.find((one) => one.startsWith('cupel-sign-in='))).toMatch(/=; .*Max-Age=0$/)
  const [{ path, body, headers }] = api.calls as [(typeof api.calls)[number]]
  const sent = JSON.parse(body) as Record<string, string>
  expect([path, sent['key_id'], headers.authorization]).toEqual(['/v1/sessions/oidc', KEY, undefined])
  expect(createHash('sha256').update(sent['nonce']!).digest('base64url')).toBe(nonce)
  const { form, headers: tokenHeaders } = seen!
  const verifier = createHash('sha256').update(form.get('code_verifier')!).digest('base64url')
  expect(verifier).toBe(asked.get('code_challenge'))
  expect(Buffer.from(tokenHeaders.authorization!.slice(6), 'base64').toString()).toContain(
    encodeURIComponent(IDENTITY_SECRET).replaceAll('%20', '+'),
  )
})

test('every instance finishes what another one began', async () => {
  const { cookie, state, nonce } = await begin()
  grant(nonce)
  api.answer = json(201, NEW_SESSION)
  const other = await startConsole()
  expect((await get(answer(state), cookie, other)).status).toBe(303)
})

test('an answer that is repeated, of another browser or too late is refused in words, and asks nobody', async () => {
  const { state, nonce, cookie } = await begin()
  const seal = createFlowSeal(IDENTITY_SECRET)
  const flow = { state, nonceSecret: nonce, verifier: 'x'.repeat(43), next: '/', keyId: null }
  const sealedElsewhere = await createFlowSeal('another secret of another client').seal(flow)
  people.requests.length = 0
  for (const given of ['', 'cupel-sign-in=', `${cookie}x`, `cupel-sign-in=${sealedElsewhere}`]) {
    const reply = await get(answer(state), given)
    expect(reply.status, given).toBe(400)
    expect(await textOf(reply)).toContain('was answered before, or began in another browser')
  }
  expect([api.calls, people.requests]).toEqual([[], []])
  expect(await seal.open(await seal.seal(flow))).toMatchObject(flow)
})

test('who is signed in and loads the answer again is led on', async () => {
  const { state } = await begin()
  const reply = await get(answer(state), cookieOf(aSession()))
  expect([reply.status, reply.headers.get('location')]).toEqual([303, '/'])
})

test.each([
  ['another state', { state: 'x'.repeat(43) }],
  ['an empty state', { state: '' }],
  ['another issuer (mix-up)', { iss: 'https://evil.example' }],
])('an answer with %s is that of another sign-in, and its code is not sent anywhere', async (_, rest) => {
  const { cookie, state } = await begin()
  people.requests.length = 0
  const reply = await get(answer(state, rest), cookie)
  expect(reply.status).toBe(400)
  expect(await textOf(reply)).toContain('This answer belongs to another sign-in')
  expect([people.requests.includes('/token'), api.calls]).toEqual([false, []])
  expect(reply.headers.getSetCookie().join()).toContain('Max-Age=0')
})

test('an answer of a provider that names itself elsewhere, and here does not, is not taken', async () => {
  const { cookie, state } = await begin()
  const reply = await get(`${CALLBACK}?code=c0de&state=${state}`, cookie)
  expect([reply.status, api.calls]).toEqual([502, []])
})

test.each([
  ['access_denied', 403, `${NAME} did not sign you in. `],
  ['login_required', 403, 'Code login_required'],
  ['temporarily_unavailable', 503, 'cannot be reached right now'],
  ['<script>alert(1)</script>', 403, 'did not sign you in'],
])('the refusal %s of the provider is told', async (error, status, text) => {
  const { cookie, state } = await begin()
  const path = `${CALLBACK}?${new URLSearchParams({ error, state, iss: people.issuer }).toString()}`
  const reply = await get(path, cookie)
  const html = await reply.clone().text()
  expect([reply.status, html.includes('<script>alert')]).toEqual([status, false])
  expect(await textOf(reply)).toContain(text)
})

test.each<[string, object, number, string]>([
  ['a code that was used', { status: 400, body: { error: 'invalid_grant' } }, 400, 'was used before'],
  [
    'an unknown client',
    { status: 401, body: { error: 'invalid_client' } },
    502,
    'does not accept this console',
  ],
  [
    'no ID token',
    { status: 200, body: { access_token: 'x', token_type: 'Bearer' } },
    502,
    'could not be verified',
  ],
  ['an outage', { status: 503, body: {} }, 503, 'cannot be reached right now'],
  ['another document', { status: 200, body: 'hello' }, 502, 'could not be verified'],
])('after %s nobody is signed in, and the page says so', async (_, told, status, text) => {
  const { cookie, state } = await begin()
  people.onToken = () => Promise.resolve(told as { status: number; body: unknown })
  const reply = await get(answer(state), cookie)
  expect(reply.status).toBe(status)
  expect(await textOf(reply)).toContain(text)
  expect(api.calls).toEqual([])
})

const now = (): number => Math.floor(Date.now() / 1_000)

test.each<[string, () => object, string]>([
  ['of another sign-in', () => ({ nonce: 'x'.repeat(43) }), 'could not be verified'],
  ['for another application', () => ({ aud: 'other' }), 'could not be verified'],
  ['of another issuer', () => ({ iss: 'https://evil.example' }), 'could not be verified'],
  ['that is expired', () => ({ exp: now() - 600 }), 'clocks of'],
])('an ID token %s does not reach the API', async (_, claims, text) => {
  const { cookie, state, nonce } = await begin()
  grant(nonce, claims())
  const reply = await get(answer(state), cookie)
  expect([reply.status, api.calls]).toEqual([502, []])
  expect(await textOf(reply)).toContain(text)
})

test('a person whom the API refuses reads why, and can sign in as somebody else', async () => {
  const { cookie, state, nonce } = await begin()
  grant(nonce)
  api.answer = json(403, {
    code: 'sign_in_refused',
    detail: 'None of your groups <b>may</b>.',
    request_id: 'r-1',
  })
  const reply = await get(answer(state), cookie)
  const html = await reply.text()
  expect(reply.status).toBe(403)
  expect(html).toContain('None of your groups &lt;b>may&lt;/b>.')
  expect(html).toContain('Request r-1')
  expect(html).toContain('href="/sign-in/oidc?another"')
  expect((await begin('?another')).asked.get('prompt')).toBe('login')
})

test('a person of several groups chooses, and no session begins before', async () => {
  const { cookie, state, nonce } = await begin('?next=%2Flists')
  grant(nonce)
  const choice = {
    key_id: KEY,
    key_name: '<b>desk',
    account_name: 'Exchange',
    livemode: false,
    scope: 'read-only',
  }
  api.answer = json(200, { choices: [choice, { ...choice, key_id: '00000000', key_name: '' }] })
  const reply = await get(answer(state), cookie)
  expect(reply.headers.getSetCookie().join()).not.toContain('cupel-session')
  const html = await reply.text()
  expect(html).toContain(`href="/sign-in/oidc?key=${KEY}&amp;next=%2Flists"`)
  expect(html).not.toContain('<b>desk')
})

test('while the provider is down the page says so, keys can still be used, and it is found again', async () => {
  const at = await startConsole()
  people.isDown = true
  const down = await get('/sign-in/oidc', '', at)
  expect(down.status).toBe(503)
  expect(await textOf(down)).toContain('or sign in with a key')
  expect((await get('/sign-in', '', at)).status).toBe(200)
  expect((await get('/sign-out/done', '', at)).status).toBe(200)
  people.isDown = false
  await until(async () => expect((await get('/sign-in/oidc', '', at)).status).toBe(303))
})

test('a provider whose document is of another issuer or names other hosts is not used', async () => {
  for (const metadata of [
    { issuer: 'https://evil.example' },
    { token_endpoint: 'https://evil.example/token' },
    { jwks_uri: 'http://169.254.169.254/keys' },
    { authorization_endpoint: 'javascript:alert(1)' },
    { authorization_endpoint: 'http://evil.example/' },
  ]) {
    people.metadata = metadata
    expect((await get('/sign-in/oidc', '', await startConsole())).status, JSON.stringify(metadata)).toBe(503)
  }
})

test('the sign-in leads only to pages of this console', async () => {
  for (const next of ['https://evil.example', '//evil.example', '/\\evil.example', '/sign-out/done']) {
    const { cookie, state, nonce } = await begin(`?next=${encodeURIComponent(next)}`)
    grant(nonce)
    api.answer = json(201, NEW_SESSION)
    expect((await get(answer(state), cookie)).headers.get('location')).toBe('/')
  }
})

test('after the sign-out a person can sign out of the service too, without a token in the address', async () => {
  const html = await (await get('/sign-out/done')).text()
  const [, href = ''] = /href="([^"]*\/logout[^"]*)"/.exec(html) ?? []
  const to = new URL(href.replaceAll('&amp;', '&'))
  expect(to.origin + to.pathname).toBe(`${people.issuer}/logout`)
  expect(Object.fromEntries(to.searchParams)).toEqual({
    client_id: 'cupel',
    post_logout_redirect_uri: `${url}/sign-in`,
  })
  people.metadata = { end_session_endpoint: undefined }
  expect(await (await get('/sign-out/done', '', await startConsole())).text()).not.toContain('/logout')
})

test('without a sign-in service there is no such page, and no word of it', async () => {
  const front = await startFront(api)
  closing.unshift(front.close)
  for (const path of ['/sign-in/oidc', CALLBACK, '/sign-out/done'])
    expect((await get(path, '', front.url)).status).toBe(404)
  expect(await (await get('/sign-in', '', front.url)).text()).not.toContain('oidc')
})

test.each([
  [undefined, '0.0.0.0', 'takes CUPEL_WEB_URL'],
  ['http://console.example', '127.0.0.1', 'must be an https address'],
])(
  'an address %s on %s that people could not come back to stops the start',
  async (webUrl, host, sentence) => {
    const file = people.settingsFile({ desk: KEY })
    const config = { CUPEL_OIDC_FILE: file, CUPEL_WEB_URL: webUrl, CUPEL_WEB_HOST: host }
    const opened = openSignInService({
      config,
      publicUrl: () => '',
      logger: silentLogger,
      metrics: noMetrics,
    })
    await expect(opened).rejects.toThrow(sentence)
  },
)
