/** Made-up neighbourhoods for property tests of exposure, in the simple terms of the reference. */
import fc from 'fast-check'
import { chooser } from './chooser.js'
import type { TaintMethod } from '../src/index.js'
import { WRAPPER, type ReferenceCase, type ReferenceToken, type ReferenceTransfer } from './reference-case.js'
import { THEN, type ReferenceSource } from './reference-taint.js'

/** `a` is screened. */
export const nodes = ['a', 'b', 'c', 'd', 'e', 'f'] as const
const others = nodes.slice(1)

/** The declared ranges of a ledger, and the gaps that each of them leaves. */
export const histories = {
  whole: [],
  'without traces': ['no_traces'],
  'without tokens': ['no_tokens'],
  'from a later height': ['range_gap'],
  'with a gap': ['range_gap'],
  'until 30 hours ago': ['range_gap'],
  'into the future': ['range_in_future'],
  none: ['no_tokens', 'no_traces', 'range_gap'],
} as const
export type History = keyof typeof histories

export interface DrawnNeighbourhood extends ReferenceCase {
  readonly history: History
  readonly truncated: boolean
  readonly prices: (typeof priceChoices)[number]
}

/** Most transfers form paths: from sources over other addresses to the screened address, and back. */
const routes = [
  [
    ['e', 'f', 'b', 'j'],
    ['b', 'c', 'd', 'j'],
  ],
  [
    ['b', 'c', 'd', 'j'],
    ['a', 'a', 'c'],
  ],
  [nodes, nodes],
] as const
/** `z` is an address without an owner, `j` a CoinJoin, `i` what the chain itself gives, `w` the contract of the wrapped coin. */
const sparse = ['a', ...nodes, 'z', 'j', 'i', WRAPPER]

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)
const amounts = upTo(41)
const masks = upTo(32)
const dusts = upTo(20)
/** In units of eight hours, so that a history lasts some days. */
export const TIME_UNIT_S = 8 * 3_600
const times = [0, 1, 2, 3, 4, 5, 6, null]
/** Most are of one asset, some of the two assets of one value, some of another, and few of an asset that does not count. */
const assetChoices = [
  ...Array<''>(8).fill(''),
  'usdt',
  'usdt',
  'dai',
  'wbtc',
  'weth',
  'unknown token',
] as const
export const MILLION_MILLION = 10n ** 12n
/** FIFO moves single base units, so it has only stablecoins of few decimals. */
const assetsFor = (method: TaintMethod): DrawnNeighbourhood['assets'] => ({
  '': { group: '', scale: 1n, decimals: 18 },
  usdt: { group: 'usd', scale: MILLION_MILLION, decimals: 6 },
  ...(method === 'fifo'
    ? { usdc: { group: 'usd', scale: MILLION_MILLION, decimals: 6 } }
    : { dai: { group: 'usd', scale: 1n, decimals: 18 } }),
  wbtc: { group: 'wbtc', scale: 1n, decimals: 8 },
  weth: { group: '', scale: 1n, decimals: 18, wraps: '' },
})

interface Drawing {
  readonly method: TaintMethod
  readonly scale: bigint
  /** Every block and every position in it is known. */
  readonly isOrdered: boolean
}

function drawnTransfer(
  drawn: number,
  more: number,
  { method, scale, isOrdered }: Drawing,
  at: number,
): ReferenceTransfer {
  const choose = chooser(drawn)
  const chooseMore = chooser(more)
  const route = choose([0, 1, 2, 0, 1, 2, 0, 1])
  const [first, second] = at % 6 === 5 ? [sparse, sparse] : routes[route]!
  const [one, other] = [choose<string>(first), choose<string>(second)]
  const turned = choose([false, true])
  const drawnAsset = chooseMore(assetChoices)
  const drawnAmount = BigInt(choose(amounts)) * scale
  const [time, proven] = [choose(times), choose([true, false, true])]
  const block = choose([5, 5, 6, 6, 7, 8, 9, null])
  const [index, position] = [chooseMore([0, 1, 2, null]), chooseMore([0, 1, null])]
  const hash = chooseMore([`unlike ${at}`, `unlike ${at}`, `unlike ${at}`, 'one', 'other', ''])
  const [sender, receiver] = turned ? [other, one] : [one, other]
  // Nobody pays the chain.
  const [from, to] = receiver === 'i' ? [receiver, sender] : [sender, receiver]
  const isWrapped = [from, to].includes(WRAPPER)
  const asset = isWrapped ? '' : drawnAsset === 'dai' && method === 'fifo' ? 'usdc' : drawnAsset
  return {
    id: String(at).padStart(4, '0'),
    hash,
    from,
    to,
    amount: drawnAmount * (asset === 'dai' ? MILLION_MILLION : 1n),
    time,
    day: time === null ? null : dayOf(time),
    proven,
    asset,
    block: isOrdered ? (block ?? 9) : block,
    index: isOrdered ? at : index,
    position: isOrdered ? 0 : position,
    coinJoin: from === 'j' || to === 'j',
  }
}

