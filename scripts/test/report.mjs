// Counts the tests that ran and the processor time. At the end it lists slow files, skipped tests and failures.
import { createAccount } from './account.mjs'

/** Number of failures shown with their output, and the limits of that output. */
const MOST_DETAILED = 20
const MOST_LINES = 12
const MOST_CHARACTERS = 1_200
const SLOWEST = 10

export function heading(name) {
  return `\n━━ ${name} ${'━'.repeat(Math.max(0, 72 - name.length))}`
}

/** @param {{ ci: boolean }} options with `ci` a skipped test is a failure */
export function createTotals({ ci }) {
  const reasons = new Set()
  const skips = new Map()
  const times = new Map()
  const failures = []
  const late = []
  const totals = {
    ci,
    account: createAccount(),
    passed: 0,
    skipped: 0,
    failures,
    late,
    skips,
    times,
    reasons,
    get failed() {
      return failures.length
    },
    pass: (tests) => void (totals.passed += tests),
    /** A file that failed and passed when it was repeated, with what it printed first. */
    passLate: (name, output) => void late.push({ name, output }),
    /** One failure, with what it printed. */
    fail: (name, output = '') => void failures.push({ name, output }),
    skip(file, tests) {
      if (tests === 0) return
      totals.skipped += tests
      skips.set(file, (skips.get(file) ?? 0) + tests)
      if (ci) totals.fail(`${tests} skipped in CI: ${file}`)
    },
    reason: (sentence) => void reasons.add(sentence),
    /** If a file runs twice, the longer time counts. */
    time: (file, ms) => void times.set(file, Math.max(ms, times.get(file) ?? 0)),
  }
  return totals
}

/** The end of the output, with the lines of the account; its last line has the totals. A run without a passed test is not a success. */
export function closingLines(totals, root, ofAccount = []) {
  const { passed, failed, skipped } = totals
  return {
    lines: [
      heading('result'),
      ...slowest(totals.times),
      ...ofAccount,
      ...[...totals.skips].map(([file, tests]) => `skipped: ${tests} in ${file}`),
      ...[...totals.reasons].map((reason) => `skipped because: ${reason}`),
      ...totals.late.flatMap((file, index) => outputLines('PASSED ONLY WHEN REPEATED', file, index, root)),
      ...totals.failures.flatMap((failure, index) => outputLines('FAILED', failure, index, root)),
      `${passed} passed, ${failed} failed, ${skipped} skipped`,
    ],
    isSuccess: failed === 0 && passed > 0,
  }
}

function slowest(times) {
  const files = [...times].sort(([, a], [, b]) => b - a).slice(0, SLOWEST)
  if (files.length === 0) return []
  return ['slowest files:', ...files.map(([file, ms]) => `${(ms / 1_000).toFixed(1).padStart(8)} s  ${file}`)]
}

function outputLines(verdict, { name, output }, index, root) {
  const excerpt = index < MOST_DETAILED ? excerptOf(output, root) : ''
  return [`${verdict}: ${name}`, ...(excerpt === '' ? [] : [excerpt.replace(/^/gm, '    ')])]
}

/** The first lines of a failure, without colours, empty lines and the runner's own stack frames. */
function excerptOf(output, root) {
  const lines = output
    .replace(/\x1b\[[0-9;]*[A-Za-z]/g, '')
    .split('\n')
    .map((line) => line.trimEnd().replaceAll(`${root}/`, ''))
    .filter((line) => line !== '' && !/^\s+at (?:new Promise|.*(?:node_modules|node:))/.test(line))
  return lines.slice(0, MOST_LINES).join('\n').slice(0, MOST_CHARACTERS)
}
