/** The bucket in the database: it uses the arithmetic of the pure function, is exact over several gates, and tells callers the truth. */
import { createHash, randomBytes } from 'node:crypto'
import { parseApiKey, plans, renderApiKey, takeTokens, type Plan, type PlanName } from '@cupel/domain'
import { eventLogMigrations } from '@cupel/event-log'
import { migrate, openDatabase, readMigrations, type Database } from '@cupel/postgres'
import { projectionsMigrations } from '@cupel/projections'
import { createTestDatabase, until, type TestDatabase } from '@cupel/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADMIT_CALLS, columnsOf, keyOrder, type Question } from './admit-calls.js'
import {
  accessMigrations,
  createAccount,
  createAdmission,
  issueKey,
  listKeys,
  type Admission,
  type AdmissionGate,
} from './index.js'

let testDatabase: TestDatabase
const databases: Database[] = []
const gates: AdmissionGate[] = []
let accountId: string
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  const { connectionString } = testDatabase
  // Two pools, like those of two instances.
  for (const applicationName of ['gate-one', 'gate-two'])
    databases.push(openDatabase({ connectionString, maxConnections: 4, applicationName }))
  await migrate(
    databases[0]!,
    await readMigrations([eventLogMigrations, projectionsMigrations, accessMigrations]),
  )
  gates.push(...databases.map((database) => createAdmission({ database })))
  accountId = (await createAccount(databases[0]!, { name: 'Bucket', by: 'test' })).accountId
})
afterAll(async () => {
  for (const gate of gates) await gate.close()
  for (const database of databases) await database.close()
  await testDatabase.drop()
})

async function newKey(plan: PlanName, scope: 'read-only' | 'read-write' = 'read-write'): Promise<string> {
  const order = { accountId, environment: 'live', scope, plan, by: 'test' } as const
  return (await issueKey(databases[0]!, order)).key
}

function admit(
  gate: AdmissionGate,
  key: string,
  requiredScope: 'read-only' | 'read-write' = 'read-only',
): Promise<Admission> {
  return gate.admit({ authorization: `Bearer ${key}`, clientAddress: '203.0.113.7', requiredScope })
}

async function clockUs(): Promise<number> {
  const [row] = await databases[0]!.query<{ now: number }>('SELECT access.now_us() AS now')
  return row!.now
}

test('the arithmetic of the database is that of the pure function', async () => {
  const state = fc.record({
    fullAtUs: fc.integer({ min: 0, max: 2 ** 50 }),
    nowUs: fc.integer({ min: 0, max: 2 ** 50 }),
    wanted: fc.integer({ min: 0, max: 300 }),
    intervalUs: fc.integer({ min: 1, max: 2_000_000 }),
    depth: fc.integer({ min: 1, max: 20_000 }),
  })
  // Most buckets are near full or near empty; a few are years away.
  const near = state.map((drawn) => ({
    ...drawn,
    fullAtUs: drawn.nowUs + (drawn.fullAtUs % (2 * drawn.depth * drawn.intervalUs)),
  }))
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(state, near, near), { minLength: 1_000, maxLength: 1_000 }),
      async (drawn) => {
        const rows = await databases[0]!.query<{ settled: number; available: number }>(
          `SELECT settled, access.available_tokens(settled, s.now_us, s.interval_us, s.depth) AS available
           FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) WITH ORDINALITY
             AS s (full_at_us, now_us, interval_us, depth, ordinal),
           LATERAL access.settled_us(s.full_at_us, s.now_us, s.interval_us, s.depth) AS settled ORDER BY s.ordinal`,
          (['fullAtUs', 'nowUs', 'intervalUs', 'depth'] as const).map((field) =>
            drawn.map((each) => each[field]),
          ),
        )
        expect(
          rows.map(({ settled, available }, index) => {
            const { wanted, intervalUs } = drawn[index]!
            const granted = Math.min(wanted, available)
            return { granted, available, fullAtUs: settled + granted * intervalUs }
          }),
        ).toEqual(drawn.map((each) => takeTokens(each, each.fullAtUs, each.nowUs, each.wanted)))
      },
    ),
    { numRuns: 10 },
  )
})

test('over 20,000 calls through two gates at once, no more than 50 + 10·Δt are admitted', async () => {
  const key = await newKey('pro')
  const fromUs = await clockUs()
  let admitted = 0
  for (let round = 0; round < 20; round += 1) {
    const admissions = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => admit(gates[index % 2]!, key)),
    )
    for (const admission of admissions)
      if (admission.admitted) admitted += 1
      else expect(admission.reason).toBe('rate_limited')
    const elapsedS = ((await clockUs()) - fromUs) / 1e6
    // Checks after every round, because each prefix of the run is a window.
    expect(admitted).toBeLessThanOrEqual(50 + 10 * elapsedS)
    if (round === 0) expect(admitted).toBeGreaterThanOrEqual(50)
  }
})

