/** Compares the product's exposure with the reference's, over generated neighbourhoods. */
import fc from 'fast-check'
import type { ExposureBreakdown, ExposureCounterparty, ExposureMeasure } from '@cupel/contracts'
import { expect } from 'vitest'
import {
  attribute,
  ISSUANCE,
  withCluster,
  compiledDefaultPolicy,
  measureExposure,
  scoreExposure,
  type Attribution,
  type CompiledPolicy,
  type LabelFacts,
  type PriceTable,
  type ScoredExposure,
  type TaintMethod,
  type Transfer,
} from '../src/index.js'
import {
  confidences,
  drawnNeighbourhoods,
  inCluster,
  nodes,
  priceIn,
  START_S,
  TIME_UNIT_S,
  type DrawnNeighbourhood,
  type History,
} from './drawn-neighbourhoods.js'
import { addressOf, neighbourhood, policyWith, wholeHistory } from './exposure-builders.js'
import { cleanLabel, GENERATED_AT, label, ofacLabel, ofacSet, PUBLISHED_AT } from './judgement-builders.js'
import { greenDoubts } from '../src/scorer/1.0.0/risk/green-doubts.js'
import { referenceDoubts } from './reference-green.js'
import { referenceExposure, type ReferenceExposure } from './reference-exposure.js'
import { numberOf, type ReferenceShare, type ReferenceTransfer } from './reference-case.js'
import { isCertain } from './reference-order.js'
import { UNPROVEN } from './reference-points.js'
import { rareWords, seenWords, wordsOfCase } from './exposure-words.js'
import { THEN, type ReferenceInterval, type ReferenceSource } from './reference-taint.js'
import { fewestShown } from './variety.js'

/** Number of cases of all methods together, if there is no time budget. */
export const CASES = 100_000

const HOUR_S = 3_600
const NOW_S = Date.parse(GENERATED_AT) / 1_000
const BURN = `0x${'0'.repeat(40)}`
const COINJOIN_NODE = `coinjoin:0x${'c'.repeat(64)}`
const contracts: Readonly<Record<string, string>> = {
  '': '',
  usdt: '0xdac17f958d2ee523a2206206994597c13d831ec7',
  usdc: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  dai: '0x6b175474e89094c44da98b954eedeac495271d0f',
  wbtc: '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599',
  weth: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  'unknown token': addressOf(77),
  'new token': addressOf(78),
  'other new token': addressOf(79),
}
const symbols: Readonly<Record<string, string>> = {
  ETH: '',
  USDT: 'usdt',
  USDC: 'usdc',
  DAI: 'dai',
  WBTC: 'wbtc',
  WETH: 'weth',
}
/** The group of a record's contract. */
const groups: Readonly<Record<string, string>> = {
  ...{ '': '', usd: 'usd', [contracts['wbtc']!]: 'wbtc' },
  ...{ [addressOf(78)]: 'new token', [addressOf(79)]: 'other new token' },
}
const addresses: Readonly<Record<string, string>> = {
  ...Object.fromEntries(nodes.map((node, index) => [node, addressOf(index + 10)])),
  ...{ z: BURN, j: COINJOIN_NODE, i: ISSUANCE },
  ...{ w: contracts['weth']!, usdt: contracts['usdt']!, wbtc: contracts['wbtc']! },
  ...{ 'new token': contracts['new token']!, 'other new token': contracts['other new token']! },
}
const namesOf = new Map(Object.entries(addresses).map(([name, address]) => [address, name]))

const ranges: Readonly<Record<History, typeof wholeHistory>> = {
  whole: wholeHistory,
  'without traces': wholeHistory.filter(({ kind }) => kind !== 'internal'),
  'without tokens': wholeHistory.filter(({ kind }) => kind !== 'token'),
  'from a later height': wholeHistory.map((range) => ({ ...range, fromHeight: 2 })),
  'with a gap': wholeHistory.flatMap((range) =>
    range.kind !== 'native'
      ? [range]
      : [
          { ...range, toHeight: 6, toAtS: START_S },
          { ...range, fromHeight: 8 },
        ],
  ),
  'until 30 hours ago': wholeHistory.map((range) => ({ ...range, toAtS: NOW_S - 30 * HOUR_S })),
  'into the future': wholeHistory.map((range) => ({ ...range, toAtS: NOW_S + HOUR_S })),
  none: [],
}

