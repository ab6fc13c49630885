// The account of a run: processor time by kind and of the dearest files, the speed of the machine, and the difference to the last run.
import { readFileSync, writeFileSync } from 'node:fs'
import { calibrationMs, endedChildrenMs, ownMs } from './processor-time.mjs'

const DEAREST = 20
const KIND = /\.(\w+)\.test\.\w+$/

/**
 * Collects what the parts of a run took. A child is counted when it has ended: the run knows the time of all ended children, and takes the
 * difference to the last reading for the child that has just ended. If two end at once, their sum is still right.
 */
export function createAccount(readEnded = endedChildrenMs) {
  let counted = readEnded()
  const files = new Map()
  const servers = new Map()
  const take = () => {
    const now = readEnded()
    const spent = now - counted
    counted = now
    return spent
  }
  const account = {
    files,
    servers,
    /** What had ended before: it built what the tests need. */
    buildMs: counted,
    checksMs: 0,
    testsMs: 0,
    checkEnded: () => void (account.checksMs += take()),
    testsEnded: () => void (account.testsMs += take()),
    note: ({ file, ownMs: own, childrenMs }) =>
      void files.set(file, (files.get(file) ?? 0) + own + childrenMs),
    /** A server that files share. Each kind of tests notes it before its end: the last reading holds the others. */
    noteServer: ({ server, ms }) => void servers.set(server, Math.max(servers.get(server) ?? 0, ms)),
  }
  return account
}

/** Whole seconds by kind; `rest` is what neither files nor the servers that they share account for: vitest itself. */
export function summaryOf(
  { files, servers, buildMs, checksMs, testsMs },
  { date, calibration = calibrationMs(), runnerMs = ownMs() },
) {
  const kinds = {}
  for (const [file, ms] of files) kinds[kindOf(file)] = (kinds[kindOf(file)] ?? 0) + ms
  const accounted = [...Object.values(kinds), ...servers.values()].reduce((total, ms) => total + ms, 0)
  const parts = {
    ...kinds,
    ...Object.fromEntries(servers),
    build: buildMs,
    checks: checksMs,
    rest: Math.max(0, testsMs - accounted) + runnerMs,
  }
  const dearest = [...files].sort(([, a], [, b]) => b - a).slice(0, DEAREST)
  return {
    date,
    calibrationMs: Math.round(calibration),
    totalSeconds: seconds(Object.values(parts).reduce((total, ms) => total + ms, 0)),
    seconds: Object.fromEntries(Object.entries(parts).map(([part, ms]) => [part, seconds(ms)])),
    dearest: dearest.map(([file, ms]) => ({ file, seconds: seconds(ms) })),
  }
}

const kindOf = (file) => KIND.exec(file)?.[1] ?? 'others'
const seconds = (ms) => Math.round(ms / 100) / 10

/** For people; `previous` is the summary of the last run of the same tier, or null. */
export function accountLines(summary, previous) {
  const fileLines = summary.dearest.map(({ file, seconds: taken }) => {
    const before = previous?.dearest.find((one) => one.file === file)?.seconds
    return `${padded(taken)}  ${file}${before === undefined ? '' : sinceThen(taken, before)}`
  })
  return [
    'processor seconds by kind, of the servers that files share, and of vitest (rest); without processes that outlive their parent:',
    ...Object.entries(summary.seconds).map(
      ([kind, taken]) => `${padded(taken)}  ${kind}${sinceThen(taken, previous?.seconds[kind])}`,
    ),
    ...(fileLines.length === 0 ? [] : ['dearest files, in processor seconds:', ...fileLines]),
    `${padded(summary.totalSeconds)}  in all${comparison(summary, previous)}`,
    `${String(summary.calibrationMs).padStart(8)} ms for the fixed loop: the speed of the machine`,
  ]
}

function comparison(summary, previous) {
  if (previous === null) return ''
  const asFast = (previous.totalSeconds * summary.calibrationMs) / previous.calibrationMs
  const atThisSpeed = percent(summary.totalSeconds, asFast)
  return `${sinceThen(summary.totalSeconds, previous.totalSeconds)} since ${previous.date}, ${atThisSpeed} at equal speed of the machine`
}

const padded = (taken) => `${taken.toFixed(1).padStart(8)} s`
const sinceThen = (now, before) => (before === undefined || before === 0 ? '' : `  ${percent(now, before)}`)

function percent(now, before) {
  const change = Math.round((now / before - 1) * 100)
  return `${change < 0 ? '−' : '+'}${Math.abs(change)} %`
}

/** The last summary of each tier; a file that cannot be read counts as none, and the next run replaces it. */
export function keptSummaries(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}

export function keepSummary(path, tier, summary) {
  writeFileSync(path, `${JSON.stringify({ ...keptSummaries(path), [tier]: summary }, null, 2)}\n`)
}
