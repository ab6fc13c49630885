/** Compares the product's exposure with the reference's, over generated neighbourhoods. */
import fc from 'fast-check'
import type { ExposureBreakdown, ExposureCounterparty, ExposureMeasure } from '@cupel/contracts'
import { expect } from 'vitest'
import {
  attribute,
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
  nodes,
  priceIn,
  START_S,
  TIME_UNIT_S,
  type DrawnNeighbourhood,
  type History,
} from './drawn-neighbourhoods.js'
import { addressOf, neighbourhood, policyWith, wholeHistory } from './exposure-builders.js'
import { cleanLabel, GENERATED_AT, label, ofacLabel, ofacSet } from './judgement-builders.js'
import { greenDoubts } from '../src/scorer/1.0.0/risk/green-doubts.js'
import { referenceDoubts } from './reference-green.js'
import { referenceExposure, type ReferenceExposure, type ReferenceMeasure } from './reference-exposure.js'
import type { ReferenceShare, ReferenceTransfer } from './reference-case.js'
import type { ReferenceSource } from './reference-taint.js'
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
  'unknown token': addressOf(77),
}
const symbols: Readonly<Record<string, string>> = {
  ETH: '',
  USDT: 'usdt',
  USDC: 'usdc',
  DAI: 'dai',
  WBTC: 'wbtc',
}
/** The group of a record's contract. */
const groups: Readonly<Record<string, string>> = { '': '', usd: 'usd', [contracts['wbtc']!]: 'wbtc' }
const addresses: Readonly<Record<string, string>> = {
  ...Object.fromEntries(nodes.map((node, index) => [node, addressOf(index + 10)])),
  z: BURN,
  j: COINJOIN_NODE,
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
const attributionOf = (sources: readonly ReferenceSource[]): Attribution =>
  remembered(attributionsOf, sources.map((one) => Object.values(one).join(' ')).join(), () =>
    attribute(sources.map(labelFor), context),
  )

function labelFor({ category, subcategory, ppm, designatedAt }: ReferenceSource): LabelFacts {
  const validFrom =
    designatedAt === null ? null : new Date((START_S + designatedAt * TIME_UNIT_S) * 1_000).toISOString()
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

const asTransfer = (one: ReferenceTransfer): Transfer => ({
  id: one.id,
  txHash: one.hash,
  kind: one.asset === '' ? 'native' : 'token',
  contract: contracts[one.asset]!,
  from: addresses[one.from]!,
  to: addresses[one.to]!,
  amount: one.amount,
  blockNumber: one.block,
  occurredAtS: one.time === null ? null : START_S + one.time * TIME_UNIT_S,
  index: one.index,
  position: one.position,
  proven: one.proven,
  coinJoin: one.coinJoin,
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
    ...(truncated ? { ownIds: new Set(drawn.ownIds) } : {}),
  })
  const attributions = new Map(
    Object.entries(drawn.sources)
      .filter(([name]) => name !== 'j')
      .map(([name, list]) => [addresses[name]!, attributionOf(list)]),
  )
  for (const name of drawn.clean)
    if (!attributions.has(addresses[name]!)) attributions.set(addresses[name]!, cleanService)
  const { measures, breakdown, incomplete, ownTransfers } = measureExposure(around, {
    attributionOf: (address) => attributions.get(address) ?? nothingKnown,
    generatedAt: GENERATED_AT,
    policy,
  })
  const inDust = measures.map((one) => ({ ...one, dust: String(drawn.dust[groups[one.contract]!]) }))
  const scored = scoreExposure(inDust, { policy, isCleanService })
  return [
    ...inDust.map((one, at) => lineOfMeasure(one, scored[at]!)),
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

function lineOfMeasure(one: ExposureMeasure, { hundredths, contribution }: ScoredExposure): string {
  const { category, subcategory, relation, direction, isWeak, contract } = one
  return [
    `${category}/${subcategory} ${relation} ${direction} ${isWeak} ${one.preDesignation === true} ${groups[contract]}`,
    `${one.amount} of whole ${one.wholeAmount} of ${one.total}${one.totalComplete ? '' : '+'}, proven ${one.provenAmount}, $${one.microUsd}`,
    `${one.confidencePpm} ppm, ${hundredths}, weighted ${contribution}`,
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

function byReference(exposure: ReferenceExposure, dust: DrawnNeighbourhood['dust']): readonly string[] {
  const { measures, breakdown, incomplete } = exposure
  const utc = (time: number | null): string | null =>
    time === null ? null : new Date((START_S + time * TIME_UNIT_S) * 1_000).toISOString()
  const sharesOf = (list: ReadonlyMap<string, ReferenceShare>): string =>
    [...list]
      .map(([name, { amount, microUsd, transfers }]) => `${name} ${amount} $${microUsd} ${transfers.size}`)
      .sort()
      .join(', ')
  return [
    ...[...measures].map(([key, one]) =>
      [
        key,
        `${one.amount} of whole ${one.wholeAmount} of ${one.total}${one.totalComplete ? '' : '+'}, proven ${one.provenAmount}, $${one.microUsd}`,
        `${one.confidencePpm} ppm, ${one.hundredths}, weighted ${one.contribution}`,
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

const wordsOf = (one: ReferenceMeasure): readonly string[] => [
  ...(one.hundredths > 0 ? ['scored', one.totalComplete ? 'shared' : ''] : []),
  one.amount > one.provenAmount ? 'unproven' : '',
  one.wholeAmount > one.amount ? 'split' : '',
  one.microUsd !== null ? 'priced' : '',
  one.firstAt === null ? 'untimed' : '',
]

const kinds = ['coinjoin', 'ransomware', 'csam', 'terrorist_financing'] as const
const seenWords = [
  'direct',
  'indirect',
  'unattributed',
  'usd',
  'wbtc',
  'scored',
  'shared',
  'unproven',
  'split',
  'priced',
  'untimed',
  ...kinds,
  ...['illicit_value', 'illicit_dust', 'weak_origin'],
]

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
    const [ours, theirs] = [byProduct(drawn).join('\n'), byReference(expected, drawn.dust).join('\n')]
    if (ours !== theirs) expect(ours, statedCase(drawn)).toBe(theirs)
    const words = new Set(
      [...expected.measures].flatMap(([key, one]) => [...key.split(/[ /]/), ...wordsOf(one)]),
    )
    for (const doubt of doubtsOf(expected, drawn.dust)) words.add(doubt)
    for (const word of seenWords) if (words.has(word)) seen.set(word, seen.get(word)! + 1)
  })
  return { property, seen }
}

/** Fails if one kind of case occurred in fewer than one of 500 cases. */
export function expectVariety({ seen }: Agreement, cases: number): void {
  for (const [word, count] of seen) expect(count, word).toBeGreaterThan(fewestShown(cases, 500))
}
