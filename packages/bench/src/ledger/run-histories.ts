/**
 * `ledger`, part `histories`: what histories on demand cost screens that do not concern them. Two installations have the same ledger; one of them
 * gets more and more histories of other addresses. They are screened by turns, so that the load of the machine affects both.
 */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createEventCodec, loadSchemaCatalog } from '@cupel/event-log'
import { createLedgerCheck, currentLedger, importLedger } from '@cupel/ledger'
import { openDatabase, type Database } from '@cupel/postgres'
import { generateLoad, type LoadTarget } from '../children.js'
import { percentileOf, type LoadPhase } from '../load.js'
import { openLog, runningLog } from '../log-connection.js'
import type { BenchOptions } from '../options.js'
import { processorMs } from '../processes.js'
import { screensOf } from '../run-load.js'
import { newKey, withSystem, type RunningSystem } from '../system.js'
import { table } from '../table.js'
import { importWorld } from './import-world.js'
import { groupsOf, type WorldOptions } from './world.js'

/** Small, so that a screen costs little besides what grows with the number of histories. */
const WORLD: WorldOptions = { transfers: 20_000, labelledEvery: 7 }
/** The largest number of histories; the other step is a tenth of it. */
const MOST_HISTORIES = 10_000
const SCREENED = 1_000
const SCREENS_PER_SECOND = 20
const WARM_UP_SECONDS = 2
const MOVEMENTS_OF_HISTORY = 3
const FIRST_HEIGHT = 18_000_000
const HEAD = 20_000_000
/** Imports whose median counts. */
const LAST_IMPORTS = 50
const LOOK_MS = 50
const [P50, P95] = [0.5, 0.95]

const KINDS = ['unknown', 'known', 'unknown, a history a second'] as const
type Kind = (typeof KINDS)[number]

interface Site {
  readonly system: RunningSystem
  readonly database: Database
  readonly target: (kind: Kind) => LoadTarget
  histories: number
}

interface Turns {
  readonly latenciesMs: number[]
  screens: number
  cpuMs: number
  errors: number
}

export interface HistoriesStep {
  readonly histories: number
  readonly turns: Readonly<Record<Kind, Readonly<Record<'without' | 'grown', Turns>>>>
  /** Milliseconds. */
  readonly importMs: Readonly<Record<'first' | 'last', number>>
  readonly firstLookMs: Readonly<Record<'without' | 'grown', number>>
}

export async function measureHistories(options: BenchOptions): Promise<readonly HistoriesStep[]> {
  const profile = options.profiles[0]!
  return await withSystem(options, profile, async (first) =>
    withSystem(options, profile, async (second) => {
      const [without, grown] = [await openSite(first), await openSite(second)]
      try {
        const most = Math.min(options.size, MOST_HISTORIES)
        const steps: HistoriesStep[] = []
        for (const histories of [Math.ceil(most / 10), most])
          steps.push(await measureStep(options, { without, grown, histories }))
        return steps
      } finally {
        await Promise.all([without, grown].map(({ database }) => database.close()))
      }
    }),
  )
}

async function openSite(system: RunningSystem): Promise<Site> {
  const { databaseUrl } = (await runningLog(system.home)) as { databaseUrl: string }
  const database = openDatabase({
    connectionString: databaseUrl,
    maxConnections: 4,
    applicationName: 'cupel-bench',
  })
  await importWorld(system, database, WORLD)
  const groups = groupsOf(WORLD, SCREENED)
  const base = screensOf(system, await newKey(system, 'Histories'))
  const target = (kind: Kind): LoadTarget => ({
    ...{ ...base, countsExposure: true },
    bodies: groups[kind === 'known' ? 'ordinary' : 'absent'].map((address) => ({ address, chain: 'ETH' })),
  })
  return { system, database, target, histories: 0 }
}

async function measureStep(
  { rounds, seconds, say }: BenchOptions,
  { without, grown, histories }: { readonly without: Site; readonly grown: Site; readonly histories: number },
): Promise<HistoriesStep> {
  say(`${histories} histories`)
  const importsMs: number[] = []
  // The turns of the step before import some too, of a small size all of this one.
  do importsMs.push(await importHistory(grown))
  while (grown.histories < histories)
  await untilStated(grown)
  const sites = { without, grown }
  const turns = Object.fromEntries(
    KINDS.map((kind) => [kind, { without: newTurns(), grown: newTurns() }]),
  ) as Record<Kind, Record<keyof typeof sites, Turns>>
  for (let round = 0; round < rounds; round += 1)
    for (const kind of KINDS)
      for (const name of round % 2 === 0 ? (['without', 'grown'] as const) : (['grown', 'without'] as const))
        await takeTurn(sites[name], kind, { seconds, into: turns[kind][name] })
  return {
    histories: grown.histories,
    turns,
    importMs: {
      first: percentileOf(importsMs.slice(0, LAST_IMPORTS), P50),
      last: percentileOf(importsMs.slice(-LAST_IMPORTS), P50),
    },
    firstLookMs: { without: await firstLookMs(without), grown: await firstLookMs(grown) },
  }
}

const newTurns = (): Turns => ({ latenciesMs: [], screens: 0, cpuMs: 0, errors: 0 })

