/** Worlds whose truth is known: a wallet that two exchanges funded, with up to two stains, as movements on a chain. */
import type { LabelFacts } from '@cupel/domain'
import { bitcoinAddress } from '../bitcoin-address.js'

export type Choose = <T>(choices: readonly T[]) => T

/** Reads choices from one number, least significant first. */
export function chooser(drawn: number): Choose {
  let rest = drawn
  return (choices) => {
    const chosen = choices[rest % choices.length]!
    rest = Math.floor(rest / choices.length)
    return chosen
  }
}

export type Chain = 'ETH' | 'BTC'
export type Kind = 'native' | 'internal' | 'token' | 'utxo'

const names = [
  'wallet',
  'exchange',
  'other exchange',
  'designated',
  'thief',
  'suspect',
  'friend',
  'stranger',
  'contract',
  'passer-by',
] as const
export type Name = (typeof names)[number] | 'nobody'

const BURN = `0x${'0'.repeat(40)}`

/** `nobody` is the sender of a mint, and an output without an address. */
export function addressOf(chain: Chain, name: Name): string {
  if (name === 'nobody') return chain === 'ETH' ? BURN : ''
  const at = names.indexOf(name) + 1
  return chain === 'ETH' ? `0x${at.toString(16).repeat(40).slice(0, 40)}` : bitcoinAddress(at)
}

export interface Asset {
  readonly symbol: string
  readonly contract: string
  readonly decimals: number
  /** About 25 US dollars, in base units. */
  readonly dust: bigint
}

const ether: Asset = { symbol: 'ETH', contract: '', decimals: 18, dust: 10n ** 16n }
const bitcoin: Asset = { symbol: 'BTC', contract: '', decimals: 8, dust: 50_000n }
const tether: Asset = {
  ...{ symbol: 'USDT', contract: '0xdac17f958d2ee523a2206206994597c13d831ec7' },
  ...{ decimals: 6, dust: 25_000_000n },
}
/** A token that no table knows. */
export const unlisted: Asset = {
  symbol: 'NEW',
  contract: `0x${'ab'.repeat(20)}`,
  decimals: 6,
  dust: 25_000_000n,
}

export interface Move {
  readonly kind: Kind
  readonly asset: Asset
  readonly from: Name
  readonly to: Name
  readonly amount: bigint
  readonly block: number
  readonly atS: number
  readonly succeeded: boolean
  readonly hash: string
  /** Of the other inputs of a transaction with outputs. */
  readonly change: bigint
}

export interface World {
  readonly chain: Chain
  readonly moves: readonly Move[]
  readonly labels: ReadonlyMap<string, readonly LabelFacts[]>
  /** Names of the stains, and the label of the wallet itself. */
  readonly stains: readonly string[]
}

export const GENERATED_AT = '2026-11-21T09:00:00.000Z'
export const NOW = new Date('2026-11-21T08:30:00.000Z')
/** The last block of the declared range, an hour before the report. */
export const LAST_BLOCK = 9_000_000
export const LAST_AT_S = Date.parse('2026-11-21T08:00:00.000Z') / 1_000
export const FIRST_BLOCK = 8_000_000
const BLOCK_S = 12
export const timeOf = (block: number): number => LAST_AT_S - (LAST_BLOCK - block) * BLOCK_S

type Pay = (
  from: Name,
  to: Name,
  units: bigint,
  more?: { kind?: Kind; asset?: Asset; fails?: boolean },
) => void
interface Stain {
  readonly on: readonly Chain[]
  readonly put: (pay: Pay, of: { readonly kind: Kind; readonly asset: Asset }) => void
}

const both: readonly Chain[] = ['ETH', 'BTC']
/** Each forbids green. Amounts are in units of dust; the exchanges pay 2,000. */
const stains: Readonly<Record<string, Stain>> = {
  'paid by a designated address': { on: both, put: (pay, of) => pay('designated', 'wallet', 40n, of) },
  'pays a designated address': { on: both, put: (pay, of) => pay('wallet', 'designated', 5n, of) },
  'paid by a thief': { on: both, put: (pay, of) => pay('thief', 'wallet', 30n, of) },
  'paid by a thief over a friend': {
    on: both,
    put: (pay, of) => {
      pay('thief', 'friend', 60n, of)
      pay('friend', 'wallet', 50n, of)
    },
  },
  'a fifth is of a stranger': { on: both, put: (pay, of) => pay('stranger', 'wallet', 600n, of) },
  'a part is of a weakly labelled address': {
    on: both,
    put: (pay, of) => pay('suspect', 'wallet', 100n, of),
  },
  'a fifth is minted or of no address': { on: both, put: (pay, of) => pay('nobody', 'wallet', 700n, of) },
  'a little is minted or of no address': { on: both, put: (pay, of) => pay('nobody', 'wallet', 30n, of) },
  'more is spent than came in': { on: ['ETH'], put: (pay, of) => pay('wallet', 'exchange', 9_000n, of) },
  'an unlisted token of a designated address': {
    on: ['ETH'],
    put: (pay) => pay('designated', 'wallet', 500n, { kind: 'token', asset: unlisted }),
  },
}

