/** Accounts and keys as an operator changes them, and the gate as callers see it. */
import { eventLogMigrations } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { projectionsMigrations } from '@cupel/projections'
import { openTestDatabase, until, type OpenTestDatabase } from '@cupel/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  accessMigrations,
  AccessRefusal,
  createAccount,
  createAdmission,
  issueKey,
  listAccounts,
  listKeys,
  loadInstallationSecrets,
  revokeKey,
  rotateKey,
  setAsksProviders,
  type AdmissionGate,
  type KeyOrder,
} from './index.js'
import { type AccessCall } from './admission.js'

let opened: OpenTestDatabase
let database: Database
let gate: AdmissionGate
let accountId: string
beforeAll(async () => {
  opened = await openTestDatabase([eventLogMigrations, projectionsMigrations, accessMigrations])
  ;({ database } = opened)
  gate = createAdmission({ database })
})
afterAll(async () => {
  await gate.close()
  await opened.close()
})
beforeEach(async () => {
  accountId = (await createAccount(database, { name: 'Acme', by: 'ops' })).accountId
})

const order = (rest: Partial<KeyOrder> = {}): KeyOrder => ({
  accountId,
  environment: 'live',
  scope: 'read-write',
  plan: 'pro',
  by: 'ops',
  ...rest,
})

function admit(key: string, call: Partial<AccessCall> = {}) {
  return gate.admit({
    authorization: `Bearer ${key}`,
    clientAddress: '203.0.113.7',
    requiredScope: 'read-only',
    ...call,
  })
}

async function outbox(): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const rows = await database.query<{ event: { type: string; data: Record<string, unknown> } }>(
    `SELECT event FROM projection.outbox WHERE event -> 'data' ->> 'accountId' = $1 ORDER BY seq`,
    [accountId],
  )
  return rows.map((row) => row.event)
}

