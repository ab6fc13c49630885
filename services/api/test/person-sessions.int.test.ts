/** Sign-ins through a sign-in service: the claims of an ID token that the API accepts, and the identity that the person gets. */
import { revokeKey, rotateKey } from '@cupel/gate/access'
import { until, startIdentityProvider, type IdentityProvider } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADDRESS, call, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

const SIGN_IN = '/v1/sessions/oidc'
const CURRENT = '/v1/sessions/current'

let installation: Installation
let people: IdentityProvider
let url: string
let desk: Awaited<ReturnType<Installation['key']>>
let audit: Awaited<ReturnType<Installation['key']>>
let sandbox: Awaited<ReturnType<Installation['key']>>
beforeAll(async () => {
  installation = await startInstallation()
  people = await startIdentityProvider()
  desk = await installation.key()
  audit = await installation.key({ accountId: desk.accountId, scope: 'read-only', name: 'auditors' })
  sandbox = await installation.key({ environment: 'test' })
  url = await api()
})
afterAll(async () => {
  await installation.stop()
  await people.close()
})

let instances = 0
async function api(groups: Readonly<Record<string, string>> = GROUPS(), rest: object = {}): Promise<string> {
  const file = people.settingsFile(groups, { ...rest })
  const levels = ['green', 'orange', 'red', 'grey'] as const
  const config = { CUPEL_OIDC_FILE: file, CUPEL_CASE_SECOND_PERSON: [...levels], CUPEL_INSTANCE: instances++ }
  return (await installation.api({ config })).url
}

const GROUPS = () => ({ desk: desk.keyId, alsoDesk: desk.keyId, audit: audit.keyId, tests: sandbox.keyId })

const signIn = async (claims: object = {}, more: object = {}, at = url): Promise<Reply> =>
  call(at, 'POST', SIGN_IN, { body: { ...(await people.signIn({ groups: ['desk'], ...claims })), ...more } })

const tokenOf = (reply: Reply): string => String(reply.json()['session_token'])

/** Returns the audit records of sign-ins, the newest last. */
const recorded = async (): Promise<readonly Record<string, unknown>[]> =>
  await installation.opened(
    (await installation.records('access.request.events.v1'))
      .flatMap((record) => installation.codec.decodeAs('ApiRequestAudited', record)?.data ?? [])
      .filter(({ route }) => route === SIGN_IN) as unknown as Record<string, unknown>[],
  )

test('a person acts with the key of the group, and the audit log names the person by name and subject', async () => {
  const reply = await signIn({ name: 'Ann Example', sub: '248289761001' })

  expect(reply.status, reply.text).toBe(201)
  const actor = 'Ann Example (248289761001)'
  const { accountId: account_id, keyId: key_id } = desk
  expect(reply.json()).toMatchObject({ account_id, key_id, actor, scope: 'read-write', livemode: true })
  const key = tokenOf(reply)
  expect((await call(url, 'GET', CURRENT, { key })).json()).toMatchObject({ key_id, actor })
  await call(url, 'POST', '/v1/screen', { key, body: { address: ADDRESS } })
  const [screen] = (await installation.requests()).slice(-1)
  expect(screen!.call).toMatchObject({ actor, keyId: key_id })
  await until(async () =>
    expect(await recorded()).toContainEqual(expect.objectContaining({ actor, keyId: key_id, status: 201 })),
  )
})

test('scope and environment are those of the key, whatever the token claims', async () => {
  const auditor = await signIn({
    groups: ['audit'],
    scope: 'read-write',
    account_id: 'acc_x',
    livemode: true,
  })
  expect(auditor.json()).toMatchObject({ scope: 'read-only', livemode: true, key_id: audit.keyId })
  const refused = await call(url, 'POST', '/v1/screen', { key: tokenOf(auditor), body: { address: ADDRESS } })
  expect(refused.json()['code']).toBe('scope_required')
  expect((await signIn({ groups: ['tests'] })).json()).toMatchObject({ livemode: false })
})

test('a person in no mapped group is refused in words and recorded with name and subject', async () => {
  for (const groups of [['others'], [], 'others', undefined, { desk: true }, [['desk']], 'desk ']) {
    const sub = `stranger-${Math.random()}`
    const reply = await signIn({ groups, name: 'Eve', sub })
    expect([reply.status, reply.json()['code']]).toEqual([403, 'sign_in_refused'])
    expect(reply.json()['detail']).toContain('none of your groups')
    const actor = `Eve (${sub})`
    const refusedBecause = 'person_not_mapped'
    await until(async () =>
      expect(await recorded()).toContainEqual(
        expect.objectContaining({ actor, refusedBecause, status: 403, accountId: '' }),
      ),
    )
  }
})

