/**
 * `cost`: what one screen causes: log requests, database round trips, wake-ups and CPU by process. docs/performance.md has the budgets.
 * Counts hardly depend on other work of the machine; CPU does.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { BenchOptions, Outcome } from './options.js'
import { generateLoad } from './children.js'
import { LOADS, type LoadPhase } from './load.js'
import { usesOf } from './processes.js'
import { screensOf, warmUpOf } from './run-load.js'
import { newKey, withSystem, type RunningSystem } from './system.js'
import { conditionsOf, table } from './table.js'

/** Values by line. */
type Counts = ReadonlyMap<string, number>

interface Column {
  readonly load: string
  readonly values: Counts
}

/** Lines below this at every load are left out. */
const LEAST_SHOWN = 0.005
const SAMPLE = /^cupel_([a-z_]+)\{(.*)\} (\S+)$/
const LABEL = /([a-z_]+)="((?:[^"\\]|\\.)*)"/g

export async function runCost(options: BenchOptions): Promise<Outcome> {
  const conditions = conditionsOf(options)
  const parts: string[] = []
  const figures: Record<string, object> = {}
  for (const profile of options.profiles) {
    const columns = await withSystem({ ...options, processes: profile === 'kafka' }, profile, (system) =>
      measure(system, options),
    )
    parts.push(renderCost(profile, columns))
    figures[profile] = columns.map(({ load, values }) => ({ load, values: Object.fromEntries(values) }))
  }
  const text = `${conditions} Phases of ${options.seconds} s; per screen, and per second while nobody calls.`
  return { table: [text, ...parts].join('\n\n'), figures, isRight: true }
}

async function measure(system: RunningSystem, { seconds, say }: BenchOptions): Promise<Column[]> {
  const target = screensOf(system, await newKey(system, 'Costs'))
  say(`${system.profile}: warm-up`)
  const warm: LoadPhase = { kind: 'closed', level: 64, seconds: Math.min(30, 2 * seconds) }
  await generateLoad(target, { ...warm, seconds: 1 }, warm)
  const rested = await totalsOf(system)
  await pause(seconds * 1_000)
  const columns = [{ load: 'idle', values: perRequest(rested, await totalsOf(system), seconds) }]
  for (const [load, kind] of LOADS) {
    say(`${system.profile}: ${load}`)
    const phase: LoadPhase = { ...kind, seconds }
    let before: Counts = new Map()
    const { requests } = await generateLoad(target, warmUpOf(phase), phase, async () => {
      before = await totalsOf(system)
    })
    columns.push({ load, values: perRequest(before, await totalsOf(system), requests) })
  }
  return columns
}

/** Rejects if a service does not answer: a sum without it would be too low. */
async function totalsOf(system: RunningSystem): Promise<Counts> {
  const counts = new Map<string, number>()
  for (const url of system.line.metrics_urls) {
    const response = await fetch(url)
    if (!response.ok) throw new Error(`${url} answered ${response.status}`)
    addCounts(counts, await response.text())
  }
  for (const [name, { cpuMs, wakeUps }] of await usesOf(system.pid)) {
    addTo(counts, 'CPU ms', name, cpuMs)
    addTo(counts, 'wake-ups', name, wakeUps)
  }
  return counts
}

const COUNTED: Readonly<Record<string, string>> = {
  log_requests_total: 'log requests',
  log_empty_fetches_total: 'empty fetches',
  log_produce_request_records_sum: 'records appended',
  database_round_trips_total: 'database round trips',
}

/** Adds the counters of an exposition that are part of a cost. */
export function addCounts(counts: Map<string, number>, exposition: string): void {
  for (const text of exposition.split('\n')) {
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(text) ?? []
    const service = [...labels.matchAll(LABEL)].find(([, key]) => key === 'service')?.[2] ?? ''
    if (COUNTED[name] !== undefined) addTo(counts, COUNTED[name], service, Number(value))
  }
}

function addTo(counts: Map<string, number>, kind: string, name: string, value: number): void {
  for (const line of [`${kind}: ${name}`, `${kind}, all`]) counts.set(line, (counts.get(line) ?? 0) + value)
}

/** The differences of the totals, divided by the requests. */
export function perRequest(before: Counts, after: Counts, requests: number): Counts {
  const each = (line: string, total: number): number =>
    Math.max(0, total - (before.get(line) ?? 0)) / Math.max(1, requests)
  return new Map([...after].map(([line, total]) => [line, each(line, total)]))
}

export function renderCost(profile: string, columns: readonly Column[]): string {
  const shown = columns.flatMap(({ values }) =>
    [...values].flatMap(([line, value]) => (value >= LEAST_SHOWN ? [line] : [])),
  )
  const rows = [...new Set(shown)]
    .sort()
    .map((line) => [line, ...columns.map(({ values }) => (values.get(line) ?? 0).toFixed(2))])
  const head = ['line', ...columns.map(({ load }) => load)]
  return [`### Cost of a screen, ${profile} profile`, table(head, rows)].join('\n\n')
}
