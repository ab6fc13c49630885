/**
 * `ledger`: screens with exposure on a made-up chain with hubs (`world.ts`), and what its import costs. Each row is a group of addresses
 * at a rate; CPU, statements and rows are those above a screen of an absent address before the import.
 */
import { writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase, type Database } from '@cupel/postgres'
import { generateLoad, startLoad, type LoadTarget } from '../children.js'
import { percentileOf, type LoadPhase, type LoadResult } from '../load.js'
import { runningLog } from '../log-connection.js'
import type { BenchOptions, Outcome } from '../options.js'
import { memoryMibOf, processorMs, usesOf } from '../processes.js'
import { screensOf, warmUpOf } from '../run-load.js'
import { newKey, withSystem, type RunningSystem } from '../system.js'
import { conditionsOf, table, thousands } from '../table.js'
import { cpuOf, importWorld, type Measured } from './import-world.js'
import { addressesOf, groupsOf, type Group, type WorldOptions } from './world.js'

interface Asked {
  readonly name: string
  readonly group: Group
  /** Screens a second. */
  readonly rate: number
  readonly isCold?: true
  readonly besideBusy?: true
}

const STRANGERS = 'strangers'
/** `late` and `truncated` are shares. CPU is above a screen without a ledger. */
interface Target extends Asked {
  readonly p95Ms?: number
  readonly late?: number
  readonly truncated?: number
  readonly cpuMs?: number
}

/** Strangers come next to those beside busy ones, because their ratio counts. */
const ROWS: readonly Target[] = [
  { name: 'ordinary', group: 'ordinary', rate: 50, p95Ms: 50, late: 0.001, truncated: 0.01, cpuMs: 4 },
  { name: 'ordinary', group: 'ordinary', rate: 100, p95Ms: 50, late: 0.001, truncated: 0.01, cpuMs: 4 },
  { name: 'busy', group: 'busy', rate: 20, p95Ms: 120, late: 0.005 },
  { name: 'the first hundred', group: 'hub', rate: 5 },
  { name: 'a hub of very many transfers', group: 'giant', rate: 2, p95Ms: 150, late: 0 },
  { name: STRANGERS, group: 'absent', rate: 50 },
  { name: 'strangers while busy ones come, 10/s', group: 'absent', rate: 50, besideBusy: true },
  { name: 'busy, page cache dropped', group: 'busy', rate: 10, isCold: true, p95Ms: 400 },
]
const WITHOUT: Asked = { name: 'strangers, without a ledger', group: 'absent', rate: 50 }
const STRANGERS_RATIO = 1.15
const GIANT_TRANSFERS = 1_000_000
/** Only in the world with so many labels: it doubles the import. */
const GIANT_WITH_LABELS = 7
const BUSY_RATE = 10
const SCREENED = 20_000
const [P50, P95] = [0.5, 0.95]
/** After the import, and after the busiest addresses were begun, until the processes rest. */
const SETTLE_MOST_MS = 60_000
const SETTLE_LOOK_MS = 2_000
const RESTING_SHARE = 0.1

/** What all processes and the database did, in the time between two readings or for one screen. */
type Work = Readonly<Record<'cpuMs' | 'databaseMs' | 'statements' | 'rows', number>>

interface Row {
  readonly asked: Target
  readonly result: LoadResult
  /** For one screen. */
  readonly work: Work
}

interface World {
  readonly labelledEvery: number
  readonly before: Row
  readonly rows: readonly Row[]
  readonly imports: readonly Measured[]
  /** Of all processes, before the import and after all rows. */
  readonly memoryMib: readonly [before: number, after: number]
}

export async function runLedger(options: BenchOptions): Promise<Outcome> {
  const conditions = conditionsOf(options)
  const parts = options.parts.length === 0 ? ['7', '100'] : options.parts
  const worlds: World[] = []
  for (const part of parts)
    worlds.push(
      await withSystem(options, options.profiles[0]!, (system) => measure(system, options, Number(part))),
    )
  const text = `${conditions} ${options.profiles[0]} profile; phases of ${options.seconds} s. ${thousands(options.size)} transfers; CPU of all processes, and statements and rows of Postgres, above a screen of an absent address without a ledger.`
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
  const ofGiant = labelledEvery === GIANT_WITH_LABELS ? Math.min(size, GIANT_TRANSFERS) : 0
  const world: WorldOptions = { transfers: size, labelledEvery, ofGiant }
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
    const rowOf = createRows(system, { database, seconds, say }, (group) => ({
      ...{ ...base, countsExposure: true },
      bodies: groups[group].map((address) => ({ address, chain: 'ETH' })),
    }))
    const before = await rowOf(WITHOUT)
    const memoryBefore = await memoryMibOf(system.pid)
    say('import')
    const imports = await importWorld(system, database, world)
    // The first screen begins the examination of the busiest addresses.
    await rowOf({ ...WITHOUT, name: 'strangers, first' })
    await settled(system)
    const rows: Row[] = []
    for (const asked of ROWS) if (asked.group !== 'giant' || ofGiant > 0) rows.push(await rowOf(asked))
    return { labelledEvery, before, rows, imports, memoryMib: [memoryBefore, await memoryMibOf(system.pid)] }
  } finally {
    await database.close()
  }
}

