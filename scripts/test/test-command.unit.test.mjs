// Tests the rules of the test command: what it runs, and that it reports every failed or skipped test.
import { describe, expect, test, vi } from 'vitest'
import { matched } from '../matched.mjs'
import { longestFirst } from './longest-first.mts'
import { leftOutFiles } from './long-files.mjs'
import { checkNames, planOf, projectNames, UsageError } from './plan.mjs'
import { closingLines, createTotals } from './report.mjs'
import { count, filesToRepeat, repeated } from './vitest.mjs'

const projectsOf = (plan) => plan.runs.flatMap(({ projects }) => projects)
const totalsOf = (results, status = 0, ci = false) => {
  const totals = createTotals({ ci })
  count({ title: 'a run', status, results }, totals)
  return totals
}
const suite = (...statuses) => ({
  name: '/checkout/a.test.ts',
  status: statuses.includes('failed') ? 'failed' : 'passed',
  startTime: 0,
  endTime: 1_500,
  message: '',
  assertionResults: statuses.map((status, index) => ({ status, fullName: `test ${index}` })),
})
const lastLine = (totals) => closingLines(totals, '/checkout').lines.at(-1)

test('npm test runs every check and every kind of tests once', () => {
  const plan = planOf([])
  expect(plan.checks).toEqual(checkNames)
  expect(projectsOf(plan)).toEqual(projectNames)
  expect(plan.needsBuild).toBe(true)
})

test('test:quick runs types, the linter over what changed and the unit tests with the fewest cases, without a build', () => {
  const plan = planOf(['--quick'])
  expect(plan.checks).toContain('types')
  expect(plan.checks).toContain('lint-changes')
  expect(plan.checks).not.toContain('lint')
  expect(plan.runs).toMatchObject([{ projects: ['unit'], budgetMs: 0 }])
  expect(plan.needsBuild).toBe(false)
})

const takenBy = (plan) => new Set(plan.runs.map(({ takes }) => takes))

test('CI and the night run what npm test runs, and containers', () => {
  const plan = planOf([])
  for (const tier of [planOf(['--ci']), planOf(['--night'])]) {
    expect(tier.checks).toEqual(plan.checks)
    expect(projectsOf(tier)).toEqual([...projectNames, 'containers'])
    expect(tier.needsBuild).toBe(true)
  }
})

test('npm test takes no long and no full file, the quick tier no drawing one either, CI draws long ones, the night takes all', () => {
  const tiers = [[], ['--quick'], ['--ci'], ['--night']].map(planOf).map(takenBy)
  expect(tiers).toEqual([['cheap'], ['quick'], ['drawn'], ['all']].map((takes) => new Set(takes)))
})

test('CI gives only long and full files more time than npm test, the night gives all suites more', () => {
  const [plan, ci, night] = [[], ['--ci'], ['--night']].map(planOf).map(({ runs }) => runs[0])
  expect(ci.budgetMs).toBe(plan.budgetMs)
  expect(ci.longBudgetMs).toBeGreaterThan(plan.budgetMs)
  expect(night.budgetMs).toBeGreaterThan(ci.longBudgetMs)
  expect(night.longBudgetMs).toBe(night.budgetMs)
})

test('a whole night measures the ratios to an earlier commit after the tests, and nothing else does', () => {
  expect(planOf(['--night']).measures).toEqual(['guard'])
  for (const args of [[], ['--quick'], ['--ci'], ['--night', '--only', 'unit'], ['a.test.ts']])
    expect(planOf(args).measures).toEqual([])
})

test('named files run without checks, and --only chooses steps', () => {
  expect(planOf(['packages/domain'])).toMatchObject({
    checks: [],
    files: ['packages/domain'],
    runs: [{ takes: 'all' }],
  })
  expect(planOf(['--only', 'types,e2e'])).toMatchObject({ checks: ['types'], runs: [{ projects: ['e2e'] }] })
})

test.each([
  [['--only', 'nonsense']],
  [['--nonsense']],
  [['--full']],
  [['--quick', '--ci']],
  [['--ci', '--night']],
  [['--night', 'a.test.ts']],
])('%j is refused', (args) => expect(() => planOf(args)).toThrow(UsageError))

test('the last line has the totals, and one failure is not a success', () => {
  const totals = totalsOf({ testResults: [suite('passed', 'failed', 'skipped', 'pending', 'todo')] }, 1)
  expect(lastLine(totals)).toBe('1 passed, 1 failed, 3 skipped')
  expect(closingLines(totals, '/checkout').isSuccess).toBe(false)
})

test('a file that fails without a test, a run without results and an unexplained exit code are failures', () => {
  expect(totalsOf({ testResults: [{ ...suite(), status: 'failed' }] }, 1).failed).toBe(1)
  expect(totalsOf(new Error('no file'), 1).failed).toBe(1)
  expect(totalsOf({ testResults: [suite('passed')] }, 1).failed).toBe(1)
  expect(closingLines(createTotals({ ci: false }), '/checkout').isSuccess).toBe(false)
})