test('a person of several groups chooses, and no group is taken silently; groups of one key are not a choice', async () => {
  const asked = await signIn({ groups: ['audit', 'desk', 'tests'] })
  expect(asked.status).toBe(200)
  const choices = asked.json()['choices'] as { key_id: string }[]
  expect(choices.map(({ key_id }) => key_id)).toEqual([desk.keyId, audit.keyId, sandbox.keyId])
  expect(choices[1]).toMatchObject({ scope: 'read-only', livemode: true, key_name: 'auditors' })

  const chosen = await signIn({ groups: ['audit', 'desk'] }, { key_id: audit.keyId })
  expect(chosen.json()).toMatchObject({ key_id: audit.keyId })
  const foreign = await signIn({ groups: ['audit', 'desk'] }, { key_id: sandbox.keyId })
  expect([foreign.status, foreign.json()['code']]).toEqual([403, 'sign_in_refused'])
  expect((await signIn({ groups: ['alsoDesk', 'desk'] })).status).toBe(201)
})

const NOW = () => Math.floor(Date.now() / 1_000)

test.each<[string, () => object, object, RegExp]>([
  ['another issuer', () => ({ iss: 'https://evil.example' }), {}, /another sign-in service/],
  ['another audience', () => ({ aud: 'other' }), {}, /another application/],
  ['several audiences and no azp', () => ({ aud: ['cupel', 'other'] }), {}, /another application/],
  ['an azp of another client', () => ({ azp: 'other' }), {}, /another application/],
  ['another nonce', () => ({ nonce: 'x'.repeat(43) }), {}, /another sign-in than/],
  ['no nonce', () => ({ nonce: undefined }), {}, /another sign-in than/],
  ['an end in the past', () => ({ exp: NOW() - 120 }), {}, /expired/],
  ['a beginning in the future', () => ({ iat: NOW() + 300, exp: NOW() + 600 }), {}, /not valid yet/],
  ['a beginning long ago', () => ({ iat: NOW() - 3_600, exp: NOW() + 600 }), {}, /expired/],
  ['no end', () => ({ exp: undefined }), {}, /expired/],
  ['no subject', () => ({ sub: undefined }), {}, /no person/],
  ['a subject that is invisible', () => ({ sub: '\u202e' }), {}, /no person/],
  ['a signature of another key', () => ({}), { isForged: true }, /not signed/],
  ['a key nobody published', () => ({}), { header: { kid: 'other' } }, /not signed/],
])('an ID token with %s opens nothing', async (_, claims, options, detail) => {
  const body = await people.signIn({ groups: ['desk'], ...claims() }, options)
  const reply = await call(url, 'POST', SIGN_IN, { body })
  expect([reply.status, reply.json()['code']]).toEqual([403, 'sign_in_refused'])
  expect(reply.json()['detail']).toMatch(detail)
})

test('a token without a signature, signed with the client secret, or of another form opens nothing', async () => {
  const { id_token, nonce } = await people.signIn({ groups: ['desk'] })
  const [, payload] = id_token.split('.')
  const header = (alg: string) => Buffer.from(JSON.stringify({ alg })).toString('base64url')
  for (const forged of [
    `${header('none')}.${payload}.`,
    `${header('HS256')}.${payload}.${Buffer.alloc(32).toString('base64url')}`,
    'x',
    'a.b.c',
    id_token.slice(0, -8),
  ]) {
    const reply = await call(url, 'POST', SIGN_IN, { body: { id_token: forged, nonce } })
    expect([reply.status, reply.json()['code']], forged).toEqual([403, 'sign_in_refused'])
  }
})

test('a clock that differs by half a minute is not an obstacle', async () => {
  expect((await signIn({ iat: NOW() + 30, exp: NOW() + 330 })).status).toBe(201)
  expect((await signIn({ iat: NOW() - 300, exp: NOW() - 30 })).status).toBe(201)
})

