/**
 * `watches`: the screens of a customer in quiet turns, and while a list names one in a hundred of many watched addresses, or a ledger segment touches
 * one in ten. A turn with a change lasts until its watches are decided, as a rule.
 */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, type Database } from '@cupel/postgres'
import { startLoad, type LoadGenerator } from './children.js'
import { runningLog } from './log-connection.js'
import type { BenchOptions, Outcome } from './options.js'
import { compareRounds, ratioText, turnsOfRound, type TurnKind } from './rounds.js'
import { screensOf } from './run-load.js'
import { newKey, withSystem, type RunningSystem } from './system.js'
import { conditionsOf, table, thousands } from './table.js'

const WATCHES_PER_CALL = 1_000
const LOOK_MS = 200
const WARM_UP_SECONDS = 10
const QUIET_SECONDS = 20
const [P50, P95] = [0.5, 0.95]
const TARGET = 1.15
/** Of the arrivals of the first round. */
const FIRST_SEED = 20_261_130
const PAYER = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const LABELS = 'address,chain,category,entity,source,source_url,confidence,observed_at\n'
const TRANSFERS =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status,transaction_index\n'

const hexOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const watched = (number: number): string => `0x${hexOf(`watched ${number}`).slice(0, 40)}`

/** The watches numbered `from` to `to - 1` are touched. */
interface Change {
  readonly name: string
  /** Of all watches, those that one change touches. */
  readonly share: number
  /** Length of its turn. */
  readonly seconds: number
  begin(system: RunningSystem, touched: { readonly from: number; readonly to: number }): Promise<void>
}

const CHANGES: readonly Change[] = [
  { name: 'list', share: 0.01, seconds: 40, begin: importLabels },
  { name: 'segment', share: 0.1, seconds: 100, begin: importSegment },
]

/** One set grows: a further set would be another list, for which every watch is decided again. */
async function importLabels({ home, cupel }: RunningSystem, { to }: { readonly to: number }): Promise<void> {
  const file = join(home, 'watched.csv')
  const rows = Array.from(
    { length: to },
    (_, n) => `${watched(n)},ETH,scam,Entity ${n},made_up,,0.9,2026-01-01\n`,
  )
  await writeFile(file, LABELS + rows.join(''))
  await cupel('labels', 'import', file, '--format', 'csv', '--set', 'watched')
}

async function importSegment(
  { home, cupel }: RunningSystem,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const file = join(home, `segment-${from}.csv`)
  const rows = Array.from({ length: to - from }, (_, at) => {
    const number = from + at
    const time = new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString()
    return `ETH,${25_000_000 + number},${time},0x${hexOf(`payment ${number}`)},,native,ETH,,${PAYER},${watched(number)},1000000000000000000,,,made_up,1,0\n`
  })
  await writeFile(file, TRANSFERS + rows.join(''))
  await cupel('ledger', 'import', file, '--format', 'csv', '--chain', 'ETH')
}

interface Row {
  readonly name: string
  readonly turns: Record<TurnKind, (readonly number[])[]>
  readonly decided: number[]
  readonly seconds: number[]
  errors: number
}

export async function runWatches(options: BenchOptions): Promise<Outcome> {
  const conditions = conditionsOf(options)
  const { size, rounds, parts, perSecond, say } = options
  const rows = await withSystem(options, options.profiles[0]!, async (system) => {
    const connection = await runningLog(system.home)
    if (connection.kind !== 'embedded') throw new Error('watches runs on the embedded profile')
    const database = openDatabase({
      ...{ connectionString: connection.databaseUrl, maxConnections: 1, applicationName: 'bench-watches' },
    })
    // Its calls and imports come from other machines in service. At low priority they take no time from the others.
    setPriority(constants.priority.PRIORITY_LOW)
    try {
      await importLabels(system, { to: 1 })
      await importSegment(system, { from: size, to: size + 1 })
      await watchAll(system, database, options)
      const victim = await startLoad(screensOf(system, await newKey(system, 'Victim')))
      await victim.run({ kind: 'open', level: perSecond, seconds: WARM_UP_SECONDS })
      const found: Row[] = []
      for (const change of CHANGES.filter(({ name }) => parts.length === 0 || parts.includes(name))) {
        const row: Row = {
          ...change,
          turns: { one: [], other: [], loaded: [] },
          decided: [],
          seconds: [],
          errors: 0,
        }
        for (let round = 0; round < rounds; round += 1)
          for (const kind of turnsOfRound(round)) {
            say(`${change.name}, round ${round + 1}: ${kind}`)
            await takeTurn({ system, database, victim, change, row }, { kind, round }, options)
          }
        found.push(row)
      }
      victim.stop()
      return found
    } finally {
      await database.close()
    }
  })
  const text = `${conditions} ${options.profiles[0]} profile; ${thousands(size)} watches of one account, ${perSecond} screens a second of another; ${rounds} rounds of three turns. Target: the p95 with the change ÷ quiet is ${TARGET} at most. Ratios are medians of the rounds; noise: one quiet turn ÷ the other.`
  const head = [
    'change',
    'watches decided',
    'within',
    'p50 quiet',
    'p95 quiet',
    'p50 ratio',
    'p95 ratio',
    'p95 noise',
    'errors',
  ]
  return {
    table: `${text}\n\n${table(head, rows.map(cellsOf))}`,
    figures: { conditions, rows },
    isRight: true,
  }
}

