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

const QUICK_CHECKS = ['types', 'browser-types', 'script-types', 'lint', 'links']
/** Kinds of tests that run only with --full, --only or their files: they take minutes and need an engine. */
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

/** Time for each long suite in milliseconds. */
const QUICK_BUDGET_MS = 0
const BUDGET_MS = 500
const FULL_BUDGET_MS = 20_000
/** The same in CI: the shortest budget with which suites run their demanded cases. */
const FULL_BUDGET_IN_CI_MS = 8_000

/**
 * @param {readonly string[]} args
 * @returns {{ checks: string[], runs: { title: string, projects: string[], budgetMs: number, leavesOutLong: boolean }[],
 *   files: string[], needsBuild: boolean }} Throws a UsageError if the arguments make no sense together.
 */
export function planOf(args) {
  const { quick, full, only, files } = parse(args)
  if ([quick, full, files.length > 0].filter(Boolean).length > 1)
    throw new UsageError('--quick, --full and files exclude each other.')
  if (quick) return plan(QUICK_CHECKS, ['unit'], { budgetMs: QUICK_BUDGET_MS, leavesOutLong: true })
  if (files.length > 0) {
    const run = {
      title: 'the given files',
      projects: only?.filter(isProject) ?? [...projectNames, ...FULL_PROJECTS],
      budgetMs: BUDGET_MS,
      leavesOutLong: false,
    }
    return { checks: [], runs: [run], files, needsBuild: true }
  }
  const steps = only ?? [...checkNames, ...projectNames, ...(full ? FULL_PROJECTS : [])]
  const fullBudgetMs = process.env.CI === 'true' ? FULL_BUDGET_IN_CI_MS : FULL_BUDGET_MS
  return plan(steps.filter(isCheck), steps.filter(isProject), {
    budgetMs: full ? fullBudgetMs : BUDGET_MS,
    leavesOutLong: !full,
  })
}

function parse(args) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { quick: { type: 'boolean' }, full: { type: 'boolean' }, only: { type: 'string' } },
      allowPositionals: true,
    })
    const only = values.only?.split(',')
    const unknown = only?.filter((name) => !isCheck(name) && !isProject(name)) ?? []
    if (unknown.length > 0) throw new UsageError(`--only does not know ${unknown.join(', ')}.`)
    return { quick: values.quick ?? false, full: values.full ?? false, only, files: positionals }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(error.message)
  }
}

function plan(checks, projects, cost) {
  const runs = GROUPS.map(({ title, projects: group }) => ({
    title,
    projects: group.filter((name) => projects.includes(name)),
    ...cost,
  })).filter((run) => run.projects.length > 0)
  return { checks, runs, files: [], needsBuild: projects.some((name) => BUILT.includes(name)) }
}

const isCheck = (name) => checkNames.includes(name)
const isProject = (name) => projectNames.includes(name) || FULL_PROJECTS.includes(name)