/** There are few policies and labels. Compiling and attributing each of them once leaves the time to the comparison. */
const policies = new Map<string, CompiledPolicy>()
const attributionsOf = new Map<string, Attribution>()

function remembered<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}

const context = {
  chain: 'ETH',
  labelSets: [ofacSet()],
  generatedAt: GENERATED_AT,
  policy: compiledDefaultPolicy,
}
const nothingKnown = attribute([], context)

const cleanService = attribute([cleanLabel()], context)
const attributionOf = (sources: readonly ReferenceSource[], ended?: ReferenceInterval): Attribution =>
  remembered(attributionsOf, JSON.stringify([sources, ended]), () =>
    withCluster(
      attribute(
        [
          ...sources.filter((one) => one.cluster !== true).map(labelFor),
          ...(ended === undefined ? [] : [endedLabel(ended)]),
        ],
        context,
      ),
      sources
        .filter((one) => one.cluster === true)
        .map((one) => attribute([labelFor(memberOf(one))], context)),
      compiledDefaultPolicy,
    ),
  )

/** The label of the other member, of which the cluster takes a part. */
const memberOf = (one: ReferenceSource): ReferenceSource => ({
  ...one,
  ppm: confidences.find((ppm) => inCluster(ppm) === one.ppm)!,
})

const dateOf = (time: number | null): string | null =>
  time === null ? null : new Date((START_S + time * TIME_UNIT_S) * 1_000).toISOString()

/** Ended since: within its interval the address is another source. */
const endedLabel = ({ from, to }: ReferenceInterval): LabelFacts =>
  ofacLabel({ validFrom: dateOf(from), validTo: dateOf(to), knownTo: PUBLISHED_AT })

function labelFor({ category, subcategory, ppm, designatedAt }: ReferenceSource): LabelFacts {
  const validFrom = dateOf(designatedAt)
  const isDesignation = category === 'sanctions' && ppm === confidences.at(-1)
  return (isDesignation ? ofacLabel : label)({ category, subcategory, confidencePpm: ppm, validFrom })
}

const tables = new Map<string, PriceTable | null>()
const tableOf = (prices: DrawnNeighbourhood['prices']): PriceTable | null =>
  remembered(tables, prices, () =>
    prices === 'none'
      ? null
      : {
          sha256: 'e'.repeat(64),
          microUsdOf: (symbol, utcDay) => priceIn(prices, symbols[symbol] ?? symbol, utcDay),
        },
  )

const secondsOf = (time: number | null): number | null =>
  time === null ? null : START_S + time * TIME_UNIT_S

const asTransfer = (one: ReferenceTransfer): Transfer => ({
  id: one.id,
  txHash: one.hash,
  kind: one.asset === '' ? 'native' : 'token',
  contract: contracts[one.asset]!,
  from: addresses[one.from]!,
  to: addresses[one.to]!,
  amount: one.amount,
  blockNumber: one.block,
  occurredAtS: secondsOf(one.time),
  index: one.index,
  position: one.position,
  proven: one.proven,
  coinJoin: one.coinJoin,
  ...(one.bundle === undefined
    ? {}
    : { bundle: { transfers: one.bundle.transfers, firstAtS: secondsOf(one.bundle.firstTime) } }),
})

