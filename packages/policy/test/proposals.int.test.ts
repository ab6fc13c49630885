/** A proposed policy decides nothing before it is put in force, and then only what it said that it changes. */
import { compilePolicy, defaultPolicy } from '@cupel/domain'
import { topicOf } from '@cupel/contracts'
import { diesAt, openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  activatePolicy,
  activateProposal,
  ensureDefaultPolicy,
  MAX_PROPOSALS_A_DAY,
  proposalStatus,
  proposePolicy,
  readPolicyHistory,
} from '../src/index.js'

let installation: TestInstallation
beforeEach(async () => {
  installation = await openTestInstallation()
  await ensureDefaultPolicy({ ...installation, policy: textOf(1, 70) })
})
afterEach(() => installation.close())

const NOW = new Date('2026-11-21T10:00:00.000Z')
const later = (days: number): Date => new Date(NOW.getTime() + days * 24 * 3_600_000)

function textOf(version: number, red: number, id = defaultPolicy.id) {
  const { canonical, sha256 } = compilePolicy({
    ...defaultPolicy,
    id,
    version,
    levels: { ...defaultPolicy.levels, red },
  })
  return { policyId: id, version, document: canonical, sha256 }
}
const author = {
  ...{ accountId: 'acc_1', reason: 'a test', proposedBy: 'key_1', holder: 'key_1', actor: '', subject: '' },
}
const propose = async (version: number, red = 80, now = NOW) =>
  await proposePolicy({ ...installation, now }, { ...textOf(version, red), ...author })
async function proposed(version: number, red = 80, now = NOW): Promise<string> {
  const done = await propose(version, red, now)
  if (done.outcome === 'refused') throw new Error(done.message)
  return done.proposal.proposalId
}
const activate = async (proposalId: string, now = NOW) =>
  await activateProposal({ ...installation, now }, { proposalId, activatedBy: 'key key_2' })
const inForce = async () => (await readPolicyHistory(installation)).activations.at(-1)!

async function statusOf(proposalId: string, now = NOW): Promise<string> {
  const history = await readPolicyHistory(installation)
  return proposalStatus(
    history.proposals.find((one) => one.proposalId === proposalId)!,
    history,
    now,
  )
}

test('a proposal changes nothing until it is put in force, with who did it and who proposed it', async () => {
  const id = await proposed(2)
  expect(await inForce()).toMatchObject({ version: 1 })
  expect(await statusOf(id)).toBe('open')
  expect(await activate(id)).toMatchObject({ outcome: 'activated' })
  expect(await inForce()).toMatchObject({
    ...{
      version: 2,
      activatedBy: 'key key_2',
      reason: `Proposal ${id} of key key_1.`,
      sha256: textOf(2, 80).sha256,
    },
  })
  expect(await statusOf(id)).toBe('in_force')
  expect(await activate(id)).toMatchObject({ outcome: 'in-force' })
  expect((await readPolicyHistory(installation)).activations).toHaveLength(2)
})

test('the same rules hold as for an activation', async () => {
  expect(await propose(1, 70)).toMatchObject({ message: 'This policy is in force already.' })
  expect(await propose(1, 80)).toMatchObject({
    message: expect.stringContaining('never has two texts') as string,
  })
  await activate(await proposed(3))
  expect(await propose(2, 75)).toMatchObject({
    message: expect.stringContaining('versions only rise') as string,
  })
})

test('of several proposals only the last one can be put in force', async () => {
  const [first, second] = [await proposed(2, 80), await proposed(2, 85)]
  expect(await activate(first)).toMatchObject({
    outcome: 'refused',
    message: expect.stringContaining('later proposal') as string,
  })
  expect(await activate(second)).toMatchObject({ outcome: 'activated' })
  expect(await statusOf(first)).toBe('outdated')
})

test('a proposal is outdated once another policy is in force, also one with another id', async () => {
  const id = await proposed(2)
  await activatePolicy({
    ...{ ...installation, policy: textOf(9, 60, 'other'), activatedBy: 'operator:a', reason: 'a test' },
    activatedAt: NOW.toISOString(),
  })
  expect(await statusOf(id)).toBe('outdated')
  expect(await activate(id)).toMatchObject({ outcome: 'refused' })
  expect(await inForce()).toMatchObject({ policyId: 'other' })
})

test('a proposal expires, and one of the past stays in the past', async () => {
  const id = await proposed(2)
  expect(await statusOf(id, later(13.9))).toBe('open')
  expect(await activate(id, later(14))).toMatchObject({ outcome: 'refused' })
  await activate(id)
  await activate(await proposed(3, 75))
  expect(await statusOf(id)).toBe('past')
  expect(await activate(id)).toMatchObject({ outcome: 'refused' })
})

test('an unknown proposal puts nothing in force', async () => {
  expect(await activate('pol_00000000000000000000')).toEqual({ outcome: 'unknown' })
})

test('the log takes so many proposals in a day, and more on the next one', async () => {
  for (let count = 0; count < MAX_PROPOSALS_A_DAY; count += 1) await proposed(2, 80)
  expect(await propose(2)).toMatchObject({ outcome: 'refused' })
  expect(await propose(2, 80, later(1))).toMatchObject({ outcome: 'proposed' })
})

test('a proposal that is activated several times at once is put in force once', async () => {
  const id = await proposed(2)
  const done = await Promise.all([activate(id), activate(id), activate(id)])
  expect(done.map(({ outcome }) => outcome).sort()).toEqual(['activated', 'in-force', 'in-force'])
})

test('a proposal that is activated while another policy comes is in force before it, or not at all', async () => {
  const id = await proposed(2)
  const other = {
    ...{ ...installation, policy: textOf(9, 60, 'other'), activatedBy: 'operator:a', reason: 'a test' },
    activatedAt: NOW.toISOString(),
  }
  const [done] = await Promise.all([activate(id), activatePolicy(other)])
  const { activations } = await readPolicyHistory(installation)
  expect(activations.map(({ policyId, version }) => `${policyId} ${version}`)).toEqual([
    'default 1',
    ...(done.outcome === 'activated' ? ['default 2'] : []),
    'other 9',
  ])
})

test.each([
  // The first visit is the append, the second is the commit that releases the lock.
  ['before:policy.propose:1', 1],
  ['after:policy.propose:1', 2],
  ['before:policy.propose:2', 2],
  ['after:policy.propose:2', 2],
] as const)(
  'a proposal that dies at %s leaves %i records in the log, and a repeat is possible',
  async (point, held) => {
    await diesAt(installation.connectionString, point, async (deps) => {
      await proposePolicy({ ...deps, now: NOW }, { ...textOf(2, 80), ...author })
    })
    expect(await installation.log.endOffset(topicOf('PolicyProposed'), 0)).toBe(held)
    expect(await activate(await proposed(2))).toMatchObject({ outcome: 'activated' })
  },
)
