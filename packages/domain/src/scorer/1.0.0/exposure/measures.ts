/** Adds contributions up per category, relation, direction and asset, and keeps the sources and routes of most value. */
import type { ConsideredLabel, ExposureMeasure, ExposurePath, ExposureStep } from '@cupel/contracts'
import type { Asset } from '../tables/asset-table.js'
import type { SourceAttribution } from './attribution.js'
import type { ExposureLimits } from './exposure-policy.js'
import { utcText, type AssetTotals } from './history.js'
import type { Route } from './route.js'
import type { Steps } from './steps.js'
import type { Direction } from './trace-routes.js'
import type { Transfer } from './transfer.js'

/** Value that passed through an unlabelled hub is shown under this word and not scored. */
export const UNATTRIBUTED = 'unattributed'

/** A part of one of the address's transfers, attributed to one source in one category. */
export interface Contribution {
  readonly transfer: Transfer
  readonly relation: 'direct' | 'indirect'
  /** Null for an unlabelled hub. */
  readonly source: SourceAttribution | null
  readonly isWeak: boolean
  /** Base units. */
  readonly amount: bigint
  /** Proven where every transfer it rests on is. */
  readonly route: Route
  readonly steps: () => readonly Transfer[]
}

interface SourceSum {
  readonly source: SourceAttribution | null
  amount: bigint
  provenAmount: bigint
}

interface RouteSum {
  amount: bigint
  /** Largest part, whose transfers stand for the route. */
  largest: bigint
  readonly hops: number
  steps: () => readonly Transfer[]
}

interface Sum {
  /** Decides the order among sums. */
  readonly key: string
  readonly relation: string
  readonly direction: Direction
  readonly category: string
  readonly asset: Asset
  readonly isWeak: boolean
  preDesignation: boolean | null
  readonly bySource: Map<string, SourceSum>
  readonly byRoute: Map<string, RouteSum>
  readonly transfers: Set<string>
  hops: number
}

type AssetContribution = Contribution & { readonly asset: Asset; readonly direction: Direction }

export function createMeasures({ limits, totals }: { limits: ExposureLimits; totals: AssetTotals }) {
  const sums = new Map<string, Sum>()
  return {
    add(one: AssetContribution): void {
      const preDesignation = predatesDesignation(one)
      const category = one.source?.category ?? UNATTRIBUTED
      const isPre = preDesignation === true
      const found = `${category} ${one.relation} ${one.direction} ${one.asset.contract} ${one.isWeak} ${isPre}`
      let sum = sums.get(found)
      if (sum === undefined) sums.set(found, (sum = emptySum(one, category, preDesignation)))
      if (preDesignation === null) sum.preDesignation = null
      addToSource(sum, one)
      addToRoute(sum, one)
      sum.transfers.add(one.transfer.id)
      sum.hops = Math.max(sum.hops, one.route.between.length + 1)
    },
    /** In the order of their keys. */
    *list(): Steps<readonly ExposureMeasure[]> {
      const measures: ExposureMeasure[] = []
      for (const sum of [...sums.values()].sort((a, b) => (a.key < b.key ? -1 : 1))) {
        yield
        measures.push(measureOf(sum, pathsOfEach(sums.size, limits), totals))
      }
      return measures
    },
  }
}

/** Paths of all measures together: the record of a busy address stays far below the log's limit. */
const MAX_RECORDED_PATHS = 200

const pathsOfEach = (measures: number, { paths }: ExposureLimits): number =>
  Math.min(paths, Math.max(1, Math.floor(MAX_RECORDED_PATHS / measures)))

const emptySum = (one: AssetContribution, category: string, preDesignation: boolean | null): Sum => ({
  key: JSON.stringify([
    category,
    one.relation,
    one.direction,
    one.asset.contract,
    one.isWeak,
    preDesignation === true,
  ]),
  category,
  relation: one.relation,
  direction: one.direction,
  asset: one.asset,
  isWeak: one.isWeak,
  preDesignation,
  bySource: new Map(),
  byRoute: new Map(),
  transfers: new Set(),
  hops: 0,
})

/**
 * Whether the address's own transfer was before the designation of the source: known to be, known not to be, or unknown.
 * Only sanctions are designated.
 */
function predatesDesignation({ source, transfer }: AssetContribution): boolean | null {
  if (source?.category !== 'sanctions') return null
  const { validFrom } = source.label
  if (validFrom === null || transfer.occurredAtS === null) return null
  const designatedAtMs = Date.parse(validFrom)
  return Number.isNaN(designatedAtMs) ? null : transfer.occurredAtS * 1_000 < designatedAtMs
}

