/** Proposals of policies over the API: who may, who counts as another person, and what an operator of another account reads. */
import { rotateKey } from '@cupel/gate/access'
import { compiledDefaultPolicy, defaultPolicy } from '@cupel/domain'
import { topicOf } from '@cupel/contracts'
import { LogUnavailableError } from '@cupel/event-log'
import { readActivations } from '@cupel/policy'
import { openDatabase } from '@cupel/postgres'
import { startIdentityProvider, until } from '@cupel/testkit'
import { afterAll, beforeEach, afterEach, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { call, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

const CHANGES = '/v1/proposed-changes'
const people = await startIdentityProvider()
afterAll(() => people.close())
let installation: Installation
let open: RunningApi
let strict: RunningApi
let one: { key: string; keyId: string; accountId: string }
let other: typeof one
beforeEach(async () => {
  installation = await startInstallation()
  one = await installation.key({ scope: 'operator', plan: 'enterprise' })
  other = await installation.key({ scope: 'operator', plan: 'enterprise' })
  open = await installation.api()
  strict = await installation.api({ config: { CUPEL_INSTANCE: 1, CUPEL_POLICY_SECOND_PERSON: true } })
}, 60_000)
afterEach(() => installation.stop())

const REASON = 'Too many orange reports of one exchange'
const policyOf = (version: number, red: number) => ({
  ...{ ...defaultPolicy, version, levels: { ...defaultPolicy.levels, red } },
})
const propose = (api: RunningApi, key: string, policy: object = policyOf(2, 80)): Promise<Reply> =>
  call(api.url, 'POST', CHANGES, { key, body: { activate_policy: policy, reason: REASON } })
const idOf = (made: Reply): string => String(made.json()['change_id'])
const read = (id: string, key: string, api = strict) => call(api.url, 'GET', `${CHANGES}/${id}`, { key })
const confirm = (id: string, key: string, api = strict) =>
  call(api.url, 'POST', `${CHANGES}/${id}/decision`, { key, body: { decision: 'confirm' } })
const second = { status: 409, code: 'second_person_required' }
const inForce = async (): Promise<number> =>
  (await readActivations(installation.log, installation.codec)).at(-1)!.version

test('is for operators with a live key', async () => {
  const id = idOf(await propose(open, one.key))
  for (const scope of ['read-only', 'read-write', 'admin'] as const) {
    const { key } = await installation.key({ scope, accountId: one.accountId })
    const refused = [propose(open, key), call(open.url, 'GET', '/v1/policy/activations', { key })]
    const ofOne = [read(id, key), confirm(id, key, open)]
    for (const reply of await Promise.all([...refused, ...(scope === 'admin' ? [] : ofOne)]))
      expect(reply.json()).toMatchObject({ status: 403, code: 'scope_required' })
    if (scope !== 'admin') continue
    for (const reply of await Promise.all(ofOne)) expect(reply.status).toBe(404)
    expect((await call(open.url, 'GET', CHANGES, { key })).json()).toMatchObject({ items: [] })
  }
  const { key } = await installation.key({ scope: 'operator', environment: 'test' })
  for (const reply of [await propose(open, key), await confirm(id, key, open)])
    expect(reply.json()).toMatchObject({ status: 409, code: 'change_conflict' })
  expect((await read(id, key, open)).json()).toMatchObject({ status: 'open', may_confirm: false })
  expect(await inForce()).toBe(1)
})

test('a proposal says what it changes, and where nobody else is asked for its proposer puts it in force', async () => {
  installation.project()
  const made = await propose(open, one.key)
  expect(made.status, made.text).toBe(201)
  expect(made.json()).toMatchObject({
    ...{ status: 'open', reason: REASON, may_confirm: true, needs_second_person: false },
    effect: { is_outdated: false, settings: [{ path: 'levels.red', from: 70, to: 80 }] },
    proposed_by: { key_id: one.keyId, person: null },
  })
  expect((await confirm(idOf(made), one.key, open)).json()).toMatchObject({
    ...{ status: 'confirmed', effect: null },
  })
  await until(async () =>
    expect((await call(open.url, 'GET', '/v1/policy', { key: one.key })).json()).toMatchObject({
      version: 2,
    }),
  )
  const { items } = (await call(open.url, 'GET', '/v1/policy/activations', { key: one.key })).json() as {
    items: object[]
  }
  expect(items).toMatchObject([
    {
      policy: { version: 2 },
      activated_by: `key ${one.keyId}`,
      reason: `Proposal ${idOf(made)} of key ${one.keyId}.`,
    },
    { policy: { version: 1 }, activated_by: 'system' },
  ])
})

test('where a second person is asked for, the proposer cannot put it in force, also not with a successor of the key', async () => {
  const id = idOf(await propose(strict, one.key))
  expect((await read(id, one.key)).json()).toMatchObject({ needs_second_person: true, may_confirm: false })
  expect((await confirm(id, one.key)).json()).toMatchObject(second)
  const rotated = await rotateKey(installation.database, { keyId: one.keyId, by: 'ops' })
  expect((await confirm(id, rotated.key)).json()).toMatchObject(second)
  expect(await inForce()).toBe(1)
  expect((await read(id, other.key)).json()).toMatchObject({ may_confirm: true, reason: REASON })
  expect((await confirm(id, other.key)).json()).toMatchObject({ status: 'confirmed' })
  expect(await inForce()).toBe(2)
})

test('people with one key are two persons, one person with two sign-ins is one, and a key is nobody else', async () => {
  const file = people.settingsFile({ desk: one.keyId, others: other.keyId })
  const api = await installation.api({
    config: { CUPEL_INSTANCE: 2, CUPEL_POLICY_SECOND_PERSON: true, CUPEL_OIDC_FILE: file },
  })
  const session = async (subject: string, name: string, group = 'desk'): Promise<string> => {
    const body = await people.signIn({ groups: [group], sub: subject, name })
    const reply = await call(api.url, 'POST', '/v1/sessions/oidc', { body })
    expect(reply.status, reply.text).toBe(201)
    return String(reply.json()['session_token'])
  }
  const ann = await session('ann-1', 'Ann')
  const id = idOf(await propose(api, ann))
  expect((await read(id, ann, api)).json()).toMatchObject({ proposed_by: { person: 'Ann (ann-1)' } })
  // Another name, another key and another account are the same person.
  for (const same of [
    ann,
    await session('ann-1', 'Ann B.'),
    await session('ann-1', 'Ann', 'others'),
    other.key,
  ])
    expect((await confirm(id, same, api)).json()).toMatchObject(second)
  // An operator of another account reads who proposed it and why.
  expect((await read(id, other.key, api)).json()).toMatchObject({
    reason: REASON,
    proposed_by: { person: 'Ann (ann-1)' },
  })
  expect((await confirm(id, await session('bob-1', 'Bob'), api)).json()).toMatchObject({
    status: 'confirmed',
  })
})

test('a proposer whose texts cannot be read any more may be anybody', async () => {
  const file = people.settingsFile({ desk: one.keyId, others: other.keyId })
  const config = { CUPEL_INSTANCE: 2, CUPEL_POLICY_SECOND_PERSON: true, CUPEL_OIDC_FILE: file }
  const api = await installation.api({ config })
  const signIn = async (sub: string, group: string): Promise<string> => {
    const body = await people.signIn({ groups: [group], sub, name: sub })
    return String((await call(api.url, 'POST', '/v1/sessions/oidc', { body })).json()['session_token'])
  }
  const id = idOf(await propose(api, await signIn('ann-1', 'desk')))
  const bob = await signIn('bob-1', 'others')
  expect((await read(id, bob, api)).json()).toMatchObject({ may_confirm: true })
  await installation.database.execute(
    `UPDATE personal_data.account_key SET wrapped = NULL, destroyed_at = now() WHERE account_id = $1`,
    [one.accountId],
  )
  // Another process has not remembered the key.
  const fresh = await installation.api({ config: { ...config, CUPEL_INSTANCE: 3 } })
  expect((await read(id, bob, fresh)).json()).toMatchObject({ may_confirm: false })
  expect((await confirm(id, bob, fresh)).json()).toMatchObject(second)
})

test('what a person wrote is sealed in the log, and a policy that cannot be in force is not proposed', async () => {
  await propose(open, one.key)
  const proposals = await installation.database.query(
    'SELECT reason, change, proposer_account_id FROM access.proposed_change',
  )
  expect(JSON.stringify(proposals)).not.toMatch(/orange|levels/)
  expect(await installation.opened(proposals)).toMatchObject([
    {
      reason: REASON,
      change: expect.stringContaining('"red":80') as string,
      proposer_account_id: one.accountId,
    },
  ])
  const wrong = [policyOf(2, 0), { ...policyOf(2, 80), whitelist: ['0x0'] }, compiledDefaultPolicy.document]
  const [levels, unknown, known] = await Promise.all(wrong.map((policy) => propose(open, one.key, policy)))
  for (const reply of [levels!, unknown!])
    expect(reply.json()).toMatchObject({ status: 400, code: 'invalid_request' })
  expect(levels!.json()).toMatchObject({ errors: [{ pointer: '/activate_policy/levels/red' }] })
  expect(known!.json()).toMatchObject({ status: 409, detail: 'This policy is in force already.' })
})

test('proposals are listed newest first in pages, and one that is outdated is not offered', async () => {
  const first = idOf(await propose(open, one.key))
  const second = idOf(await propose(open, one.key, policyOf(2, 85)))
  const ofKey = { issue_key: { scope: 'read-only' }, reason: REASON }
  expect((await call(open.url, 'POST', CHANGES, { key: one.key, body: ofKey })).status).toBe(201)
  const page = (query: string) => call(open.url, 'GET', `${CHANGES}?${query}`, { key: other.key })
  const policies = 'change_kind=activate_policy&page_size=1'
  const newest = (await page(policies)).json()
  expect(newest).toMatchObject({ items: [{ change_id: second, status: 'open' }] })
  expect((await confirm(second, other.key, open)).status).toBe(200)
  const token = String(newest['next_page_token'])
  expect((await page(`${policies}&page_token=${token}`)).json()).toMatchObject({
    items: [{ change_id: first, status: 'open', may_confirm: false, effect: { is_outdated: true } }],
    next_page_token: null,
  })
  expect((await confirm(first, other.key, open)).json()).toMatchObject({ code: 'change_conflict' })
  expect((await page(`page_size=1&page_token=${token}`)).status).toBe(400)
  const elsewhere = `/v1/policy/activations?page_token=${token}`
  expect((await call(open.url, 'GET', elsewhere, { key: other.key })).json()).toMatchObject({ status: 400 })
})

test('a proposal that this version would refuse is listed with its faults, and can be refused', async () => {
  const id = idOf(await propose(open, one.key))
  await installation.database.execute('UPDATE access.proposed_change SET change = $1', [
    // Red begins below orange.
    JSON.stringify(policyOf(2, 1)),
  ])
  const reply = await call(open.url, 'GET', `${CHANGES}?show=open`, { key: other.key })
  expect([reply.status, reply.json()]).toMatchObject([
    200,
    { items: [{ change_id: id, may_confirm: false, effect: { findings: [{ severity: 'error' }] } }] },
  ])
  expect((await confirm(id, other.key, open)).json()).toMatchObject({
    ...{ code: 'change_conflict', detail: 'The policy is not valid any more; propose another one.' },
  })
  const refused = { key: other.key, body: { decision: 'refuse' } }
  expect((await call(open.url, 'POST', `${CHANGES}/${id}/decision`, refused)).json()).toMatchObject({
    status: 'refused',
  })
})

const refuse = (id: string) =>
  call(open.url, 'POST', `${CHANGES}/${id}/decision`, { key: other.key, body: { decision: 'refuse' } })

test('a policy that is in force is not refused although the commit of its confirmation failed, and the next start settles it', async () => {
  const id = idOf(await propose(open, one.key))
  await installation.apiDies('before:access.change:1', (url) =>
    call(url, 'POST', `${CHANGES}/${id}/decision`, { key: other.key, body: { decision: 'confirm' } }),
  )
  expect(await inForce()).toBe(2)
  expect((await read(id, other.key)).json()).toMatchObject({ status: 'open', may_confirm: true })
  expect((await refuse(id)).json()).toMatchObject({
    ...{ status: 409, code: 'change_conflict', detail: 'It was confirmed already.' },
  })
  await installation.api({ config: { CUPEL_INSTANCE: 4 } })
  await until(async () =>
    expect((await read(id, one.key)).json()).toMatchObject({
      ...{ status: 'confirmed', decided_by: { key_id: other.keyId, person: null } },
    }),
  )
  const told = await installation.database.query(
    `SELECT FROM projection.outbox WHERE event->>'type' = 'ProposedChangeDecided'`,
  )
  expect(told).toHaveLength(1)
})

test('a proposal that is refused before anybody confirmed it never comes into force', async () => {
  const id = idOf(await propose(open, one.key))
  await installation.apiDies('before:policy.activate:1', (url) =>
    call(url, 'POST', `${CHANGES}/${id}/decision`, { key: other.key, body: { decision: 'confirm' } }),
  )
  expect((await refuse(id)).json()).toMatchObject({ status: 'refused' })
  expect(await inForce()).toBe(1)
})

test('a list reads the policies in force once, and without the log only proposals of policies are unknown', async () => {
  for (const red of [80, 85]) await propose(open, one.key, policyOf(2, red))
  const ofKey = { issue_key: { scope: 'read-only' }, reason: REASON }
  await call(open.url, 'POST', CHANGES, { key: one.key, body: ofKey })
  const { log } = installation
  let [reads, isDown] = [0, false]
  const api = await installation.api({
    config: { CUPEL_INSTANCE: 4 },
    log: {
      ...log,
      read(range) {
        if (range.topic === topicOf('PolicyActivated')) {
          reads += 1
          if (isDown) throw new LogUnavailableError('down')
        }
        return log.read(range)
      },
    },
  })
  const list = () => call(api.url, 'GET', CHANGES, { key: other.key })
  // The look of the start.
  await until(() => expect(reads).toBe(1))
  expect((await list()).status).toBe(200)
  expect(reads).toBe(2)
  isDown = true
  const unknown = { findings: [{ severity: 'error', rule: 'policy-in-force-unknown' }], settings: [] }
  expect((await list()).json()).toMatchObject({
    items: [
      { kind: 'issue_key', may_confirm: true, effect: null },
      { kind: 'activate_policy', may_confirm: false, effect: unknown },
      { kind: 'activate_policy', may_confirm: false, effect: unknown },
    ],
  })
})

test('while a confirmation waits for the log, nobody else decides', async () => {
  const id = idOf(await propose(open, one.key))
  const opened = (statementTimeoutMs: number) => {
    const { connectionString } = installation
    const database = openDatabase({
      ...{ connectionString, maxConnections: 10, statementTimeoutMs, applicationName: 'cupel-test' },
    })
    installation.onClose(() => database.close())
    return database
  }
  const { log } = installation
  let [isAppending, append] = [false, (): void => undefined]
  const may = new Promise<void>((resolve) => (append = resolve))
  const api = await installation.api({
    ...{ config: { CUPEL_INSTANCE: 4 }, database: opened(500) },
    log: {
      ...log,
      async append(at, records) {
        if (at === 'policy.activate') {
          isAppending = true
          await may
        }
        return await log.append(at, records)
      },
    },
  })
  const confirmed = confirm(id, other.key, api)
  await until(() => expect(isAppending).toBe(true))
  // Four times as long as an idle transaction of this API may last otherwise.
  const taken = opened(2_000).query(
    'SELECT change_id FROM access.proposed_change WHERE change_id = $1 FOR UPDATE',
    [id],
  )
  await expect(taken).rejects.toMatchObject({ code: '57014' })
  append()
  expect((await confirmed).json()).toMatchObject({ status: 'confirmed' })
})
