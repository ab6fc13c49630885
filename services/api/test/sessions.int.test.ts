/** A session stands for its key: the scope, the allowlist and the expiry of the key apply to every call with the token. */
import { beginSession, MAX_SESSIONS_PER_KEY, revokeKey, rotateKey } from '@cupel/gate/access'
import type { Database } from '@cupel/postgres'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADDRESS, call, type CallOptions, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

const SECRET = 'a secret of the console, and of the API'
const SESSIONS = '/v1/sessions'
const CURRENT = '/v1/sessions/current'

let installation: Installation
let url: string
let otherUrl: string
beforeAll(async () => {
  installation = await startInstallation()
  const config = { CUPEL_WEB_SECRET: SECRET }
  url = (await installation.api({ config })).url
  otherUrl = (await installation.api({ config: { ...config, CUPEL_INSTANCE: 1 } })).url
})
afterAll(() => installation.stop())

/** The token of a new session. */
async function signIn(key: string, options: CallOptions = {}): Promise<string> {
  const reply = await call(url, 'POST', SESSIONS, { key, ...options })
  expect(reply.status, reply.text).toBe(201)
  return String(reply.json()['session_token'])
}

const current = (token: string, at = url): Promise<Reply> => call(at, 'GET', CURRENT, { key: token })

test('a session counts as its key on every instance: account, environment, scope, plan and bucket', async () => {
  const { key, keyId, accountId } = await installation.key({
    ...{ environment: 'test', scope: 'read-only', plan: 'pro' },
  })
  const token = await signIn(key)

  const reply = await current(token, otherUrl)

  expect(reply.json()).toMatchObject({
    ...{ account_id: accountId, key_id: keyId, livemode: false, scope: 'read-only', plan: 'pro' },
    actor: null,
  })
  const screen = await call(otherUrl, 'POST', '/v1/screen', { key: token, body: { address: ADDRESS } })
  expect([screen.status, screen.json()['code']]).toEqual([403, 'scope_required'])
  const left = (answer: Reply): number => Number(/;r=(\d+)/.exec(String(answer.headers['ratelimit']))?.[1])
  expect(left(await current(token))).toBeLessThanOrEqual(left(await call(url, 'GET', CURRENT, { key })) + 1)
})

test('a session ends with its key, at once and everywhere', async () => {
  const { key, keyId } = await installation.key()
  const token = await signIn(key)
  expect((await current(token, otherUrl)).status).toBe(200)

  await revokeKey(installation.database, { keyId, by: 'test', reason: 'test' })

  for (const at of [url, otherUrl]) expect((await current(token, at)).json()['code']).toBe('invalid_key')
})

test('a session of a rotated key ends with the overlap, not with the rotation', async () => {
  const { key, keyId } = await installation.key()
  await rotateKey(installation.database, { keyId, by: 'test', overlapMs: 3_600_000 })

  const reply = await call(url, 'POST', SESSIONS, { key })

  const lifetimeMs = Date.parse(String(reply.json()['expires_at'])) - Date.now()
  expect(lifetimeMs).toBeGreaterThan(0)
  expect(lifetimeMs).toBeLessThanOrEqual(3_600_000)
})

test.each([
  ['its time is over', 'expires_at = now()'],
  ['nobody used it for an hour', `used_at = now() - interval '61 minutes'`],
])('a session ends when %s', async (_, change) => {
  const token = await signIn((await installation.key()).key)
  const sessionId = token.slice('cupel_session_'.length).slice(0, 8)

  await installation.database.execute(`UPDATE access.session SET ${change} WHERE session_id = $1`, [
    sessionId,
  ])

  expect((await current(token)).status).toBe(401)
})

test('a call moves the end of an idle session', async () => {
  const token = await signIn((await installation.key()).key)
  const sessionId = token.slice('cupel_session_'.length).slice(0, 8)
  const set = `UPDATE access.session SET used_at = now() - interval '59 minutes' WHERE session_id = $1`
  await installation.database.execute(set, [sessionId])

  expect((await current(token)).status).toBe(200)

  const [row] = await installation.database.query<{ isFresh: boolean }>(
    `SELECT used_at > now() - interval '1 minute' AS "isFresh" FROM access.session WHERE session_id = $1`,
    [sessionId],
  )
  expect(row).toEqual({ isFresh: true })
})

test('after the sign-out the token opens nothing on any instance, and signing out again is not a call of anybody', async () => {
  const token = await signIn((await installation.key({ scope: 'read-only' })).key)

  expect((await call(url, 'DELETE', CURRENT, { key: token })).status).toBe(204)

  expect((await current(token, otherUrl)).status).toBe(401)
  expect((await call(url, 'DELETE', CURRENT, { key: token })).status).toBe(401)
})

