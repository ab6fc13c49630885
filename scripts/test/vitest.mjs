// Runs vitest over some kinds of tests and adds the results to the totals.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root } from '../setup.mjs'
import { commitOf, drawingFiles, leftOutFiles, leftOutInCi, longFiles } from './long-files.mjs'
import { heading } from './report.mjs'

/** Most files of one run that may fail by chance. If more fail, they have a common cause. */
const MOST_REPEATED = 3

/**
 * In CI a file that failed runs a second time, alone, and its second result counts. If one test of thousands lost a race, the run reports
 * it and does not fail.
 * @param {{ title: string, projects: string[], files: string[], takes: string, budgetMs: number | string, longBudgetMs: number | string }} run
 */
export async function runVitest(run, totals) {
  console.log(heading(run.title))
  const first = await attempt(run, totals)
  const files = totals.ci ? filesToRepeat(first) : []
  if (files.length === 0) return count(first, totals)
  console.log(heading(`${run.title}: ${files.length} repeated`))
  count(repeated(first, await attempt({ ...run, files }, totals), totals), totals)
}

async function attempt({ title, projects, files, takes, budgetMs, longBudgetMs }, totals) {
  const leftOut = files.length > 0 ? [] : leftOutBy(takes)
  const folder = mkdtempSync(join(tmpdir(), 'cupel-results-'))
  try {
    const results = join(folder, 'results.json')
    const skips = join(folder, 'skips')
    const notes = join(folder, 'notes')
    const args = [
      ...['run', ...files, ...projects.flatMap((name) => ['--project', name])],
      ...['--reporter=default', '--reporter=json', `--outputFile=${results}`],
    ]
    const status = await runProcess(args, {
      CUPEL_TEST_SKIPS: skips,
      CUPEL_TEST_PROCESSOR_NOTES: notes,
      CUPEL_TEST_BUDGET_MS: String(budgetMs),
      CUPEL_TEST_LONG_BUDGET_MS: String(longBudgetMs),
      CUPEL_TEST_LEAVE_OUT: leftOut.join(),
    })
    totals.account.testsEnded()
    for (const reason of readLines(skips)) totals.reason(reason)
    for (const note of readLines(notes).map((line) => JSON.parse(line)))
      if ('server' in note) totals.account.noteServer(note)
      else totals.account.note({ ...note, file: relative(root, note.file) })
    return { title, status, results: readResults(results) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function leftOutBy(takes) {
  if (takes === 'cheap') return leftOutFiles
  if (takes === 'quick') return [...leftOutFiles, ...drawingFiles]
  if (takes === 'all') return []
  const leftOut = leftOutInCi(root, commitOf(root))
  const taken = longFiles(root).filter((path) => !leftOut.includes(path))
  console.log(
    `CI runs ${taken.length} of ${taken.length + leftOut.length} long files (CONTRIBUTING.md):\n  ${taken.join('\n  ')}`,
  )
  return leftOut
}

/**
 * @typedef {{ status: string, fullName: string, failureMessages?: string[] | null }} TestResult
 * @typedef {{ name: string, status: string, startTime: number, endTime: number, message: string, assertionResults: TestResult[] }} Suite
 * @typedef {{ title: string, status: number | null, results: { testResults: Suite[] } | Error }} Ended
 */

/**
 * @param {Ended} run
 * @returns {string[]} the files that failed if they are few, otherwise none
 */
export function filesToRepeat({ results }) {
  if (results instanceof Error) return []
  const files = results.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name)
  return files.length > MOST_REPEATED ? [] : files
}

/**
 * The first run with the second results of the repeated files. A file without a second result keeps its failure.
 * @param {Ended} first
 * @param {Ended} second
 * @returns {Ended}
 */
export function repeated(first, second, totals) {
  if (first.results instanceof Error || second.results instanceof Error) return first
  const again = new Map(second.results.testResults.map((suite) => [suite.name, suite]))
  const testResults = first.results.testResults.map((suite) => {
    const repetition = again.get(suite.name)
    if (suite.status !== 'failed' || repetition === undefined) return suite
    if (repetition.status === 'passed') totals.passLate(relative(root, suite.name), outputOf(suite))
    return repetition
  })
  return { ...first, status: second.status, results: { ...first.results, testResults } }
}

function outputOf(suite) {
  const failed = suite.assertionResults.filter(({ status }) => status === 'failed')
  const outputs = failed.map((test) => `${test.fullName}\n${(test.failureMessages ?? []).join('\n')}`)
  return outputs.length > 0 ? outputs.join('\n') : suite.message
}

/**
 * Adds the results of a run. A run that ends without results, or with a code that no test explains, is always a failure.
 * @param {Ended} run
 */
export function count({ title, status, results }, totals) {
  if (results instanceof Error)
    return totals.fail(title, `no results (${results.message}), exit code ${status}`)
  const failedBefore = totals.failed
  for (const suite of results.testResults) countSuite(suite, totals)
  if (status !== 0 && totals.failed === failedBefore) totals.fail(title, `ended with exit code ${status}`)
}

function countSuite(suite, totals) {
  const file = relative(root, suite.name)
  totals.time(file, suite.endTime - suite.startTime)
  const tests = suite.assertionResults
  const failed = tests.filter((test) => test.status === 'failed')
  totals.pass(tests.filter((test) => test.status === 'passed').length)
  totals.skip(file, tests.filter((test) => ['skipped', 'pending', 'todo'].includes(test.status)).length)
  for (const test of failed) totals.fail(`${file}: ${test.fullName}`, test.failureMessages?.join('\n') ?? '')
  // A file that cannot be loaded, or whose hooks fail, fails without a failed test.
  if (suite.status === 'failed' && failed.length === 0) totals.fail(file, suite.message)
}

function runProcess(args, environment) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...environment },
    })
    child.once('error', reject)
    child.once('close', resolve)
  })
}

function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    return error
  }
}

function readLines(file) {
  try {
    return readFileSync(file, 'utf8').trim().split('\n')
  } catch {
    // Nothing was skipped.
    return []
  }
}
