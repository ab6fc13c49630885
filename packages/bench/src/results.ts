/** The results of a run, as JSON and as a table with targets. No figure fails a run. */
import type { ImportResult } from './label-import.js'
import type { LoadResult } from './load.js'
import type { CpuTime, ResidentMemory } from './process-watch.js'
import type { Profile } from './system.js'

export interface Conditions {
  readonly date: string
  readonly commit: string
  readonly cores: number
  readonly cpu: string
  readonly memoryGib: number
  readonly node: string
  readonly platform: string
  /** Of the Kafka profile. */
  readonly brokers: number
  readonly secondsPerPhase: number
  readonly warmUpSeconds: number
  /** Load average over a minute before the run. Above a few tenths, other programs were using the machine. */
  readonly loadAverage: number
  /** Imported rows of label files; 0 if there were none. */
  readonly labelRows: number
}

/** A measured load with the CPU time that each part of the system took during it. */
export interface ScreenResult extends LoadResult {
  readonly cpu: readonly CpuTime[]
}

/** The measurements at one load; null if not measured. */
export interface LoadRow {
  readonly bareEcho: LoadResult | null
  readonly floor: LoadResult | null
  readonly screen: ScreenResult | null
}

export interface ProfileResults {
  readonly profile: Profile
  readonly firstStartMs: number | null
  readonly secondStartMs: number | null
  readonly labelImport: ImportResult | null
  readonly loads: readonly LoadRow[]
  readonly memory: readonly ResidentMemory[]
}

export interface BenchResults {
  readonly conditions: Conditions
  readonly profiles: readonly ProfileResults[]
}

interface TargetRow {
  readonly what: string
  readonly measured: string
  readonly target: string
}

const OPEN_TARGET_MS: Record<Profile, (level: number) => string> = {
  kafka: (level) => `p95 ≤ 2 × floor${level === 200 ? ', ≤ 2.5 × bare echo' : ''} and < 40 ms`,
  embedded: (level) => (level === 200 ? 'p95 ≤ 25 ms' : '—'),
}
const CLOSED_TARGET: Record<Profile, (level: number) => string> = {
  kafka: (level) => (level === 64 ? '≥ 2,500 /s, 0 errors' : '—'),
  embedded: (level) => (level === 64 ? '≥ 1,500 /s, 0 errors' : '—'),
}
const START_TARGET: Record<Profile, string> = { embedded: '≤ 5 s', kafka: '≤ 25 s' }

export function renderMarkdown(results: BenchResults): string {
  const { conditions } = results
  const lines = [
    `Measured ${conditions.date} at commit ${conditions.commit}, everything (broker, database, services, load generator) on one machine:`,
    `${conditions.cores} cores (${conditions.cpu}), ${conditions.memoryGib} GiB, ${conditions.platform}, Node ${conditions.node}; ${conditions.brokers === 1 ? 'one Kafka broker' : `${conditions.brokers} Kafka brokers`}; load average before the run ${conditions.loadAverage}; ${conditions.secondsPerPhase} s per row after a warm-up of ${conditions.warmUpSeconds} s and a rest; ` +
      (conditions.labelRows > 0
        ? `${thousands(conditions.labelRows)} label rows imported, half of the screened addresses labelled.`
        : 'only the starter labels, because there were no label files.'),
    '',
  ]
  for (const profile of results.profiles) lines.push(...renderProfile(profile), '')
  return lines.join('\n')
}

function renderProfile(profile: ProfileResults): string[] {
  const lines = [`### ${profile.profile === 'kafka' ? 'Kafka profile' : 'Embedded profile'}`, '']
  if (profile.loads.length > 0) {
    lines.push(
      '| load | bare echo p50 / p95 / p99 ms | floor p50 / p95 / p99 ms | screen p50 / p95 / p99 / max ms | p95 ÷ bare echo, ÷ floor | screens/s (bare echo, floor) | errors | target |',
      '|---|---|---|---|---|---|---|---|',
      ...profile.loads.map((row) => renderLoad(profile.profile, row)),
      '',
    )
  }
  const rows = [...cpuRows(profile), ...startRows(profile), ...importRows(profile), ...memoryRows(profile)]
  if (rows.length > 0)
    lines.push(
      '| what | measured | target |',
      '|---|---|---|',
      ...rows.map((row) => `| ${row.what} | ${row.measured} | ${row.target} |`),
    )
  return lines
}

