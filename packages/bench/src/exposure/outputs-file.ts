/**
 * Writes transactions with inputs and outputs for the measurement of clusters and CoinJoins: wallets of a few addresses pay one
 * another, one transaction in a hundred is a CoinJoin, and the addresses of one exchange are a cluster too large to be read.
 * All come from a seed, so that two runs measure the same.
 */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { bech32 } from '@scure/base'
import { mulberry32 } from '../load.js'

const SEED = 20_261_122
const ADDRESSES_PER_WALLET = 4
const TRANSACTIONS_PER_WALLET = 5
const MAX_INPUTS = 3
const COIN_JOIN_EVERY = 100
const COIN_JOIN_OWNERS = 5
/** Larger than the maximum size of a cluster. */
const EXCHANGE_ADDRESSES = 12_000
const EXCHANGE_INPUTS = 100
const LINES_PER_WRITE = 2_000
const FIRST_AT_S = Date.UTC(2022, 5, 21) / 1_000
const SECONDS_PER_BLOCK = 600
const TRANSACTIONS_PER_BLOCK = 2_000
const VALUE = 100_000

type Random = () => number
interface Spend {
  readonly inputs: readonly (readonly [address: string, value: number])[]
  readonly outputs: readonly (readonly [address: string, value: number])[]
}

export const walletsOf = (transactions: number): number =>
  Math.max(10, Math.ceil(transactions / TRANSACTIONS_PER_WALLET))

/** A SegWit address; the same name gives the same one. */
export function outputAddressOf(name: string): string {
  const program = createHash('sha1').update(`output ${name}`).digest()
  return bech32.encode('bc', [0, ...bech32.toWords(program)])
}

/** One of the addresses of a wallet. */
export const walletAddressOf = (wallet: number, index = 0): string => outputAddressOf(`${wallet}/${index}`)

/** An address of the exchange. */
export const exchangeAddressOf = (index: number): string =>
  outputAddressOf(`exchange/${index % EXCHANGE_ADDRESSES}`)

/** Writes the transactions in the layout of bitcoin-etl. */
export async function writeOutputs(file: string, transactions: number): Promise<void> {
  const out = createWriteStream(file)
  let lines: string[] = []
  let index = 0
  for (const spend of spends(transactions, mulberry32(SEED))) {
    lines.push(lineOf(spend, index))
    index += 1
    if (lines.length < LINES_PER_WRITE) continue
    if (!out.write(`${lines.join('\n')}\n`)) await once(out, 'drain')
    lines = []
  }
  out.end(lines.length === 0 ? '' : `${lines.join('\n')}\n`)
  await once(out, 'finish')
}

function lineOf({ inputs, outputs }: Spend, index: number): string {
  const block = Math.floor(index / TRANSACTIONS_PER_BLOCK)
  const parts = (of: Spend['inputs']) => of.map(([address, value]) => ({ addresses: [address], value }))
  return JSON.stringify({
    hash: index.toString(16).padStart(64, '0'),
    block_number: block,
    block_timestamp: FIRST_AT_S + block * SECONDS_PER_BLOCK,
    index: index % TRANSACTIONS_PER_BLOCK,
    inputs: parts(inputs),
    outputs: parts(outputs),
  })
}

function* spends(transactions: number, random: Random): Generator<Spend> {
  const wallets = walletsOf(transactions)
  const any = (count: number): number => Math.floor(random() * count)
  const anyAddress = (): string => walletAddressOf(any(wallets), any(ADDRESSES_PER_WALLET))
  for (let first = 0; first < EXCHANGE_ADDRESSES; first += EXCHANGE_INPUTS - 1) {
    // Each collection shares an address with the next one.
    const inputs = Array.from(
      { length: EXCHANGE_INPUTS },
      (_, n) => [exchangeAddressOf(first + n), VALUE] as const,
    )
    yield { inputs, outputs: [[exchangeAddressOf(0), VALUE * EXCHANGE_INPUTS - 500]] }
  }
  for (let index = 0; index < transactions; index += 1) {
    if (index % COIN_JOIN_EVERY === 0) {
      const owners = Array.from({ length: COIN_JOIN_OWNERS }, anyAddress)
      yield {
        inputs: owners.map((address) => [address, VALUE]),
        outputs: owners.map((_, n) => [outputAddressOf(`joint ${index} ${n}`), VALUE - 200]),
      }
      continue
    }
    const wallet = any(wallets)
    const inputs = Array.from(
      { length: 1 + any(MAX_INPUTS) },
      (_, n) => [walletAddressOf(wallet, n), VALUE + any(VALUE)] as const,
    )
    const change = walletAddressOf(wallet, ADDRESSES_PER_WALLET - 1)
    const total = inputs.reduce((sum, [, value]) => sum + value, 0)
    const paid = 1 + any(total - 1_000)
    yield {
      inputs,
      outputs: [
        [anyAddress(), paid],
        [change, total - paid - 500],
      ],
    }
  }
}
