/** A proposed policy decides nothing before it is confirmed, and then only what it said that it changes. */
import { compilePolicy, defaultPolicy } from '@cupel/domain'
import { accessMigrations, createAccount } from '@cupel/gate/access'
import type { KeyedCall } from '@cupel/gate/http'
import { decideChange, proposeChange } from '@cupel/gate/second-person'
import {
  diesAt,
  openTestInstallation,
  type TestDeps,
  type TestInstallation,
} from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { activatePolicy, ensureDefaultPolicy, readActivations } from '../src/index.js'
import { policyChange } from '../src/routes/index.js'

const NOW = new Date('2026-11-21T10:00:00.000Z')
let installation: TestInstallation
let accountId: string
beforeEach(async () => {
  installation = await openTestInstallation({ migrations: [accessMigrations] })
  accountId = (await createAccount(installation.database, { name: 'Desk', by: 'ops' })).accountId
  await ensureDefaultPolicy({ ...installation, policy: textOf(1, 70) })
})
afterEach(() => installation.close())

const documentOf = (version: number, red: number, id = defaultPolicy.id) => ({
  ...{ ...defaultPolicy, id, version, levels: { ...defaultPolicy.levels, red } },
})
function textOf(version: number, red: number, id = defaultPolicy.id) {
  const { canonical, sha256 } = compilePolicy(documentOf(version, red, id))
  return { policyId: id, version, document: canonical, sha256 }
}
const kindOf = ({ log, codec }: TestDeps) => policyChange({ log, codec, needsSecondPerson: false })
const callOf = () => ({ caller: { accountId, keyId: 'key_2', livemode: true } }) as unknown as KeyedCall

/** Why it could not be confirmed now. */
async function tried(version: number, red: number): Promise<string | null> {
  const kind = kindOf(installation)
  const subject = await kind.subject(callOf(), documentOf(version, red))
  if ('code' in subject) return subject.detail
  const order = { ...subject, reason: 'a test', origin: null }
  return await installation.database
    .transaction({ at: 'test' }, (transaction) => kind.make(transaction, callOf(), order))
    .then(() => null)
    .catch(({ message }: Error) => message)
}
async function proposed(version: number, red = 80): Promise<string> {
  const subject = await kindOf(installation).subject(callOf(), documentOf(version, red))
  if ('code' in subject) throw new Error(subject.detail)
  const { content, ...about } = subject
  const author = { accountId, proposedBy: 'key_1', holder: 'key_1', actor: '', subject: '' }
  const order = { ...about, ...author, kind: 'activate_policy', change: JSON.stringify(content) }
  const made = await proposeChange(
    { database: installation.database, now: NOW },
    { ...order, reason: 'a test' },
  )
  return made!.changeId
}
const confirm = (changeId: string, deps: TestDeps = installation) =>
  decideChange(
    { database: deps.database, now: NOW },
    { changeId, accountId, decision: 'confirm', decidedBy: 'key_2', actor: '' },
    {
      seen: { ofAccount: null, kinds: null },
      make: (transaction, { proposed: { change, basedOn, proposedBy } }) =>
        kindOf(deps).make(transaction, callOf(), {
          ...{ content: JSON.parse(change) as Record<string, unknown>, basedOn, reason: '' },
          origin: `${changeId} of key ${proposedBy}`,
        }),
    },
  )
const activations = async () => await readActivations(installation.log, installation.codec)
const activateOther = () =>
  activatePolicy({
    ...{ ...installation, policy: textOf(9, 60, 'other'), activatedBy: 'operator:a', reason: 'a test' },
    activatedAt: NOW.toISOString(),
  })

test('a proposal changes nothing until it is confirmed, with who did it and who proposed it', async () => {
  const id = await proposed(2)
  expect(await tried(2, 80)).toBeNull()
  expect(await activations()).toHaveLength(1)
  expect(await confirm(id)).toMatchObject({ outcome: 'decided' })
  expect((await activations()).at(-1)).toMatchObject({
    ...{ version: 2, activatedBy: 'key key_2', sha256: textOf(2, 80).sha256 },
    reason: `Proposal ${id} of key key_1.`,
  })
})

