/**
 * Measures screens that read a large ledger, with transfers between accounts and with spent outputs, and the effect on screens of
 * addresses that it does not contain.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openKeepAlivePool, postRequest, type KeepAlivePool } from '../keep-alive-pool.js'
import { mulberry32, runPhase, type LoadPhase, type LoadResult } from '../load.js'
import { enterpriseKey, startSystem, type RunningSystem } from '../system.js'
import { exchangeAddressOf, walletAddressOf, walletsOf, writeOutputs } from './outputs-file.js'
import {
  addressesOf,
  addressOf,
  DENSE_ADDRESSES,
  denseAddressOf,
  HUB,
  writeLabels,
  writeTransfers,
} from './transfers-file.js'

export interface ExposureOptions {
  /** Folder of the checkout. */
  readonly root: string
  readonly seconds: number
  readonly perSecond: number
  readonly transfers: number
  readonly say: (line: string) => void
}

export interface ExposureRow extends LoadResult {
  readonly what: string
  readonly target: string
  /** Reports by the status of their exposure. */
  readonly reports: Readonly<Record<string, number>>
}

export interface ExposureResults {
  readonly date: string
  readonly cores: number
  /** Before the run. Above a few tenths, other programs were using the machine. */
  readonly loadAverage: number
  readonly transfers: number
  readonly labels: number
  readonly importSeconds: number
  /** Edges made from transactions with spent outputs, and the duration of their import. */
  readonly outputs: { readonly transfers: number; readonly importSeconds: number }
  readonly rows: readonly ExposureRow[]
}

const HUB_COUNTERPARTIES = 100_000
/** Each busy address has some 125 transfers with the exchange and 30 with each of eight others: 3,000 for a screen. */
const DENSE_TRANSFERS = 100_000
/** Number of transfers between accounts for each transaction with spent outputs. */
const TRANSFERS_PER_SPEND = 4
const HUB_SCREENS: LoadPhase = { kind: 'closed', level: 1, seconds: 5 }
const WARM_UP_SECONDS = 5
/** After the import, while Postgres maintains the tables that grew. */
const REST_SECONDS = 30
/** Odd, so that one is the median. */
const TURNS = 5
const CONNECTIONS = 32
const REQUEST_TIMEOUT_MS = 30_000

interface Screens {
  readonly pool: KeepAlivePool
  readonly requestOf: (address: string, chain: string) => Buffer
}

export async function runExposure(options: ExposureOptions): Promise<ExposureResults> {
  const { root, transfers, seconds, perSecond, say } = options
  const loadAverage = Math.round(loadavg()[0]! * 10) / 10
  const home = await mkdtemp(join(tmpdir(), 'cupel-bench-exposure-'))
  const opened: { readonly system: RunningSystem; readonly screens: Screens }[] = []
  try {
    const [labelFile, transferFile] = [join(home, 'labels.csv'), join(home, 'transfers.csv')]
    const labels = await writeLabels(labelFile, addressesOf(transfers))
    const open = async (name: string) => {
      const system = await startSystem({ root, home: join(home, name), profile: 'embedded' })
      await system.cupel('labels', 'import', labelFile, '--format', 'csv')
      const installation = { system, screens: await openScreens(system) }
      opened.push(installation)
      return installation
    }
    const bare = await open('bare')
    const { system, screens } = await open('home')
    const phase: LoadPhase = { kind: 'open', level: perSecond, seconds }
    const outside = (): string => `0x${randomBytes(20).toString('hex')}`
    const inside = oneOf(addressesOf(transfers), addressOf)
    const dense = oneOf(DENSE_ADDRESSES, denseAddressOf)

    const counts = { transfers, hubCounterparties: HUB_COUNTERPARTIES, denseTransfers: DENSE_TRANSFERS }
    const imported = transfers + HUB_COUNTERPARTIES + DENSE_TRANSFERS
    say(`import of ${imported} transfers`)
    await writeTransfers(transferFile, counts)
    const { json } = await system.cupel('ledger', 'import', transferFile, '--format', 'csv', '--chain', 'ETH')
    const spends = Math.ceil(transfers / TRANSFERS_PER_SPEND)
    say(`import of ${spends} transactions with spent outputs`)
    const outputs = await importOutputs(system, join(home, 'outputs.json'), spends)
    say(`rest, ${REST_SECONDS} s`)
    await pause(REST_SECONDS * 1_000)
    say(`screens without a ledger and beside one, in ${TURNS} turns`)
    const rows = await inTurns(
      () => measure(bare.screens, phase, outside, 'labels alone, no ledger', '—'),
      () => measure(screens, phase, outside, 'labels alone, beside the ledger', 'p95 ≤ 1.1 × without'),
    )
    say('screens that the ledger knows')
    rows.push(
      await measure(screens, phase, inside, 'two hops of exposure', 'p95 ≤ 60 ms'),
      await measure(screens, phase, dense, 'two hops among busy addresses', '—'),
      await measure(screens, HUB_SCREENS, () => HUB, 'a hub, one at a time', 'max ≤ 250 ms'),
    )
    const bitcoin = { ...screens, chain: 'BTC' }
    const wallet = oneOf(walletsOf(spends), (index) => walletAddressOf(index))
    const large = oneOf(EXCHANGE_SCREENS, exchangeAddressOf)
    rows.push(
      await measure(bitcoin, phase, wallet, 'two hops of an address in a cluster', 'p95 ≤ 60 ms'),
      await measure(bitcoin, phase, large, 'an address in a cluster that is too large', 'p95 ≤ 60 ms'),
    )
    return {
      date: new Date().toISOString().slice(0, 10),
      cores: cpus().length,
      loadAverage,
      transfers: imported,
      labels,
      importSeconds: Number(json['duration_ms']) / 1_000,
      outputs,
      rows,
    }
  } finally {
    for (const { system, screens } of opened) {
      screens.pool.close()
      await system.stop()
    }
    await rm(home, { recursive: true, force: true })
  }
}

