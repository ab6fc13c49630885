// Runs everything: generated files, types, lint, format, boundaries, then the test projects, cheapest first.
// Ends with `N passed, N failed, N skipped`; what is skipped is named with its reason, what failed with the first lines of what
// it said. With CI=true only Docker may be skipped.
//   npm test                       everything
//   npm test -- --only unit,int    some steps
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { orExplain, setUp } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const ci = process.env.CI === 'true'
const onlyAt = process.argv.indexOf('--only')
const only = onlyAt === -1 ? null : new Set((process.argv[onlyAt + 1] ?? '').split(','))

const totals = { passed: 0, failed: 0, skipped: 0 }
/** Names, and what each said. */
const failures = []
/** Failures shown with what they said, and how much of it. */
const MOST_DETAILED = 20
const MOST_LINES = 12
const MOST_CHARACTERS = 1_200
const skips = new Map()

const node = (script, ...args) => ['node', [script, ...args]]
const bin = (name, ...args) => node(join(root, 'node_modules', ...name.split('/')), ...args)
const checks = {
  generated: node('scripts/generate.mjs', '--check'),
  types: bin('typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json'),
  lint: bin('eslint/bin/eslint.js', '.', '--max-warnings', '0'),
  format: bin('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'),
  links: node('scripts/check-links.mjs'),
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
  const before = failures.length
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
      const failed = suite.assertionResults.filter((test) => test.status === 'failed')
      // A file that cannot be loaded, or whose hooks fail, fails without a test that does.
      if (suite.status === 'failed' && failed.length === 0)
        fail(`${project}: ${relative(root, suite.name)}`, suite.message)
      for (const test of failed)
        failures.push({ name: `${project}: ${test.fullName}`, said: test.failureMessages?.join('\n') ?? '' })
      for (const test of suite.assertionResults) {
        if (test.status === 'skipped' || test.status === 'pending' || test.status === 'todo')
          note(`${project}: ${test.fullName}`)
      }
    }
    if (status !== 0 && failures.length === before) fail(`${project}: ended with exit code ${status}`)
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

function fail(name, said = '') {
  totals.failed += 1
  failures.push({ name, said })
}

/** The first lines of a failure, without colours, empty lines and the runner's own places. */
function excerptOf(said) {
  const lines = said.replace(/\x1b\[[0-9;]*[A-Za-z]/g, '').split('\n')
  const told = lines
    .map((line) => line.trimEnd().replaceAll(`${root}/`, ''))
    .filter((line) => line !== '' && !/^\s+at (?:new Promise|.*(?:node_modules|node:))/.test(line))
  return told.slice(0, MOST_LINES).join('\n').slice(0, MOST_CHARACTERS)
}

function heading(name) {
  console.log(`\n━━ ${name} ${'━'.repeat(Math.max(0, 72 - name.length))}`)
}

function report() {
  heading('result')
  for (const name of skips.keys()) console.log(`skipped: ${name}`)
  const forbidden = ci ? [...skips.keys()].filter((name) => !/docker/i.test(name)) : []
  for (const name of forbidden) fail(`skipped in CI: ${name}`)
  for (const [index, { name, said }] of failures.entries()) {
    console.log(`FAILED: ${name}`)
    const excerpt = index < MOST_DETAILED ? excerptOf(said) : ''
    if (excerpt !== '') console.log(excerpt.replace(/^/gm, '    '))
  }
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
  process.exit(totals.failed === 0 && totals.passed > 0 ? 0 : 1)
}

mkdirSync(join(root, '.cache'), { recursive: true })
await main()
