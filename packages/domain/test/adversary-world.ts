/**
 * A world whose truth the adversary knows: the labelled addresses, all payments with their times, the lists in force, and the node's
 * answers. No address spends more than it has, every list is whole and fresh, and every range is declared.
 */
import type { ChainFact, ClusterRecord, LabelSetState } from '@cupel/contracts'
import fc from 'fast-check'
import type { ChainInputs, DeclaredRange, LabelFacts, Neighbourhood, Transfer } from '../src/index.js'
import { chainFact } from './chain-fact-builders.js'
import { chooser } from './chooser.js'
import { addressOf } from './exposure-builders.js'
import {
  cleanLabel,
  GENERATED_AT,
  label,
  labelSet,
  ofacLabel,
  ofacSet,
  restatement,
} from './judgement-builders.js'

/** `a` is screened, `b` and `c` are followed, and the others are at the ends of paths; `mate` spends together with others. */
export const names = [
  'a',
  'b',
  'c',
  'sanctioned',
  'thief',
  'swindler',
  'extorter',
  'exchange',
  'stranger',
  'mate',
] as const
export type Name = (typeof names)[number]

type UnknownTokens = NonNullable<Neighbourhood['unknownTokens']>[number]

/** The limits of a ledger's reader, small enough for few payments to reach them. */
export interface Reading {
  /** Of the screened address the largest transfers are read each, and the others added up. */
  readonly transfers: number
  /** An unlabelled address that exchanged at least dust with more is a hub. */
  readonly hubCounterparties: number
}

/** Everything that a decision reads, with the names of the world. The truth is a view from which nothing is hidden. */
export interface View {
  readonly chain: 'ETH' | 'BTC' | 'BSC'
  readonly labels: Readonly<Partial<Record<Name, readonly LabelFacts[]>>>
  readonly labelSets: readonly LabelSetState[]
  readonly labelView: 'current' | 'lagging'
  readonly ledger: 'examined' | 'late' | 'failed' | 'none'
  readonly transfers: readonly Transfer[]
  readonly ranges: readonly DeclaredRange[]
  readonly followed: readonly Name[]
  readonly truncated: boolean
  /** Prices by symbol and UTC day; null if no table was imported. */
  readonly prices: ReadonlyMap<string, bigint> | null
  readonly chainInputs: ChainInputs
  readonly cluster: ClusterRecord | null
  /** Absent: nobody sent tokens that no table knows. */
  readonly unknownTokens?: readonly UnknownTokens[]
  /** Paths are followed through these too: CoinJoins, of which the share of each input is known. */
  readonly nodes?: readonly string[]
  /** What a reader with small limits leaves of many transfers; absent: it reads all. */
  readonly reading?: Reading
  /** The address on another chain, which the caller does not name. Labels and lists are those of the world. */
  readonly elsewhere?: View
  /** Labels of the addresses that spend together with one of the world. */
  readonly mates?: Readonly<Partial<Record<Name, readonly (readonly LabelFacts[])[]>>>
}

export const addressNamed = (name: Name): string => addressOf(names.indexOf(name) + 10)
export const nameOf = (address: string): Name => names.find((name) => addressNamed(name) === address)!

/** A minute before midnight, UTC, so that most worlds span two days. */
export const START_S = 1_700_006_340
export const BLOCK_S = 12
/** First block of a world. */
export const FIRST_BLOCK = 1_000

export interface AssetOfWorld {
  readonly symbol: string
  readonly kind: 'native' | 'internal' | 'token' | 'utxo'
  readonly contract: string
  /** For value and dust, all assets of one group are one asset. */
  readonly group: 'native' | 'usd'
  readonly decimals: number
  /** About 25 US dollars, in base units. */
  readonly dust: bigint
}

const stable = (symbol: string, contract: string, decimals: bigint): AssetOfWorld => ({
  symbol,
  kind: 'token',
  contract,
  group: 'usd',
  decimals: Number(decimals),
  dust: 25n * 10n ** decimals,
})
const ether = { symbol: 'ETH', contract: '', group: 'native', decimals: 18, dust: 10n ** 16n } as const
export const assetsOf: Readonly<Record<View['chain'], readonly AssetOfWorld[]>> = {
  ETH: [
    { ...ether, kind: 'native' },
    { ...ether, kind: 'internal' },
    stable('USDT', '0xdac17f958d2ee523a2206206994597c13d831ec7', 6n),
    stable('USDC', '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', 6n),
    stable('DAI', '0x6b175474e89094c44da98b954eedeac495271d0f', 18n),
  ],
  BSC: [{ ...ether, symbol: 'BNB', kind: 'native', dust: 3n * 10n ** 16n }],
  BTC: [{ symbol: 'BTC', kind: 'utxo', contract: '', group: 'native', decimals: 8, dust: 50_000n }],
}

export const assetOf = (
  chain: View['chain'],
  { contract, kind }: Pick<Transfer, 'contract' | 'kind'>,
): AssetOfWorld =>
  assetsOf[chain].find((asset) => asset.contract === contract && (contract !== '' || asset.kind === kind))!

