/**
 * What an adversary does on the chain to bring designated money to a clean wallet: each move ends in value of a designated address, so
 * none of them may leave the wallet green, however whole and fresh everything is that a screening reads.
 */
import { type LabelFacts, type Transfer, writtenForms } from '../src/index.js'
import {
  addressNamed,
  assetsOf,
  BLOCK_S,
  FIRST_BLOCK,
  nodeSays,
  START_S,
  truePrices,
  trueRanges,
  trueSets,
  type AssetOfWorld,
  type Name,
  type Reading,
  type View,
} from './adversary-world.js'
import { chooser } from './chooser.js'
import { addressOf } from './exposure-builders.js'
import { cleanLabel, ofacLabel } from './judgement-builders.js'

type Choose = <T>(choices: readonly T[]) => T
export interface Move {
  readonly on: readonly View['chain'][]
  /** The least level that the visible facts prove; absent: it is only not green. */
  readonly least?: 'orange'
  readonly play: (world: View, choose: Choose) => View
}

const BURN = `0x${'0'.repeat(40)}`
const both = ['ETH', 'BTC'] as const

/** Adds a payment in a block of its own; the sender's funds are the mover's concern. */
function pay(
  world: View,
  [from, to]: readonly [string, string],
  asset: AssetOfWorld,
  amount: bigint,
  more: Partial<Transfer> = {},
): View {
  const made = world.transfers.length
  const block = FIRST_BLOCK + made
  const transfer: Transfer = {
    ...{
      id: (made + 1).toString(16).padStart(32, '0'),
      txHash: `0x${(made + 1).toString(16).padStart(64, '0')}`,
    },
    ...{
      kind: asset.kind,
      contract: asset.contract,
      from,
      to,
      amount,
      blockNumber: block,
      index: 0,
      position: 0,
    },
    ...{ occurredAtS: START_S + made * BLOCK_S, proven: true, coinJoin: false, ...more },
  }
  return told({ ...world, transfers: [...world.transfers, transfer] })
}

/** The node knows what happened. */
const told = (world: View): View => ({
  ...world,
  chainInputs: { stage: 'answered', facts: [nodeSays(world.chain, world.transfers)] },
})

const route = (world: View, stations: readonly Name[], asset: AssetOfWorld, amount: bigint): View =>
  stations
    .slice(1)
    .reduce(
      (left, to, at) => pay(left, [addressNamed(stations[at]!), addressNamed(to)], asset, amount),
      world,
    )

const labelled = (world: View, name: Name, label: LabelFacts): View => ({
  ...world,
  labels: {
    ...world.labels,
    [name]: [{ ...label, chain: world.chain, address: addressNamed(name) }],
  },
})
const designated = (world: View): View => labelled(world, 'sanctioned', ofacLabel())

/** A wallet that an exchange funded, and that paid others: green until somebody moves. Some are known on a second chain. */
export function cleanWorld(drawn: number): View {
  const choose = chooser(drawn)
  const chain = choose(['ETH', 'ETH', 'BTC'] as const)
  const world = cleanOn(chain, choose)
  return chain === 'ETH' && choose([true, false, false])
    ? { ...world, elsewhere: cleanOn('BSC', choose) }
    : world
}

const emptyOn = (chain: View['chain']): View => ({
  ...{ chain, labels: {}, labelSets: trueSets, labelView: 'current', ledger: 'examined', transfers: [] },
  ...{ ranges: trueRanges(chain), followed: ['b', 'c'], truncated: false, prices: truePrices(chain) },
  ...{ chainInputs: { stage: '', facts: [] }, cluster: null },
})

function cleanOn(chain: View['chain'], choose: Choose): View {
  const world = designated(
    labelled(emptyOn(chain), 'exchange', cleanLabel({ source: 'exchanges', dataset: 'exchanges' })),
  )
  const used = assetsOf[chain].filter((_, at) => at === 0 || choose([true, false]))
  const funded = used.reduce(
    (left, asset) => route(left, ['exchange', 'a'], asset, choose([100n, 1_000n, 20_000n]) * asset.dust),
    world,
  )
  const [first] = used
  return choose([true, false])
    ? route(
        funded,
        ['a', choose(['stranger', 'exchange'] as const)],
        { ...first!, kind: nativeOf(first!) },
        10n * first!.dust,
      )
    : funded
}

