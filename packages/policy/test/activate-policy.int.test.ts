import { decidedEventId, topicOf } from '@cupel/contracts'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { activatePolicy, ensureDefaultPolicy, readActivations } from '../src/index.js'

let installation: TestInstallation
beforeEach(async () => {
  installation = await openTestInstallation()
})
afterEach(() => installation.close())

const ensure = (): Promise<boolean> =>
  ensureDefaultPolicy({
    ...installation,
    policy: { policyId: 'default', version: 1, document: '{}', sha256: 'hash' },
  })

const activate = (version: number, text = `text ${version}`, policyId = 'default') =>
  activatePolicy({
    ...installation,
    policy: { policyId, version, document: `{"version":${version}}`, sha256: `hash of ${text}` },
    activatedBy: 'operator:somebody',
    reason: 'a test',
    activatedAt: '2026-11-21T10:00:00.000Z',
  })

const inLog = () => readActivations(installation.log, installation.codec)

test('the default policy is activated once, however many processes start at the same time', async () => {
  const activated = await Promise.all([ensure(), ensure(), ensure()])
  expect(activated.filter((one) => one)).toHaveLength(1)
  expect(await ensure()).toBe(false)
  expect(await inLog()).toMatchObject([{ policyId: 'default', version: 1, activatedBy: 'system' }])
})

test('an installation whose operators chose a policy keeps it', async () => {
  await activate(7)
  expect(await ensure()).toBe(false)
  expect(await inLog()).toMatchObject([{ version: 7 }])
})

test('an activation records who and why; activating the same policy again appends nothing', async () => {
  await ensure()
  expect(await activate(2)).toMatchObject({
    outcome: 'activated',
    position: { partition: 0, offset: 1 },
    previous: { version: 1, activatedBy: 'system' },
  })
  expect(await activate(2)).toEqual({ outcome: 'in-force' })
  expect((await inLog()).slice(1)).toMatchObject([
    { version: 2, activatedBy: 'operator:somebody', reason: 'a test', sha256: 'hash of text 2' },
  ])
})

test('versions of one policy only rise, and one version never has two texts', async () => {
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
  // The text of version 3 was in force before; to return, it needs a new number.
  expect(await activate(3)).toMatchObject({ refusal: 'version-not-higher' })
  expect(await activate(1, 'another policy', 'strict')).toMatchObject({ outcome: 'activated' })
  expect(await activate(4)).toMatchObject({ refusal: 'version-not-higher' })
  expect(await inLog()).toHaveLength(3)
})

test('of operators who activate one version at the same time, one succeeds', async () => {
  const outcomes = await Promise.all([activate(2, 'a'), activate(2, 'b'), activate(2, 'c'), activate(2, 'a')])
  const sorted = outcomes.map(({ outcome }) => outcome).sort()
  expect(sorted.filter((outcome) => outcome === 'activated')).toHaveLength(1)
  expect(sorted.filter((outcome) => outcome === 'refused').length).toBeGreaterThanOrEqual(2)
  expect(await inLog()).toHaveLength(1)
})

test('the id of the first activation follows only from the policy', async () => {
  await ensure()
  const topic = topicOf('PolicyActivated')
  for await (const [record] of installation.log.read({ topic, partition: 0, from: 0, to: 1 })) {
    expect(installation.codec.decodeAs('PolicyActivated', record!)?.envelope.id).toBe(
      decidedEventId('policy.default', 'default', '1', 'hash'),
    )
  }
  expect.assertions(1)
})
