/**
 * The cost of one screen: log requests, database round trips, wake-ups, bytes and CPU by process, at everyday rates and at the top. Counts
 * hardly depend on other work of the machine. CPU does, so it is shown beside the bare echo's CPU, measured in the turn before.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { benchmarkBodies } from '../addresses.js'
import { generateLoad } from '../child-processes.js'
import type { HttpTarget } from '../http-client.js'
import type { LoadPhase } from '../load.js'
import { runningLog } from '../log-connection.js'
import { commit, withBareEcho } from '../run-bench.js'
import { enterpriseKey, startSystem, type Profile, type RunningSystem } from '../system.js'
import { LEAVES, scrape } from './counters.js'
import { readUses } from './process-use.js'

export interface CostOptions {
  /** Folder of the checkout. */
  readonly root: string
  readonly profiles: readonly Profile[]
  /** Of the Kafka profile: 1 or 3. */
  readonly brokers: number
  /** Length of each measured phase. */
  readonly seconds: number
  readonly say: (line: string) => void
}

/** One load: the cost of a screen, by line. */
export interface CostColumn {
  readonly load: string
  readonly perSecond: number
  readonly errors: number
  readonly values: ReadonlyMap<string, number>
}

export interface ProfileCost {
  readonly profile: Profile
  readonly columns: readonly CostColumn[]
  /** CPU of a request of the bare echo by process, for each column; null if it was not measured. */
  readonly bareEcho: readonly { readonly line: string; readonly values: readonly (number | null)[] }[]
}

export interface CostResults {
  readonly date: string
  readonly commit: string
  readonly cores: number
  readonly loadAverage: number
  readonly seconds: number
  readonly profiles: readonly ProfileCost[]
}

/** Light ones first, so that no load inherits a backlog. */
const loads: readonly Pick<LoadPhase, 'kind' | 'level'>[] = [
  ...[50, 100, 200, 400].map((level) => ({ kind: 'open' as const, level })),
  ...[64, 256].map((level) => ({ kind: 'closed' as const, level })),
]
/** Before each measured phase, at the phase's rate: a faster one would leave work that the phase would be charged with. */
const WARM_UP_SECONDS = 6
/** Once: broker and services compile their hot paths. */
const LONG_WARM_UP: LoadPhase = { kind: 'closed', level: 64, seconds: 30 }
/** Time between two checks whether the follow-up work of the warm-up is done; the transparency log rests for so long. */
const REST_MS = 6_000
const RESTS = 20
const OPEN_LOOP_CONNECTIONS = 128

export async function runCost(options: CostOptions): Promise<CostResults> {
  const loadAverage = Math.round(loadavg()[0]! * 10) / 10
  const profiles: ProfileCost[] = []
  for (const profile of options.profiles) profiles.push(await costOf(profile, options))
  return {
    ...{ date: new Date().toISOString().slice(0, 10), commit: commit(options.root), cores: cpus().length },
    ...{ loadAverage, seconds: options.seconds, profiles },
  }
}

async function costOf(profile: Profile, options: CostOptions): Promise<ProfileCost> {
  const home = await mkdtemp(join(tmpdir(), `cupel-cost-${profile}-`))
  let system: RunningSystem | null = null
  try {
    options.say(`${profile}: start`)
    system = await startSystem({ root: options.root, home, profile, brokers: options.brokers })
    const target: HttpTarget = {
      ...{ kind: 'http', baseUrls: system.line.base_urls, connections: LONG_WARM_UP.level },
      key: await enterpriseKey(system, 'Costs'),
      bodies: await benchmarkBodies(null),
    }
    options.say(`${profile}: warm-up, ${LONG_WARM_UP.seconds} s`)
    await generateLoad({ target, warmUp: LONG_WARM_UP, phases: [] })
    await untilCaughtUp(system)
    const columns: CostColumn[] = [await measureIdle(system, options.seconds)]
    const echoes: ReadonlyMap<string, number>[] = [new Map()]
    for (const load of loads) {
      const phase: LoadPhase = { ...load, seconds: options.seconds }
      const name = load.kind === 'open' ? `${load.level}/s` : `${load.level} connections`
      options.say(`${profile}: ${name}`)
      echoes.push(await echoCpu(system, home, phase))
      columns.push(await measure(system, { target, phase, name }))
    }
    await system.stop()
    await rm(home, { recursive: true, force: true })
    return { profile, columns, bareEcho: echoLines(echoes) }
  } catch (error) {
    // The log of the services shows the cause.
    options.say(`${home} is kept`)
    await system?.stop()
    throw error
  }
}