/** Possible senders and receivers. Most routes lead over an intermediary to the screened address, or from it. */
const routes: readonly (readonly [Name, Name])[] = [
  ['stranger', 'a'],
  ['exchange', 'a'],
  ['b', 'a'],
  ['a', 'c'],
  ['stranger', 'b'],
  ['thief', 'b'],
  ['sanctioned', 'b'],
  ['b', 'a'],
  ['a', 'stranger'],
  ['a', 'exchange'],
  ['c', 'extorter'],
  ['c', 'sanctioned'],
  ['thief', 'a'],
  ['swindler', 'a'],
  ['sanctioned', 'a'],
  ['a', 'sanctioned'],
  ['a', 'extorter'],
  ['a', 'thief'],
  ['b', 'c'],
  ['a', 'b'],
]

/** In quarters of the dust. */
const sizes = [1n, 2n, 4n, 16n, 160n, 1_600n, 8_000n] as const

function drawnTransfers(chain: View['chain'], draws: readonly number[]): readonly Transfer[] {
  const held = new Map<string, bigint>()
  let [block, index] = [FIRST_BLOCK, 0]
  return draws.flatMap((drawn, made): Transfer[] => {
    const choose = chooser(drawn)
    const [from, to] = choose(routes)
    const assets = assetsOf[chain]
    const asset = choose([...assets, assets[0]!])
    const wanted = (choose(sizes) * asset.dust) / 4n
    const later = choose([0, 1, 1, 5])
    block += later
    index = later === 0 ? index + 1 : 0
    // A wallet cannot send with a trace.
    const kind = asset.kind === 'internal' && from === 'a' ? 'native' : asset.kind
    const key = `${from} ${asset.contract}`
    const has = held.get(key) ?? 0n
    const isFollowed = 'abc'.includes(from)
    const amount = isFollowed && has < wanted ? has : wanted
    if (amount === 0n) return []
    if (isFollowed) held.set(key, has - amount)
    held.set(`${to} ${asset.contract}`, (held.get(`${to} ${asset.contract}`) ?? 0n) + amount)
    return [
      {
        id: (made + 1).toString(16).padStart(32, '0'),
        txHash: `0x${(made + 1).toString(16).padStart(64, '0')}`,
        kind,
        contract: asset.contract,
        from: addressNamed(from),
        to: addressNamed(to),
        amount,
        blockNumber: block,
        occurredAtS: START_S + (block - FIRST_BLOCK) * BLOCK_S,
        index,
        position: 0,
        proven: true,
        coinJoin: false,
      },
    ]
  })
}

/** The date of the designation: unknown, before every transfer, or in the middle of the world. */
const designations = [null, '2020-01-01T00:00:00.000Z', new Date((START_S + 60) * 1_000).toISOString()]

function drawnLabels(chain: View['chain'], drawn: number): View['labels'] {
  const choose = chooser(drawn)
  const at = (name: Name, made: LabelFacts): readonly LabelFacts[] => [
    { ...made, chain, address: addressNamed(name) },
  ]
  const own = choose<'none' | 'designated' | 'restated' | 'stolen' | 'weak' | 'clean' | 'both'>([
    'none',
    'none',
    'none',
    'clean',
    'none',
    'designated',
    'stolen',
    'both',
    'weak',
    'restated',
  ])
  const screened = {
    none: [],
    designated: at('a', ofacLabel()),
    restated: at('a', restatement()),
    stolen: at('a', label({ category: 'stolen', confidencePpm: 900_000 })),
    weak: at('a', label({ category: 'scam', confidencePpm: 200_000 })),
    clean: at('a', cleanLabel({ source: 'exchanges', dataset: 'exchanges' })),
    both: [
      ...at('a', cleanLabel({ source: 'exchanges', dataset: 'exchanges' })),
      ...at('a', label({ category: 'scam', confidencePpm: 350_000 })),
    ],
  }[own]
  return {
    a: screened,
    sanctioned: at('sanctioned', ofacLabel({ validFrom: choose(designations) })),
    thief: at('thief', label({ category: 'stolen', confidencePpm: 900_000 })),
    swindler: at('swindler', label({ category: 'scam', confidencePpm: 700_000 })),
    extorter: at('extorter', label({ category: 'scam', subcategory: 'ransomware', confidencePpm: 900_000 })),
    exchange: at('exchange', cleanLabel({ source: 'exchanges', dataset: 'exchanges' })),
  }
}

export const trueSets: readonly LabelSetState[] = [
  ofacSet({ asOf: '2026-11-20', refreshConfigured: true, visible: 1_000, total: 1_000, whole: true }),
  labelSet({ visible: 1_000, total: 1_000 }),
  labelSet({ source: 'exchanges', dataset: 'exchanges', visible: 1_000, total: 1_000 }),
  labelSet({ source: 'some_pack', dataset: 'some_pack', visible: 1_000, total: 1_000 }),
]

/** Micro-dollars of each asset on the days of a world; no price is round. */
export const truePrices = (chain: View['chain']): ReadonlyMap<string, bigint> =>
  new Map(
    assetsOf[chain].flatMap(({ symbol, group }) =>
      worldDays.map((day, index): [string, bigint] => [
        `${symbol} ${day}`,
        (group === 'usd' ? 999_983n : 2_345_678_901n) + BigInt(index),
      ]),
    ),
  )