describe('changes', () => {
  test('an account and its key are events, without the key or its hash', async () => {
    const issued = await issueKey(
      database,
      order({
        name: 'backend',
        allowedIps: ['203.0.113.9/24', '::ffff:198.51.100.1'],
        expiresAt: '2030-01-01',
      }),
    )
    const [created, keyIssued, ...more] = await outbox()
    expect(more).toEqual([])
    expect(created).toMatchObject({
      type: 'AccountCreated',
      data: { accountId, name: 'Acme', createdBy: 'ops' },
    })
    expect(keyIssued).toMatchObject({
      type: 'ApiKeyIssued',
      data: {
        keyId: issued.keyId,
        accountId,
        environment: 'live',
        scope: 'read-write',
        plan: 'pro',
        name: 'backend',
        allowedIps: ['203.0.113.0/24', '198.51.100.1/32'],
        expiresAt: '2030-01-01T00:00:00.000Z',
        webhookAdmin: true,
        rotatedFrom: null,
        issuedBy: 'ops',
      },
    })
    expect(issued.key).toMatch(/^cpl_live_[0-9A-Za-z]{57}$/)
    const dump = JSON.stringify([
      await outbox(),
      await listKeys(database),
      await database.query('SELECT * FROM access.api_key'),
    ])
    expect(dump).toContain(issued.keyId)
    expect(dump).not.toContain(issued.key)
    expect(dump).not.toContain(issued.key.slice(17, 40))
    expect(JSON.stringify(await outbox())).not.toMatch(/hash/i)
  })

  test('what cannot be is refused and leaves nothing behind', async () => {
    for (const [wrong, code] of [
      [{ accountId: 'acc_none' }, 'unknown_account'],
      [{ plan: 'gold' as never }, 'invalid'],
      [{ allowedIps: ['203.0.113.0/33'] }, 'invalid'],
      [{ expiresAt: 'soon' }, 'invalid'],
    ] as const) {
      const attempt = issueKey(database, order(wrong))
      await expect(attempt).rejects.toThrow(AccessRefusal)
      await expect(attempt).rejects.toMatchObject({ code })
    }
    await expect(revokeKey(database, { keyId: 'nobody00', by: 'ops', reason: 'x' })).rejects.toThrow(
      AccessRefusal,
    )
    await expect(createAccount(database, { name: ' \n ', by: 'ops' })).rejects.toThrow(RangeError)
    expect(await listKeys(database, { accountId })).toEqual([])
    expect(await outbox()).toHaveLength(1)
  })

  test('lists show accounts and keys in the order they came, of one account or of all', async () => {
    const one = await issueKey(database, order())
    // Keys of one millisecond are sorted by id, so the next key needs a later one.
    await until(() => expect(new Date().toISOString() > one.issuedAt).toBe(true), 1)
    const two = await issueKey(database, order({ environment: 'test', scope: 'read-only' }))
    expect((await listKeys(database, { accountId })).map((key) => key.keyId)).toEqual([one.keyId, two.keyId])
    expect((await listKeys(database)).length).toBeGreaterThanOrEqual(2)
    expect((await listAccounts(database)).at(-1)).toMatchObject({ accountId, name: 'Acme' })
  })

  test('revoking twice is one event', async () => {
    const { keyId } = await issueKey(database, order())
    const first = await revokeKey(database, { keyId, by: 'ops', reason: 'leaked' })
    const second = await revokeKey(database, { keyId, by: 'ops', reason: 'leaked again' })
    expect(second.revokedAt).toBe(first.revokedAt)
    const revoked = (await outbox()).filter((event) => event.type === 'ApiKeyRevoked')
    expect(revoked).toMatchObject([{ data: { keyId, accountId, revokedBy: 'ops', reason: 'leaked' } }])
  })

  test('a rotated key works with its successor until the overlap ends, or until it is revoked', async () => {
    const old = await issueKey(
      database,
      order({ scope: 'read-only', allowedIps: ['203.0.113.0/24'], name: 'cron' }),
    )
    const successor = await rotateKey(database, { keyId: old.keyId, by: 'ops', overlapMs: 60_000 })
    expect(successor).toMatchObject({
      scope: 'read-only',
      name: 'cron',
      allowedIps: ['203.0.113.0/24'],
      rotatedFrom: old.keyId,
    })
    expect((await admit(old.key)).admitted).toBe(true)
    expect((await admit(successor.key)).admitted).toBe(true)
    await expect(rotateKey(database, { keyId: old.keyId, by: 'ops' })).rejects.toMatchObject({
      code: 'key_revoked',
    })

    await revokeKey(database, { keyId: old.keyId, by: 'ops', reason: 'overlap cut short' })
    expect(await admit(old.key)).toMatchObject({ admitted: false, reason: 'revoked_key' })
    expect((await admit(successor.key)).admitted).toBe(true)
  })

  test('rotating with no overlap ends the old key at once', async () => {
    const old = await issueKey(database, order())
    await rotateKey(database, { keyId: old.keyId, by: 'ops', overlapMs: 0 })
    await until(async () => expect((await admit(old.key)).admitted).toBe(false))
  })
})