export const START_S = 1_700_000_000
export const dayOf = (time: number): string =>
  new Date((START_S + time * TIME_UNIT_S) * 1_000).toISOString().slice(0, 10)

const categoryChoices = [
  'sanctions/',
  'sanctions/',
  'sanctions/',
  'scam/',
  'stolen/',
  'mixer/',
  'darknet/',
  'scam/ransomware',
  'darknet/csam',
  'darknet/terrorist_financing',
] as const
export const confidences = [300_000, 499_999, 500_000, 777_777, 1_000_000] as const
export const DESIGNATED_AT = 3
/** The confidence C of a CoinJoin, which has no label. */
export const COINJOIN_PPM = 1_000_000

/** Sources of addresses and of the contracts of assets, and when designations were in force that have ended since. */
function drawnSources(drawn: number): Pick<ReferenceCase, 'sources' | 'ended'> {
  const choose = chooser(drawn)
  const found = new Set([choose(['e', 'f']), choose(others)])
  // One number does not hold so many choices.
  const chooseMore = chooser(Math.imul(drawn, 2_654_435_761) >>> 0)
  const kind = chooseMore(['live', 'live', 'cluster', 'ended', 'ended'] as const)
  const sources = [...found].map((name): [string, readonly ReferenceSource[]] => {
    const list = [choose([1, 2]), 1].slice(0, choose([1, 2])).map((): ReferenceSource => {
      const [category, subcategory] = choose(categoryChoices).split('/') as [string, string]
      const ppm = choose(confidences)
      const designatedAt = choose([DESIGNATED_AT, null, DESIGNATED_AT])
      return kind === 'cluster'
        ? { category, subcategory: '', ppm: inCluster(ppm), designatedAt, cluster: true }
        : { category, subcategory, ppm, designatedAt }
    })
    return [name, [...new Map(list.map((one) => [one.category, one])).values()]]
  })
  const [[first, ofFirst]] = sources as [[string, readonly ReferenceSource[]]]
  const others_ = ofFirst.filter(({ category }) => category !== 'sanctions')
  const interval = chooseMore([
    { from: 1, to: 4 },
    { from: null, to: 3 },
    { from: 2, to: 9 },
  ])
  const past: ReferenceSource = {
    ...{
      category: 'sanctions',
      subcategory: '',
      ppm: 1_000_000,
      designatedAt: interval.from,
      historical: true,
    },
  }
  const contract = chooseMore(['', '', '', '', '', 'usdt', 'wbtc', 'new token'])
  const coinJoin = { category: 'mixer', subcategory: 'coinjoin', ppm: COINJOIN_PPM, designatedAt: null }
  const issuer = {
    category: chooseMore(['sanctions', 'scam', 'sanctions']),
    subcategory: '',
    designatedAt: null,
  }
  return {
    sources: {
      ...Object.fromEntries(sources),
      ...(kind === 'ended' ? { [first]: others_, [first + THEN]: [...others_, past] } : {}),
      ...(contract === ''
        ? {}
        : { [contract]: [{ ...issuer, ppm: chooseMore([1_000_000, 400_000, 1_000_000]) }] }),
      j: [coinJoin],
    },
    ended: kind === 'ended' ? { [first]: interval } : {},
  }
}

/** What a label of another member of the cluster counts. */
export const inCluster = (ppm: number): number => Math.floor((ppm * 9 + 5) / 10)

function drawnTokens(drawn: number): readonly ReferenceToken[] {
  const choose = chooser(drawn)
  const count = choose([0, 0, 0, 0, 1, 2])
  const tokens = Array.from({ length: count }, (): ReferenceToken => ({
    ...{ direction: choose(['in', 'out'] as const), contract: choose(['new token', 'other new token']) },
    ...{ counterparty: choose(others), amount: BigInt(choose([1, 7, 1_000])), transfers: choose([1, 3]) },
  }))
  const keyOf = ({ direction, contract, counterparty }: ReferenceToken): string =>
    `${direction} ${contract} ${counterparty}`
  return [...new Map(tokens.map((one) => [keyOf(one), one])).values()]
}