/** The warm-up leaves work behind, mainly leaves of the transparency log, which does not belong to the cost of the next screens. */
async function untilCaughtUp(system: RunningSystem): Promise<void> {
  const leaves = async (): Promise<number> => (await scrape(system.line.metrics_urls)).get(LEAVES) ?? 0
  let before = await leaves()
  for (let rests = 0; rests < RESTS; rests += 1) {
    await pause(REST_MS)
    const now = await leaves()
    if (now === before) return
    before = now
  }
  throw new Error(`The transparency log was not up to date ${(RESTS * REST_MS) / 1_000} s after the warm-up`)
}

/** The cost of a second without any call. */
async function measureIdle(system: RunningSystem, seconds: number): Promise<CostColumn> {
  const before = await totalsOf(system)
  await pause(seconds * 1_000)
  return {
    ...{ load: 'idle, per second', perSecond: 0, errors: 0 },
    values: withSums(perRequest(before, await totalsOf(system), seconds)),
  }
}

interface Measurement {
  readonly target: HttpTarget
  readonly phase: LoadPhase
  readonly name: string
}

async function measure(system: RunningSystem, { target, phase, name }: Measurement): Promise<CostColumn> {
  const connections = phase.kind === 'closed' ? phase.level : OPEN_LOOP_CONNECTIONS
  let before: Totals | null = null
  const [result] = await generateLoad(
    { target: { ...target, connections }, warmUp: { ...phase, seconds: WARM_UP_SECONDS }, phases: [phase] },
    async () => {
      before = await totalsOf(system)
    },
  )
  const values = perRequest(before!, await totalsOf(system), result!.requests)
  return { load: name, perSecond: result!.perSecond, errors: result!.errors, values: withSums(values) }
}

type Totals = ReadonlyMap<string, number>

async function totalsOf(system: RunningSystem): Promise<Totals> {
  return new Map([...(await scrape(system.line.metrics_urls)), ...(await readUses(system.pid))])
}

/** The differences of the totals, divided by the requests. A process that ended meanwhile is left out. */
export function perRequest(before: Totals, after: Totals, requests: number): Map<string, number> {
  const values = new Map<string, number>()
  for (const [line, total] of after)
    values.set(line, Math.max(0, total - (before.get(line) ?? 0)) / Math.max(1, requests))
  return values
}

const SUMMED = ['CPU ms', 'wake-ups', 'log requests', 'empty fetches', 'database round trips']

function withSums(values: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const summed = new Map(values)
  for (const kind of SUMMED) {
    const own = [...values].filter(([line]) => line.startsWith(`${kind}: `))
    if (own.length > 0)
      summed.set(
        `${kind}, all`,
        own.reduce((sum, [, value]) => sum + value, 0),
      )
  }
  return summed
}

/** CPU milliseconds of one request of the bare echo, by process; empty if the log is not Kafka. */
async function echoCpu(system: RunningSystem, home: string, phase: LoadPhase): Promise<Totals> {
  const log = await runningLog(system.profile, home)
  if (log.kind !== 'kafka') return new Map()
  let before: Totals = new Map()
  return await withBareEcho(log, async (target) => {
    const [result] = await generateLoad(
      { target, warmUp: { ...phase, seconds: WARM_UP_SECONDS }, phases: [phase] },
      async () => {
        before = await readUses(process.pid)
      },
    )
    const values = perRequest(before, await readUses(process.pid), result!.requests)
    return new Map([...values].filter(([line]) => ECHO_LINES.has(line)))
  })
}

const ECHO_LINES = new Set(['CPU ms: bare echo', 'CPU ms: kafka broker'])

function echoLines(echoes: readonly Totals[]): ProfileCost['bareEcho'] {
  const lines = new Set(echoes.flatMap((each) => [...each.keys()]))
  return [...lines].map((line) => ({
    line: `beside it, a bare echo’s ${line}`,
    values: echoes.map((each) => each.get(line) ?? null),
  }))
}