describe('the gate', () => {
  test('knows whose key it is', async () => {
    const { key, keyId } = await issueKey(
      database,
      order({ environment: 'test', plan: 'enterprise', webhookAdmin: false }),
    )
    expect(await admit(key)).toEqual({
      admitted: true,
      caller: {
        accountId,
        keyId,
        environment: 'test',
        livemode: false,
        scope: 'read-write',
        plan: 'enterprise',
        webhookAdmin: false,
        session: null,
      },
      rateLimit: {
        plan: 'enterprise',
        quota: 10_000,
        windowSeconds: 2,
        remaining: 9_999,
        nextTokenSeconds: 1,
      },
      reservation: null,
    })
  })

  test.each([
    ['no header', undefined, 'no_credentials'],
    ['an empty header', '', 'malformed_credentials'],
    ['another scheme', 'Basic YTpi', 'malformed_credentials'],
    ['only the scheme', 'Bearer', 'malformed_credentials'],
    ['two keys', 'Bearer a b', 'malformed_credentials'],
    ['no key of ours', 'Bearer sk_live_123', 'malformed_credentials'],
  ])('refuses %s without asking the store', async (_name, authorization, reason) => {
    const noStore = createAdmission({
      database: { query: () => Promise.reject(new Error('asked')) } as unknown as Database,
    })
    expect(
      await noStore.admit({ authorization, clientAddress: '::1', requiredScope: 'read-only' }),
    ).toMatchObject({ admitted: false, reason, caller: null, rateLimit: null })
    await noStore.close()
  })

  test('refuses a key with one wrong letter by its checksum, and a well-formed stranger by a look-up', async () => {
    const { key } = await issueKey(database, order())
    const swapped = key.slice(0, 30) + (key[30] === 'A' ? 'B' : 'A') + key.slice(31)
    expect(await admit(swapped)).toMatchObject({ reason: 'malformed_credentials' })
    const stranger = await issueKey(database, order())
    await database.execute('DELETE FROM access.api_key WHERE key_id = $1', [stranger.keyId])
    expect(await admit(stranger.key)).toMatchObject({ admitted: false, reason: 'unknown_key', caller: null })
  })

  test('refuses an expired key, and still knows whose it was', async () => {
    const { key } = await issueKey(database, order({ expiresAt: '2020-01-01' }))
    expect(await admit(key)).toMatchObject({ admitted: false, reason: 'expired_key', caller: { accountId } })
  })

  test('refuses a read-only key what takes a read-write one', async () => {
    const { key } = await issueKey(database, order({ scope: 'read-only' }))
    expect((await admit(key)).admitted).toBe(true)
    expect(await admit(key, { requiredScope: 'read-write' })).toMatchObject({ reason: 'scope_required' })
  })

  test.each([
    ['203.0.113.255', true],
    ['203.0.114.0', false],
    ['2001:db8:1::5', true],
    ['2001:db9::5', false],
  ])('from %s a key with an allowlist is admitted: %s', async (clientAddress, admitted) => {
    const { key } = await issueKey(database, order({ allowedIps: ['203.0.113.0/24', '2001:db8::/32'] }))
    expect((await admit(key, { clientAddress })).admitted).toBe(admitted)
  })

  test('judges calls of one moment in one statement, each for itself', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => issueKey(database, order())))
    await revokeKey(database, { keyId: keys[3]!.keyId, by: 'ops', reason: 'test' })
    const statements: unknown[] = []
    const watched: Database = {
      ...database,
      query: (statement, values) => {
        if (typeof statement !== 'string' && statement.name === 'access.admit_calls')
          statements.push(statement)
        return database.query(statement, values)
      },
    }
    const counted = createAdmission({ database: watched })
    const calls = Array.from({ length: 80 }, (_, index) => keys[index % 8]!)
    const verdicts = await Promise.all(
      calls.map(({ key }) =>
        counted.admit({ authorization: `Bearer ${key}`, clientAddress: '::1', requiredScope: 'read-only' }),
      ),
    )
    await counted.close()
    expect(statements).toHaveLength(1)
    for (const [index, verdict] of verdicts.entries()) {
      expect(verdict.caller?.keyId).toBe(calls[index]!.keyId)
      expect(verdict.admitted).toBe(index % 8 !== 3)
    }
  })

  test('refuses as unavailable while the store cannot be asked, and recovers by itself', async () => {
    const { key } = await issueKey(database, order())
    let isDown = true
    const flaky: Database = {
      ...database,
      query: (statement, values) =>
        isDown ? Promise.reject(new Error('down')) : database.query(statement, values),
    }
    const shaky = createAdmission({ database: flaky })
    const call: AccessCall = {
      authorization: `Bearer ${key}`,
      clientAddress: '::1',
      requiredScope: 'read-only',
    }
    expect(await shaky.admit(call)).toMatchObject({ admitted: false, reason: 'unavailable', caller: null })
    expect(shaky.isAvailable()).toBe(false)
    isDown = false
    expect((await shaky.admit(call)).admitted).toBe(true)
    expect(shaky.isAvailable()).toBe(true)
    await shaky.close()
  })

  test('sees an outage and its end also where no call comes', async () => {
    let isDown = true
    const flaky: Database = {
      ...database,
      query: (statement, values) =>
        isDown ? Promise.reject(new Error('down')) : database.query(statement, values),
    }
    const shaky = createAdmission({ database: flaky })
    expect(shaky.isAvailable()).toBe(true)
    await shaky.look()
    expect(shaky.isAvailable()).toBe(false)
    isDown = false
    await shaky.look()
    expect(shaky.isAvailable()).toBe(true)
    await shaky.close()
  })

  test('does not wait for a store that hangs', async () => {
    const hanging = createAdmission({
      database: { ...database, query: () => new Promise<never>(() => undefined) },
    })
    const { key } = await issueKey(database, order())
    const verdict = await hanging.admit({
      authorization: `Bearer ${key}`,
      clientAddress: '::1',
      requiredScope: 'read-only',
    })
    expect(verdict).toMatchObject({ reason: 'unavailable' })
  })

  test('an Idempotency-Key that the store reserved too late is free at once, because its caller was told to retry', async () => {
    const { key } = await issueKey(database, order())
    let goOn = (): void => undefined
    const standstill = new Promise<void>((resolve) => (goOn = resolve))
    let hasReserved = false
    const slow: Database = {
      ...database,
      query: async (statement, values) => {
        await standstill
        const rows = await database.query(statement, values)
        hasReserved = true
        return rows as never
      },
    }
    const slowGate = createAdmission({ database: slow, leaseMs: 3_600_000 })
    const request = (candidateId: string): Partial<AccessCall> => ({
      idempotent: { key: 'a-retry', requestHash: Buffer.alloc(32), candidateId },
    })
    const call = { authorization: `Bearer ${key}`, clientAddress: '::1', requiredScope: 'read-only' } as const
    expect(await slowGate.admit({ ...call, ...request('first') })).toMatchObject({ reason: 'unavailable' })
    goOn()
    await until(() => expect(hasReserved).toBe(true))
    await until(async () =>
      expect(await admit(key, request('second'))).toMatchObject({
        reservation: { kind: 'resumed', workId: 'first', holderId: 'second' },
      }),
    )
    await slowGate.close()
  })
})

