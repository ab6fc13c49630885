import { decidedEventId, topicOf, type DomainEvent } from '@cupel/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { event, openFixture, type Fixture } from '../../test/fixture.js'
import {
  activatePolicy,
  ensureDefaultPolicy,
  listPolicies,
  policyView,
  readActivePolicy,
  readLabelSnapshot,
} from '../index.js'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
  fixture.run(policyView)
})
afterEach(() => fixture.close())

function activated(version: number, id = `activation ${version}`): DomainEvent<'PolicyActivated'> {
  const who = { activatedBy: 'an operator', reason: 'test', activatedAt: '2026-11-21T09:00:00.000Z' }
  const policy = {
    policyId: 'default',
    version,
    document: `{"version":${version}}`,
    sha256: `hash ${version}`,
  }
  return event('PolicyActivated', 'default', { ...policy, ...who }, id)
}

const ensure = (): Promise<boolean> =>
  ensureDefaultPolicy({
    log: fixture.log,
    codec: fixture.codec,
    database: fixture.database,
    policy: { policyId: 'default', version: 1, document: '{}', sha256: 'hash' },
  })

test('the policy activated last is in force, an older one too when it is activated again', async () => {
  expect(await readActivePolicy(fixture.database)).toBeNull()
  await fixture.project(policyView, activated(1), activated(2))
  expect(await readActivePolicy(fixture.database)).toMatchObject({
    policySeq: 2,
    version: 2,
    document: '{"version":2}',
  })
  await fixture.project(policyView, activated(1, 'again'))
  expect(await readActivePolicy(fixture.database)).toMatchObject({ policySeq: 3, version: 1 })
})

test('a repeated record is the activation it repeats', async () => {
  await fixture.project(policyView, activated(1), activated(1), activated(2))
  await fixture.project(policyView, activated(1))
  expect((await listPolicies(fixture.database, { limit: 10 })).map((policy) => policy.version)).toEqual([
    2, 1,
  ])
})

test('a snapshot carries the policy only to callers that hold another one', async () => {
  const read = (knownPolicySeq: number) =>
    readLabelSnapshot(fixture.database, { lookupKeys: [], knownPolicySeq })
  expect(await read(0)).toMatchObject({ policySeq: 0, policy: null })
  await fixture.project(policyView, activated(1))
  expect(await read(0)).toMatchObject({ policySeq: 1, policy: { version: 1, document: '{"version":1}' } })
  expect(await read(1)).toMatchObject({ policySeq: 1, policy: null })
})

test('the default policy is activated once, however many processes start at the same time', async () => {
  const made = await Promise.all([ensure(), ensure(), ensure()])
  expect(made.filter((one) => one)).toHaveLength(1)
  expect(await ensure()).toBe(false)
  expect(await fixture.log.endOffset(topicOf('PolicyActivated'), 0)).toBe(1)
  await fixture.caughtUp(policyView)
  expect(await readActivePolicy(fixture.database)).toMatchObject({
    policySeq: 1,
    policyId: 'default',
    activatedBy: 'system',
  })
})

test('an installation whose operators chose a policy keeps it', async () => {
  await fixture.project(policyView, activated(7))
  expect(await ensure()).toBe(false)
  expect(await readActivePolicy(fixture.database)).toMatchObject({ version: 7 })
})

const activate = (version: number, text = `text ${version}`, policyId = 'default') =>
  activatePolicy({
    log: fixture.log,
    codec: fixture.codec,
    database: fixture.database,
    policy: { policyId, version, document: `{"version":${version}}`, sha256: `hash of ${text}` },
    activatedBy: 'operator:somebody',
    reason: 'a test',
    activatedAt: '2026-11-21T10:00:00.000Z',
  })

test('an operator’s policy comes into force with who and why; the same one again changes nothing', async () => {
  await ensure()
  expect(await activate(2)).toMatchObject({
    outcome: 'activated',
    position: { partition: 0, offset: 1 },
    previous: { version: 1, activatedBy: 'system' },
  })
  expect(await activate(2)).toEqual({ outcome: 'in-force' })
  await fixture.caughtUp(policyView)
  expect(await readActivePolicy(fixture.database)).toMatchObject({
    version: 2,
    activatedBy: 'operator:somebody',
    reason: 'a test',
    sha256: 'hash of text 2',
  })
})

test('versions of one policy only rise, and a version never names two texts', async () => {
  await activate(3)
  expect(await activate(3, 'another text')).toMatchObject({
    outcome: 'refused',
    refusal: 'version-reused',
    message: expect.stringContaining('with another text') as string,
  })
  expect(await activate(2)).toMatchObject({
    outcome: 'refused',
    refusal: 'version-not-higher',
    message: expect.stringContaining('as version 4') as string,
  })
  await activate(4)
  // The text of version 3 was good once; it comes back under a number of its own.
  expect(await activate(3)).toMatchObject({ refusal: 'version-not-higher' })
  expect(await activate(1, 'another policy', 'strict')).toMatchObject({ outcome: 'activated' })
  expect(await activate(4)).toMatchObject({ refusal: 'version-not-higher' })
  expect(await fixture.log.endOffset(topicOf('PolicyActivated'), 0)).toBe(3)
})

test('of operators who activate one version at the same time, one succeeds', async () => {
  const outcomes = await Promise.all([activate(2, 'a'), activate(2, 'b'), activate(2, 'c'), activate(2, 'a')])
  const sorted = outcomes.map(({ outcome }) => outcome).sort()
  expect(sorted.filter((outcome) => outcome === 'activated')).toHaveLength(1)
  expect(sorted.filter((outcome) => outcome === 'refused').length).toBeGreaterThanOrEqual(2)
  expect(await fixture.log.endOffset(topicOf('PolicyActivated'), 0)).toBe(1)
})

test('the id of the first activation follows from the policy alone', async () => {
  await ensure()
  await fixture.caughtUp(policyView)
  const [row] = await fixture.database.query('SELECT event_id FROM policy_view.activation')
  expect(row).toEqual({ event_id: decidedEventId('policy.default', 'default', '1', 'hash') })
})

test('a rebuild gives the same rows, byte for byte', async () => {
  await fixture.project(policyView, activated(1), activated(1), activated(2))
  const { comparison } = await fixture.rebuild(policyView)
  expect(comparison).toEqual([{ table: 'activation', rowsBefore: 2, rowsAfter: 2, isEqual: true }])
})
