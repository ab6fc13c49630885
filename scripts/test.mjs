// Runs everything: generated files, types, lint, format, boundaries, then the test projects, cheapest first.
// Ends with `N passed, N failed, N skipped`; what is skipped is named with its reason. With CI=true only Docker may be skipped.
//   npm test                       everything
//   npm test -- --only unit,int    some steps
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const ci = process.env.CI === 'true'
const onlyAt = process.argv.indexOf('--only')
const only = onlyAt === -1 ? null : new Set((process.argv[onlyAt + 1] ?? '').split(','))

const totals = { passed: 0, failed: 0, skipped: 0 }
const failures = []
const skips = new Map()

const node = (script, ...args) => ['node', [script, ...args]]
const bin = (name, ...args) => node(join(root, 'node_modules', ...name.split('/')), ...args)
const checks = {
  generated: node('scripts/generate.mjs', '--check'),
  types: bin('typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json'),
  lint: bin('eslint/bin/eslint.js', '.', '--max-warnings', '0'),
  format: bin('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'),
  boundaries: bin(
    'dependency-cruiser/bin/dependency-cruise.mjs',
    '--config',
    '.dependency-cruiser.cjs',
    '--exclude',
    '(^|/)(dist|boundary-fixtures)/',
    'packages',
    'services',
  ),
}
const projects = ['unit', 'contract', 'int', 'kafka', 'e2e']

async function main() {
  await orExplain(() => setUp())
  for (const [name, command] of Object.entries(checks)) if (wanted(name)) runCheck(name, command)
  for (const project of projects) if (wanted(project)) runProject(project)
  report()
}

const wanted = (name) => only === null || only.has(name)

function runCheck(name, [command, args]) {
  heading(name)
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (status === 0) totals.passed += 1
  else fail(name)
}

/** Adds a vitest project's counts; a project that dies without counts is a failure, never nothing. */
function runProject(project) {
  heading(project)
  const folder = mkdtempSync(join(tmpdir(), 'cupel-results-'))
  const file = join(folder, 'results.json')
  const [command, args] = bin(
    'vitest/vitest.mjs',
    'run',
    '--project',
    project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile=${file}`,
  )
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CUPEL_TEST_SKIPS: join(folder, 'skips') },
  })
  try {
    const results = JSON.parse(readFileSync(file, 'utf8'))
    totals.passed += results.numPassedTests
    totals.failed += results.numFailedTests
    const skipped = results.numPendingTests + results.numTodoTests
    totals.skipped += skipped
    for (const suite of results.testResults) {
      if (suite.status === 'failed' && suite.assertionResults.length === 0) fail(`${project}: ${suite.name}`)
      for (const test of suite.assertionResults) {
        if (test.status === 'failed') failures.push(`${project}: ${test.fullName}`)
        if (test.status === 'skipped' || test.status === 'pending' || test.status === 'todo')
          note(`${project}: ${test.fullName}`)
      }
    }
    if (status !== 0 && results.numFailedTests === 0) fail(`${project}: ended with exit code ${status}`)
  } catch (error) {
    fail(`${project}: no results (${error.message})`)
  }
  for (const reason of readReasons(join(folder, 'skips'))) console.log(`skipped because: ${reason}`)
  rmSync(folder, { recursive: true, force: true })
}

function readReasons(file) {
  try {
    return [...new Set(readFileSync(file, 'utf8').trim().split('\n'))]
  } catch {
    return []
  }
}

function note(name) {
  const known = skips.get(name) ?? 0
  skips.set(name, known + 1)
}

function fail(name) {
  totals.failed += 1
  failures.push(name)
}

function heading(name) {
  console.log(`\n━━ ${name} ${'━'.repeat(Math.max(0, 72 - name.length))}`)
}

function report() {
  heading('result')
  for (const name of skips.keys()) console.log(`skipped: ${name}`)
  const forbidden = ci ? [...skips.keys()].filter((name) => !/docker/i.test(name)) : []
  for (const name of forbidden) fail(`skipped in CI: ${name}`)
  for (const name of failures) console.log(`FAILED: ${name}`)
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
  process.exit(totals.failed === 0 && totals.passed > 0 ? 0 : 1)
}

mkdirSync(join(root, '.cache'), { recursive: true })
await main()