function renderLoad(profile: Profile, { bareEcho, floor, screen }: LoadRow): string {
  const phase = (screen ?? floor ?? bareEcho)!
  const load =
    phase.kind === 'open' ? `open loop, ${phase.level}/s` : `closed loop, ${phase.level} connections`
  const target =
    phase.kind === 'open' ? OPEN_TARGET_MS[profile](phase.level) : CLOSED_TARGET[profile](phase.level)
  const floors = [bareEcho, floor]
  const multiples = floors.map((each) =>
    each === null || screen === null ? '—' : (screen.p95Ms / each.p95Ms).toFixed(2),
  )
  const rates = floors.map((each) => (each === null ? '—' : thousands(each.perSecond)))
  const cells = [
    load,
    ...floors.map((each) => (each === null ? '—' : `${each.p50Ms} / ${each.p95Ms} / ${each.p99Ms}`)),
    screen === null ? '—' : `${screen.p50Ms} / ${screen.p95Ms} / ${screen.p99Ms} / ${screen.maxMs}`,
    multiples.join(', '),
    `${screen === null ? '—' : thousands(screen.perSecond)} (${rates.join(', ')})`,
    screen === null ? '—' : String(screen.errors),
    target,
  ]
  return `| ${cells.join(' | ')} |`
}

/** CPU at the closed loop with the most connections, where batches are full, without the load generator. */
function cpuRows({ loads }: ProfileResults): TargetRow[] {
  const screen = loads.map((row) => row.screen).findLast((result) => result?.kind === 'closed')
  if (screen === undefined || screen === null || screen.cpu.length === 0) return []
  const perScreen = (seconds: number): string => `${((seconds / screen.requests) * 1_000).toFixed(2)} ms`
  const total = screen.cpu.reduce((sum, { seconds }) => sum + seconds, 0)
  const parts = screen.cpu
    .filter(({ seconds }) => seconds > total / 100)
    .map(({ process, seconds }) => `${process} ${perScreen(seconds)}`)
  return [
    {
      what: `CPU per screen at ${screen.level} connections`,
      measured: `${perScreen(total)}: ${parts.join(', ')}`,
      target: '—',
    },
  ]
}

function startRows({ profile, firstStartMs, secondStartMs }: ProfileResults): TargetRow[] {
  const rows: TargetRow[] = []
  if (firstStartMs !== null)
    rows.push({
      what: 'first start in an empty folder, until ready',
      measured: seconds(firstStartMs),
      target: '—',
    })
  if (secondStartMs !== null)
    rows.push({
      what: 'second start, until ready',
      measured: seconds(secondStartMs),
      target: START_TARGET[profile],
    })
  return rows
}

function importRows({ labelImport }: ProfileResults): TargetRow[] {
  if (labelImport === null) return []
  const { largest } = labelImport
  return [
    {
      what: `label import, ${thousands(largest.rows)} rows in one file`,
      measured: `${thousands(largest.rowsPerSecond)} rows/s`,
      target: '≥ 10,000 rows/s',
    },
    {
      what: `label import, ${thousands(labelImport.rows)} rows in ${labelImport.files} files, one command each`,
      measured: `${thousands(labelImport.rowsPerSecond)} rows/s`,
      target: '—',
    },
  ]
}

function memoryRows({ memory, profile }: ProfileResults): TargetRow[] {
  return memory.map(({ process, peakMib }) => ({
    what: `resident memory under load: ${process}${profile === 'embedded' ? ' (all services in one process)' : ''}`,
    measured: `${peakMib} MiB`,
    target: '≤ 200 MiB',
  }))
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
const thousands = (n: number): string => Math.round(n).toLocaleString('en-US')
