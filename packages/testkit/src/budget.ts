/**
 * Long randomised suites take as many cases as fit a time budget: at least their minimum, at most their full number. The commands
 * of scripts/test.mjs set the budget; without one a suite takes the full number. Each prints its seed and how many cases it took.
 */
import fc from 'fast-check'

export interface LongSuite {
  /** Stands before seed and count in the output. */
  readonly name: string
  /** Cases without a time budget. */
  readonly full: number
  /** Cases that run whatever the budget. */
  readonly minimum: number
}

/** Time for each long suite in milliseconds; absent: the full number of cases. */
const BUDGET = 'CUPEL_TEST_BUDGET_MS'
/** Repeats the cases of an earlier run. */
const SEED = 'CUPEL_TEST_SEED'
const SEEDS = 2 ** 31

/** The seed of this run: CUPEL_TEST_SEED, or the time. */
export function runSeed(): number {
  const given = process.env[SEED]
  return given === undefined ? Date.now() % SEEDS : Number(given)
}

/** Yields 0, 1, 2 … until the budget is spent; the time begins with the first case. */
export function* casesWithin(suite: LongSuite, seed: number = runSeed()): Generator<number, void> {
  const spent = stopwatch()
  let taken = 0
  try {
    for (; taken < suite.full && (taken < suite.minimum || !spent()); taken += 1) yield taken
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
  const leftMs = timeLeft()
  const check = async (more: fc.Parameters<Ts>): Promise<number> => {
    const details = await fc.check(property, { ...parameters, ...more })
    if (details.failed) throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance })
    return details.numRuns
  }
  let cases = await check({ seed, numRuns: budgetMs() === null ? suite.full : suite.minimum })
  const rest = suite.full - cases
  // fast-check asks for whole milliseconds, and for at least one.
  const interruptAfterTimeLimit = Math.floor(leftMs())
  if (rest > 0 && interruptAfterTimeLimit > 0)
    cases += await check({
      seed: (seed + 1) % SEEDS,
      numRuns: rest,
      interruptAfterTimeLimit,
      markInterruptAsFailure: false,
    })
  say(suite, cases, seed)
  return { cases }
}

/** Null where suites take their full number. */
function budgetMs(): number | null {
  const given = process.env[BUDGET]
  return given === undefined || given === '' ? null : Number(given)
}

function timeLeft(): () => number {
  const budget = budgetMs() ?? Infinity
  const beganAt = performance.now()
  return () => budget - (performance.now() - beganAt)
}

function stopwatch(): () => boolean {
  const leftMs = timeLeft()
  return () => leftMs() <= 0
}

function say({ name, full }: LongSuite, taken: number, seed: number): void {
  process.stdout.write(`${name}: ${taken} of ${full} cases, seed ${seed} (${SEED} repeats it)\n`)
}
