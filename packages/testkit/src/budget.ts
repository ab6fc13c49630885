/**
 * Long randomised suites run as many cases as fit a time budget: at least their minimum, at most their full number. The commands
 * of scripts/test.mjs set the budget; without one a suite runs the full number. Each suite prints its seed and its number of cases.
 */
import { createHash } from 'node:crypto'
import fc from 'fast-check'

export interface LongSuite {
  /** Printed before seed and count. */
  readonly name: string
  /** Cases without a time budget. */
  readonly full: number
  /** Cases that run whatever the budget. */
  readonly minimum: number
  /** Cases that run with a long budget, even if they take longer than it, and of which CI runs a sixth; absent: the minimum. */
  readonly demanded?: number
}

/** Time for each long suite in milliseconds; absent: the full number of cases. */
const BUDGET = 'CUPEL_TEST_BUDGET_MS'
/** Repeats the cases of an earlier run. */
const SEED = 'CUPEL_TEST_SEED'
const SEEDS = 2 ** 31
/** CI repeats one seed, so that a failure is caused by the change. All other runs draw new cases. */
const CI_SEED = 20_261_122

/** The seed of this run: CUPEL_TEST_SEED, otherwise a constant in CI, otherwise the time. */
export function runSeed(): number {
  const given = process.env[SEED]
  if (given !== undefined && given !== '') return Number(given)
  return process.env['CI'] === 'true' ? CI_SEED : Date.now() % SEEDS
}

/** Yields 0, 1, 2 … until the budget is spent; the time starts with the first case. */
export function* casesWithin(suite: LongSuite, seed: number = runSeed()): Generator<number, void> {
  const spent = stopwatch()
  let taken = 0
  try {
    const fewest = fewestCases(suite)
    for (; taken < suite.full && (taken < fewest || !spent()); taken += 1) yield taken
  } finally {
    say(suite, taken, seed)
  }
}

/**
 * Asserts a property of fast-check over as many cases as fit the budget. A failure throws fast-check's report with seed, path and
 * the smallest counterexample.
 */
export async function assertWithin<Ts>(
  suite: LongSuite,
  property: fc.IRawProperty<Ts>,
  parameters: fc.Parameters<Ts> = {},
): Promise<{ readonly cases: number }> {
  const seed = parameters.seed ?? runSeed()
  const spent = stopwatch()
  const check = async (of: fc.IRawProperty<Ts>, more: fc.Parameters<Ts>): Promise<number> => {
    const details = await fc.check(of, { ...parameters, ...more })
    // fast-check also counts a time limit that ends before the first case as a failure, without a counterexample.
    const isOver = details.interrupted && details.counterexample === null
    if (details.failed && !isOver)
      throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance })
    return details.numRuns
  }
  let cases = await check(property, { seed, numRuns: fewestCases(suite) })
  const rest = suite.full - cases
  if (rest > 0 && !spent())
    cases += await check(until(spent, property), { seed: (seed + 1) % SEEDS, numRuns: rest })
  say(suite, cases, seed)
  return { cases }
}

/** The property, until the time is over. A case that has begun is not interrupted: it would continue after the end of its test. */
function until<Ts>(isOver: () => boolean, property: fc.IRawProperty<Ts>): fc.IRawProperty<Ts> {
  return {
    isAsync: () => property.isAsync(),
    generate: (random, runId) => property.generate(random, runId),
    shrink: (value) => property.shrink(value),
    run(value) {
      if (!isOver()) return property.run(value)
      const end = new fc.PreconditionFailure(true)
      return property.isAsync() ? Promise.resolve(end) : end
    },
    runBeforeEach: () => property.runBeforeEach(),
    runAfterEach: () => property.runAfterEach(),
  } as fc.IRawProperty<Ts>
}

/** From this budget on, a suite runs its demanded cases and tries more than the minimum of its items. */
const LONG_BUDGET_MS = 8_000
/** Part of the listed items and of the demanded cases in a long run of CI. The night runs all of them. */
const SHARE_IN_CI = 1 / 6

/**
 * The items that a suite tries: all of them without a budget or with a long one, a sixth in a long run of CI, otherwise the minimum. The
 * seed draws them. For kills and other cases that are listed, not generated.
 */
export function drawnWithin<Item>(
  { name, minimum }: Pick<LongSuite, 'name' | 'minimum'>,
  items: readonly Item[],
  seed: number = runSeed(),
): readonly Item[] {
  const place = (index: number): string =>
    createHash('sha256').update(`${seed} ${name} ${index}`).digest('hex')
  const drawn = new Set(
    items
      .map((_, index) => index)
      .sort((a, b) => (place(a) < place(b) ? -1 : 1))
      .slice(0, numberOf(items.length, minimum)),
  )
  say({ name, full: items.length }, drawn.size, seed)
  return items.filter((_, index) => drawn.has(index))
}

function numberOf(listed: number, minimum: number): number {
  return isLongRun() ? longShare(listed, minimum) : minimum
}

const longShare = (count: number, minimum: number): number =>
  process.env['CI'] === 'true' ? Math.max(minimum, Math.ceil(count * SHARE_IN_CI)) : count

/** Null if suites run their full number. */
function budgetMs(): number | null {
  const given = process.env[BUDGET]
  return given === undefined || given === '' ? null : Number(given)
}

/** Whether suites run their demanded cases. */
export const isLongRun = (): boolean => (budgetMs() ?? Infinity) >= LONG_BUDGET_MS

/** Number of cases that a suite runs before the time counts. */
export function fewestCases({ full, minimum, demanded = minimum }: Omit<LongSuite, 'name'>): number {
  if (budgetMs() === null) return full
  return isLongRun() ? longShare(demanded, minimum) : minimum
}

function stopwatch(): () => boolean {
  const budget = budgetMs() ?? Infinity
  const beganAt = performance.now()
  return () => performance.now() - beganAt >= budget
}

function say({ name, full }: Pick<LongSuite, 'name' | 'full'>, taken: number, seed: number): void {
  process.stdout.write(`${name}: ${taken} of ${full} cases, seed ${seed} (${SEED} repeats it)\n`)
}