/** Measures both by turns, so that changes on the machine affect both. Returns for each the turn with the median p95. */
async function inTurns(...kinds: readonly (() => Promise<ExposureRow>)[]): Promise<ExposureRow[]> {
  const turns: ExposureRow[][] = kinds.map(() => [])
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const [index, kind] of kinds.entries()) turns[index]!.push(await kind())
  return turns.map((rows) => rows.sort((one, other) => one.p95Ms - other.p95Ms)[(TURNS - 1) / 2]!)
}

/** Addresses of the exchange that are screened. */
const EXCHANGE_SCREENS = 500

async function importOutputs(
  system: RunningSystem,
  file: string,
  transactions: number,
): Promise<ExposureResults['outputs']> {
  await writeOutputs(file, transactions)
  const { json } = await system.cupel('ledger', 'import', file, '--format', 'bitcoin-etl', '--chain', 'BTC')
  return { transfers: Number(json['added']), importSeconds: Number(json['duration_ms']) / 1_000 }
}

async function openScreens(system: RunningSystem): Promise<Screens> {
  const url = system.line.base_url
  const headers = { authorization: `Bearer ${await enterpriseKey(system, 'Exposure')}` }
  return {
    pool: openKeepAlivePool({ url, connections: CONNECTIONS, timeoutMs: REQUEST_TIMEOUT_MS }),
    requestOf: (address, chain) =>
      postRequest(url, '/v1/screen', headers, JSON.stringify({ address, chain })),
  }
}

function oneOf(addresses: number, nameOf: (index: number) => string): () => string {
  const random = mulberry32(addresses)
  return () => nameOf(Math.floor(random() * addresses))
}

async function measure(
  { pool, requestOf, chain = 'ETH' }: Screens & { readonly chain?: string },
  phase: LoadPhase,
  address: () => string,
  what: string,
  target: string,
): Promise<ExposureRow> {
  const screen = (reports: Record<string, number>) => async (): Promise<void> => {
    const { status, body } = await pool.exchange(requestOf(address(), chain))
    if (status !== 200) throw new Error(`${status} ${body.toString().slice(0, 200)}`)
    const report = JSON.parse(body.toString()) as { coverage: { exposure: { status: string } } }
    const exposure = report.coverage.exposure.status
    reports[exposure] = (reports[exposure] ?? 0) + 1
  }
  await runPhase({ ...phase, seconds: WARM_UP_SECONDS }, screen({}))
  const reports: Record<string, number> = {}
  return { ...(await runPhase(phase, screen(reports))), what, target, reports }
}

/** The results as a table in Markdown. */
export function renderExposure(results: ExposureResults): string {
  const { date, cores, loadAverage, transfers, labels, importSeconds, outputs, rows } = results
  return [
    `Measured ${date} on ${cores} cores, embedded installation; load average before the run ${loadAverage}; ${thousands(transfers)} transfers, ${thousands(labels)} labelled addresses.`,
    '',
    `Import: ${thousands(transfers / importSeconds)} transfers/s (target ≥ 30,000). Of transactions with spent outputs, with clusters, CoinJoins and balances: ${thousands(outputs.transfers / outputs.importSeconds)} transfers/s.`,
    '',
    '| screens | p50 / p95 / max ms | screens/s | errors | exposure in reports | target |',
    '|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${cellsOf(row).join(' | ')} |`),
    '',
  ].join('\n')
}

function cellsOf(row: ExposureRow): readonly string[] {
  return [
    row.what,
    `${row.p50Ms} / ${row.p95Ms} / ${row.maxMs}`,
    String(row.perSecond),
    String(row.errors),
    Object.entries(row.reports)
      .map(([status, count]) => `${status} ${count}`)
      .join(', '),
    row.target,
  ]
}

const thousands = (value: number): string => Math.round(value).toLocaleString('en-US')