/** Brings money of the payer to the wallet on another chain. */
function payElsewhere(world: View, payer: Name, units: bigint): View {
  const elsewhere = world.elsewhere ?? emptyOn('BSC')
  const [asset] = assetsOf[elsewhere.chain]
  return { ...world, elsewhere: route(elsewhere, [payer, 'a'], asset!, units * asset!.dust) }
}

/** A wallet cannot send with a trace. */
const nativeOf = ({ kind }: AssetOfWorld) => (kind === 'internal' ? ('native' as const) : kind)

const incoming = (world: View, { group }: AssetOfWorld): bigint =>
  world.transfers
    .filter((one) => one.to === addressNamed('a'))
    .map((one) => ({
      amount: one.amount,
      asset: assetsOf[world.chain].find(({ contract }) => contract === one.contract)!,
    }))
    .filter(({ asset }) => asset.group === group)
    // In millionths of dust, which assets of one group share.
    .reduce((sum, { amount, asset }) => sum + (amount * 1_000_000n) / asset.dust, 0n)

/** A fifth of all that the wallet has received of the asset, and at least a few times the dust. */
const noticeable = (world: View, asset: AssetOfWorld): bigint =>
  (incoming(world, asset) * asset.dust) / 4_000_000n + 3n * asset.dust

const READING: Reading = { transfers: 6, hubCounterparties: 5 }
/** Addresses of which nothing is known. */
const strangers = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => addressOf(500 + at))

const anyAsset = (world: View, choose: Choose): AssetOfWorld => choose(assetsOf[world.chain])
const TRON = 'TRX'