/** Measures a row after a warm-up. */
function createRows(
  system: RunningSystem,
  { database, seconds, say }: Pick<BenchOptions, 'seconds' | 'say'> & { readonly database: Database },
  targetOf: (group: Group) => LoadTarget,
): (asked: Target) => Promise<Row> {
  return async (asked) => {
    const { name, group, rate, isCold, besideBusy } = asked
    say(`${name}, ${rate}/s`)
    const phase: LoadPhase = { kind: 'open', level: rate, seconds }
    const warmUp = warmUpOf(phase)
    const busy = besideBusy === true ? await startLoad(targetOf('busy')) : null
    const busyEnded = busy?.run({ kind: 'open', level: BUSY_RATE, seconds: seconds + warmUp.seconds })
    let since: Work | null = null
    const result = await generateLoad(targetOf(group), warmUp, phase, async () => {
      if (isCold === true && !(await dropPageCache())) say('The page cache cannot be dropped here.')
      since = await workOf(system, database)
    })
    const work = perScreen(since!, await workOf(system, database), result)
    await busyEnded
    busy?.stop()
    return { asked, result, work }
  }
}

/** Waits until the processes rest, at most for some time. */
async function settled({ pid }: RunningSystem): Promise<void> {
  const until = performance.now() + SETTLE_MOST_MS
  for (let before = await processorMs(pid); performance.now() < until;) {
    await pause(SETTLE_LOOK_MS)
    const now = await processorMs(pid)
    if (now - before < RESTING_SHARE * SETTLE_LOOK_MS) return
    before = now
  }
}

/** Of files, not of Postgres' own buffers. False without the right to it. */
const dropPageCache = (): Promise<boolean> =>
  writeFile('/proc/sys/vm/drop_caches', '3').then(
    () => true,
    () => false,
  )

async function workOf(system: RunningSystem, database: Database): Promise<Work> {
  const uses = await usesOf(system.pid)
  const [row] = await database.query<Omit<Work, 'cpuMs' | 'databaseMs'>>(
    `SELECT xact_commit AS statements, tup_fetched AS rows
     FROM pg_stat_database WHERE datname = current_database()`,
  )
  const cpuMs = [...uses.values()].reduce((sum, use) => sum + use.cpuMs, 0)
  return { cpuMs, databaseMs: cpuOf(uses, 'postgres'), ...row! }
}

function perScreen(before: Work, after: Work, { requests }: LoadResult): Work {
  const keys = Object.keys(after) as (keyof Work)[]
  return Object.fromEntries(keys.map((key) => [key, (after[key] - before[key]) / requests])) as Work
}

const shareOf = ({ result }: Row, word: string): number =>
  (result.words[word] ?? 0) / Math.max(1, result.requests)
const p95Of = ({ result }: Row): number => percentileOf(result.latenciesMs, P95)
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

function render(world: World): string {
  const { labelledEvery, before, rows, imports } = world
  const head = [
    'screened',
    'p50 / p95 / max ms',
    'late',
    'truncated',
    'CPU ms (Postgres)',
    'statements',
    'rows',
  ]
  const cells = (row: Row, from: Work | null): (string | number)[] => {
    const shown = (key: keyof Work, digits: number): string =>
      (row.work[key] - (from?.[key] ?? 0)).toFixed(digits)
    const latencies = [P50, P95, 1].map((part) => percentileOf(row.result.latenciesMs, part).toFixed(0))
    return [
      ...[`${row.asked.name}, ${row.asked.rate}/s`, latencies.join(' / ')],
      ...[percent(shareOf(row, 'late')), percent(shareOf(row, 'truncated'))],
      ...[`${shown('cpuMs', 1)} (${shown('databaseMs', 1)})`, shown('statements', 1), shown('rows', 0)],
    ]
  }
  return [
    `### One address in ${labelledEvery} labelled`,
    table(
      [...head, 'errors'],
      [
        [...cells(before, null), before.result.errors],
        ...rows.map((row) => [...cells(row, before.work), row.result.errors]),
      ],
    ),
    table(['target', 'figure', 'met'], targetsOf(world)),
    table(['what', 'measured'], imports),
  ].join('\n\n')
}

/** Each target with its figure. */
function targetsOf({ before, rows, memoryMib }: World): readonly string[][] {
  const line = (what: string, figure: number, most: number, text: (one: number) => string): string[] => [
    ...[`${what} ≤ ${text(most)}`, Number.isFinite(figure) ? text(figure) : 'not known'],
    figure <= most ? 'yes' : 'no',
  ]
  const ms = (one: number): string => `${one.toFixed(1)} ms`
  const ofRows = rows.flatMap((row) => {
    const { name, rate, p95Ms, late, truncated, cpuMs } = row.asked
    const what = `${name}, ${rate}/s`
    return [
      ...(p95Ms === undefined ? [] : [line(`${what}: p95`, p95Of(row), p95Ms, ms)]),
      ...(late === undefined ? [] : [line(`${what}: late`, shareOf(row, 'late'), late, percent)]),
      ...(truncated === undefined
        ? []
        : [line(`${what}: truncated`, shareOf(row, 'truncated'), truncated, percent)]),
      // A late examination that was given up costs little.
      ...(cpuMs === undefined
        ? []
        : [
            line(
              `${what}: CPU, if none is late`,
              shareOf(row, 'late') > (late ?? 0) ? Infinity : row.work.cpuMs - before.work.cpuMs,
              cpuMs,
              ms,
            ),
          ]),
    ]
  })
  const [beside, only] = [
    rows.find(({ asked }) => asked.besideBusy),
    rows.find(({ asked }) => asked.name === STRANGERS),
  ]
  return [
    ...ofRows,
    line(
      'strangers while busy ones come ÷ only strangers: p95',
      p95Of(beside!) / p95Of(only!),
      STRANGERS_RATIO,
      (one) => one.toFixed(2),
    ),
    line(
      'memory of all processes, more than before the import',
      memoryMib[1] - memoryMib[0],
      MORE_MEMORY_MIB,
      (one) => `${one.toFixed(0)} MiB`,
    ),
  ]
}

const MORE_MEMORY_MIB = 300
