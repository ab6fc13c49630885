import fc from 'fast-check'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { assertWithin, casesWithin, drawnWithin, runSeed } from './budget.js'

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

test('with a long budget a suite takes what is demanded of it, in CI a sixth, however long that takes', async () => {
  const slow = fc.asyncProperty(fc.nat(), async () => {
    // Every case seems to take longer than the whole budget.
    vi.advanceTimersByTime(120_000)
  })
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  for (const [budget, ci, cases] of [
    ['7999', 'true', 3],
    ['7999', '', 3],
    ['8000', 'true', 4],
    ['8000', '', 20],
  ] as const) {
    vi.stubEnv('CUPEL_TEST_BUDGET_MS', budget)
    vi.stubEnv('CI', ci)
    expect(await assertWithin({ ...suite, demanded: 20 }, slow)).toEqual({ cases })
    let taken = 0
    for (const drawn = casesWithin({ ...suite, demanded: 20 }); drawn.next().done !== true; taken += 1)
      vi.advanceTimersByTime(120_000)
    expect(taken).toBe(cases)
  }
})

test.each([
  ['in the first case behind the fewest', 35, 4],
  ['in a later one', 45, 5],
  ['between two cases', 50, 5],
])('a budget that ends %s is not a failure, and every case that begins ends', async (_, budget, expected) => {
  vi.stubEnv('CUPEL_TEST_BUDGET_MS', String(budget))
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let ended = 0
  const take = (): void => {
    vi.advanceTimersByTime(10)
    ended += 1
  }
  const slow = fc.asyncProperty(fc.nat(), async () => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    take()
  })
  expect(await assertWithin(suite, slow)).toEqual({ cases: expected })
  expect(await assertWithin(suite, fc.property(fc.nat(), take))).toEqual({ cases: expected })
  expect(ended).toBe(2 * expected)
})

test('a budget that is over before the first case behind the fewest is not a failure', async () => {
  vi.stubEnv('CUPEL_TEST_BUDGET_MS', '30')
  let looks = 0
  // There is time left when the fewest cases have ended, and none when the next case would begin.
  const now = vi.spyOn(performance, 'now').mockImplementation(() => (looks++ < 2 ? 0 : 30))
  onTestFinished(() => now.mockRestore())
  expect(
    await assertWithin(
      suite,
      fc.property(fc.nat(), () => true),
    ),
  ).toEqual({ cases: 3 })
})

test('a case that fails within the budget is reported', async () => {
  vi.stubEnv('CUPEL_TEST_BUDGET_MS', '600000')
  let taken = 0
  const failing = fc.property(fc.nat(), () => (taken += 1) < 10)
  await expect(assertWithin(suite, failing)).rejects.toThrow('Property failed after')
})

test('CI repeats one seed, and a given one comes first', () => {
  vi.stubEnv('CUPEL_TEST_SEED', '')
  vi.stubEnv('CI', 'true')
  expect(runSeed()).toBe(20_261_122)
  vi.stubEnv('CUPEL_TEST_SEED', '7')
  expect(runSeed()).toBe(7)
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

test.each([
  ['a short budget', '7999', '', 2],
  ['a long budget', '240000', '', 7],
  ['no budget', '', '', 7],
  ['a long budget in CI', '240000', 'true', 2],
  ['a short budget in CI', '7999', 'true', 2],
])(
  'with %s a suite of listed cases tries as many as it should, in their order',
  (_name, budget, ci, count) => {
    vi.stubEnv('CUPEL_TEST_BUDGET_MS', budget)
    vi.stubEnv('CI', ci)
    const items = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const drawn = drawnWithin({ name: 'a list', minimum: 2 }, items, 7)
    expect(drawn).toHaveLength(count)
    expect(drawn).toEqual(items.filter((item) => drawn.includes(item)))
    expect(drawnWithin({ name: 'a list', minimum: 2 }, items, 7)).toEqual(drawn)
  },
)

test('in the course of many seeds every listed case is drawn', () => {
  vi.stubEnv('CUPEL_TEST_BUDGET_MS', '0')
  const seen = new Set(
    Array.from({ length: 20 }, (_, seed) => drawnWithin({ name: 'a list', minimum: 1 }, [1, 2, 3], seed)[0]),
  )
  expect([...seen].sort()).toEqual([1, 2, 3])
})
