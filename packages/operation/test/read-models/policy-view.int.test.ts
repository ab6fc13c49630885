import { topicOf, type DomainEvent } from '@cupel/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { event, openFixture, type Fixture } from './fixture.js'
import { listPolicies, policyView, readActivePolicy } from '@cupel/policy/read-model'
import { readLabelSnapshot } from '@cupel/labels/read-model'

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

test('the policy activated last is in force, also if it was active before', async () => {
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

test('a repeated record is not a new activation', async () => {
  await fixture.project(policyView, activated(1), activated(1), activated(2))
  await fixture.project(policyView, activated(1))
  expect((await listPolicies(fixture.database, { limit: 10 })).map((policy) => policy.version)).toEqual([
    2, 1,
  ])
})

test('a snapshot contains the policy only for callers that know another one', async () => {
  const read = (knownPolicySeq: number) =>
    readLabelSnapshot(fixture.database, { lookupKeys: [], knownPolicySeq })
  expect(await read(0)).toMatchObject({ policySeq: 0, policy: null })
  await fixture.project(policyView, activated(1))
  expect(await read(0)).toMatchObject({ policySeq: 1, policy: { version: 1, document: '{"version":1}' } })
  expect(await read(1)).toMatchObject({ policySeq: 1, policy: null })
})

test('a policy that another producer activates is not in force, before or after a rebuild', async () => {
  const { log, codec } = fixture
  const forged = codec.encode(activated(9), { topic: topicOf('PolicyActivated'), key: 'default' })
  await fixture.project(policyView, activated(1))
  await log.unchecked.append('test', [forged])
  await fixture.project(policyView, activated(2))
  const versions = async () =>
    (await listPolicies(fixture.database, { limit: 10 })).map(({ version }) => version)
  expect(await versions()).toEqual([2, 1])
  expect((await fixture.rebuild(policyView)).comparison).toMatchObject([{ isEqual: true }])
  expect(await versions()).toEqual([2, 1])
})

test('a rebuild gives the same rows, byte for byte', async () => {
  await fixture.project(policyView, activated(1), activated(1), activated(2))
  const { comparison } = await fixture.rebuild(policyView)
  expect(comparison).toMatchObject([{ table: 'activation', rowsBefore: 2, rowsAfter: 2, isEqual: true }])
})
