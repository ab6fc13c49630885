/**
 * Writes a ledger and labels for the measurement of exposure. Every address of a random graph has some ten transfers, one in a
 * hundred is labelled, and one hub has very many counterparties. A few hundred busy addresses have hundreds of transfers with the
 * same others. All come from a seed, so that two runs measure the same.
 */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { mulberry32 } from '../load.js'

export const HUB = addressOf('hub')
/** Unlabelled. It has too few counterparties for a hub, and too many transfers to be followed. */
const BUSY_EXCHANGE = addressOf('busy exchange')
/** Busy addresses. None of them is in the large graph. */
export const DENSE_ADDRESSES = 400
/** Neighbours on either side of each busy address. */
const DENSE_PARTNERS = 4
const SEED = 20_261_121
const TRANSFERS_PER_ADDRESS = 10
const LABELLED_EVERY = 100
const ROWS_PER_WRITE = 5_000
const CATEGORIES = ['stolen', 'scam', 'mixer', 'darknet']
const TRANSFERS_HEADER =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,transaction_index'
const LABELS_HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'
const FIRST_BLOCK = 15_000_000
const FIRST_BLOCK_AT = Date.UTC(2022, 5, 21)
const BLOCK_MS = 12_000
const ROWS_PER_BLOCK = 100

export function addressOf(name: string | number): string {
  return `0x${createHash('sha1').update(`address ${name}`).digest('hex')}`
}

export const denseAddressOf = (index: number): string => addressOf(`busy ${index}`)

/** Writes the labels and returns how many there are. */
export async function writeLabels(file: string, addresses: number): Promise<number> {
  const labelled = [
    ...everyHundredth(addresses).map(addressOf),
    ...everyHundredth(DENSE_ADDRESSES).map(denseAddressOf),
  ]
  const rows = labelled.map((address, index) => {
    const category = CATEGORIES[index % CATEGORIES.length]
    return `${address},ETH,${category},Entity ${index},bench_graph,https://example.org/${index},0.9,2026-01-01`
  })
  await writeFile(file, `${[LABELS_HEADER, ...rows].join('\n')}\n`)
  return rows.length
}

const everyHundredth = (count: number): readonly number[] =>
  Array.from({ length: Math.ceil(count / LABELLED_EVERY) }, (_, index) => index * LABELLED_EVERY)

export interface TransferCounts {
  /** Between the addresses of the large graph. */
  readonly transfers: number
  readonly hubCounterparties: number
  /** Half of them between busy addresses and the exchange, half among busy addresses. */
  readonly denseTransfers: number
}

/** Writes the rows. */
export async function writeTransfers(file: string, counts: TransferCounts): Promise<void> {
  const random = mulberry32(SEED)
  const out = createWriteStream(file)
  out.write(`${TRANSFERS_HEADER}\n`)
  let rows: string[] = []
  let index = 0
  for (const [from, to] of pairsOf(counts, random)) {
    const block = Math.floor(index / ROWS_PER_BLOCK)
    const at = new Date(FIRST_BLOCK_AT + block * BLOCK_MS).toISOString()
    const hash = `0x${index.toString(16).padStart(64, '0')}`
    const gwei = 10_000_000 + Math.floor(random() * 1_000_000_000)
    rows.push(
      `ETH,${FIRST_BLOCK + block},${at},${hash},0,native,ETH,,${from},${to},${gwei}000000000,,,bench_graph,${index % ROWS_PER_BLOCK}`,
    )
    index += 1
    if (rows.length < ROWS_PER_WRITE) continue
    if (!out.write(`${rows.join('\n')}\n`)) await once(out, 'drain')
    rows = []
  }
  out.end(rows.length === 0 ? '' : `${rows.join('\n')}\n`)
  await once(out, 'finish')
}

/** Sender and receiver of each transfer. */
function* pairsOf(
  { transfers, hubCounterparties, denseTransfers }: TransferCounts,
  random: () => number,
): Generator<readonly [from: string, to: string]> {
  const any = (count: number): number => Math.floor(random() * count)
  const addresses = Array.from({ length: addressesOf(transfers) }, (_, index) => addressOf(index))
  const anyAddress = (): string => addresses[any(addresses.length)]!
  for (let index = 0; index < transfers; index += 1) yield [anyAddress(), anyAddress()]
  for (let index = 0; index < hubCounterparties; index += 1)
    yield index % 2 === 0 ? [HUB, anyAddress()] : [anyAddress(), HUB]

  const busy = Array.from({ length: DENSE_ADDRESSES }, (_, index) => denseAddressOf(index))
  for (let index = 0; index < denseTransfers; index += 1) {
    const one = any(DENSE_ADDRESSES)
    const partner = index % 2 === 0 ? BUSY_EXCHANGE : busy[(one + 1 + any(DENSE_PARTNERS)) % DENSE_ADDRESSES]!
    yield random() < 0.5 ? [busy[one]!, partner] : [partner, busy[one]!]
  }
}

export function addressesOf(transfers: number): number {
  // Each transfer has two ends.
  return Math.ceil((2 * transfers) / TRANSFERS_PER_ADDRESS)
}
