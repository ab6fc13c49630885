/**
 * How much of the bare echo's rate the least screen reaches, and how much a real one: by turns in one run, at the loads of the closed loop.
 * The least screen is the upper limit of what the product can reach without another architecture.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '@cupel/postgres'
import { benchmarkBodies } from '../addresses.js'
import { generateLoad, startLeastProcess } from '../child-processes.js'
import type { HttpTarget } from '../http-client.js'
import type { LoadPhase, LoadResult } from '../load.js'
import { databaseUrlOf, runningLog, type LogConnection } from '../log-connection.js'
import { commit, newPrefix, withBareEcho } from '../run-bench.js'
import { enterpriseKey, startSystem, type RunningSystem } from '../system.js'
import { dropLeastTables, makeLeastTables } from './least-screen.js'

export interface LeastOptions {
  /** Folder of the checkout. */
  readonly root: string
  /** Length of each turn. */
  readonly seconds: number
  /** Turns of each kind at each load. */
  readonly rounds: number
  readonly say: (line: string) => void
}

/** One turn of each kind, one after the other. */
export interface LeastRound {
  readonly connections: number
  readonly bareEcho: LoadResult
  readonly least: LoadResult
  readonly screen: LoadResult
}

export interface LeastResults {
  readonly date: string
  readonly commit: string
  readonly cores: number
  readonly loadAverage: number
  readonly seconds: number
  readonly rounds: readonly LeastRound[]
}

const LOADS = [64, 256]
/** Once for each kind: services and broker compile their hot paths. */
const LONG_WARM_UP: LoadPhase = { kind: 'closed', level: 64, seconds: 30 }
const WARM_UP_SECONDS = 3
/** A turn of screens leaves work behind, mainly leaves of the transparency log. */
const REST_MS = 15_000

type KafkaConnection = LogConnection & { readonly kind: 'kafka' }

export async function runLeastScreen(options: LeastOptions): Promise<LeastResults> {
  const loadAverage = Math.round(loadavg()[0]! * 10) / 10
  const home = await mkdtemp(join(tmpdir(), 'cupel-least-'))
  let system: RunningSystem | null = null
  try {
    options.say('start')
    system = await startSystem({ root: options.root, home, profile: 'kafka' })
    const rounds = await roundsOf(system, home, options)
    return {
      ...{ date: new Date().toISOString().slice(0, 10), commit: commit(options.root), cores: cpus().length },
      ...{ loadAverage, seconds: options.seconds, rounds },
    }
  } finally {
    await system?.stop()
    await rm(home, { recursive: true, force: true })
  }
}

async function roundsOf(system: RunningSystem, home: string, options: LeastOptions): Promise<LeastRound[]> {
  const log = (await runningLog('kafka', home)) as KafkaConnection
  const bodies = await benchmarkBodies(null)
  const screens = { kind: 'http', baseUrls: system.line.base_urls, bodies } as const
  const key = await enterpriseKey(system, 'Least')
  return await withLeastScreen(log, await databaseUrlOf(home), async (baseUrl) => {
    const targets = { least: { ...screens, baseUrls: [baseUrl], key }, screen: { ...screens, key } }
    for (const target of Object.values(targets)) {
      options.say(`warm-up, ${LONG_WARM_UP.seconds} s`)
      const connections = LONG_WARM_UP.level
      await generateLoad({ target: { ...target, connections }, warmUp: LONG_WARM_UP, phases: [] })
    }
    const rounds: LeastRound[] = []
    for (const connections of LOADS)
      for (let round = 0; round < options.rounds; round += 1) {
        await pause(REST_MS)
        const turns = await turnsOf(log, targets, { connections, seconds: options.seconds })
        options.say(
          `${connections} connections: bare echo ${turns.bareEcho.perSecond}/s, least ${turns.least.perSecond}/s, screen ${turns.screen.perSecond}/s`,
        )
        rounds.push(turns)
      }
    return rounds
  })
}

type Targets = Readonly<Record<'least' | 'screen', Omit<HttpTarget, 'connections'>>>

async function turnsOf(
  log: KafkaConnection,
  targets: Targets,
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<LeastRound> {
  const phase: LoadPhase = { kind: 'closed', level: connections, seconds }
  const warmUp: LoadPhase = { ...phase, seconds: WARM_UP_SECONDS }
  const turn = async (target: Omit<HttpTarget, 'connections'>): Promise<LoadResult> =>
    (await generateLoad({ target: { ...target, connections }, warmUp, phases: [phase] }))[0]!
  const [bareEcho] = await withBareEcho(log, (target) => generateLoad({ target, warmUp, phases: [phase] }))
  return {
    ...{ connections, bareEcho: bareEcho! },
    least: await turn(targets.least),
    screen: await turn(targets.screen),
  }
}

/** Runs the least screen, with its own topics and tables, while `work` runs. */
async function withLeastScreen<T>(
  connection: LogConnection,
  databaseUrl: string,
  work: (baseUrl: string) => Promise<T>,
): Promise<T> {
  const log = { ...connection, topicPrefix: newPrefix() }
  const database = openDatabase({
    connectionString: databaseUrl,
    maxConnections: 1,
    applicationName: 'bench-least',
  })
  const stops: (() => void)[] = []
  try {
    await makeLeastTables(database)
    let port: number | null = null
    for (const role of ['scorer', 'projector', 'api'] as const) {
      const service = await startLeastProcess({ role, log, databaseUrl })
      stops.push(service.stop)
      port = service.port ?? port
    }
    return await work(`http://127.0.0.1:${port}`)
  } finally {
    for (const stop of stops) stop()
    await dropLeastTables(database)
    await database.close()
  }
}
