/**
 * Measures the cost of transparency log leaves for screens: their p95 and their CPU with the log running and with it held, by turns in
 * one run. Each round has three turns with the same arrivals: two with the log held, and one with it running.
 *
 * A lock on its table holds the log, so that the projector waits at its first statement and everything else continues: one
 * installation, with the same processes, caches and data in every turn.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase, type Database, type Queryable } from '@cupel/postgres'
import { benchmarkBodies } from '../addresses.js'
import { startLoadGenerator, type LoadGenerator } from '../child-processes.js'
import { databaseUrlOf } from '../log-connection.js'
import { watchProcesses } from '../process-watch.js'
import { compareRounds, medianOfRatios, turnsOfRound } from '../rounds.js'
import type { Comparison, Ratio, TurnKind, TurnLatencies } from '../rounds.js'
import { enterpriseKey, startSystem, type Profile, type RunningSystem } from '../system.js'

export interface LeavesOptions {
  /** Folder of the checkout. */
  readonly root: string
  readonly profile: Profile
  /** Of the load of each turn. */
  readonly seconds: number
  readonly rounds: number
  /** Screens a second. */
  readonly perSecond: number
  readonly say: (line: string) => void
}

export interface CpuComparison {
  /** Medians of the turns, in microseconds of all processes for one screen. */
  readonly heldMicros: number
  readonly runningMicros: number
  /** Running ÷ held, median of the rounds. */
  readonly effect: Ratio
  /** One turn with the log held ÷ the other. */
  readonly noise: Ratio
}

export interface LeavesResults {
  readonly date: string
  readonly cores: number
  readonly loadAverage: number
  readonly profile: Profile
  readonly seconds: number
  readonly rounds: number
  readonly perSecond: number
  /** p95 of the screens; `beside` is with the log running. */
  readonly screens: Comparison
  /** Empty if the machine does not report CPU. */
  readonly cpu: CpuComparison | null
  readonly errors: number
  /** Number of leaves made in the turns with the log running, for one screen. */
  readonly leavesPerScreen: number
  readonly turns: Readonly<Record<TurnKind, readonly TurnLatencies[]>>
  readonly cpuMicros: Readonly<Record<TurnKind, readonly number[]>>
}

const P95 = 0.95
const CONNECTIONS = 64
const WARM_UP_SECONDS = 15
/** The screens of the first part of a turn do not count: the previous turn still has its effect. */
const SETTLE_SECONDS = 0.5
/** Rest after the load of every turn, within its CPU: the log rests for at most 5 s, so that every leaf of the turn is made in it. */
const REST_MS = 6_000
/** The log counts as caught up if it has not grown for this time. */
const STILL_MS = 1_500
const POLL_MS = 250
const CATCH_UP_TIMEOUT_MS = 60_000
/** Seed for the arrivals of the first round. Each round has another one, and all its turns the same. */
const FIRST_SEED = 20_261_125

export async function runLeaves(options: LeavesOptions): Promise<LeavesResults> {
  const { root, profile, say } = options
  const loadAverage = Math.round(loadavg()[0]! * 10) / 10
  const home = await mkdtemp(join(tmpdir(), 'cupel-bench-leaves-'))
  let system: RunningSystem | null = null
  let database: Database | null = null
  let generator: LoadGenerator | null = null
  try {
    say('start')
    system = await startSystem({ root, home, profile })
    database = openDatabase({
      connectionString: await databaseUrlOf(home),
      maxConnections: 2,
      applicationName: 'bench-leaves',
    })
    generator = await startLoadGenerator({
      target: {
        ...{ kind: 'http', baseUrls: system.line.base_urls, connections: CONNECTIONS },
        key: await enterpriseKey(system, 'Benchmark'),
        bodies: await benchmarkBodies(null),
      },
      warmUp: { kind: 'open', level: options.perSecond, seconds: WARM_UP_SECONDS },
    })
    const measured = await measure({ system, database, generator }, options)
    return {
      ...{ date: new Date().toISOString().slice(0, 10), cores: cpus().length, loadAverage, profile },
      ...{ seconds: options.seconds, rounds: options.rounds, perSecond: options.perSecond },
      ...measured,
    }
  } finally {
    generator?.stop()
    await database?.close()
    await system?.stop()
    await rm(home, { recursive: true, force: true })
  }
}

interface Parts {
  readonly system: RunningSystem
  readonly database: Database
  readonly generator: LoadGenerator
}

interface OneTurn {
  readonly latenciesMs: TurnLatencies
  readonly errors: number
  /** CPU of all processes, for one screen; null if the machine does not report it. */
  readonly cpuMicros: number | null
  readonly leaves: number
}