/** Clean moves that put every column of every format to use. */
function payCleanly(pay: Pay, of: { readonly kind: Kind; readonly asset: Asset }, choose: Choose): void {
  pay('exchange', 'wallet', 1_500n, of)
  pay('other exchange', 'wallet', 500n, of)
  if (choose([true, false])) pay('wallet', 'exchange', 200n, of)
  if (choose([true, false]) && of.kind === 'native') pay('designated', 'wallet', 900n, { ...of, fails: true })
  // Anyone can send or mint tokens that no table knows.
  const sender = of.kind === 'native' ? choose([null, 'passer-by', 'nobody'] as const) : null
  if (sender !== null) pay(sender, 'wallet', 9n, { kind: 'token', asset: unlisted })
}

const kindsOn: Readonly<Record<Chain, readonly { readonly kind: Kind; readonly asset: Asset }[]>> = {
  ETH: [
    { kind: 'native', asset: ether },
    { kind: 'token', asset: tether },
    { kind: 'internal', asset: ether },
  ],
  BTC: [{ kind: 'utxo', asset: bitcoin }],
}

export function drawnWorld(drawn: number): World {
  const choose = chooser(drawn)
  const chain = choose(['ETH', 'ETH', 'BTC'] as const)
  const count = choose([1, 1, 2, 0])
  const fitting = Object.keys(stains).filter((name) => stains[name]!.on.includes(chain))
  const names = [choose(fitting), choose(fitting)].slice(0, count)
  const moves: Move[] = []
  const pay: Pay = (from, to, units, { kind = 'native', asset = ether, fails = false } = {}) => {
    const block = FIRST_BLOCK + 10 * (moves.length + 1)
    // A wallet has no code, so it sends no call within a transaction.
    const sent = kind === 'internal' && from === 'wallet' ? 'native' : kind
    moves.push({
      ...{ kind: sent, asset, from, to, block, atS: timeOf(block), succeeded: !fails },
      amount: units * asset.dust,
      change: 7n * asset.dust,
      hash: `${chain === 'ETH' ? '0x' : ''}${(moves.length + 1).toString(16).padStart(64, 'd')}`,
    })
  }
  // No file is without rows: others use the chain too.
  for (const way of kindsOn[chain]) pay('passer-by', 'contract', 3n, way)
  const used = [kindsOn[chain][0]!, choose(kindsOn[chain])]
  for (const way of new Set(used)) payCleanly(pay, way, choose)
  for (const name of names) stains[name]!.put(pay, withoutCalls(name, choose(used)))
  const own = choose([
    'none',
    'none',
    'none',
    'none',
    'none',
    'none',
    'stolen',
    'designated',
    'scam',
  ] as const)
  return {
    ...{ chain, moves, labels: labelsOf(chain, own) },
    stains: [...names, ...(own === 'none' ? [] : [`is ${own}`])],
  }
}

/** Only tokens and outputs come from nobody: a mint, or an output that no address owns. */
const withoutCalls = (stain: string, of: { readonly kind: Kind; readonly asset: Asset }) =>
  stain.includes('minted') && of.kind !== 'utxo' ? { kind: 'token' as const, asset: tether } : of

function labelsOf(chain: Chain, own: string): World['labels'] {
  const label = (name: Name, category: string, confidencePpm: number, more: Partial<LabelFacts> = {}) => {
    const address = addressOf(chain, name)
    const made: LabelFacts = {
      ...{
        labelId: `label of ${name}`,
        source: 'pack',
        dataset: 'pack',
        chain,
        address,
        category,
        subcategory: '',
      },
      ...{
        role: 'owner',
        entity: `Owner of ${name}`,
        origin: `study of ${name}`,
        kind: 'forensic',
        confidencePpm,
      },
      ...{ sourceUrl: 'https://example.org/list', observedAt: '2026-08-20', validFrom: null, validTo: null },
      ...{ sanction: null, knownFrom: '2026-11-21T08:00:00.000Z', knownTo: null, ...more },
    }
    return [address, [made]] as const
  }
  const designation = { source: 'ofac_sdn', dataset: 'ofac_sdn', origin: 'us-ofac', kind: 'designation' }
  return new Map([
    label('exchange', 'clean_exchange', 900_000),
    label('other exchange', 'clean_exchange', 850_000),
    label('designated', 'sanctions', 990_000, designation),
    label('thief', 'stolen', 900_000),
    label('suspect', 'scam', 400_000),
    ...(own === 'designated' ? [label('wallet', 'sanctions', 990_000, designation)] : []),
    ...(own === 'stolen' ? [label('wallet', 'stolen', 800_000)] : []),
    ...(own === 'scam' ? [label('wallet', 'scam', 500_000)] : []),
  ])
}