describe('secrets', () => {
  test('the keys of an installation stay the same, and no two of them are equal', async () => {
    const secrets = await loadInstallationSecrets(database)
    const keys = Object.values(secrets).map((key: Uint8Array) => Buffer.from(key).toString('hex'))
    expect(keys.every((key) => key.length === 64)).toBe(true)
    expect(new Set(keys).size).toBe(3)
    expect(await loadInstallationSecrets(database)).toEqual(secrets)
  })
})

test('an account may be kept from providers, when it is opened or later, with its event', async () => {
  const { accountId: quiet } = await createAccount(database, {
    name: 'Quiet',
    by: 'ops',
    asksProviders: false,
  })
  const asks = async (): Promise<readonly boolean[]> =>
    (await listAccounts(database)).filter((one) => one.accountId === quiet).map((one) => one.asksProviders)
  const change = { accountId: quiet, by: 'ops', reason: 'the contract changed' }
  expect(await asks()).toEqual([false])
  expect(await setAsksProviders(database, { ...change, asksProviders: true })).toBe(true)
  expect(await asks()).toEqual([true])
  expect(await setAsksProviders(database, { ...change, accountId: 'acc_none', asksProviders: true })).toBe(
    false,
  )
  const told = await database.query<{ data: object }>(
    `SELECT event->'data' AS data FROM projection.outbox WHERE event->>'type' = 'AccountChanged' ORDER BY seq`,
  )
  expect(told.map(({ data }) => data)).toMatchObject([
    { accountId: quiet, asksProviders: false, changedBy: 'ops' },
    { accountId: quiet, asksProviders: true, reason: 'the contract changed' },
  ])
})