function addToSource(sum: Sum, { source, amount, route }: AssetContribution): void {
  let known = sum.bySource.get(route.sourceAddress)
  if (known === undefined)
    sum.bySource.set(route.sourceAddress, (known = { source, amount: 0n, provenAmount: 0n }))
  known.amount += amount
  if (route.proven) known.provenAmount += amount
}

function addToRoute(sum: Sum, { route, amount, steps }: AssetContribution): void {
  const known = sum.byRoute.get(route.way)
  if (known === undefined) {
    sum.byRoute.set(route.way, { amount, largest: amount, hops: route.between.length + 1, steps })
    return
  }
  known.amount += amount
  if (amount <= known.largest) return
  known.largest = amount
  known.steps = steps
}

function measureOf(sum: Sum, pathCount: number, totals: AssetTotals): ExposureMeasure {
  const { total, isComplete } = totals(sum.asset.contract, sum.direction)
  const sources = [...sum.bySource.entries()]
  const all = weighted(sources.map(([, one]) => [one.amount, confidenceOf(one)]))
  const proven = weighted(sources.map(([, one]) => [one.provenAmount, confidenceOf(one)]))
  const [address, top] = sources.reduce((best, next) => (isLarger(next, best) ? next : best))
  return {
    category: sum.category,
    subcategory: '',
    relation: sum.relation,
    direction: sum.direction,
    asset: sum.asset.symbol,
    contract: sum.asset.contract,
    decimals: sum.asset.decimals,
    dust: sum.asset.dust.toString(),
    preDesignation: sum.preDesignation,
    isWeak: sum.isWeak,
    amount: all.amount.toString(),
    microUsd: null,
    wholeAmount: all.amount.toString(),
    provenAmount: proven.amount.toString(),
    total: total.toString(),
    totalComplete: isComplete,
    confidencePpm: all.meanPpm,
    provenConfidencePpm: proven.meanPpm,
    transfers: sum.transfers.size,
    sources: sources.length,
    hops: sum.hops,
    firstAt: null,
    lastAt: null,
    counterparties: [],
    counterpartiesOmitted: sources.length,
    counterpartiesOmittedAmount: all.amount.toString(),
    counterpartiesOmittedMicroUsd: null,
    sanction: null,
    sourceAddress: address,
    ...namesOf(top.source?.label ?? null, sum.asset.chain),
    paths: topPaths(sum, pathCount),
  }
}

const confidenceOf = ({ source }: SourceSum): number => source?.confidencePpm ?? 0

const isLarger = ([a, x]: [string, SourceSum], [b, y]: [string, SourceSum]): boolean =>
  x.amount > y.amount || (x.amount === y.amount && a < b)

function namesOf(label: ConsideredLabel | null, chain: string) {
  return {
    sourceChain: label?.chain ?? chain,
    entity: label?.entity ?? '',
    source: label?.source ?? '',
    sourceUrl: label?.sourceUrl ?? '',
    origin: label?.origin ?? '',
    role: label?.role ?? '',
    observedAt: label?.observedAt ?? null,
  }
}

/** Sum, and mean of the parts per million weighted by it, rounded half up; 0 where nothing weighs. */
function weighted(parts: readonly (readonly [amount: bigint, ppm: number])[]) {
  const amount = parts.reduce((sum, [one]) => sum + one, 0n)
  const weight = parts.reduce((sum, [one, ppm]) => sum + one * BigInt(ppm), 0n)
  return { amount, meanPpm: amount === 0n ? 0 : Number((2n * weight + amount) / (2n * amount)) }
}

function topPaths({ byRoute }: Sum, limit: number): readonly ExposurePath[] {
  return [...byRoute.entries()]
    .sort(([a, x], [b, y]) => (x.amount === y.amount ? (a < b ? -1 : 1) : x.amount > y.amount ? -1 : 1))
    .slice(0, limit)
    .map(([, { amount, hops, steps }]) => ({ amount: amount.toString(), hops, steps: steps().map(stepOf) }))
}

const stepOf = (transfer: Transfer): ExposureStep => ({
  from: transfer.from,
  to: transfer.to,
  txHash: transfer.txHash,
  blockNumber: transfer.blockNumber,
  occurredAt: transfer.occurredAtS === null ? null : utcText(transfer.occurredAtS),
  amount: transfer.amount.toString(),
  proven: transfer.proven,
})
