/** `scale`: import rates of labels and of a ledger, and screens of addresses that a large ledger knows. Files come from a seed. */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { seededRandom } from '@cupel/system-tests'
import type { BenchOptions, Outcome } from './options.js'
import { generateLoad } from './children.js'
import { percentilesOf, type LoadPhase } from './load.js'
import { screensOf, warmUpOf } from './run-load.js'
import { newKey, withSystem, type RunningSystem } from './system.js'
import { conditionsOf, table, thousands } from './table.js'

const LABELS_HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'
const TRANSFERS_HEADER =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,transaction_index'
const CATEGORIES = ['stolen', 'scam', 'mixer', 'darknet']
const SEED = 20_261_121
const TRANSFERS_PER_ADDRESS = 5
/** One address in a hundred of the ledger is labelled. */
const LABELLED_EVERY = 100
/** One transfer in twelve is with the hub, so that it has more counterparties than a route follows. */
const HUB_EVERY = 12
const HUB = 'hub'
const FIRST_BLOCK_AT = Date.UTC(2022, 5, 21)
const ROWS_PER_BLOCK = 100
const BLOCK_MS = 12_000
const SCREENED = 5_000

export async function runScale(options: BenchOptions): Promise<Outcome> {
  const conditions = conditionsOf(options)
  const wants = (part: string): boolean => options.parts.length === 0 || options.parts.includes(part)
  return await withSystem(options, options.profiles[0]!, async (system) => {
    const rows: string[][] = []
    if (wants('labels')) rows.push(await importLabels(system, options))
    if (wants('ledger')) rows.push(...(await measureLedger(system, options)))
    const text = `${conditions} ${system.profile} profile; ${thousands(options.size)} rows; screens ${options.perSecond}/s.`
    return {
      table: `${text}\n\n${table(['what', 'measured'], rows)}`,
      figures: { conditions, size: options.size, rows },
      isRight: true,
    }
  })
}

async function importLabels(system: RunningSystem, { size, say }: BenchOptions): Promise<string[]> {
  say(`import of ${size} labels`)
  return [
    'labels, rows/s',
    await importFile(
      system,
      'labels',
      size,
      labelRows(size, (index) => `listed ${index}`),
    ),
  ]
}

async function measureLedger(system: RunningSystem, options: BenchOptions): Promise<string[][]> {
  const { size, perSecond, seconds, say } = options
  const addresses = Math.ceil(size / TRANSFERS_PER_ADDRESS)
  const phase: LoadPhase = { kind: 'open', level: perSecond, seconds }
  const target = screensOf(system, await newKey(system, 'Ledger'))
  const screens = async (names: readonly string[], of: LoadPhase): Promise<string> => {
    const bodies = names.map((name) => ({ address: addressOf(name), chain: 'ETH' }))
    const result = await generateLoad({ ...target, bodies }, warmUpOf(of), of)
    return `${percentilesOf(result)} ms, ${result.errors} errors`
  }
  const absent = Array.from({ length: SCREENED }, (_, index) => `absent ${index}`)
  const before = await screens(absent, phase)
  const labelled = Math.ceil(addresses / LABELLED_EVERY)
  const labels = labelRows(labelled, (index) => `${index * LABELLED_EVERY}`)
  await importFile(system, 'labels', labelled, labels)
  say(`import of ${size} transfers`)
  const rate = await importFile(system, 'ledger', size, transferRows(size, addresses), '--chain', 'ETH')
  const known = Array.from({ length: SCREENED }, (_, index) => `${(index * 7_919) % addresses}`)
  return [
    ['ledger, transfers/s', rate],
    ['screens of absent addresses without a ledger, p50 / p95 / p99 / max', before],
    ['the same with the ledger', await screens(absent, phase)],
    ['two hops of exposure', await screens(known, phase)],
    ['a hub, one at a time', await screens([HUB], { kind: 'closed', level: 1, seconds })],
  ]
}

/** Rows a second, from the reading of the file until its rows are visible, as the command reports it. */
async function importFile(
  system: RunningSystem,
  group: 'labels' | 'ledger',
  count: number,
  rows: Iterable<string>,
  ...more: readonly string[]
): Promise<string> {
  const file = join(system.home, `${group}-${Date.now()}.csv`)
  await pipeline(Readable.from(rows), createWriteStream(file))
  const { json } = await system.cupel(group, 'import', file, '--format', 'csv', ...more)
  return thousands((count * 1_000) / Number(json['duration_ms']))
}

const addressOf = (name: string): string => `0x${createHash('sha1').update(`address ${name}`).digest('hex')}`

function* labelRows(count: number, nameOf: (index: number) => string): Generator<string> {
  yield `${LABELS_HEADER}\n`
  for (let index = 0; index < count; index += 1)
    yield `${addressOf(nameOf(index))},ETH,${CATEGORIES[index % CATEGORIES.length]},Entity ${index},bench_${nameOf(0).replace(/\W.*/, '')},https://example.org/${index},0.9,2026-01-01\n`
}

function* transferRows(count: number, addresses: number): Generator<string> {
  yield `${TRANSFERS_HEADER}\n`
  const random = seededRandom(SEED).next
  const any = (): string => addressOf(`${Math.floor(random() * addresses)}`)
  for (let index = 0; index < count; index += 1) {
    const block = Math.floor(index / ROWS_PER_BLOCK)
    const at = new Date(FIRST_BLOCK_AT + block * BLOCK_MS).toISOString()
    const hash = `0x${index.toString(16).padStart(64, '0')}`
    const gwei = 10_000_000 + Math.floor(random() * 1_000_000_000)
    const [from, to] = index % HUB_EVERY === 0 ? [addressOf(HUB), any()] : [any(), any()]
    yield `ETH,${15_000_000 + block},${at},${hash},0,native,ETH,,${from},${to},${gwei}000000000,,,bench_graph,${index % ROWS_PER_BLOCK}\n`
  }
}
