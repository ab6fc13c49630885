import { topicOf } from '@cupel/contracts'
import { crashAt } from '@cupel/failpoints/crash'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { activatePolicy, readActivations } from '../src/index.js'
import { activateOnce } from './activate-once.js'

let installation: TestInstallation
beforeEach(async () => {
  installation = await openTestInstallation()
})
afterEach(() => installation.close())

const repeated = () =>
  activatePolicy({
    log: installation.log,
    codec: installation.codec,
    database: installation.database,
    policy: { policyId: 'default', version: 2, document: '{"version":2}', sha256: 'hash of text 2' },
    activatedBy: 'operator:somebody',
    reason: 'a test',
    activatedAt: '2026-11-21T10:01:00.000Z',
  })

test.each([
  // The first visit is the append, the second is the commit that releases the lock.
  ['before:policy.activate:1', 0, 'activated'],
  ['after:policy.activate:1', 1, 'in-force'],
  ['before:policy.activate:2', 1, 'in-force'],
  ['after:policy.activate:2', 1, 'in-force'],
] as const)(
  'an activation that dies at %s leaves %i in the log, and its repeat is %s',
  async (point, held, outcome) => {
    await crashAt(point, () => activateOnce(installation.connectionString, 2))
    expect(await readActivations(installation.log, installation.codec)).toHaveLength(held)
    expect(await repeated()).toMatchObject({ outcome })
    expect(await installation.log.endOffset(topicOf('PolicyActivated'), 0)).toBe(1)
  },
)
