// One run of vitest over some kinds of tests, counted into the totals.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root } from '../setup.mjs'
import { heading } from './report.mjs'

/** @param {{ title: string, projects: string[], files: string[], budgetMs: number | string }} run */
export async function runVitest({ title, projects, files, budgetMs }, totals) {
  console.log(heading(title))
  const folder = mkdtempSync(join(tmpdir(), 'cupel-results-'))
  try {
    const results = join(folder, 'results.json')
    const skips = join(folder, 'skips')
    const args = [
      ...['run', ...files, ...projects.flatMap((name) => ['--project', name])],
      ...['--reporter=default', '--reporter=json', `--outputFile=${results}`],
    ]
    const status = await run(args, { CUPEL_TEST_SKIPS: skips, CUPEL_TEST_BUDGET_MS: String(budgetMs) })
    count({ title, status, results: readResults(results) }, totals)
    for (const reason of readLines(skips)) totals.reason(reason)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Adds the results of a run. A run that ends without results, or with a code that no test explains, is a failure, never nothing.
 * @param {{ title: string, status: number | null, results: object | Error }} run
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
  // A file that cannot be loaded, or whose hooks fail, fails without a test that does.
  if (suite.status === 'failed' && failed.length === 0) totals.fail(file, suite.message)
}

function run(args, environment) {
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