async function measure(parts: Parts, { rounds, seconds, perSecond, say }: LeavesOptions) {
  const turns: Record<TurnKind, TurnLatencies[]> = { one: [], other: [], beside: [] }
  const cpuMicros: Record<TurnKind, number[]> = { one: [], other: [], beside: [] }
  let [errors, leaves, screens] = [0, 0, 0]
  // The first run costs more.
  await takeTurn(parts, 'beside', { level: perSecond, seconds, seed: FIRST_SEED - 1 })
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of turnsOfRound(round)) {
      const turn = await takeTurn(parts, kind, { level: perSecond, seconds, seed: FIRST_SEED + round })
      turns[kind].push(turn.latenciesMs)
      if (turn.cpuMicros !== null) cpuMicros[kind].push(turn.cpuMicros)
      errors += turn.errors
      if (kind === 'beside') [leaves, screens] = [leaves + turn.leaves, screens + turn.latenciesMs.length]
    }
    say(`round ${round + 1} of ${rounds}`)
  }
  // Without leaves, or in a turn that was not held, the comparison would be meaningless.
  if (leaves === 0) throw new Error('No leaf came while the transparency log was running')
  const isCpuTold = Object.values(cpuMicros).every((values) => values.length === rounds)
  return {
    ...{ turns, cpuMicros, errors, leavesPerScreen: Math.round((100 * leaves) / screens) / 100 },
    screens: compareRounds(turns, P95),
    cpu: isCpuTold ? compareCpu(cpuMicros) : null,
  }
}

/** For each round, the turn with the log running and the two turns with it held. */
export function compareCpu(micros: Readonly<Record<TurnKind, readonly number[]>>): CpuComparison {
  const single = (values: readonly number[]): TurnLatencies[] => values.map((value) => [value])
  const held = micros.one.map((value, round) => (value + micros.other[round]!) / 2)
  return {
    heldMicros: middleOf(held),
    runningMicros: middleOf(micros.beside),
    effect: medianOfRatios(single(micros.beside), single(held), 0),
    noise: medianOfRatios(single(micros.other), single(micros.one), 0),
  }
}

function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2
}

async function takeTurn(
  { system, database, generator }: Parts,
  kind: TurnKind,
  order: { readonly level: number; readonly seconds: number; readonly seed: number },
): Promise<OneTurn> {
  const turn = async (connection: Queryable): Promise<OneTurn> => {
    const before = await sizeOf(connection)
    const watch = await watchProcesses(system.pid)
    const { latenciesMs, errors } = await generator.run({
      ...{ kind: 'open', ...order, settleSeconds: SETTLE_SECONDS },
    })
    await pause(REST_MS)
    const { cpu } = await watch.stop()
    const used = cpu.reduce((sum, { seconds }) => sum + seconds, 0)
    return {
      ...{ latenciesMs, errors },
      cpuMicros: cpu.length === 0 ? null : (used * 1_000_000) / (order.level * order.seconds),
      leaves: (await sizeOf(connection)) - before,
    }
  }
  if (kind === 'beside') return await turn(database)
  const held = await whileHeld(database, turn)
  if (held.leaves > 0) throw new Error('Leaves came while the transparency log was held')
  // Leaves that were made meanwhile are not charged to the next turn.
  await caughtUp(database)
  return held
}

const SIZE = 'SELECT size FROM transparency.log ORDER BY number DESC LIMIT 1'

async function sizeOf(connection: Queryable): Promise<number> {
  const [row] = await connection.query<{ size: number }>(SIZE)
  return row?.size ?? 0
}

/** Locks the row of the transparency log against reads and writes while `work` runs. */
async function whileHeld(
  database: Database,
  work: (connection: Queryable) => Promise<OneTurn>,
): Promise<OneTurn> {
  return await database.withConnection(async (connection) => {
    await connection.execute('BEGIN')
    try {
      await connection.execute('LOCK TABLE transparency.log IN ACCESS EXCLUSIVE MODE')
      return await work(connection)
    } finally {
      await connection.execute('ROLLBACK')
    }
  })
}

async function caughtUp(database: Database): Promise<void> {
  const untilMs = performance.now() + CATCH_UP_TIMEOUT_MS
  let [size, sinceMs] = [await sizeOf(database), performance.now()]
  const first = size
  while (performance.now() < untilMs) {
    await pause(POLL_MS)
    const now = await sizeOf(database)
    if (now !== size) [size, sinceMs] = [now, performance.now()]
    // The first step may run only after the rest of a failed one.
    if (size !== first && performance.now() - sinceMs >= STILL_MS) return
  }
  throw new Error(`The transparency log did not catch up in ${CATCH_UP_TIMEOUT_MS / 1_000} s`)
}
