/** One run: for each profile it starts, stops and restarts the system, imports labels, then measures floor and screen at each load. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { arch, cpus, loadavg, platform, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { benchmarkBodies } from './addresses.js'
import { generateLoad, startBareEchoProcess, startEchoProcess } from './child-processes.js'
import type { HttpTarget } from './http-client.js'
import { importLabels } from './label-import.js'
import type { BareEchoTarget } from './load-process.js'
import type { LoadPhase, LoadResult } from './load.js'
import { runningLog, type LogConnection } from './log-connection.js'
import { watchProcesses, type ProcessWatch, type ResidentMemory } from './process-watch.js'
import type { BenchResults, Conditions, LoadRow, ProfileResults } from './results.js'
import { enterpriseKey, startSystem, type Profile, type RunningSystem } from './system.js'

export interface BenchOptions {
  /** Folder of the checkout. */
  readonly root: string
  readonly profiles: readonly Profile[]
  /** Brokers of the Kafka profile: 1 or 3. */
  readonly brokers: number
  /** Parts to run; null for all: start, import, floor, screen, memory. */
  readonly only: ReadonlySet<string> | null
  /** Length of each measured phase. */
  readonly seconds: number
  /** Folder of label files in the layout of `cupel labels import --format csv`; null if there is none. */
  readonly labelFolder: string | null
  readonly say: (line: string) => void
}

/** Loads in order, light ones first, so that no load inherits a backlog. */
const loads: readonly Pick<LoadPhase, 'kind' | 'level'>[] = [
  { kind: 'open', level: 50 },
  { kind: 'open', level: 200 },
  { kind: 'closed', level: 64 },
  { kind: 'closed', level: 256 },
]
/** Before each measured phase. */
const WARM_UP: LoadPhase = { kind: 'closed', level: 16, seconds: 3 }
/** Once per start: broker and services compile their hot paths during the first hundred thousand requests. */
const LONG_WARM_UP: LoadPhase = { kind: 'closed', level: 64, seconds: 60 }
/** After that, read models catch up, and Postgres maintains tables that have just grown by a hundred thousand rows. */
const REST_SECONDS = 15
/** Connections kept by an open loop: enough that no request waits for another. */
const OPEN_LOOP_CONNECTIONS = 128

export async function runBench(options: BenchOptions): Promise<BenchResults> {
  if (options.labelFolder !== null && !existsSync(options.labelFolder))
    throw new Error(`There is no folder ${options.labelFolder}`)
  const loadAverage = Math.round(loadavg()[0]! * 10) / 10
  const profiles: ProfileResults[] = []
  for (const profile of options.profiles) profiles.push(await benchProfile(profile, options))
  const labelRows = Math.max(0, ...profiles.map(({ labelImport }) => labelImport?.rows ?? 0))
  return { conditions: conditions(options, { labelRows, loadAverage }), profiles }
}

async function benchProfile(profile: Profile, options: BenchOptions): Promise<ProfileResults> {
  const { say } = options
  const wants = (part: string): boolean => options.only?.has(part) ?? true
  const home = await mkdtemp(join(tmpdir(), `cupel-bench-${profile}-`))
  let system: RunningSystem | null = null
  try {
    say(`${profile}: first start`)
    system = await startSystem({ root: options.root, home, profile, brokers: options.brokers })
    const firstStartMs = system.readyAfterMs
    let secondStartMs: number | null = null
    if (wants('start')) {
      await system.stop()
      say(`${profile}: second start`)
      system = await startSystem({ root: options.root, home, profile, brokers: options.brokers })
      secondStartMs = system.readyAfterMs
    }
    const labelImport =
      wants('import') && options.labelFolder !== null ? await importLabels(system, options.labelFolder) : null
    const key = await enterpriseKey(system, 'Benchmark')
    const bodies = await benchmarkBodies(labelImport === null ? null : options.labelFolder)
    const measured = await benchLoads(system, { home, key, bodies, options, wants })
    return {
      profile,
      firstStartMs: wants('start') ? firstStartMs : null,
      secondStartMs,
      labelImport,
      ...measured,
    }
  } finally {
    await system?.stop()
    await rm(home, { recursive: true, force: true })
  }
}

interface LoadSetting {
  readonly home: string
  readonly key: string
  readonly bodies: HttpTarget['bodies']
  readonly options: BenchOptions
  readonly wants: (part: string) => boolean
}