export const moves: Readonly<Record<string, Move>> = {
  'pays on a chain that the caller does not name': {
    on: ['ETH'],
    least: 'orange',
    play: (world, choose) => payElsewhere(world, 'sanctioned', choose([2n, 60n])),
  },
  'pays as a stranger on a chain that the caller does not name': {
    on: ['ETH'],
    play: (world) => payElsewhere(world, 'stranger', 90_000n),
  },
  'pays with a token that no table knows': {
    on: ['ETH'],
    play: (world, choose) => ({
      ...world,
      unknownTokens: [
        {
          ...{ direction: choose(['in', 'out'] as const), contract: `0x${'ab'.repeat(20)}` },
          ...{ counterparty: addressNamed('sanctioned'), amount: choose([1n, 10n ** 24n]), transfers: 1 },
        },
      ],
    }),
  },
  'mints in between': {
    on: ['ETH'],
    play: (world, choose) => {
      const asset = choose(assetsOf.ETH.filter(({ kind }) => kind === 'token'))
      const amount = choose([1n, 40n, 5_000n]) * asset.dust
      const burnt = pay(world, [addressNamed('sanctioned'), BURN], asset, amount)
      return pay(burnt, [BURN, addressNamed('a')], asset, amount)
    },
  },
  'pays equal outputs as a CoinJoin does': {
    on: ['BTC'],
    play: (world, choose) => {
      const [asset] = assetsOf.BTC
      const amount = choose([1n, 5n, 500n]) * asset!.dust
      const outputs = choose([3, 10])
      const node = `coinjoin:0x${'c'.repeat(64)}`
      // Whoever pays all inputs is not taken for many; if others take part, the transaction is a node with known shares.
      const paid = choose([true, false])
        ? pay(world, [addressNamed('sanctioned'), node], asset!, BigInt(outputs) * amount, { coinJoin: true })
        : ['sanctioned', ...strangers(outputs - 1)].reduce(
            (left, payer) =>
              pay(left, [payer === 'sanctioned' ? addressNamed(payer) : payer, node], asset!, amount, {
                coinJoin: true,
              }),
            world,
          )
      const left = pay(paid, [node, addressNamed('a')], asset!, amount, { coinJoin: true })
      return choose([true, false]) ? { ...left, nodes: [node] } : left
    },
  },
  'dusts an intermediary until it looks like a hub': {
    on: both,
    play: (world, choose) => {
      const asset = anyAsset(world, choose)
      const amount = choose([2n, 40n, 3_000n]) * asset.dust
      const paid = pay(world, [addressNamed('sanctioned'), addressNamed('b')], asset, amount)
      const isDear = choose([false, false, true])
      // With payments of dust it becomes a hub indeed, and what it pays is nobody's.
      const dusted = strangers(READING.hubCounterparties + choose([1, 4])).reduce(
        (left, payer) =>
          pay(left, [payer, addressNamed('b')], asset, isDear ? asset.dust : asset.dust / 1_000n),
        paid,
      )
      const brought = isDear ? noticeable(world, asset) : amount
      return { ...pay(dusted, [addressNamed('b'), addressNamed('a')], asset, brought), reading: READING }
    },
  },
  'floods the wallet with payments of nothing': {
    on: both,
    least: 'orange',
    play: (world, choose) => {
      const asset = anyAsset(world, choose)
      const paid = pay(
        world,
        [addressNamed('sanctioned'), addressNamed('a')],
        asset,
        choose([2n, 60n]) * asset.dust,
      )
      return {
        ...strangers(READING.transfers + choose([1, 6])).reduce(
          (left, payer) => pay(left, [payer, addressNamed('a')], asset, 1n),
          paid,
        ),
        reading: READING,
      }
    },
  },
  'hides behind many larger payments': {
    on: both,
    least: 'orange',
    play: (world, choose) => {
      const asset = anyAsset(world, choose)
      const paid = pay(
        world,
        [addressNamed('sanctioned'), addressNamed('a')],
        asset,
        choose([1n, 3n]) * asset.dust,
      )
      const larger = Array.from({ length: READING.transfers + choose([1, 3]) }, () => 10n * asset.dust)
      return {
        ...larger.reduce(
          (left, amount) => pay(left, [addressNamed('exchange'), addressNamed('a')], asset, amount),
          paid,
        ),
        reading: READING,
      }
    },
  },
  'writes the designated address in another form': {
    on: ['ETH'],
    least: 'orange',
    play: (world, choose) => {
      const address = addressNamed('sanctioned')
      const [twin] = writtenForms(address, 'ETH', TRON).filter((form) => form !== address)
      const form = choose([
        { chain: TRON, address: twin! },
        { chain: 'ETH', address: `0x${address.slice(2).toUpperCase()}` },
        { chain: 'BSC', address },
      ])
      const asset = anyAsset(world, choose)
      const paid = route(world, ['sanctioned', 'a'], asset, choose([2n, 60n]) * asset.dust)
      return { ...paid, labels: { ...paid.labels, sanctioned: [ofacLabel(form)] } }
    },
  },
  'pays out of the wallet of a designated address': {
    on: ['BTC'],
    play: (world, choose) => {
      const asset = anyAsset(world, choose)
      const paid = route(world, ['mate', 'a'], asset, choose([1n, 3n, 800n]) * asset.dust)
      return { ...paid, mates: { mate: [[ofacLabel({ chain: 'BTC' })]] } }
    },
  },
  'pays over three hops, the first from the wallet of a designated address': {
    on: both,
    play: (world, choose) => {
      const asset = anyAsset(world, choose)
      const paid = route(world, ['mate', 'c', 'b', 'a'], asset, noticeable(world, asset))
      return { ...paid, mates: world.chain === 'BTC' ? { mate: [[ofacLabel({ chain: 'BTC' })]] } : {} }
    },
  },
  'pays from a cluster that also holds a clean exchange': {
    on: ['BTC'],
    play: (world, choose) => {
      const asset = anyAsset(world, choose)
      const paid = route(
        world,
        choose([
          ['mate', 'a'],
          ['mate', 'b', 'a'],
        ] as const),
        asset,
        noticeable(world, asset),
      )
      const clean = cleanLabel({ chain: 'BTC', source: 'exchanges', dataset: 'exchanges' })
      return { ...paid, mates: { mate: [[ofacLabel({ chain: 'BTC' })], [clean]] } }
    },
  },
  'passes it on over another wallet': {
    on: both,
    play: (world, choose) => {
      const asset = anyAsset(world, choose)
      return route(
        world,
        ['sanctioned', choose(['b', 'c'] as const), 'a'],
        asset,
        choose([1n, 40n, 3_000n]) * asset.dust,
      )
    },
  },
  'is delisted after it paid': {
    on: both,
    play: (world, choose) => {
      const asset = anyAsset(world, choose)
      const stations = choose([
        ['sanctioned', 'a'],
        ['sanctioned', 'b', 'a'],
      ] as const)
      const paid = route(world, stations, asset, choose([2n, 60n, 900n]) * asset.dust)
      const ended = {
        validFrom: choose([null, '2020-01-01']),
        validTo: '2025-03-21',
        knownTo: '2025-03-22T00:00:00.000Z',
      }
      return labelled(paid, 'sanctioned', ofacLabel(ended))
    },
  },
  'is paid by the wallet itself': {
    on: both,
    least: 'orange',
    play: (world) => {
      const [asset] = assetsOf[world.chain]
      return route(world, ['a', 'sanctioned'], asset!, 1n)
    },
  },
}