async function takeTurn(
  site: Site,
  kind: Kind,
  { seconds, into }: { readonly seconds: number; readonly into: Turns },
): Promise<void> {
  const phase: LoadPhase = { kind: 'open', level: SCREENS_PER_SECOND, seconds }
  const ended = new AbortController()
  const coming = kind === 'unknown, a history a second' ? histories(site, ended.signal) : Promise.resolve()
  let sinceMs = 0
  const warmUp = { ...phase, seconds: WARM_UP_SECONDS }
  const { latenciesMs, requests, errors } = await generateLoad(site.target(kind), warmUp, phase, async () => {
    sinceMs = await processorMs(site.system.pid)
  })
  into.cpuMs += (await processorMs(site.system.pid)) - sinceMs
  into.latenciesMs.push(...latenciesMs)
  into.screens += requests
  into.errors += errors
  ended.abort()
  await coming
}

/** A history each second, until the turn ends. */
async function histories(site: Site, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await importHistory(site)
    await pause(1_000, null, { signal }).catch(() => null)
  }
}

const named = (name: string): string => `0x${createHash('sha1').update(name).digest('hex')}`

/** The next history, of an address that nobody screens; returns the milliseconds of its import. */
async function importHistory(site: Site): Promise<number> {
  const number = (site.histories += 1)
  const own = named(`history ${number}`)
  const rows = Array.from({ length: MOVEMENTS_OF_HISTORY }, (_, index) => ({
    ...{ chain: 'ETH', block_number: FIRST_HEIGHT + number, block_time: '2023-08-26T00:00:00Z' },
    tx_hash: `0x${createHash('sha256').update(`history ${number} ${index}`).digest('hex')}`,
    ...{
      transaction_index: index,
      log_index: '',
      kind: 'native',
      asset_address: '',
      amount_raw: '5',
      amount: '',
    },
    ...{ from_address: named(`payer ${number} ${index}`), to_address: own, status: '1' },
  }))
  const file = join(site.system.home, 'history.jsonl')
  await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const since = performance.now()
  const result = await importLedger(
    {
      ...{ file, format: 'csv', chain: 'ETH', importedBy: 'bench', completeFrom: 0, completeTo: HEAD },
      covers: ['native', 'internal', 'token'],
      history: {
        ...{ address: own, provider: 'explorer', height: HEAD, hash: '' },
        ...{ atS: Math.floor(Date.now() / 1_000) - 60, incomplete: [] },
      },
    },
    { database: site.database },
  )
  if (result.status !== 'imported') throw new Error(`A history is ${result.status}`)
  return performance.now() - since
}

/** What a scorer does with the ledger before its first screen. */
async function firstLookMs({ system, database }: Site): Promise<number> {
  const log = openLog(await runningLog(system.home), 'cupel-bench')
  try {
    const codec = createEventCodec(await loadSchemaCatalog(database))
    const since = performance.now()
    const { fault } = await createLedgerCheck({ log, codec, database })()
    if (fault !== null) throw new Error(fault)
    return performance.now() - since
  } finally {
    await log.close()
  }
}

/** Until the log states every import, so that screens use them. */
async function untilStated({ system, database }: Site): Promise<void> {
  const log = openLog(await runningLog(system.home), 'cupel-bench')
  try {
    const look = createLedgerCheck({
      ...{ log, database, codec: createEventCodec(await loadSchemaCatalog(database)) },
    })
    const { ledgerSeq } = await currentLedger(database)
    while ((await look()).ledgerSeq < ledgerSeq) await pause(LOOK_MS)
  } finally {
    await log.close()
  }
}

export function renderHistories(steps: readonly HistoriesStep[]): string {
  const ratio = (one: number, other: number): string => (one / other).toFixed(2)
  const rows = steps.flatMap(({ histories: count, turns }) =>
    KINDS.map((kind) => {
      const { without, grown } = turns[kind]
      const cells = [P50, P95].map((share) => {
        const [none, many] = [without, grown].map((one) => percentileOf(one.latenciesMs, share)) as [
          number,
          number,
        ]
        return `${none.toFixed(1)}, ${many.toFixed(1)} (${ratio(many, none)})`
      })
      const [none, many] = [without, grown].map(({ cpuMs, screens }) => cpuMs / screens) as [number, number]
      return [
        ...[kind, count, ...cells, `${none.toFixed(1)}, ${many.toFixed(1)} (${ratio(many, none)})`],
        without.errors + grown.errors,
      ]
    }),
  )
  const others = steps.map(({ histories: count, importMs, firstLookMs: look }) => [
    count,
    `${importMs.first.toFixed(0)}, ${importMs.last.toFixed(0)}`,
    `${look.without.toFixed(0)}, ${look.grown.toFixed(0)}`,
  ])
  return [
    '### Histories of other addresses',
    `Without, and with so many histories (their ratio), by turns; ${SCREENS_PER_SECOND} screens a second.`,
    table(['screened', 'histories', 'p50 ms', 'p95 ms', 'CPU ms a screen', 'errors'], rows),
    table(
      ['histories', 'import of a history, the first and the last, ms', 'first look without and with, ms'],
      others,
    ),
  ].join('\n\n')
}
