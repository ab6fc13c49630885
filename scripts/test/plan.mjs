// Translates a command line into checks and test runs.
import { parseArgs } from 'node:util'

export class UsageError extends Error {}

export const checkNames = [
  'generated',
  'types',
  'browser-types',
  'script-types',
  'lint',
  'format',
  'links',
  'boundaries',
]
/** Kinds of tests by the suffix of their files, cheapest first. */
export const projectNames = ['unit', 'contract', 'int', 'kafka', 'e2e']

/** In place of `lint`, the quick tier checks only files that differ from the last landing. */
const LINT_CHANGES = 'lint-changes'
const QUICK_CHECKS = ['types', 'browser-types', 'script-types', LINT_CHANGES, 'links']
/** Kinds of tests that run only with --ci, --night, --only or their files: they take minutes and need an engine. */
const FULL_PROJECTS = ['containers']
/**
 * Kinds of tests that run together, with one Postgres and one broker if a kind needs them. A file that waits for processes leaves its
 * core to a file that computes. Container tests have the machine to themselves.
 */
const GROUPS = [
  { title: 'tests', projects: projectNames },
  { title: 'tests of images and containers', projects: FULL_PROJECTS },
]
/** Kinds of tests that start built programs. */
const BUILT = ['int', 'kafka', 'e2e']

/**
 * Time for each long suite in milliseconds, and for those in long and full files. CI gives the latter the shortest budget with which suites
 * run their demanded cases.
 */
const TIERS = {
  quick: { takes: 'quick', budgetMs: 0, longBudgetMs: 0 },
  test: { takes: 'cheap', budgetMs: 500, longBudgetMs: 500 },
  ci: { takes: 'drawn', budgetMs: 500, longBudgetMs: 8_000 },
  night: { takes: 'all', budgetMs: 60_000, longBudgetMs: 60_000 },
}

/**
 * @typedef {{ title: string, projects: string[], takes: string, budgetMs: number, longBudgetMs: number }} Run `takes` is `cheap` without long
 *   and full files, `quick` without those and unit tests that draw cases for seconds, `drawn` with the full files and those of the long files
 *   that CI takes, or `all`
 * @param {readonly string[]} args
 * @returns {{ checks: string[], runs: Run[], files: string[], needsBuild: boolean, measures: string[] }} `measures` run after the tests. Throws a UsageError if the arguments make no sense together.
 */
export function planOf(args) {
  const { quick, ci, night, only, files } = parse(args)
  if ([quick, ci, night, files.length > 0].filter(Boolean).length > 1)
    throw new UsageError('--quick, --ci, --night and files exclude each other.')
  if (quick) return plan(QUICK_CHECKS, ['unit'], TIERS.quick)
  if (files.length > 0) {
    const run = {
      title: 'the given files',
      projects: only?.filter(isProject) ?? [...projectNames, ...FULL_PROJECTS],
      ...TIERS.test,
      takes: 'all',
    }
    return { checks: [], runs: [run], files, needsBuild: true, measures: [] }
  }
  const steps = only ?? [...checkNames, ...projectNames, ...(ci || night ? FULL_PROJECTS : [])]
  return plan(
    steps.filter(isCheck),
    steps.filter(isProject),
    ci ? TIERS.ci : night ? TIERS.night : TIERS.test,
    night && only === undefined ? ['guard'] : [],
  )
}

function parse(args) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean' },
        ci: { type: 'boolean' },
        night: { type: 'boolean' },
        only: { type: 'string' },
      },
      allowPositionals: true,
    })
    const only = values.only?.split(',')
    const unknown = only?.filter((name) => !isCheck(name) && !isProject(name)) ?? []
    if (unknown.length > 0) throw new UsageError(`--only does not know ${unknown.join(', ')}.`)
    const { quick = false, ci = false, night = false } = values
    return { quick, ci, night, only, files: positionals }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(error.message)
  }
}

function plan(checks, projects, tier, measures = []) {
  const runs = GROUPS.map(({ title, projects: group }) => ({
    title,
    projects: group.filter((name) => projects.includes(name)),
    ...tier,
  })).filter((run) => run.projects.length > 0)
  return { checks, runs, files: [], needsBuild: projects.some((name) => BUILT.includes(name)), measures }
}

const isCheck = (name) => checkNames.includes(name) || name === LINT_CHANGES
const isProject = (name) => projectNames.includes(name) || FULL_PROJECTS.includes(name)