test('a lone client that waits as long as Retry-After says is admitted, and Retry-After is never before t', async () => {
  const key = await newKey('pro')
  const burst = await Promise.all(Array.from({ length: 60 }, () => admit(gates[0]!, key)))
  expect(burst.filter((admission) => admission.admitted).length).toBeGreaterThanOrEqual(50)
  const refused = burst.find((admission) => !admission.admitted)!
  if (refused.admitted) throw new Error('unreachable')
  expect(refused.rateLimit).toMatchObject({ plan: 'pro', quota: 50, windowSeconds: 5, remaining: 0 })
  expect(refused.retryAfterSeconds).toBeGreaterThanOrEqual(refused.rateLimit!.nextTokenSeconds)
  const wantedUs = (await clockUs()) + refused.retryAfterSeconds! * 1e6
  await until(async () => expect(await clockUs()).toBeGreaterThanOrEqual(wantedUs))
  expect((await admit(gates[1]!, key)).admitted).toBe(true)
})

test('what a caller is told counts down by one with each call', async () => {
  const key = await newKey('pro')
  const told: number[] = []
  for (let call = 0; call < 5; call += 1) told.push((await admit(gates[call % 2]!, key)).rateLimit!.remaining)
  expect(told[0]).toBe(49)
  for (const [index, remaining] of told.entries()) expect(remaining).toBeGreaterThanOrEqual(49 - index)
  // Within one batch no token has time to flow back.
  const fresh = await newKey('pro')
  const atOnce = await Promise.all(Array.from({ length: 5 }, () => admit(gates[0]!, fresh)))
  expect(atOnce.map((admission) => admission.rateLimit!.remaining)).toEqual([49, 48, 47, 46, 45])
})

test('calls that are refused for their key or scope take no token', async () => {
  const reader = await newKey('pro', 'read-only')
  for (let call = 0; call < 10; call += 1) {
    const refused = await admit(gates[0]!, reader, 'read-write')
    expect(refused).toMatchObject({
      reason: 'scope_required',
      rateLimit: { remaining: 50, nextTokenSeconds: 0 },
    })
  }
  expect((await admit(gates[0]!, reader)).rateLimit).toMatchObject({ remaining: 49 })
})

test('calls of one key in one statement are told apart, and those that count take their tokens in the order they came', async () => {
  const reader = await newKey('pro', 'read-only')
  const { keyId } = parseApiKey(reader)!
  const id = randomBytes(6)
  const [right, wrong] = [randomBytes(32), randomBytes(32)].map((secret) =>
    renderApiKey('live', Buffer.concat([id, secret])),
  )
  await databases[0]!.execute('UPDATE access.api_key SET key_id = $2, key_hash = $3 WHERE key_id = $1', [
    keyId,
    right!.keyId,
    createHash('sha256').update(right!.key).digest(),
  ])
  const statements: unknown[] = []
  const gate = createAdmission({
    maxFailuresPerMinute: 1_000,
    database: {
      ...databases[0]!,
      query: (statement, values) => {
        if (statement === ADMIT_CALLS) statements.push(statement)
        return databases[0]!.query(statement, values)
      },
    },
  })
  const other = await newKey('pro')
  const asked: Promise<Admission>[] = []
  for (let call = 0; call < 51; call += 1) {
    asked.push(admit(gate, right!.key), admit(gate, wrong!.key))
    if (call % 10 === 0) asked.push(admit(gate, other), admit(gate, right!.key, 'read-write'))
  }
  const answers = await Promise.all(asked)
  await gate.close()
  expect(statements).toHaveLength(1)
  const told = answers.map((answer) =>
    answer.admitted ? `${answer.caller.plan} ${answer.rateLimit.remaining}` : answer.reason,
  )
  const expected: string[] = []
  for (let call = 0; call < 51; call += 1) {
    expected.push(call < 50 ? `pro ${49 - call}` : 'rate_limited', 'unknown_key')
    if (call % 10 === 0) expected.push(`pro ${49 - call / 10}`, 'scope_required')
  }
  expect(told).toEqual(expected)
  const standing = answers.flatMap((answer) =>
    !answer.admitted && answer.reason === 'scope_required' ? [answer.rateLimit?.remaining] : [],
  )
  expect(standing).toEqual([49, 39, 29, 19, 9, 0])
})