function cellsOf({ name, turns, decided, seconds, errors }: Row): string[] {
  const [medians, tails] = [compareRounds(turns, P50), compareRounds(turns, P95)]
  return [
    ...[name, decided.map(thousands).join(', '), `${Math.max(...seconds).toFixed(0)} s`],
    ...[`${medians.quietMs.toFixed(1)} ms`, `${tails.quietMs.toFixed(1)} ms`],
    ...[medians.effect, tails.effect, tails.noise].map(ratioText),
    String(errors),
  ]
}

async function watchAll(
  system: RunningSystem,
  database: Database,
  { size, say }: BenchOptions,
): Promise<void> {
  say(`${size} watches`)
  const authorization = `Bearer ${await newKey(system, 'Watcher')}`
  for (let first = 0; first < size; first += WATCHES_PER_CALL) {
    const numbers = Array.from({ length: Math.min(WATCHES_PER_CALL, size - first) }, (_, at) => first + at)
    const response = await fetch(`${system.line.base_url}/v1/watches`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({
        watches: numbers.map((number) => ({ address: watched(number), chain: 'ETH' })),
      }),
    })
    if (!response.ok)
      throw new Error(`Watches were answered with ${response.status}: ${await response.text()}`)
  }
  await allDecided(database)
}

const OPEN = `SELECT count(*)::int4 AS open FROM watches.watch WHERE due_at IS NOT NULL OR pending_report_id IS NOT NULL`

async function allDecided(database: Database): Promise<void> {
  for (;;) {
    const [row] = await database.query<{ open: number }>(OPEN)
    if (row!.open === 0) return
    await sleep(LOOK_MS)
  }
}

interface Turn {
  readonly system: RunningSystem
  readonly database: Database
  readonly victim: LoadGenerator
  readonly change: Change
  readonly row: Row
}

async function takeTurn(
  { system, database, victim, change, row }: Turn,
  { kind, round }: { readonly kind: TurnKind; readonly round: number },
  { size, perSecond }: BenchOptions,
): Promise<void> {
  const isLoaded = kind === 'loaded'
  const seconds = isLoaded ? change.seconds : QUIET_SECONDS
  const [began, since] = [performance.now(), new Date().toISOString()]
  const touched = Math.ceil(size * change.share)
  // The first watch was labelled before.
  const range = { from: 1 + round * touched, to: 1 + (round + 1) * touched }
  const changed = isLoaded
    ? change.begin(system, range).then(() => decidedSince(database, since, touched))
    : null
  const turn = await victim.run({ kind: 'open', level: perSecond, seconds, seed: FIRST_SEED + round })
  row.errors += turn.errors
  row.turns[kind].push(turn.latenciesMs)
  if (changed === null) return
  row.decided.push(await changed)
  row.seconds.push((performance.now() - began) / 1_000)
}

/** Resolves to the number of watches that were decided, once no more are due and so many were. */
async function decidedSince(database: Database, since: string, least: number): Promise<number> {
  for (;;) {
    await allDecided(database)
    const [row] = await database.query<{ decided: number }>(
      'SELECT count(*)::int4 AS decided FROM watches.watch WHERE reported_at >= $1',
      [since],
    )
    if (row!.decided >= least) return row!.decided
    await sleep(LOOK_MS)
  }
}
