/**
 * `ledger`: screens with exposure on a made-up chain with hubs (`world.ts`), and what its import costs. Each row is a group of addresses
 * at a rate; CPU, statements, rows and buffers are those above a screen of an absent address before the import.
 */
import { openDatabase, type Database } from '@cupel/postgres'
import { generateLoad, startLoad, type LoadTarget } from '../children.js'
import { percentileOf, type LoadPhase, type LoadResult } from '../load.js'
import { runningLog } from '../log-connection.js'
import type { BenchOptions, Outcome } from '../options.js'
import { usesOf } from '../processes.js'
import { screensOf, warmUpOf } from '../run-load.js'
import { newKey, withSystem, type RunningSystem } from '../system.js'
import { conditionsOf, table, thousands } from '../table.js'
import { cpuOf, importWorld, type Measured } from './import-world.js'
import { addressesOf, groupsOf, type Group, type WorldOptions } from './world.js'

/** Groups and the rates at which they are screened, screens a second. */
const ROWS: readonly (readonly [Group, number])[] = [
  ...[5, 20, 50, 100].map((rate) => ['ordinary', rate] as const),
  ...[5, 20].map((rate) => ['busy', rate] as const),
  ['hub', 5],
]
const ABSENT_RATE = 50
/** Busy addresses that are screened beside absent ones. */
const BUSY_RATE = 10
const SCREENED = 20_000
const [P50, P95] = [0.5, 0.95]

/** What all processes and the database did, in the time between two readings or for one screen. */
type Work = Readonly<Record<'cpuMs' | 'databaseMs' | 'statements' | 'rows' | 'buffers', number>>

interface Row {
  readonly name: string
  readonly result: LoadResult
  /** For one screen. */
  readonly work: Work
}

interface World {
  readonly labelledEvery: number
  readonly before: Row
  readonly rows: readonly Row[]
  readonly imports: readonly Measured[]
}

export async function runLedger(options: BenchOptions): Promise<Outcome> {
  const conditions = conditionsOf(options)
  const parts = options.parts.length === 0 ? ['7', '100'] : options.parts
  const worlds: World[] = []
  for (const part of parts)
    worlds.push(
      await withSystem(options, options.profiles[0]!, (system) => measure(system, options, Number(part))),
    )
  const text = `${conditions} ${options.profiles[0]} profile; phases of ${options.seconds} s. ${thousands(options.size)} transfers; CPU of all processes, and statements, rows and buffers of Postgres, above a screen of an absent address without a ledger.`
  return {
    table: [text, ...worlds.map(render)].join('\n\n'),
    figures: { conditions, worlds },
    isRight: true,
  }
}

async function measure(
  system: RunningSystem,
  { size, seconds, say }: BenchOptions,
  labelledEvery: number,
): Promise<World> {
  const world: WorldOptions = { transfers: size, labelledEvery }
  say(`${addressesOf(world)} addresses, one in ${labelledEvery} labelled`)
  const groups = groupsOf(world, SCREENED)
  const { databaseUrl } = (await runningLog(system.home)) as { databaseUrl: string }
  const database = openDatabase({
    connectionString: databaseUrl,
    maxConnections: 1,
    applicationName: 'cupel-bench',
  })
  try {
    const base = screensOf(system, await newKey(system, 'Ledger'))
    const targetOf = (group: Group): LoadTarget => ({
      ...{ ...base, countsExposure: true },
      bodies: groups[group].map((address) => ({ address, chain: 'ETH' })),
    })
    const rowOf = async (name: string, group: Group, level: number): Promise<Row> => {
      say(`${name}, ${level}/s`)
      const phase: LoadPhase = { kind: 'open', level, seconds }
      let since: Work | null = null
      const result = await generateLoad(targetOf(group), warmUpOf(phase), phase, async () => {
        since = await workOf(system, database)
      })
      return {
        name: `${name}, ${level}/s`,
        result,
        work: perScreen(since!, await workOf(system, database), result),
      }
    }
    const before = await rowOf('absent, without a ledger', 'absent', ABSENT_RATE)
    say('import')
    const imports = await importWorld(system, database, world)
    const rows = [await rowOf('absent', 'absent', ABSENT_RATE)]
    for (const [group, rate] of ROWS) rows.push(await rowOf(group, group, rate))
    const busy = await startLoad(targetOf('busy'))
    const busyEnded = busy.run({
      kind: 'open',
      level: BUSY_RATE,
      seconds: 2 * seconds + warmUpOf({ kind: 'open', level: 1, seconds }).seconds,
    })
    rows.push(await rowOf(`absent beside busy, ${BUSY_RATE}/s`, 'absent', ABSENT_RATE))
    await busyEnded
    busy.stop()
    return { labelledEvery, before, rows, imports }
  } finally {
    await database.close()
  }
}

async function workOf(system: RunningSystem, database: Database): Promise<Work> {
  const uses = await usesOf(system.pid)
  const [row] = await database.query<Omit<Work, 'cpuMs' | 'databaseMs'>>(
    `SELECT xact_commit AS statements, tup_fetched AS rows, blks_hit + blks_read AS buffers
     FROM pg_stat_database WHERE datname = current_database()`,
  )
  const cpuMs = [...uses.values()].reduce((sum, use) => sum + use.cpuMs, 0)
  return { cpuMs, databaseMs: cpuOf(uses, 'postgres'), ...row! }
}

function perScreen(before: Work, after: Work, { requests }: LoadResult): Work {
  const keys = Object.keys(after) as (keyof Work)[]
  return Object.fromEntries(keys.map((key) => [key, (after[key] - before[key]) / requests])) as Work
}

function render({ labelledEvery, before, rows, imports }: World): string {
  const head = [
    'screened',
    'p50 / p95 / max ms',
    'late',
    'truncated',
    'CPU ms (Postgres)',
    'statements',
    'rows',
    'buffers',
    'errors',
  ]
  const above = ({ work }: Row, key: keyof Work, digits: number): string =>
    (work[key] - before.work[key]).toFixed(digits)
  const cells = (row: Row, shown: (key: keyof Work, digits: number) => string): (string | number)[] => {
    const { result, name } = row
    const share = (word: string): string =>
      `${((100 * (result.words[word] ?? 0)) / Math.max(1, result.requests)).toFixed(1)} %`
    const latencies = [P50, P95, 1].map((part) => percentileOf(result.latenciesMs, part).toFixed(0))
    return [
      ...[name, latencies.join(' / '), share('late'), share('truncated')],
      ...[
        `${shown('cpuMs', 1)} (${shown('databaseMs', 1)})`,
        shown('statements', 1),
        shown('rows', 0),
        shown('buffers', 0),
      ],
      result.errors,
    ]
  }
  return [
    `### One address in ${labelledEvery} labelled`,
    table(head, [
      cells(before, (key, digits) => before.work[key].toFixed(digits)),
      ...rows.map((row) => cells(row, (key, digits) => above(row, key, digits))),
    ]),
    table(['what', 'measured'], imports),
  ].join('\n\n')
}