function byProduct(drawn: DrawnNeighbourhood): readonly string[] {
  const { hops, method, truncated, isCleanService } = drawn
  const policy = remembered(policies, `${method} ${hops}`, () => policyWith({ hops, method }))
  const around = neighbourhood(drawn.transfers.map(asTransfer), {
    address: addresses[drawn.screened]!,
    followed: drawn.followed.map((name) => addresses[name]!),
    cut: drawn.hubs.map((name) => ({ address: addresses[name]!, reason: 'hub', hops: 1 })),
    ranges: ranges[drawn.history],
    prices: tableOf(drawn.prices),
    truncated,
    bundles: drawn.bundles.map(asTransfer),
    unknownTokens: drawn.unknownTokens.map((one) => ({
      ...one,
      ...{ contract: contracts[one.contract]!, counterparty: addresses[one.counterparty]! },
    })),
    ...(truncated ? { ownIds: new Set(drawn.ownIds) } : {}),
  })
  const attributions = new Map(
    Object.entries(drawn.sources)
      .filter(([name]) => name !== 'j' && !name.endsWith(THEN))
      .map(([name, list]) => [addresses[name]!, attributionOf(list, drawn.ended[name])]),
  )
  for (const name of drawn.clean)
    if (!attributions.has(addresses[name]!)) attributions.set(addresses[name]!, cleanService)
  const { measures, breakdown, incomplete, ownTransfers, netBaseUnits, nets } = measureExposure(around, {
    attributionOf: (address) => attributions.get(address) ?? nothingKnown,
    generatedAt: GENERATED_AT,
    policy,
  })
  const inDust = measures.map((one) => ({ ...one, dust: String(drawn.dust[groups[one.contract]!]) }))
  const scored = scoreExposure(inDust, { policy, isCleanService })
  return [
    ...inDust.map((one, at) => lineOfMeasure(one, scored[at]!, drawn)),
    ...(truncated
      ? []
      : netLines([['', netBaseUnits!], ...nets.map((one) => [symbols[one.asset]!, one.baseUnits] as const)])),
    ...breakdown.flatMap(linesOfBreakdown),
    `incomplete: ${[...incomplete].sort().join()}`,
    `doubts: ${[...greenDoubts('ETH', { measures: inDust, breakdown, ownTransfers }, policy)].sort().join()}`,
  ].sort()
}

const shares = (list: readonly ExposureCounterparty[]): string =>
  list
    .map(
      ({ address, amount, microUsd, transfers }) =>
        `${namesOf.get(address)} ${amount} $${microUsd} ${transfers}`,
    )
    .sort()
    .join(', ')

const netLines = (nets: readonly (readonly [string, string])[]): readonly string[] =>
  nets.filter(([, units]) => units !== '0').map(([asset, units]) => `net of ${asset}: ${units}`)

/** Why an item may be limited that is not proven, if the case leaves no choice. */
const unprovenWord = ({ transfers, bundles }: DrawnNeighbourhood): string =>
  [...transfers, ...bundles].every(({ proven }) => proven)
    ? 'order_unknown'
    : isCertain(transfers)
      ? 'execution_unknown'
      : UNPROVEN

function lineOfMeasure(
  one: ExposureMeasure,
  { hundredths, contribution, evidence }: ScoredExposure,
  drawn: DrawnNeighbourhood,
): string {
  const isOpen = ['order_unknown', 'execution_unknown'].includes(evidence.capped_by ?? '')
  const cappedBy = isOpen && unprovenWord(drawn) === UNPROVEN ? UNPROVEN : evidence.capped_by
  const { category, subcategory, relation, direction, isWeak, contract } = one
  return [
    `${category}/${subcategory} ${relation} ${direction} ${isWeak} ${one.preDesignation === true} ${one.isCluster} ${one.isHistorical} ${groups[contract]}`,
    `${one.amount} of whole ${one.wholeAmount} of ${one.total}${one.totalComplete ? '' : '+'}, proven ${one.provenAmount}, $${one.microUsd}`,
    `${one.confidencePpm} ppm, of ${evidence.base} ${hundredths} by ${cappedBy}, weighted ${contribution}`,
    `${one.transfers} transfers ${one.firstAt}–${one.lastAt}`,
    shares(one.counterparties),
  ].join(': ')
}

const linesOfBreakdown = (one: ExposureBreakdown): readonly string[] => [
  `${one.direction} ${groups[one.contract]}: ${one.total} $${one.microUsd}${one.totalComplete ? '' : '+'}`,
  ...one.parts.map(
    (part) =>
      `${one.direction} ${groups[one.contract]} ${part.category} ${part.relation}: ${part.amount} $${part.microUsd}: ${shares(part.counterparties)}`,
  ),
]

/** Of what came in of an asset below 25 dollars nothing is asked. */
const ASSET_DUST = { '': 10n ** 16n, usd: 25n * 10n ** 18n, wbtc: 50_000n }

const doubtsOf = (exposure: ReferenceExposure, dust: DrawnNeighbourhood['dust']): readonly string[] =>
  referenceDoubts(exposure, { measured: dust, asset: ASSET_DUST })