test('a session cannot prolong itself by beginning another one', async () => {
  const token = await signIn((await installation.key()).key)
  const reply = await call(url, 'POST', SESSIONS, { key: token })
  expect([reply.status, reply.json()['code']]).toEqual([403, 'key_required'])
})

test('a token of another secret, or with one character changed, is nobody’s', async () => {
  const token = await signIn((await installation.key()).key)
  const changed = token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a')
  expect((await current(changed)).status).toBe(401)
  const [{ hash }] = (await installation.database.query<{ hash: string }>(
    `SELECT string_agg(session::text, '') AS hash FROM access.session`,
  )) as [{ hash: string }]
  expect(hash).not.toContain(token.slice(30, 50))
})

test('one more session than a key may have ends its oldest', async () => {
  const { key, keyId } = await installation.key()
  const oldest = await signIn(key)
  await installation.database.execute(
    `INSERT INTO access.session SELECT 'many' || n, sha256(n::text::bytea), $1, '', now(), now() + interval '1 hour', now()
     FROM generate_series(2, $2::int) AS n`,
    [keyId, MAX_SESSIONS_PER_KEY],
  )

  const newest = await signIn(key)

  expect((await current(oldest)).status).toBe(401)
  expect((await current(newest)).status).toBe(200)
})

test('the address that the console names counts for allowlists, and nobody else’s word does', async () => {
  const { key } = await installation.key({ allowedIps: ['203.0.113.0/24'] })
  const named = (secret: string, address: string): CallOptions => ({
    headers: { 'cupel-web-secret': secret, 'cupel-client-address': address },
  })
  const token = await signIn(key, named(SECRET, '203.0.113.7'))
  const status = async (options: CallOptions) =>
    (await call(url, 'GET', CURRENT, { key: token, ...options })).status

  expect(await status(named(SECRET, '203.0.113.7'))).toBe(200)
  expect(await status(named(SECRET, '198.51.100.1'))).toBe(403)
  expect(await status(named('another secret of the same length, yes', '203.0.113.7'))).toBe(403)
  expect(await status(named('', '203.0.113.7'))).toBe(403)
  expect(await status(named(SECRET, 'nonsense'))).toBe(403)
  expect(await status({})).toBe(403)
})

test('the person who signed in is named by the session, and by the events that record calls', async () => {
  const { key, keyId } = await installation.key()
  const { token } = await beginSession(installation.database, { keyId, actor: 'Ada Lovelace' })

  expect((await current(token)).json()).toMatchObject({ key_id: keyId, actor: 'Ada Lovelace' })
  for (const credentials of [token, key])
    await call(url, 'POST', '/v1/screen', { key: credentials, body: { address: ADDRESS } })

  const calls = (await installation.requests()).flatMap(({ call: by }) => (by?.keyId === keyId ? [by] : []))
  // The partitions are read one after the other, not in the order of the calls.
  expect(calls.map(({ actor }) => actor).sort()).toEqual(['', 'Ada Lovelace'])
})

test('a call with a key asks for no session', async () => {
  const asked: string[] = []
  const database: Database = {
    ...installation.database,
    query: (statement, values) => {
      asked.push(typeof statement === 'string' ? statement : (statement.name ?? statement.text))
      return installation.database.query(statement, values)
    },
  }
  const at = (await installation.api({ database, config: { CUPEL_INSTANCE: 2 } })).url
  const { key } = await installation.key()
  const token = await signIn(key)
  const admissions = () => asked.filter((name) => name.startsWith('access.'))

  asked.length = 0
  await call(at, 'GET', '/v1/chains', { key })
  expect(admissions()).toEqual(['access.admit_calls'])

  asked.length = 0
  await call(at, 'GET', '/v1/chains', { key: token })
  expect(admissions()).toEqual(['access.resolve_sessions', 'access.admit_calls'])
})

test.each([
  ['before:access.session:1', 0],
  ['after:access.session:1', 1],
])(
  'killed %s, a sign-in leaves a whole session or none, and the next one succeeds',
  async (failpoint, left) => {
    const { key, keyId } = await installation.key()
    await installation.apiDies(failpoint, (url) => call(url, 'POST', SESSIONS, { key }))
    const rows = () => installation.database.query('SELECT 1 FROM access.session WHERE key_id = $1', [keyId])
    expect(await rows()).toHaveLength(left)
    const token = await until(() => signIn(key))
    expect((await current(token)).status).toBe(200)
  },
)