describe('a file that failed in CI', () => {
  const named = (name, ...statuses) => ({ ...suite(...statuses), name: `/checkout/${name}.test.ts` })
  const ended = (status, ...testResults) => ({ title: 'a run', status, results: { testResults } })
  const first = ended(1, named('a', 'passed', 'failed'), named('b', 'passed'))
  const lines = (second) => {
    const totals = createTotals({ ci: true })
    count(repeated(first, second, totals), totals)
    return closingLines(totals, '/checkout')
  }

  test('is repeated where few failed', () => {
    expect(filesToRepeat(first)).toEqual(['/checkout/a.test.ts'])
    expect(filesToRepeat(ended(1, { ...named('a'), status: 'failed' }))).toEqual(['/checkout/a.test.ts'])
    expect(filesToRepeat(ended(1, ...['a', 'b', 'c', 'd'].map((name) => named(name, 'failed'))))).toEqual([])
    expect(filesToRepeat(ended(0, named('a', 'passed')))).toEqual([])
    expect(filesToRepeat({ title: 'a run', status: 1, results: new Error('no file') })).toEqual([])
  })

  test('counts as it ends then, and is told', () => {
    const passed = lines(ended(0, named('a', 'passed', 'passed')))
    expect(passed.isSuccess).toBe(true)
    expect(passed.lines.at(-1)).toBe('3 passed, 0 failed, 0 skipped')
    expect(passed.lines.join('\n')).toMatch(/PASSED ONLY WHEN REPEATED: .*a\.test\.ts\n {4}test 1/)
  })

  test.each([
    ['fails again', ended(1, named('a', 'passed', 'failed')), '2 passed, 1 failed, 0 skipped'],
    ['cannot be loaded', ended(1, { ...named('a'), status: 'failed' }), '1 passed, 1 failed, 0 skipped'],
    ['is not found', ended(0), '2 passed, 1 failed, 0 skipped'],
    [
      'passes in a run that ends badly',
      ended(1, named('a', 'passed', 'passed')),
      '3 passed, 1 failed, 0 skipped',
    ],
    ['skips', ended(0, named('a', 'passed', 'skipped')), '2 passed, 1 failed, 1 skipped'],
  ])('fails where it %s', (_name, second, last) => {
    const { isSuccess, lines: printed } = lines(second)
    expect(isSuccess).toBe(false)
    expect(printed.at(-1)).toBe(last)
  })

  test('fails where its repetition gives no results', () => {
    expect(lines({ title: 'a run', status: null, results: new Error('no file') }).isSuccess).toBe(false)
  })
})

test('in CI a skipped test is a failure', () => {
  const totals = totalsOf({ testResults: [suite('passed', 'skipped')] }, 0, true)
  expect(lastLine(totals)).toBe('1 passed, 1 failed, 1 skipped')
})

test('the slowest files and the reasons of skips stand before the last line', () => {
  const totals = totalsOf({ testResults: [suite('passed', 'skipped')] })
  totals.reason('no Kafka')
  const { lines } = closingLines(totals, '/checkout')
  expect(lines.join('\n')).toMatch(/1\.5 s {2}.*a\.test\.ts\nskipped: 1 in .*\nskipped because: no Kafka\n/)
})

describe('the order of files', () => {
  const files = ['', '.full', '.long'].flatMap((mark) =>
    ['unit', 'int', 'kafka', 'contract', 'e2e'].map((kind) => `packages/a${mark}.${kind}.test.ts`),
  )
  const kindOf = (file) => matched(/\.(\w+)\.test\.\w+$/, file)[1]
  const ordered = longestFirst(files, (file) => file)

  test('files with a process of their own come first, then each kind in one piece', () => {
    const kinds = ordered.map(kindOf).map((kind) => (kind === 'kafka' ? 'e2e' : kind))
    expect(kinds.filter((kind, index) => kind !== kinds[index - 1])).toEqual([
      'e2e',
      'int',
      'contract',
      'unit',
    ])
  })

  test('of each kind, long files begin first, and then full ones', () => {
    expect(ordered.filter((file) => kindOf(file) === 'int')).toEqual(
      ['.long', '.full', ''].map((mark) => `packages/a${mark}.int.test.ts`),
    )
  })
})

/** @typedef {{ test: { name: string, include: string[], exclude: string[] } }} Kind */

test('long and full files are left out in every language that tests are written in', async () => {
  vi.stubEnv('CUPEL_TEST_LEAVE_OUT', leftOutFiles.join())
  try {
    const { default: config } = await import('../../vitest.config.ts')
    const projects = /** @type {Kind[]} */ (config.test?.projects)
    for (const { test: kind } of projects) {
      const languages = kind.include.map((pattern) => matched(/\.test\.(\w+)$/, pattern)[1])
      expect(new Set(languages), kind.name).toEqual(new Set(['ts', 'mjs']))
      for (const language of languages)
        for (const mark of ['long', 'full']) expect(kind.exclude).toContain(`**/*.${mark}.*.test.${language}`)
    }
  } finally {
    vi.unstubAllEnvs()
  }
})
