import { topicOf } from '@cupel/contracts'
import {
  diesAt,
  openTestInstallation,
  type TestDeps,
  type TestInstallation,
} from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { activatePolicy, readActivations } from '../src/index.js'

let installation: TestInstallation
beforeEach(async () => {
  installation = await openTestInstallation()
})
afterEach(() => installation.close())

const activate = ({ log, codec, database }: TestDeps) =>
  activatePolicy({
    ...{ log, codec, database },
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
    await diesAt(installation.connectionString, point, async (deps) => {
      await activate(deps)
    })
    expect(await readActivations(installation.log, installation.codec)).toHaveLength(held)
    expect(await activate(installation)).toMatchObject({ outcome })
    expect(await installation.log.endOffset(topicOf('PolicyActivated'), 0)).toBe(1)
  },
)