const DAY_S = 86_400
/** Every day on which a world may have a transfer. */
export const worldDays: readonly string[] = [0, 1].map((day) =>
  new Date((START_S + day * DAY_S) * 1_000).toISOString().slice(0, 10),
)

const NOW_S = Date.parse(GENERATED_AT) / 1_000
const kindsOfAccounts = ['native', 'internal', 'token'] as const
const kindsOf = { ETH: kindsOfAccounts, BSC: kindsOfAccounts, BTC: ['native'] } as const
export const trueRanges = (chain: View['chain']): readonly DeclaredRange[] =>
  kindsOf[chain].map((kind) => ({ kind, fromHeight: 0, toHeight: 2_000, toAtS: NOW_S - 3_600 }))

/** Base units of an asset, without a contract of the native one, that the address received and did not pass on. */
export function netOf(transfers: readonly Transfer[], address: string, asset = ''): bigint {
  return transfers.reduce((sum, { contract, from, to, amount }) => {
    if (contract !== asset) return sum
    return sum + (to === address ? amount : 0n) - (from === address ? amount : 0n)
  }, 0n)
}

/** An honest node's answer about the screened address. */
export function nodeSays(chain: View['chain'], transfers: readonly Transfer[]): ChainFact {
  const address = addressNamed('a')
  const sent = transfers.filter(({ from }) => from === address)
  const touched = transfers.filter(({ from, to }) => from === address || to === address)
  return chainFact({
    chain,
    balanceBaseUnits: String(netOf(transfers, address)),
    txCount: chain === 'BTC' ? new Set(touched.map(({ txHash }) => txHash)).size : sent.length,
    txCountKind: chain === 'BTC' ? 'total' : 'outgoing',
    isContract: chain === 'BTC' ? null : false,
    tokens: assetsOf[chain]
      .filter(({ contract }) => contract !== '')
      .map(({ symbol, contract, decimals }) => ({
        ...{ asset: symbol, decimals },
        amountBaseUnits: String(netOf(transfers, address, contract)),
      })),
  })
}

function drawnCluster(chain: View['chain'], drawn: number): ClusterRecord | null {
  const choose = chooser(drawn)
  const made = choose([null, null, label({ category: 'stolen', confidencePpm: 900_000 }), ofacLabel()])
  if (chain !== 'BTC' || made === null) return null
  const member = addressOf(99)
  const facts = { ...made, chain, address: member }
  const considered = { ...facts, status: 'live', isLiveDesignation: false, used: true, reason: '' }
  return {
    clusterId: member,
    size: 2,
    ledgerSeq: 7,
    stopped: '',
    labels: [{ member, txHash: `0x${'c'.repeat(64)}`, label: considered }],
  }
}

/** The labels of a world on another chain. A clean label does not cross chains, so a service has one on each. */
export function elsewhereOf({ elsewhere, labels, labelSets, labelView }: View): View | null {
  if (elsewhere === undefined) return null
  const { chain } = elsewhere
  const onChain = (one: LabelFacts): LabelFacts =>
    one.category === 'clean_exchange' ? { ...one, chain, labelId: `${one.labelId} on ${chain}` } : one
  const ofChain = Object.entries(labels).map(([name, list]) => [name, list.map(onChain)] as const)
  return { ...elsewhere, labelSets, labelView, labels: Object.fromEntries(ofChain) }
}

/** The whole truth of one world. */
export function drawnWorld(moves: readonly number[], labels: number, rest: number): View {
  const choose = chooser(rest)
  const chain = choose(['ETH', 'ETH', 'BTC'] as const)
  const isAsked = choose([true, true, false])
  const world = worldOn(chain, { moves, isAsked })
  const cluster = drawnCluster(chain, choose([0, 1, 2, 3]))
  const isElsewhere = choose([false, false, true]) && chain === 'ETH'
  const elsewhere = isElsewhere
    ? { elsewhere: worldOn('BSC', { moves: moves.slice(0, 3), isAsked: choose([true, false]) }) }
    : {}
  return { ...world, cluster, labels: drawnLabels(chain, labels), ...elsewhere }
}

function worldOn(
  chain: View['chain'],
  { moves, isAsked }: { readonly moves: readonly number[]; readonly isAsked: boolean },
): View {
  const transfers = drawnTransfers(chain, moves)
  return {
    chain,
    labels: {},
    labelSets: trueSets,
    labelView: 'current',
    ledger: 'examined',
    transfers,
    ranges: trueRanges(chain),
    followed: ['b', 'c'],
    truncated: false,
    prices: truePrices(chain),
    chainInputs: isAsked
      ? { stage: 'answered', facts: [nodeSays(chain, transfers)] }
      : { stage: '', facts: [] },
    cluster: null,
  }
}

const number = fc.noBias(fc.nat(2 ** 31 - 1))
export const worldDraws = fc.tuple(fc.array(number, { minLength: 1, maxLength: 12 }), number, number)
