import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { assertWithin, casesWithin, runSeed } from './budget.js'

afterEach(() => vi.unstubAllEnvs())
const suite = { name: 'a suite', full: 50, minimum: 3 }

test('without a budget a suite takes its full number of cases', async () => {
  vi.stubEnv('CUPEL_TEST_BUDGET_MS', '')
  expect([...casesWithin(suite)]).toHaveLength(50)
  expect(
    await assertWithin(
      suite,
      fc.property(fc.nat(), () => true),
    ),
  ).toEqual({ cases: 50 })
})

test('a spent budget leaves the minimum', async () => {
  vi.stubEnv('CUPEL_TEST_BUDGET_MS', '0')
  expect([...casesWithin(suite)]).toEqual([0, 1, 2])
  expect(
    await assertWithin(
      suite,
      fc.property(fc.nat(), () => true),
    ),
  ).toEqual({ cases: 3 })
})

test('an ample budget reaches the full number and no more', async () => {
  vi.stubEnv('CUPEL_TEST_BUDGET_MS', '600000')
  expect([...casesWithin(suite)]).toHaveLength(50)
  expect(
    await assertWithin(
      suite,
      fc.property(fc.nat(), () => true),
    ),
  ).toEqual({ cases: 50 })
})

test('a budget that ends between two cases is no failure', async () => {
  vi.stubEnv('CUPEL_TEST_BUDGET_MS', '20')
  const slow = fc.asyncProperty(fc.nat(), () => new Promise<void>((resolve) => setTimeout(resolve, 10)))
  const { cases } = await assertWithin(suite, slow)
  expect(cases).toBeGreaterThanOrEqual(3)
  expect(cases).toBeLessThan(50)
})

test('the seed decides the cases, and a failure reports it', async () => {
  vi.stubEnv('CUPEL_TEST_SEED', '7')
  vi.stubEnv('CUPEL_TEST_BUDGET_MS', '0')
  expect(runSeed()).toBe(7)
  const drawn = async (): Promise<number[]> => {
    const seen: number[] = []
    await assertWithin(
      suite,
      fc.property(fc.nat(), (n) => void seen.push(n)),
    )
    return seen
  }
  expect(await drawn()).toEqual(await drawn())
  await expect(
    assertWithin(
      suite,
      fc.property(fc.nat(), () => false),
    ),
  ).rejects.toThrow('seed: 7')
})
