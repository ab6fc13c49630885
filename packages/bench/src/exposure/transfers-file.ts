/**
 * A ledger and labels to measure exposure on: every address of a random graph has some ten transfers, one in a hundred is
 * labelled, and one hub has counterparties without end. From a seed, so that two runs measure the same.
 */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { mulberry32 } from '../load.js'

export const HUB = addressOf('hub')
const SEED = 20_261_121
const TRANSFERS_PER_ADDRESS = 10
const LABELLED_EVERY = 100
const ROWS_PER_WRITE = 5_000
const CATEGORIES = ['stolen', 'scam', 'mixer', 'darknet']
const TRANSFERS_HEADER =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source'
const LABELS_HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'
const FIRST_BLOCK = 15_000_000
const FIRST_BLOCK_AT = Date.UTC(2022, 5, 21)
const BLOCK_MS = 12_000
const ROWS_PER_BLOCK = 100

export function addressOf(name: string | number): string {
  return `0x${createHash('sha1').update(`address ${name}`).digest('hex')}`
}

/** Writes the labels and returns how many there are. */
export async function writeLabels(file: string, addresses: number): Promise<number> {
  const rows: string[] = []
  for (let index = 0; index < addresses; index += LABELLED_EVERY) {
    const category = CATEGORIES[(index / LABELLED_EVERY) % CATEGORIES.length]
    rows.push(
      `${addressOf(index)},ETH,${category},Entity ${index},bench_graph,https://example.org/${index},0.9,2026-01-01`,
    )
  }
  await writeFile(file, `${[LABELS_HEADER, ...rows].join('\n')}\n`)
  return rows.length
}

/** Writes `transfers` rows between the addresses, and one row per counterparty of the hub. */
export async function writeTransfers(
  file: string,
  { transfers, hubCounterparties }: { readonly transfers: number; readonly hubCounterparties: number },
): Promise<void> {
  const addresses = Array.from({ length: addressesOf(transfers) }, (_, index) => addressOf(index))
  const random = mulberry32(SEED)
  const anyAddress = (): string => addresses[Math.floor(random() * addresses.length)]!
  const out = createWriteStream(file)
  out.write(`${TRANSFERS_HEADER}\n`)
  let rows: string[] = []
  for (let index = 0; index < transfers + hubCounterparties; index += 1) {
    const ofHub = index >= transfers
    const [from, to] =
      ofHub && index % 2 === 0 ? [HUB, anyAddress()] : [anyAddress(), ofHub ? HUB : anyAddress()]
    const block = Math.floor(index / ROWS_PER_BLOCK)
    const at = new Date(FIRST_BLOCK_AT + block * BLOCK_MS).toISOString()
    const hash = `0x${index.toString(16).padStart(64, '0')}`
    const gwei = 10_000_000 + Math.floor(random() * 1_000_000_000)
    rows.push(
      `ETH,${FIRST_BLOCK + block},${at},${hash},0,native,ETH,,${from},${to},${gwei}000000000,,,bench_graph`,
    )
    if (rows.length < ROWS_PER_WRITE) continue
    if (!out.write(`${rows.join('\n')}\n`)) await once(out, 'drain')
    rows = []
  }
  out.end(rows.length === 0 ? '' : `${rows.join('\n')}\n`)
  await once(out, 'finish')
}

export function addressesOf(transfers: number): number {
  // Each transfer has two ends.
  return Math.ceil((2 * transfers) / TRANSFERS_PER_ADDRESS)
}
