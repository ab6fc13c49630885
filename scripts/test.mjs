// Runs the tests; the last line is `N passed, N failed, N skipped`.
//
//   npm run test:quick     what the compiler, the linter (in changed files) and the unit tests that draw no cases for seconds find: at most a
//                          minute on two idle cores
//   npm test               what a change may break: each behaviour once, at its cheapest
//   npm run test:ci        npm test, all full files, containers, the long files whose sources changed and a drawn sixth of the others
//   npm run test:night     everything, with much more time for each long suite; then the ratios of bench guard
//   npm test -- FILE…      only these test files, as npm test runs them; a part of a path is enough
//   npm test -- --only types,unit   only these steps: generated, types, browser-types, script-types, lint, format, links, boundaries,
//                                   and kinds of tests
//
// Before the last line it lists the ten slowest files, the processor time by kind and of the twenty dearest files with the change since the
// last run of the tier (.cache/processor-time.json), the skipped tests with the reasons, and the failures with the first lines of output.
// After a failure the exit code is 1. With CI=true a skipped test is a failure, and if up to three files failed, they run once more, without
// others (CONTRIBUTING.md). Long randomised suites print their seed and number of cases. CUPEL_TEST_SEED repeats them, and CUPEL_TEST_BUDGET_MS
// overrides the time for each of them.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { orExplain, root, setUp } from './setup.mjs'
import { runChecks } from './test/checks.mjs'
import { planOf, UsageError } from './test/plan.mjs'
import { accountLines, keepSummary, keptSummaries, summaryOf } from './test/account.mjs'
import { closingLines, createTotals } from './test/report.mjs'
import { runVitest } from './test/vitest.mjs'

const USAGE = 'usage: node scripts/test.mjs [--quick | --ci | --night] [--only STEP,…] [FILE…]'

async function main() {
  const plan = readPlan()
  await orExplain(() => setUp({ build: plan.needsBuild }))
  mkdirSync(join(root, '.cache'), { recursive: true })
  const totals = createTotals({ ci: process.env.CI === 'true' })
  // Checks take one core for a minute and a half. Meanwhile tests have the other core, and then both.
  await Promise.all([runChecks(plan.checks, totals), runTests(plan, totals)])
  await runChecks(plan.measures, totals)
  const { lines, isSuccess } = closingLines(totals, root, accountOf(totals))
  for (const line of lines) console.log(line)
  process.exitCode = isSuccess ? 0 : 1
}

/** Only runs of a whole tier are kept and compared. */
function accountOf(totals) {
  const kept = join(root, '.cache', 'processor-time.json')
  const args = process.argv.slice(2)
  const tier = args.length === 0 ? 'test' : args.length === 1 ? args[0].replace('--', '') : null
  const summary = summaryOf(totals.account, { date: new Date().toISOString().slice(0, 10) })
  const isTier = tier !== null && ['test', 'quick', 'ci', 'night'].includes(tier)
  const lines = accountLines(summary, isTier ? (keptSummaries(kept)[tier] ?? null) : null)
  if (isTier) keepSummary(kept, tier, summary)
  return lines
}

function readPlan() {
  try {
    return planOf(process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`${error.message}\n${USAGE}`)
    process.exit(2)
  }
}

/** Each run starts one Postgres and, if it needs one, one broker. */
async function runTests({ runs, files }, totals) {
  const given = process.env.CUPEL_TEST_BUDGET_MS
  for (const { budgetMs, longBudgetMs, ...run } of runs)
    await runVitest(
      { ...run, files, budgetMs: given ?? budgetMs, longBudgetMs: given ?? longBudgetMs },
      totals,
    )
}

await main()