test('the store refuses calls that do not come in order of their keys, for it locks in that order', async () => {
  const questions = [await newKey('pro'), await newKey('pro')]
    .map((key) => parseApiKey(key)!.keyId)
    .sort()
    .reverse()
    .map((keyId): Question => ({
      keyId,
      keyHash: Buffer.alloc(32),
      clientAddress: '::1',
      requiredScope: 'read-only',
      idempotent: null,
    }))
  const settings = { leaseMs: 1_000, planColumns: [[], [], [], [], [], []] }
  const judge = (asked: readonly Question[]) => databases[0]!.query(ADMIT_CALLS, columnsOf(asked, settings))
  await expect(judge(questions)).rejects.toThrow('not in order of their keys')
  expect(await judge(keyOrder(questions).map((place) => questions[place]!))).toMatchObject([
    { outcome: 'unknown_key' },
    { outcome: 'unknown_key' },
  ])
})

test('fair use is logged, not refused, until the hard cap', async () => {
  const small: Readonly<Record<PlanName, Plan>> = {
    ...plans,
    enterprise: { ...plans.enterprise, refillPerSecond: 1, burst: 2, hardCapPerSecond: 10 },
  }
  const warnings: unknown[] = []
  const logger = { debug() {}, info() {}, error() {}, warn: (fields: unknown) => void warnings.push(fields) }
  const gate = createAdmission({ database: databases[0]!, plans: small, logger: logger as never })
  const key = await newKey('enterprise')
  const admissions = await Promise.all(Array.from({ length: 12 }, () => admit(gate, key)))
  await gate.close()
  expect(admissions.map((admission) => admission.admitted)).toEqual([
    ...Array.from({ length: 10 }, () => true),
    false,
    false,
  ])
  expect(admissions[4]!.rateLimit).toMatchObject({ plan: 'enterprise', quota: 2, remaining: 0 })
  expect(admissions[11]).toMatchObject({ reason: 'rate_limited', retryAfterSeconds: 1 })
  expect(warnings).toHaveLength(1)
})

test('batches of many keys from several gates never wait for each other in a circle', async () => {
  const keys = await Promise.all(Array.from({ length: 40 }, () => newKey('enterprise')))
  const waves = Array.from({ length: 30 }, async (_, wave) => {
    // Each gate sees the keys in another order, half of them for the first time.
    const order = wave % 2 === 0 ? keys : [...keys].reverse()
    return await Promise.all(order.map((key) => admit(gates[wave % 2]!, key)))
  })
  for (const admission of (await Promise.all(waves)).flat()) expect(admission.admitted).toBe(true)
})

test('a bucket lost with the server’s memory counts as empty, so that a crash gives nobody a second burst', async () => {
  const key = await newKey('pro')
  const generous = await newKey('enterprise')
  expect((await admit(gates[0]!, key)).admitted).toBe(true)
  // Postgres does this to unlogged tables after a crash.
  await databases[0]!.execute('TRUNCATE access.bucket, access.bucket_epoch')
  const first = await Promise.all(Array.from({ length: 20 }, () => admit(gates[0]!, key)))
  expect(first.filter((admission) => admission.admitted).length).toBeLessThanOrEqual(1)
  expect((await admit(gates[0]!, generous)).admitted).toBe(true)
  // A key issued after the crash is full, because it cannot have lost anything.
  expect((await admit(gates[0]!, await newKey('pro'))).rateLimit!.remaining).toBe(49)
})

test('when a key was last used is known to a minute, and written at most once a minute', async () => {
  const key = await newKey('enterprise')
  const of = async () =>
    (await listKeys(databases[0]!, { accountId })).find((each) => key.includes(each.keyId))!
  expect((await of()).lastUsedAt).toBeNull()
  await admit(gates[0]!, key)
  const first = (await of()).lastUsedAt!
  expect(Math.abs(Date.parse(first) - Date.now())).toBeLessThan(60_000)
  await Promise.all(Array.from({ length: 50 }, (_, index) => admit(gates[index % 2]!, key)))
  expect((await of()).lastUsedAt).toBe(first)
  await databases[0]!.execute(
    `UPDATE access.key_usage SET last_used_at = last_used_at - interval '2 minutes' WHERE key_id = $1`,
    [(await of()).keyId],
  )
  await admit(gates[0]!, key)
  expect((await of()).lastUsedAt! >= first).toBe(true)
})
