/** A process that dies while a change is proposed or decided: a change is made and decided together, and once. */
import {
  accessMigrations,
  changeKeyIn,
  createAccount,
  issueKey,
  issueKeyIn,
  keyRightsDigest,
} from '@cupel/gate/access'
import type { EventData } from '@cupel/contracts'
import {
  decideChange,
  listProposedChanges,
  proposeChange,
  storeDecision,
  storeProposal,
} from '@cupel/gate/second-person'
import { until } from '@cupel/testkit'
import {
  diesAt,
  openTestInstallation,
  type TestDeps,
  type TestInstallation,
} from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'

const EVERYTHING = { ofAccount: null, kinds: null }
const NOW = new Date('2026-11-21T10:00:00.000Z')
let installation: TestInstallation
let accountId: string
beforeEach(async () => {
  installation = await openTestInstallation({ migrations: [accessMigrations] })
  accountId = (await createAccount(installation.database, { name: 'Desk', by: 'ops' })).accountId
})
afterEach(() => installation.close())

const propose = (deps: TestDeps, now = NOW) =>
  proposeChange(
    { database: deps.database, now },
    {
      ...{ accountId, ofAccountId: accountId, livemode: true, kind: 'issue_key', change: '{}', basedOn: '' },
      ...{ reason: 'a test', proposedBy: 'key_1', holder: 'key_1', actor: '', subject: '' },
    },
  )
const decide = (deps: TestDeps, changeId: string, decision = 'confirm', now = NOW) =>
  decideChange(
    { database: deps.database, now },
    { changeId, accountId, decision, decidedBy: 'key_2', actor: '' },
    {
      seen: EVERYTHING,
      make: (transaction) =>
        issueKeyIn(transaction, {
          ...{ accountId, environment: 'live', scope: 'read-only', plan: 'pro', by: 'key_2' },
        }),
    },
  )
const keys = async (): Promise<number> =>
  (await installation.database.query('SELECT 1 FROM access.api_key')).length

test.each([
  ['before:access.propose:1', 0],
  ['after:access.propose:1', 1],
] as const)(
  'a proposal that dies at %s leaves %i in the database, and a repeat is possible',
  async (point, held) => {
    const before = await known()
    await diesAt(installation.connectionString, point, async (deps) => {
      await propose(deps)
    })
    expect((await known()) - before).toBe(held)
    const again = await propose(installation)
    expect(await decide(installation, again!.changeId)).toMatchObject({ outcome: 'decided' })
    expect(await keys()).toBe(1)
  },
)
const known = async (): Promise<number> =>
  (
    await listProposedChanges(installation.database, EVERYTHING, {
      ...{ before: null, kind: null, pageSize: 99, isOnlyOpen: false, now: NOW },
    })
  ).length

test.each([
  ['before:access.change:1', 'decided', 0, 1],
  ['after:access.change:1', 'ended', 1, 1],
] as const)(
  'a decision that dies at %s is %s when it is repeated, and never makes a second key',
  async (point, outcome, made, inAll) => {
    const change = await propose(installation)
    await diesAt(installation.connectionString, point, async (deps) => {
      await decide(deps, change!.changeId)
    })
    expect(await keys()).toBe(made)
    expect(await decide(installation, change!.changeId)).toMatchObject({ outcome })
    expect(await keys()).toBe(inAll)
    const events = await installation.database.query(
      `SELECT FROM projection.outbox WHERE event->>'type' = 'ProposedChangeDecided'`,
    )
    expect(events).toHaveLength(1)
  },
)