test('the same rules hold as for an activation', async () => {
  expect(await tried(1, 70)).toBe('This policy is in force already.')
  expect(await tried(1, 80)).toContain('never has two texts')
  await confirm(await proposed(3))
  expect(await tried(2, 75)).toContain('versions only rise')
})

test('a proposal is outdated once another policy is in force, also one with another id', async () => {
  const [first, second] = [await proposed(2), await proposed(2, 85)]
  expect(await confirm(second)).toMatchObject({ outcome: 'decided' })
  await expect(confirm(first)).rejects.toThrow('Another policy came into force since')
  const third = await proposed(3)
  await activateOther()
  await expect(confirm(third)).rejects.toThrow('Another policy came into force since')
  expect((await activations()).at(-1)).toMatchObject({ policyId: 'other' })
  const inForce = (await activations()).at(-1)!.sha256
  const effectOf = await kindOf(installation).effects!()
  const order = { content: documentOf(3, 80), origin: 'chg_3 of key key_1' }
  expect(effectOf({ ...order, basedOn: textOf(2, 85).sha256 })).toMatchObject({ is_outdated: true })
  expect(effectOf({ ...order, basedOn: inForce })).toMatchObject({
    is_outdated: false,
    settings: [{ path: 'levels.red', from: 60, to: 80 }],
  })
})

test('a proposal that is confirmed several times at once is put in force once', async () => {
  const id = await proposed(2)
  const done = await Promise.all([confirm(id), confirm(id), confirm(id)])
  expect(done.map(({ outcome }) => outcome).sort()).toEqual(['decided', 'ended', 'ended'])
  expect(await activations()).toHaveLength(2)
})

test('a proposal that is confirmed while another policy comes is in force before it, or not at all', async () => {
  const id = await proposed(2)
  const [done] = await Promise.allSettled([confirm(id), activateOther()])
  expect((await activations()).map(({ policyId, version }) => `${policyId} ${version}`)).toEqual([
    'default 1',
    ...(done.status === 'fulfilled' ? ['default 2'] : []),
    'other 9',
  ])
})

test.each([
  // The append, then the commit of the decision.
  ['before:policy.activate:1', 1, 'decided'],
  ['after:policy.activate:1', 2, 'decided'],
  ['before:access.change:1', 2, 'decided'],
  ['after:access.change:1', 2, 'ended'],
] as const)(
  'a confirmation that dies at %s leaves %i activations, and is %s when it is repeated',
  async (point, held, outcome) => {
    const id = await proposed(2)
    await diesAt(installation.connectionString, point, async (deps) => {
      await confirm(id, deps)
    })
    expect(await activations()).toHaveLength(held)
    const [row] = await installation.database.query('SELECT decision FROM access.proposed_change')
    expect(row).toEqual({ decision: outcome === 'ended' ? 'confirm' : null })
    expect(await confirm(id)).toMatchObject({ outcome })
    expect(await activations()).toHaveLength(2)
  },
)

test('a confirmation whose commit failed is confirmed by its repeat, also after another policy came', async () => {
  const id = await proposed(2)
  await diesAt(installation.connectionString, 'before:access.change:1', async (deps) => {
    await confirm(id, deps)
  })
  await activateOther()
  const order = { content: documentOf(2, 80), basedOn: textOf(1, 70).sha256, origin: `${id} of key key_1` }
  const [effectOf, madeBy] = await Promise.all([
    kindOf(installation).effects!(),
    kindOf(installation).made!(),
  ])
  expect(effectOf(order)).toMatchObject({ is_outdated: false })
  expect([madeBy(order.origin), madeBy('another')]).toMatchObject([{ decidedBy: 'key_2' }, null])
  expect(await confirm(id)).toMatchObject({ outcome: 'decided' })
  expect((await activations()).map(({ policyId }) => policyId)).toEqual(['default', 'default', 'other'])
})