test('an ID token counts once, on every instance, whatever became of it', async () => {
  const other = await api()
  for (const groups of [['desk'], ['others'], ['desk', 'audit']]) {
    const body = await people.signIn({ groups })
    const replies = await Promise.all([url, other, url].map((at) => call(at, 'POST', SIGN_IN, { body })))
    const details = replies.map((reply) => String(reply.json()['detail']))
    expect(details.filter((detail) => detail.includes('used before'))).toHaveLength(2)
  }
})

/** The order of P-256 (SEC 2): the negative of the second half of a signature signs the same text. */
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** The token with every last character that decodes to its signature, and with the other signature of the same text. */
function spellingsOf(idToken: string): string[] {
  const signed = idToken.slice(0, idToken.lastIndexOf('.') + 1)
  const signature = Buffer.from(idToken.slice(signed.length), 'base64url')
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const spelled = [...alphabet]
    .map((last) => idToken.slice(0, -1) + last)
    .filter((one) => Buffer.from(one.slice(signed.length), 'base64url').equals(signature))
  const negative = P256_ORDER - BigInt(`0x${signature.subarray(32).toString('hex')}`)
  const other = Buffer.from(negative.toString(16).padStart(64, '0'), 'hex')
  return [
    ...spelled,
    `${idToken}=`,
    signed + signature.toString('base64'),
    signed + Buffer.concat([signature.subarray(0, 32), other]).toString('base64url'),
  ]
}

test('an ID token counts once in whatever spelling, and under either signature of its text', async () => {
  const { id_token, nonce } = await people.signIn({ groups: ['desk'] })
  const spellings = spellingsOf(id_token)
  expect(spellings.length).toBeGreaterThan(16)
  const replies = []
  for (const one of spellings)
    replies.push(await call(url, 'POST', SIGN_IN, { body: { id_token: one, nonce } }))
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
})

test('a person of so many groups that the ID token has 64 KiB signs in', async () => {
  const reply = await signIn({
    groups: ['desk', ...Array.from({ length: 1_200 }, (_, at) => `group-${at}-${'g'.repeat(26)}`)],
  })
  expect(reply.status, reply.text).toBe(201)
})

test('where no sign-in service is configured, the answer comes before the body', async () => {
  const { url: at } = await installation.api({ config: { CUPEL_INSTANCE: instances++ } })
  const headers = { 'content-length': '1048576', 'content-type': 'application/json' }
  const reply = await call(at, 'POST', SIGN_IN, { headers })
  expect([reply.status, reply.json()['code']]).toEqual([403, 'sign_in_refused'])
})

test('an ID token without the secret of its nonce begins no session', async () => {
  const { id_token } = await people.signIn({ groups: ['desk'] })
  const { nonce } = await people.signIn()
  expect((await call(url, 'POST', SIGN_IN, { body: { id_token, nonce } })).status).toBe(403)
})

test('a session ends with the revocation of its key, and nobody of the group begins another one', async () => {
  const key = await installation.key()
  const at = await api({ group: key.keyId })
  const session = tokenOf(await signIn({ groups: ['group'] }, {}, at))
  await revokeKey(installation.database, { keyId: key.keyId, by: 'test', reason: 'test' })

  expect((await call(at, 'GET', CURRENT, { key: session })).status).toBe(401)
  expect((await signIn({ groups: ['group'] }, {}, at)).json()['code']).toBe('sign_in_refused')
})

test('signed in is only who has a session whose calls are admitted', async () => {
  const [{ keyId }, { key }] = [await installation.key(), await installation.key({ scope: 'operator' })]
  const at = await api({ left: keyId })
  const signedIn = async () => {
    const all = (await call(at, 'GET', '/v1/people', { key })).json()['signed_in'] as { key_id: string }[]
    return all.filter((one) => one.key_id === keyId).length
  }
  for (const sub of ['idle-1', 'here-1']) await signIn({ groups: ['left'], sub }, {}, at)
  expect(await signedIn()).toBe(2)
  await installation.database.execute(
    `UPDATE access.session SET used_at = now() - interval '1 hour'
     WHERE session_id = (SELECT min(session_id) FROM access.session WHERE key_id = $1)`,
    [keyId],
  )
  expect(await signedIn()).toBe(1)
  await revokeKey(installation.database, { keyId, by: 'ops', reason: 'they left' })
  expect(await signedIn()).toBe(0)
})