function byReference(exposure: ReferenceExposure, drawn: DrawnNeighbourhood): readonly string[] {
  const { measures, breakdown, incomplete, nets } = exposure
  const { dust } = drawn
  const utc = (time: number | null): string | null =>
    time === null ? null : new Date((START_S + time * TIME_UNIT_S) * 1_000).toISOString()
  const sharesOf = (list: ReadonlyMap<string, ReferenceShare>): string =>
    [...list]
      .map(
        ([name, { amount, microUsd, transfers }]) => `${name} ${amount} $${microUsd} ${numberOf(transfers)}`,
      )
      .sort()
      .join(', ')
  return [
    ...[...measures].map(([key, one]) =>
      [
        key,
        `${one.amount} of whole ${one.wholeAmount} of ${one.total}${one.totalComplete ? '' : '+'}, proven ${one.provenAmount}, $${one.microUsd}`,
        `${one.confidencePpm} ppm, of ${one.base} ${one.hundredths} by ${one.cappedBy === UNPROVEN ? unprovenWord(drawn) : one.cappedBy}, weighted ${one.contribution}`,
        `${one.transfers} transfers ${utc(one.firstAt)}–${utc(one.lastAt)}`,
        sharesOf(one.counterparties),
      ].join(': '),
    ),
    ...[...breakdown].flatMap(([key, { total, microUsd, isComplete, parts }]) => [
      `${key}: ${total} $${microUsd}${isComplete ? '' : '+'}`,
      ...[...parts].map(
        ([part, one]) => `${key} ${part}: ${one.amount} $${one.microUsd}: ${sharesOf(one.counterparties)}`,
      ),
    ]),
    ...netLines([...nets].map(([asset, units]) => [asset, String(units)])),
    `incomplete: ${incomplete.join()}`,
    `doubts: ${[...doubtsOf(exposure, dust)].sort().join()}`,
  ].sort()
}

/** The facts that a reader of a failed case needs. */
const statedCase = (drawn: DrawnNeighbourhood): string =>
  [
    `${drawn.method} over ${drawn.hops} hops, history ${drawn.history}${drawn.truncated ? ', truncated' : ''}`,
    `followed ${drawn.followed.join()}, hubs ${drawn.hubs.join()}, clean ${drawn.clean.join()}, prices ${drawn.prices}`,
    ...Object.entries(drawn.sources).flatMap(([name, list]) =>
      list.map((one) => `${name}: ${Object.values(one).join(' ')}`),
    ),
    ...drawn.transfers.map(
      (one) =>
        `${one.id} ${one.from} → ${one.to}: ${one.amount} ${one.asset}, block ${one.block} ${one.index} ${one.position}, ` +
        `time ${one.time}, ${one.hash}${one.proven ? '' : ', unproven'}`,
    ),
  ].join('\n')

export interface Agreement {
  /** Holds if product and reference measure a neighbourhood alike. */
  readonly property: fc.IProperty<[DrawnNeighbourhood]>
  /** Number of cases that show each kind of result. Cases without any result agree but show nothing. */
  readonly seen: Map<string, number>
}

export function agreement(methods: readonly TaintMethod[]): Agreement {
  const seen = new Map(seenWords.map((word) => [word, 0]))
  const property = fc.property(drawnNeighbourhoods(methods), (drawn) => {
    const expected = referenceExposure(drawn)
    const [ours, theirs] = [byProduct(drawn).join('\n'), byReference(expected, drawn).join('\n')]
    if (ours !== theirs) expect(ours, statedCase(drawn)).toBe(theirs)
    const words = wordsOfCase(drawn, expected, doubtsOf(expected, drawn.dust))
    for (const word of seenWords) if (words.has(word)) seen.set(word, seen.get(word)! + 1)
  })
  return { property, seen }
}

/** Fails if one kind of case occurred in fewer than one of 500 cases, or a rare one in fewer than one of 2,000. */
export function expectVariety({ seen }: Agreement, cases: number): void {
  for (const [word, count] of seen)
    expect(count, word).toBeGreaterThan(fewestShown(cases, rareWords.includes(word) ? 2_000 : 500))
}