test('a decision that waits for another change of the key sees the rights that it leaves', async () => {
  const { database } = installation
  const by = { by: 'ops', reason: 'a test' }
  const { keyId } = await issueKey(database, {
    ...{ accountId, environment: 'live', scope: 'read-write', plan: 'pro', by: 'ops' },
  })
  const seenRights = (await keyRightsDigest(database, keyId))!
  const { changeId } = (await propose(installation))!
  const deciding = await database.transaction({ at: 'test' }, async (transaction) => {
    await changeKeyIn(transaction, { ...by, keyId, change: { scope: 'read-only' } })
    const decision = decideChange(
      { database, now: NOW },
      { changeId, accountId, decision: 'confirm', decidedBy: 'key_2', actor: '' },
      {
        seen: EVERYTHING,
        make: (inside) => changeKeyIn(inside, { ...by, keyId, change: { scope: 'admin' }, seenRights }),
      },
    ).catch((error: unknown) => error)
    await until(async () =>
      expect(await database.query('SELECT FROM pg_locks WHERE NOT granted')).toHaveLength(1),
    )
    return { decision }
  })
  expect(await deciding.decision).toMatchObject({ code: 'rights_changed' })
  expect(await database.query('SELECT scope FROM access.api_key')).toEqual([{ scope: 'read-only' }])
  expect(await decide(installation, changeId)).toMatchObject({ outcome: 'decided' })
})

test('the events of a proposal and of its decision bring its row back', async () => {
  const { database } = installation
  const { changeId } = (await propose(installation))!
  await decide(installation, changeId, 'refuse')
  const rows = () => database.query('SELECT * FROM access.proposed_change')
  const before = await rows()
  await database.execute('DELETE FROM access.proposed_change')
  const events = await database.query<{ event: { type: string; data: unknown } }>(
    `SELECT event FROM projection.outbox WHERE event->>'type' LIKE '%Change%' ORDER BY seq`,
  )
  for (const isFirst of [true, false])
    for (const { event } of events) {
      const stored =
        event.type === 'ChangeProposed'
          ? storeProposal(database, event.data as EventData['ChangeProposed'])
          : storeDecision(database, event.data as EventData['ProposedChangeDecided'])
      expect(await stored).toBe(isFirst)
    }
  expect(before).toMatchObject([{ change_id: changeId, decision: 'refuse' }])
  expect(await rows()).toEqual(before)
})

test('two decisions at once make one key', async () => {
  const change = await propose(installation)
  const both = await Promise.all([1, 2].map(() => decide(installation, change!.changeId)))
  expect(both.map(({ outcome }) => outcome).sort()).toEqual(['decided', 'ended'])
  expect(await keys()).toBe(1)
})

test('decisions that wait for their turn leave a connection to the one that is made', async () => {
  const database = installation.connect({ maxConnections: 2 })
  const { changeId } = (await propose(installation))!
  const decision = { changeId, accountId, decision: 'confirm', decidedBy: 'key_2', actor: '' }
  const make = () => database.query('SELECT 1')
  const all = await Promise.all(
    Array.from({ length: 4 }, () =>
      decideChange({ database, now: NOW }, decision, { seen: EVERYTHING, make }),
    ),
  )
  expect(all.map(({ outcome }) => outcome).sort()).toEqual(['decided', 'ended', 'ended', 'ended'])
})

test('a change expires after 14 days, a decision of a later version confirms nothing, and an account proposes 50 a day', async () => {
  const days = (count: number): Date => new Date(NOW.getTime() + count * 24 * 3_600_000)
  const late = await propose(installation)
  expect(await decide(installation, late!.changeId, 'confirm', days(14))).toMatchObject({
    ...{ outcome: 'ended', status: 'expired' },
  })
  const odd = await propose(installation)
  await decide(installation, odd!.changeId, 'confirm-later')
  expect(await decide(installation, odd!.changeId)).toMatchObject({ outcome: 'ended', status: 'refused' })
  for (let made = 2; made < 50; made += 1) expect(await propose(installation)).not.toBeNull()
  expect(await propose(installation)).toBeNull()
  expect(await propose(installation, days(2))).not.toBeNull()
  expect(await decide(installation, 'chg_of_nobody')).toEqual({ outcome: 'unknown' })
})
