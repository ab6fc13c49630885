/** Changes of keys and lists that need two persons: who may confirm, what a proposal changes, and what waits. */
import { rotateKey } from '@cupel/gate/access'
import { eraseAccount } from '@cupel/personal-data'
import { startIdentityProvider } from '@cupel/testkit'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { call, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

const CHANGES = '/v1/proposed-changes'
const IMPORTS = '/v1/list-imports'
const STRICT = { CUPEL_INSTANCE: 1, CUPEL_KEY_SECOND_PERSON: true, CUPEL_LIST_SECOND_PERSON: true }
const people = await startIdentityProvider()
afterAll(() => people.close())
let installation: Installation
let open: RunningApi
let strict: RunningApi
type Key = { key: string; keyId: string; accountId: string }
let ann: Key
let bob: Key
let stranger: Key
beforeEach(async () => {
  installation = await startInstallation()
  ann = await installation.key({ scope: 'admin', plan: 'pro' })
  const { accountId } = ann
  bob = await installation.key({ accountId, scope: 'admin', plan: 'pro' })
  stranger = await installation.key({ scope: 'admin', plan: 'pro' })
  open = await installation.api()
  strict = await installation.api({ config: STRICT })
}, 60_000)
afterEach(() => installation.stop())

const NEW_KEY = { issue_key: { scope: 'read-write', name: 'Payments' }, reason: 'The new service' }
const propose = (key: string, body: object = NEW_KEY, api = strict): Promise<Reply> =>
  call(api.url, 'POST', CHANGES, { key, body })
const idOf = (made: Reply): string => {
  expect(made.status, made.text).toBe(201)
  return String(made.json()['change_id'])
}
const read = (id: string, key: string, api = strict) => call(api.url, 'GET', `${CHANGES}/${id}`, { key })
const decide = (id: string, key: string, decision = 'confirm', api = strict): Promise<Reply> =>
  call(api.url, 'POST', `${CHANGES}/${id}/decision`, { key, body: { decision } })
const keysOf = async ({ accountId }: Key): Promise<number> =>
  (await installation.database.query('SELECT 1 FROM access.api_key WHERE account_id = $1', [accountId]))
    .length
const second = { status: 409, code: 'second_person_required' }

test('where two persons are asked for, nobody issues, changes or rotates a key without the other, and everybody revokes at once', async () => {
  const other = await installation.key({ accountId: ann.accountId, scope: 'read-write', plan: 'pro' })
  const { key } = ann
  const alone = (api: RunningApi) => [
    () => call(api.url, 'POST', '/v1/keys', { key, body: { scope: 'read-only' } }),
    () => call(api.url, 'PATCH', `/v1/keys/${other.keyId}`, { key, body: { plan: 'pro' } }),
    () => call(api.url, 'PATCH', `/v1/keys/${other.keyId}`, { key, body: { allowed_ips: ['203.0.113.1'] } }),
    () => call(api.url, 'POST', `/v1/keys/${other.keyId}/rotate`, { key, body: {} }),
  ]
  const before = await keysOf(ann)
  for (const attempt of alone(strict)) expect((await attempt()).json()).toMatchObject(second)
  expect(await keysOf(ann)).toBe(before)
  const revoked = await call(strict.url, 'POST', `/v1/keys/${other.keyId}/revoke`, { key, body: {} })
  expect(revoked.json()).toMatchObject({ status: 'revoked' })
  expect((await call(strict.url, 'POST', `/v1/keys/${ann.keyId}/rotate`, { key, body: {} })).status).toBe(201)
  expect(
    (await call(open.url, 'POST', '/v1/keys', { key: bob.key, body: { scope: 'read-only' } })).status,
  ).toBe(201)
})

test('another person confirms, and only that answer shows the key', async () => {
  const before = await keysOf(ann)
  const made = await propose(ann.key)
  const id = idOf(made)
  expect(made.json()).toMatchObject({
    ...{ status: 'open', kind: 'issue_key', needs_second_person: true, may_confirm: false },
    ...{ account_id: ann.accountId, livemode: true, reason: NEW_KEY.reason, decided_by: null },
    change: { scope: 'read-write', name: 'Payments', plan: 'pro', allowed_ips: [], webhook_admin: false },
  })
  expect((await decide(id, ann.key)).json()).toMatchObject(second)
  const successor = await rotateKey(installation.database, { keyId: ann.keyId, by: 'ops' })
  expect((await decide(id, successor.key)).json()).toMatchObject(second)
  expect(await keysOf(ann)).toBe(before + 1)
  expect((await read(id, bob.key)).json()).toMatchObject({ may_confirm: true })
  const confirmed = await decide(id, bob.key)
  expect(confirmed.json()).toMatchObject({
    ...{ status: 'confirmed', decided_by: { key_id: bob.keyId } },
    new_key: { name: 'Payments', scope: 'read-write', plan: 'pro', account_id: ann.accountId },
  })
  const { key } = confirmed.json()['new_key'] as { key: string }
  expect((await call(strict.url, 'GET', '/v1/sessions/current', { key })).json()).toMatchObject({
    scope: 'read-write',
  })
  expect(await keysOf(ann)).toBe(before + 2)
  expect((await read(id, bob.key)).text).not.toContain(key)
  expect((await decide(id, bob.key)).json()).toMatchObject({ code: 'change_conflict' })
  expect(await keysOf(ann)).toBe(before + 2)
  // What the log holds of it can be erased.
  const stored = await installation.database.query(
    `SELECT row_to_json(c) FROM access.proposed_change c
     UNION ALL SELECT event::json FROM projection.outbox WHERE event->>'type' LIKE '%Change%'`,
  )
  expect(JSON.stringify(stored)).toContain(id)
  expect(JSON.stringify(stored)).not.toMatch(/Payments|The new service/)
})

test('a refused change is not made, and its proposer may withdraw it', async () => {
  const before = await keysOf(ann)
  for (const key of [ann.key, bob.key]) {
    const id = idOf(await propose(ann.key))
    expect((await decide(id, key, 'refuse')).json()).toMatchObject({ status: 'refused', new_key: null })
    expect((await decide(id, bob.key)).json()).toMatchObject({ code: 'change_conflict' })
  }
  expect(await keysOf(ann)).toBe(before)
})

test('a change gives no right that its proposer or the person who confirms it lacks', async () => {
  const weak = await installation.key({
    accountId: ann.accountId,
    scope: 'admin',
    plan: 'pro',
    webhookAdmin: false,
  })
  const hooks = { issue_key: { scope: 'read-only', webhook_admin: true }, reason: 'for hooks' }
  expect((await propose(weak.key, hooks)).json()).toMatchObject({ code: 'scope_required' })
  const id = idOf(await propose(ann.key, hooks))
  const before = await keysOf(ann)
  expect((await decide(id, weak.key)).json()).toMatchObject({ code: 'scope_required' })
  expect(await keysOf(ann)).toBe(before)
  // What was refused with the rights of one person can be confirmed with those of another one.
  expect((await decide(id, bob.key)).json()).toMatchObject({ status: 'confirmed' })
})

test('a key keeps its secret where its plan and allowlist change by a proposal, and is not its own', async () => {
  const other = await installation.key({ accountId: ann.accountId, scope: 'read-write', plan: 'pro' })
  const body = { change_key: { key_id: other.keyId, allowed_ips: ['203.0.113.0/24'] }, reason: 'The office' }
  const id = idOf(await propose(ann.key, body))
  expect((await decide(id, bob.key)).json()).toMatchObject({ status: 'confirmed', new_key: null })
  expect((await call(strict.url, 'GET', `/v1/keys/${other.keyId}`, { key: ann.key })).json()).toMatchObject({
    allowed_ips: ['203.0.113.0/24'],
    status: 'active',
  })
  const own = { change_key: { key_id: ann.keyId, name: 'mine' }, reason: 'mine' }
  expect((await propose(ann.key, own)).json()).toMatchObject({ code: 'change_conflict' })
})

test('a proposal counts while its key has the rights that it had then', async () => {
  const { keyId } = await installation.key({ accountId: ann.accountId, scope: 'admin', plan: 'pro' })
  const changes = [{ change_key: { key_id: keyId, scope: 'admin' } }, { rotate_key: { key_id: keyId } }]
  const asked = changes.map((one) => ({ ...one, reason: 'as before' }))
  const outdated: string[] = []
  for (const body of asked) outdated.push(idOf(await propose(ann.key, body)))
  const named = idOf(await propose(ann.key, { change_key: { key_id: keyId, name: 'Pay' }, reason: 'a name' }))
  const before = await keysOf(ann)
  const lowered = { key: bob.key, body: { scope: 'read-only' } }
  expect((await call(open.url, 'PATCH', `/v1/keys/${keyId}`, lowered)).status).toBe(200)
  for (const id of [...outdated, named])
    expect((await decide(id, bob.key)).json()).toMatchObject({ code: 'change_conflict' })
  const now = await call(strict.url, 'GET', `/v1/keys/${keyId}`, { key: ann.key })
  expect(now.json()).toMatchObject({ scope: 'read-only', status: 'active' })
  expect(await keysOf(ann)).toBe(before)
  for (const body of asked)
    expect((await decide(idOf(await propose(ann.key, body)), bob.key)).json()).toMatchObject({
      status: 'confirmed',
    })
})

test('another account neither sees nor decides it, and an operator does both', async () => {
  const id = idOf(await propose(ann.key))
  const { key: sandbox } = await installation.key({
    ...{ accountId: ann.accountId, scope: 'admin', environment: 'test' },
  })
  for (const key of [stranger.key, sandbox]) {
    expect((await read(id, key)).status).toBe(404)
    expect((await decide(id, key)).status).toBe(404)
    expect((await decide(id, key, 'refuse')).status).toBe(404)
    expect((await call(strict.url, 'GET', CHANGES, { key })).json()).toMatchObject({ items: [] })
  }
  const { key: reader } = await installation.key({ accountId: ann.accountId, scope: 'read-write' })
  expect((await read(id, reader)).json()).toMatchObject({ code: 'scope_required' })
  const { key: operator } = await installation.key({ scope: 'operator', plan: 'enterprise' })
  expect((await read(id, operator)).json()).toMatchObject({ reason: NEW_KEY.reason, may_confirm: true })
  expect((await decide(id, operator)).json()).toMatchObject({ status: 'confirmed' })
  // Also a decided one is nobody's.
  expect((await decide(id, stranger.key)).status).toBe(404)
})

test('what an operator proposes for an account is erased with that account', async () => {
  const { key } = await installation.key({ scope: 'operator', plan: 'enterprise' })
  const { accountId } = stranger
  const asked = { account_id: accountId, scope: 'read-only', name: 'Jane', allowed_ips: ['203.0.113.7'] }
  const body = { issue_key: asked, reason: 'Jane asked for it' }
  const id = idOf(await propose(key, body))
  expect((await read(id, key)).json()).toMatchObject({ change: asked, reason: body.reason })
  await eraseAccount(installation.database, { accountId, by: 'test', reason: 'test', plainRecords: 0 })
  // Another process has no key in its memory.
  const later = await installation.api({ config: { ...STRICT, CUPEL_INSTANCE: 2 } })
  const forgotten = { change: null, reason: 'erased' }
  expect((await read(id, key, later)).json()).toMatchObject(forgotten)
  // Of a later one nothing is stored, and it hides no other.
  const next = idOf(await propose(key, body, later))
  const list = await call(later.url, 'GET', CHANGES, { key })
  expect(list.json()).toMatchObject({ items: [{ change_id: next, ...forgotten }, { change_id: id }] })
})

/** An API where people sign in and act with Ann's key. */
async function deskOfPeople() {
  const file = people.settingsFile({ desk: ann.keyId })
  const api = await installation.api({ config: { ...STRICT, CUPEL_INSTANCE: 2, CUPEL_OIDC_FILE: file } })
  const session = async (sub: string): Promise<string> => {
    const body = await people.signIn({ groups: ['desk'], sub, name: sub })
    return String((await call(api.url, 'POST', '/v1/sessions/oidc', { body })).json()['session_token'])
  }
  return { api, session }
}

test('a session gets no successor of its key without the other person', async () => {
  const { api, session } = await deskOfPeople()
  const begun = await call(api.url, 'POST', '/v1/sessions', { key: ann.key })
  const before = await keysOf(ann)
  for (const token of [await session('ann-1'), String(begun.json()['session_token'])])
    expect(
      (await call(api.url, 'POST', `/v1/keys/${ann.keyId}/rotate`, { key: token, body: {} })).json(),
    ).toMatchObject(second)
  expect(await keysOf(ann)).toBe(before)
  const body = { rotate_key: { key_id: ann.keyId }, reason: 'one year old' }
  const id = idOf(await propose(await session('ann-1'), body, api))
  expect((await decide(id, await session('bob-1'), 'confirm', api)).json()).toMatchObject({
    new_key: { rotated_from: ann.keyId },
  })
})

test('people with one key are two persons, and where people sign in a key without a person is nobody else', async () => {
  const { api, session } = await deskOfPeople()
  const made = await propose(await session('ann-1'), NEW_KEY, api)
  expect(made.json()).toMatchObject({ proposed_by: { key_id: ann.keyId, person: 'ann-1 (ann-1)' } })
  const id = idOf(made)
  for (const same of [await session('ann-1'), bob.key])
    expect((await decide(id, same, 'confirm', api)).json()).toMatchObject(second)
  expect((await decide(id, await session('bob-1'), 'confirm', api)).json()).toMatchObject({
    status: 'confirmed',
    decided_by: { person: 'bob-1 (bob-1)' },
  })
})

test('the proposal of a key that was revoked since is not confirmed', async () => {
  const id = idOf(await propose(ann.key))
  await call(strict.url, 'POST', `/v1/keys/${ann.keyId}/revoke`, { key: bob.key, body: {} })
  expect((await read(id, bob.key)).json()).toMatchObject({ status: 'open', may_confirm: false })
  expect((await decide(id, bob.key)).json()).toMatchObject({ code: 'change_conflict' })
})

test('a proposal of an erased account can be read and confirmed by nobody, and hides no other one', async () => {
  const readable = idOf(await propose(stranger.key))
  const { accountId } = ann
  await eraseAccount(installation.database, { accountId, by: 'ops', reason: 'gone', plainRecords: 0 })
  // Another process has no key in its memory.
  const later = await installation.api({ config: { ...STRICT, CUPEL_INSTANCE: 2 } })
  const id = idOf(await propose(ann.key, NEW_KEY, later))
  const { key } = await installation.key({ scope: 'operator', plan: 'enterprise' })
  expect((await call(later.url, 'GET', CHANGES, { key })).json()).toMatchObject({
    items: [{ change_id: id, change: null, may_confirm: false }, { change_id: readable }],
  })
  expect((await decide(id, bob.key, 'confirm', later)).json()).toMatchObject({ code: 'change_conflict' })
})

test('removals of a list are accepted by two persons, for what the look said when they were proposed', async () => {
  const [one, two] = [
    await installation.key({ scope: 'operator', plan: 'enterprise' }),
    await installation.key({ scope: 'operator', plan: 'enterprise' }),
  ]
  const begun = await call(strict.url, 'POST', IMPORTS, {
    ...{ key: one.key, body: { format: 'csv', dataset: 'fraud' } },
  })
  const importId = String(begun.json()['import_id'])
  await call(strict.url, 'POST', `${IMPORTS}/${importId}/parts`, {
    ...{ key: one.key, body: { part: 0, content: Buffer.from('address\n').toString('base64') } },
  })
  const look = (message: string) =>
    installation.database.execute(
      `UPDATE labels.list_order SET status = 'refused', result = $2 WHERE order_id = $1`,
      [importId, JSON.stringify({ status: 'failed', message })],
    )
  await look('12 labels would end')
  const accept = { accept_removals: 12 }
  const confirm = (body: object) =>
    call(strict.url, 'POST', `${IMPORTS}/${importId}/confirm`, { key: one.key, body })
  expect((await confirm({ ...accept, reason: 'delisted' })).json()).toMatchObject(second)
  const body = { confirm_import: { import_id: importId, ...accept }, reason: 'delisted' }
  // An admin of an account is no operator.
  expect((await propose(ann.key, body)).json()).toMatchObject({ code: 'scope_required' })
  const outdated = idOf(await propose(one.key, body))
  await look('12 other labels would end')
  expect((await decide(outdated, two.key)).json()).toMatchObject({ code: 'change_conflict' })
  const id = idOf(await propose(one.key, body))
  expect((await decide(id, one.key)).json()).toMatchObject(second)
  const state = () => call(strict.url, 'GET', `${IMPORTS}/${importId}`, { key: two.key })
  expect((await state()).json()).toMatchObject({ status: 'refused', confirmed_by: null })
  expect((await decide(id, two.key)).json()).toMatchObject({ status: 'confirmed', new_key: null })
  expect((await state()).json()).toMatchObject({ status: 'importing', confirmed_by: `key ${two.keyId}` })
})

test('what waits is listed newest first in pages', async () => {
  const [first, refused, last] = [await propose(ann.key), await propose(ann.key), await propose(ann.key)].map(
    idOf,
  )
  await decide(refused!, bob.key, 'refuse')
  const page = async (query: string) =>
    (await call(strict.url, 'GET', `${CHANGES}?${query}`, { key: bob.key })).json()
  const newest = await page('show=open&page_size=1')
  expect(newest).toMatchObject({ items: [{ change_id: last }] })
  expect(await page(`show=open&page_size=1&page_token=${String(newest['next_page_token'])}`)).toMatchObject({
    ...{ items: [{ change_id: first }], next_page_token: null },
  })
  expect(((await page('show=all'))['items'] as object[]).length).toBe(3)
})
