/** A process that dies while a change is proposed or decided: nothing is made twice, and nothing without a decision. */
import { accessMigrations, createAccount, issueKeyIn } from '@cupel/gate/access'
import { decideChange, proposeChange, readProposedChanges } from '@cupel/gate/second-person'
import {
  diesAt,
  openTestInstallation,
  type TestDeps,
  type TestInstallation,
} from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'

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
    { ...deps, now },
    {
      ...{ accountId, ofAccountId: accountId, livemode: true, kind: 'issue_key', change: '{}', basedOn: '' },
      ...{ reason: 'a test', proposedBy: 'key_1', holder: 'key_1', actor: '', subject: '' },
    },
  )
const decide = (deps: TestDeps, changeId: string, decision = 'confirm', now = NOW) =>
  decideChange(
    { ...deps, now },
    { changeId, accountId, decision, decidedBy: 'key_2', actor: '' },
    {
      isSeen: () => true,
      make: (transaction) =>
        issueKeyIn(transaction, {
          ...{ accountId, environment: 'live', scope: 'read-only', plan: 'pro', by: 'key_2' },
        }),
    },
  )
const keys = async (): Promise<number> =>
  (await installation.database.query('SELECT 1 FROM access.api_key')).length

test.each([
  // The append.
  ['before:access.propose:1', 0],
  ['after:access.propose:1', 1],
] as const)(
  'a proposal that dies at %s leaves %i in the log, and a repeat is possible',
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
const known = async (): Promise<number> => (await readProposedChanges(installation)).length

test.each([
  // Before the append nothing is decided; after it the change is decided, and made only if the commit came.
  ['before:access.propose:1', 'decided', 0, 1],
  ['after:access.propose:1', 'ended', 0, 0],
  ['before:access.change:1', 'ended', 0, 0],
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
  },
)

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
      decideChange({ ...installation.deps, database, now: NOW }, decision, { isSeen: () => true, make }),
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