/** Further transfers of the address, added up, of those that a limit leaves out. */
function bundlesOf(left: readonly ReferenceTransfer[], drawn: number): readonly ReferenceTransfer[] {
  const choose = chooser(drawn)
  return left
    .filter(({ asset, from, to, amount }) => asset !== 'unknown token' && from !== to && amount > 0n)
    .map((one) => ({
      ...{ ...one, id: `b${one.id}`, hash: '', index: null, position: null },
      // Of one day.
      bundle: { transfers: choose([1, 2, 5]), firstTime: one.time },
    }))
}

/** Shares can be taken only of a whole history, so most histories are whole. */
const historyDraws = [...(Object.keys(histories) as History[]), 'whole', 'whole', 'whole'] as const
const priceChoices = ['none', 'all', 'not every day', 'not every asset'] as const

const PRICES: Readonly<Record<string, bigint>> = {
  '': 2_345_678_901n,
  usdt: 999_123n,
  usdc: 1_000_001n,
  dai: 1_000_000n,
  wbtc: 2_345_000_000n,
}

/** A price for each asset and day, if the table of the case has one. */
export function priceIn(prices: (typeof priceChoices)[number], asset: string, day: string): bigint | null {
  if (prices === 'none' || (prices === 'not every asset' && asset === 'usdt')) return null
  if (prices === 'not every day' && day === dayOf(2)) return null
  return PRICES[asset] === undefined ? null : PRICES[asset] + BigInt(day.slice(-2))
}

const weights = { sanctions: 1, darknet: 0.95, stolen: 0.95, scam: 0.9, mixer: 0.85 }
const number = fc.noBias(fc.nat(2 ** 31 - 1))
const transfersOf = (minLength: number, maxLength: number) =>
  fc.array(fc.tuple(number, number), { minLength, maxLength })

/** Neighbourhoods for one of the given methods; one in 33 is as large as the reference can handle. */
export const drawnNeighbourhoods = (methods: readonly TaintMethod[]): fc.Arbitrary<DrawnNeighbourhood> =>
  fc
    .tuple(
      fc.oneof({ arbitrary: transfersOf(3, 14), weight: 32 }, { arbitrary: transfersOf(15, 30), weight: 1 }),
      number,
      number,
    )
    .map(([draws, labels, rest]) => drawnNeighbourhood(methods, draws, labels, rest))

function drawnNeighbourhood(
  methods: readonly TaintMethod[],
  draws: readonly (readonly [number, number])[],
  labels: number,
  rest: number,
): DrawnNeighbourhood {
  const choose = chooser(rest)
  const method = choose(methods)
  const scale = method === 'fifo' ? 1n : choose([1n, 1n, 997n, 10n ** 12n + 39n])
  const isOrdered = choose([true, true, false])
  const transfers = draws.map(([one, more], at) => drawnTransfer(one, more, { method, scale, isOrdered }, at))
  const mask = choose(masks)
  const followed = [...others.filter((_, index) => mask & (1 << index)), ...choose([[], ['j']])]
  const { sources, ended } = drawnSources(labels)
  const clean = choose(['', '', 'd', 'f'])
  const [hops, dust] = [choose([1, 2, 3, 4]), BigInt(1 + choose(dusts)) * scale]
  const [history, truncated, isCleanService] = [
    choose(historyDraws),
    choose([false, false, false, false, false, false, false, true]),
    choose([false, false, false, false, false, false, false, true]),
  ]
  const prices = choose(priceChoices)
  // With an address that is followed each of its transfers is read.
  const isUnfollowed = ({ from, to }: ReferenceTransfer): boolean =>
    ![from, to].some((at) => followed.includes(at))
  const own = transfers.filter(({ from, to }) => from === 'a' || to === 'a')
  const read = truncated ? own.slice(0, -1 - (labels % 3)) : own
  return {
    screened: 'a',
    transfers,
    assets: assetsFor(method),
    ...{ sources, ended },
    bundles: truncated ? bundlesOf(own.slice(read.length).filter(isUnfollowed), labels) : [],
    unknownTokens: drawnTokens(labels),
    clean: clean === '' ? [] : [clean],
    followed,
    // A hub has no label and is not followed.
    hubs: choose([true, false])
      ? others.filter(
          (at) =>
            !followed.includes(at) && sources[at] === undefined && ended[at] === undefined && at !== clean,
        )
      : [],
    hops,
    method,
    ownIds: read.map(({ id }) => id),
    undeclared: histories[history],
    history,
    truncated,
    isCleanService,
    dust: { '': dust, usd: dust * MILLION_MILLION, wbtc: dust },
    weights,
    prices,
    priceOf: (asset, day) => priceIn(prices, asset, day),
  }
}