test('a group follows the rotations of its key', async () => {
  const key = await installation.key()
  const at = await api({ group: key.keyId })
  const { keyId } = await rotateKey(installation.database, { keyId: key.keyId, by: 'test', overlapMs: 0 })
  expect((await signIn({ groups: ['group'] }, {}, at)).json()).toMatchObject({ key_id: keyId })
})

test('where the key may not be used from here, no session begins, and the refusal names the person', async () => {
  const key = await installation.key({ allowedIps: ['203.0.113.0/24'] })
  const at = await api({ group: key.keyId })
  const reply = await signIn({ groups: ['group'], sub: 'from-afar' }, {}, at)
  expect(reply.json()['code']).toBe('ip_not_allowed')
  const left = 'SELECT 1 FROM access.session WHERE key_id = $1'
  expect(await installation.database.query(left, [key.keyId])).toEqual([])
  await until(async () =>
    expect(await recorded()).toContainEqual(
      expect.objectContaining({ actor: 'from-afar', refusedBecause: 'ip_not_allowed', keyId: key.keyId }),
    ),
  )
})

test('two people of one group are two persons of a case, and a new name makes nobody another person', async () => {
  const session = async (sub: string, name: string) => tokenOf(await signIn({ sub, name }))
  const [ann, bob] = [await session('ann', 'Ann'), await session('bob', 'Ann')]
  const renamed = await session('ann', 'Somebody else')
  const made = await call(url, 'POST', '/v1/screen', { key: ann, body: { address: ADDRESS } })
  const path = `/v1/reports/${String(made.json()['report_id'])}/disposition`
  const clear = async (key: string, version: number): Promise<Reply> =>
    call(url, 'POST', path, { key, body: { disposition: 'cleared', reason: 'A refund', version } })

  expect((await clear(ann, 0)).json()).toMatchObject({ needs_second_person: true, disposition: 'open' })
  for (const key of [ann, renamed, desk.key])
    expect((await clear(key, 1)).json()['code']).toBe('case_conflict')
  expect((await clear(bob, 1)).json()).toMatchObject({ disposition: 'cleared', version: 2 })
})

test('while the sign-in service is down nobody is signed in, keys go on working, and it is found again', async () => {
  const at = await api()
  people.isDown = true
  const down = await signIn({}, {}, at)
  people.isDown = false
  expect([down.status, down.json()['code']]).toEqual([503, 'unavailable'])
  expect(down.json()['detail']).toContain('sign-in service')
  expect((await call(at, 'GET', CURRENT, { key: desk.key })).status).toBe(200)
  await until(async () => expect((await signIn({}, {}, at)).status).toBe(201))
})

test('nothing is fetched from an origin that the settings do not name', async () => {
  const elsewhere = await startIdentityProvider()
  try {
    people.metadata = { jwks_uri: `${elsewhere.issuer}/keys` }
    expect((await signIn({}, {}, await api())).status).toBe(503)
    expect(elsewhere.requests).toEqual([])
    const named = await api(GROUPS(), { other_origins: [elsewhere.issuer] })
    expect((await signIn({}, {}, named)).json()['code']).toBe('sign_in_refused')
    expect(elsewhere.requests).toEqual(['/keys'])
  } finally {
    people.metadata = {}
    await elsewhere.close()
  }
})

test('without a configured sign-in service nobody signs in this way', async () => {
  const at = (await installation.api({ config: { CUPEL_INSTANCE: 900 } })).url
  const reply = await signIn({}, {}, at)
  expect([reply.status, reply.json()['code']]).toEqual([403, 'sign_in_refused'])
})

test('neither a token, a nonce nor the name of the person is in the log or the store', async () => {
  const body = await people.signIn({ groups: ['desk'], sub: 'canary' })
  const reply = await call(url, 'POST', SIGN_IN, { body })
  await until(async () =>
    expect(await recorded()).toContainEqual(expect.objectContaining({ actor: 'canary' })),
  )
  const records = await installation.records('access.request.events.v1')
  const log = Buffer.concat(records.map(({ value }) => Buffer.from(value!))).toString('latin1')
  const rows = await installation.database.query(
    'SELECT s::text AS row FROM access.session AS s UNION ALL SELECT t::text FROM access.spent_id_token AS t',
  )
  const [, payload = '', signature = ''] = body.id_token.split('.')
  for (const secret of [payload, signature, body.nonce, tokenOf(reply), 'canary']) {
    expect(log).not.toContain(secret)
    expect(JSON.stringify(rows)).not.toContain(secret)
  }
})