async function benchLoads(
  system: RunningSystem,
  { home, key, bodies, options, wants }: LoadSetting,
): Promise<Pick<ProfileResults, 'loads' | 'memory'>> {
  const connection = await runningLog(system.profile, home)
  const rows: LoadRow[] = []
  let memory: readonly ResidentMemory[] = []
  if (wants('screen')) {
    options.say(`${system.profile}: warm-up, ${LONG_WARM_UP.seconds} s`)
    const target: HttpTarget = { kind: 'http', baseUrls: system.line.base_urls, key, bodies, connections: 64 }
    await generateLoad({ target, warmUp: LONG_WARM_UP, phases: [] })
    options.say(`${system.profile}: rest, ${REST_SECONDS} s`)
    await pause(REST_SECONDS * 1_000)
  }
  for (const load of loads) {
    const phase: LoadPhase = { ...load, seconds: options.seconds }
    options.say(`${system.profile}: ${load.kind} loop ${load.level}`)
    const floors = wants('floor')
      ? { bareEcho: await measureBareEcho(connection, phase), floor: await measureFloor(connection, phase) }
      : { bareEcho: null, floor: null }
    if (!wants('screen')) {
      if (wants('floor')) rows.push({ ...floors, screen: null })
      continue
    }
    const connections = load.kind === 'closed' ? load.level : OPEN_LOOP_CONNECTIONS
    const target: HttpTarget = { kind: 'http', baseUrls: system.line.base_urls, key, bodies, connections }
    let watch: ProcessWatch | undefined
    const [screen] = await generateLoad({ target, warmUp: WARM_UP, phases: [phase] }, async () => {
      watch = await watchProcesses(system.pid)
    })
    const figures = await watch!.stop()
    rows.push({ ...floors, screen: { ...screen!, cpu: figures.cpu } })
    if (wants('memory')) memory = highest(memory, figures.memory)
  }
  return { loads: rows, memory }
}

/** Null if the log is not Kafka: there is no other client to compare with. */
async function measureBareEcho(log: LogConnection, phase: LoadPhase): Promise<LoadResult | null> {
  if (log.kind !== 'kafka') return null
  return await withBareEcho(log, async (target) => {
    const [result] = await generateLoad({ target, warmUp: WARM_UP, phases: [phase] })
    return result!
  })
}

/** Runs a bare echo with its own topics, in its own process, while `work` runs. */
export async function withBareEcho<T>(
  log: LogConnection & { readonly kind: 'kafka' },
  work: (target: BareEchoTarget) => Promise<T>,
): Promise<T> {
  const connection = { brokers: log.brokers, sasl: log.sasl, topicPrefix: newPrefix() }
  const echo = await startBareEchoProcess(connection)
  try {
    return await work({ kind: 'bare-echo', ...connection })
  } finally {
    echo.stop()
  }
}

async function measureFloor(log: LogConnection, phase: LoadPhase): Promise<LoadResult> {
  const connection = { ...log, topicPrefix: newPrefix() }
  const echo = log.kind === 'kafka' ? await startEchoProcess(connection) : null
  try {
    const target = { kind: 'floor', log: connection, echoInside: echo === null } as const
    const [floor] = await generateLoad({ target, warmUp: WARM_UP, phases: [phase] })
    return floor!
  } finally {
    echo?.stop()
  }
}

export const newPrefix = (): string => `bench-${randomBytes(4).toString('hex')}.`

function highest(before: readonly ResidentMemory[], now: readonly ResidentMemory[]): ResidentMemory[] {
  return now.map((entry, index) => ({
    ...entry,
    peakMib: Math.max(entry.peakMib, before[index]?.peakMib ?? 0),
  }))
}

function conditions(
  options: BenchOptions,
  measured: Pick<Conditions, 'labelRows' | 'loadAverage'>,
): Conditions {
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: commit(options.root),
    cores: cpus().length,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGib: Math.round(totalmem() / 1_073_741_824),
    node: process.versions.node,
    platform: `${platform()} ${release()} ${arch()}`,
    brokers: options.brokers,
    secondsPerPhase: options.seconds,
    warmUpSeconds: LONG_WARM_UP.seconds,
    ...measured,
  }
}

/** The commit of the checkout, shortened; `unknown` for a source archive. */
export function commit(root: string): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .toString()
      .trim()
  } catch {
    // A source archive has no git history.
    return 'unknown'
  }
}
