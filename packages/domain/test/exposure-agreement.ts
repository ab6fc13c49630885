/** The product's exposure beside the reference's, over generated neighbourhoods. */
import fc from 'fast-check'
import { expect } from 'vitest'
import {
  attribute,
  compiledDefaultPolicy,
  measureExposure,
  scoreExposure,
  type Attribution,
  type CompiledPolicy,
  type LabelFacts,
  type TaintMethod,
  type Transfer,
} from '../src/index.js'
import {
  confidences,
  drawnNeighbourhoods,
  nodes,
  type DrawnNeighbourhood,
  type History,
} from './drawn-neighbourhoods.js'
import { addressOf, neighbourhood, policyWith, wholeHistory } from './exposure-builders.js'
import { GENERATED_AT, label, ofacLabel, ofacSet } from './judgement-builders.js'
import { referenceExposure, type ReferenceMeasure, type ReferenceSource } from './reference-exposure.js'

/** Cases of every method together, where there is no time budget. */
export const CASES = 100_000

const START_S = 1_700_000_000
const HOUR_S = 3_600
const TOKEN = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const BURN = `0x${'0'.repeat(40)}`
const contracts: Readonly<Record<string, string>> = { '': '', token: TOKEN, 'unknown token': addressOf(77) }
const addresses: Readonly<Record<string, string>> = {
  ...Object.fromEntries(nodes.map((node, index) => [node, addressOf(index + 10)])),
  z: BURN,
}

const ranges: Readonly<Record<History, typeof wholeHistory>> = {
  whole: wholeHistory,
  'native alone': wholeHistory.filter(({ kind }) => kind === 'native'),
  'from a later height': wholeHistory.map((range) => ({ ...range, fromHeight: 2 })),
  'until 30 hours ago': wholeHistory.map((range) => ({ ...range, toAtS: range.toAtS! - 30 * HOUR_S })),
  none: [],
}

/** Policies and labels are few: compiled and attributed once, they leave the time to what is compared. */
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

const attributionOf = (sources: readonly ReferenceSource[]): Attribution =>
  remembered(
    attributionsOf,
    sources.map(({ category, ppm, designatedAt }) => `${category} ${ppm} ${designatedAt}`).join(),
    () => attribute(sources.map(labelFor), context),
  )

function labelFor({ category, ppm, designatedAt }: ReferenceSource): LabelFacts {
  const validFrom = designatedAt === null ? null : new Date((START_S + designatedAt) * 1_000).toISOString()
  const isDesignation = category === 'sanctions' && ppm === confidences.at(-1)
  return (isDesignation ? ofacLabel : label)({ category, confidencePpm: ppm, validFrom })
}

function byProduct(drawn: DrawnNeighbourhood): Map<string, ReferenceMeasure> {
  const { hops, method, truncated, isCleanService } = drawn
  const policy = remembered(policies, `${method} ${hops}`, () => policyWith({ hops, method }))
  const transfers = drawn.transfers.map((one): Transfer => ({
    id: one.id,
    txHash: '',
    kind: one.asset === '' ? 'native' : 'token',
    contract: contracts[one.asset]!,
    from: addresses[one.from]!,
    to: addresses[one.to]!,
    amount: one.amount,
    blockNumber: one.block,
    occurredAtS: one.time === null ? null : START_S + one.time,
    index: null,
    position: one.position,
    proven: one.proven,
    coinJoin: false,
  }))
  const around = neighbourhood(transfers, {
    address: addresses[drawn.screened]!,
    followed: drawn.followed.map((name) => addresses[name]!),
    cut: drawn.hubs.map((name) => ({ address: addresses[name]!, reason: 'hub', hops: 1 })),
    ranges: ranges[drawn.history],
    truncated,
    ...(truncated ? { ownIds: new Set(drawn.ownIds) } : {}),
  })
  const attributions = new Map(
    Object.entries(drawn.sources).map(([name, list]) => [addresses[name]!, attributionOf(list)]),
  )
  const { measures } = measureExposure(around, {
    attributionOf: (address) => attributions.get(address) ?? nothingKnown,
    generatedAt: GENERATED_AT,
    policy,
  })
  const inDust = measures.map((one) => ({ ...one, dust: String(drawn.dust) }))
  const scored = scoreExposure(inDust, { policy, isCleanService })
  return new Map(
    inDust.map((one, index) => {
      const { category, relation, direction, isWeak, contract } = one
      const asset = contract === '' ? '' : 'token'
      return [
        `${category} ${relation} ${direction} ${isWeak} ${one.preDesignation === true} ${asset}`,
        {
          amount: BigInt(one.amount),
          provenAmount: BigInt(one.provenAmount),
          total: BigInt(one.total),
          totalComplete: one.totalComplete,
          confidencePpm: one.confidencePpm,
          hundredths: scored[index]!.hundredths,
          contribution: scored[index]!.contribution,
        },
      ]
    }),
  )
}

/** One line per measure: two texts are compared sooner than two structures, and a difference reads well. */
const stated = (measures: Map<string, ReferenceMeasure>): string =>
  [...measures]
    .map(
      ([key, one]) =>
        `${key}: ${one.amount} of ${one.total}${one.totalComplete ? '' : '+'}, proven ${one.provenAmount}, ` +
        `${one.confidencePpm} ppm, ${one.hundredths}, weighted ${one.contribution}`,
    )
    .sort()
    .join('\n')

const wordsOf = (one: ReferenceMeasure): readonly string[] => [
  ...(one.hundredths > 0 ? ['scored', one.totalComplete ? 'shared' : ''] : []),
  one.amount > one.provenAmount ? 'unproven' : '',
]

export interface Agreement {
  /** Holds where product and reference measure a neighbourhood alike. */
  readonly property: fc.IProperty<[DrawnNeighbourhood]>
  /** Cases that show something of each kind; cases in which nothing is found agree without showing anything. */
  readonly seen: Readonly<Record<string, number>>
}

export function agreement(methods: readonly TaintMethod[]): Agreement {
  const seen = { direct: 0, indirect: 0, unattributed: 0, token: 0, scored: 0, shared: 0, unproven: 0 }
  const property = fc.property(drawnNeighbourhoods(methods), (drawn) => {
    const expected = referenceExposure(drawn)
    const [ours, theirs] = [stated(byProduct(drawn)), stated(expected)]
    if (ours !== theirs) expect(ours).toBe(theirs)
    const words = new Set([...expected].flatMap(([key, one]) => [...key.split(' '), ...wordsOf(one)]))
    for (const word of Object.keys(seen) as (keyof typeof seen)[]) if (words.has(word)) seen[word] += 1
  })
  return { property, seen }
}

/** Fails where one kind of case came up in fewer than one of a hundred cases; the rarest is about one of seventeen. */
export function expectVariety({ seen }: Agreement, cases: number): void {
  for (const [word, count] of Object.entries(seen)) expect(count, word).toBeGreaterThan(cases / 100)
}
