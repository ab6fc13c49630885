/** Adds contributions up per category, relation, direction and asset, and keeps the sources and routes of most value. */
import type { ConsideredLabel, ExposureMeasure, ExposurePath, ExposureStep } from '@cupel/contracts'
import type { MeasuredAsset } from '../tables/asset-table.js'
import type { SourceAttribution } from './attribution.js'
import type { ExposureLimits } from './exposure-policy.js'
import { utcText } from './history.js'
import { addedValue } from './prices.js'
import type { Route } from './route.js'
import type { Steps } from './steps.js'
import { addTo, emptyTally, listed, listedOfEach, textOf, type Tally } from './tally.js'
import type { Direction } from './trace-routes.js'
import { transfersOf, type Transfer } from './transfer.js'

/** Value that passed through an unlabelled hub is shown under this word and not scored. */
export const UNATTRIBUTED = 'unattributed'

/** A part of one of the address's transfers, attributed to one source in one category. */
export interface Contribution {
  readonly transfer: Transfer
  readonly relation: 'direct' | 'indirect'
  /** Null for an unlabelled hub. */
  readonly source: SourceAttribution | null
  readonly isWeak: boolean
  /** Base units of the transfer's asset. */
  readonly amount: bigint
  /** Millionths of a US dollar; null where a price is missing. */
  readonly microUsd: bigint | null
  /** Proven where every transfer it rests on is, in known order. */
  readonly route: Route
  /** Transfers that stand for the route, with the given one. */
  readonly stepsOf: StepsOf
}

type StepsOf = (route: Route, transfer: Transfer) => readonly Transfer[]

interface SourceSum extends Tally {
  readonly attribution: SourceAttribution | null
  provenAmount: bigint
}

interface RouteSum {
  /** Base units of the measured asset. */
  amount: bigint
  /** Part of most value, and how much it is in the measured asset; its transfers stand for the route. */
  largest: AssetContribution
  largestAmount: bigint
}

/** The dates of transfers; both are unknown as soon as one is. */
interface Period {
  firstAtS: number
  lastAtS: number
  isKnown: boolean
}

interface Sum {
  /** Decides the order among sums. */
  readonly key: string
  /** Equal for sums that the dates of a designation, a subcategory or a cluster divides. */
  readonly wholeKey: string
  readonly relation: string
  readonly direction: Direction
  readonly category: string
  readonly subcategory: string
  readonly asset: MeasuredAsset
  readonly isWeak: boolean
  readonly isCluster: boolean
  readonly isHistorical: boolean
  preDesignation: boolean | null
  readonly bySource: Map<string, SourceSum>
  readonly byRoute: Map<string, RouteSum>
  /** Of the parts that are not proven, the one of most value. */
  unproven: AssetContribution | null
  transfers: number
  lastTransferId: string
  readonly period: Period
  hops: number
}

type AssetContribution = Contribution & { readonly asset: MeasuredAsset; readonly direction: Direction }

/** All value in a direction, by the contract of the measured asset. */
export type AssetTotals = (contract: string, direction: Direction) => bigint

export function createMeasures(limits: ExposureLimits) {
  const sums = new Map<string, Sum>()
  const wholes = new Map<string, Whole>()
  return {
    add(one: AssetContribution): void {
      const preDesignation = predatesDesignation(one)
      const category = one.source?.category ?? UNATTRIBUTED
      const subcategory = one.source?.subcategory ?? ''
      const isPre = preDesignation === true
      const whole = `${category} ${one.relation} ${one.direction} ${one.asset.contract} ${one.isWeak}`
      const isHistorical = one.source?.isHistorical === true
      const found = `${whole} ${isPre} ${subcategory} ${one.source?.isCluster === true} ${isHistorical}`
      let sum = sums.get(found)
      if (sum === undefined)
        sums.set(found, (sum = emptySum(one, { category, subcategory, preDesignation, wholeKey: whole })))
      if (preDesignation === null) sum.preDesignation = null
      const amount = one.amount * one.asset.factor
      addToWhole(wholes, whole, one, amount)
      addToSource(sum, one, amount)
      addToRoute(sum, one, amount)
      if (!one.route.proven && (sum.unproven === null || one.amount > sum.unproven.amount)) sum.unproven = one
      sum.hops = Math.max(sum.hops, one.route.between.length + 1)
      if (sum.lastTransferId === one.transfer.id) return
      sum.lastTransferId = one.transfer.id
      sum.transfers += transfersOf(one.transfer)
      addToPeriod(sum.period, one.transfer)
    },
    /** In the order of their keys. T of every one is complete where the history is. */
    *list(totals: AssetTotals, totalComplete: boolean): Steps<readonly ExposureMeasure[]> {
      const measures: ExposureMeasure[] = []
      for (const sum of [...sums.values()].sort((a, b) => (a.key < b.key ? -1 : 1))) {
        yield
        measures.push(
          measureOf(sum, {
            whole: wholes.get(sum.wholeKey)!.amount,
            total: totals(sum.asset.contract, sum.direction),
            totalComplete,
            pathCount: pathsOfEach(sums.size, limits),
            counterpartyCount: listedOfEach(sums.size),
          }),
        )
      }
      return measures
    },
  }
}

/** Paths of all measures together: the record of a busy address stays far below the log's limit. */
const MAX_RECORDED_PATHS = 200

const pathsOfEach = (measures: number, { paths }: ExposureLimits): number =>
  Math.min(paths, Math.max(1, Math.floor(MAX_RECORDED_PATHS / measures)))

const emptySum = (
  one: AssetContribution,
  rest: Pick<Sum, 'category' | 'subcategory' | 'preDesignation' | 'wholeKey'>,
): Sum => ({
  ...rest,
  key: JSON.stringify([
    rest.category,
    rest.subcategory,
    one.relation,
    one.direction,
    one.asset.contract,
    one.isWeak,
    rest.preDesignation === true,
    one.source?.isCluster === true,
    one.source?.isHistorical === true,
  ]),
  relation: one.relation,
  direction: one.direction,
  asset: one.asset,
  isWeak: one.isWeak,
  isCluster: one.source?.isCluster === true,
  isHistorical: one.source?.isHistorical === true,
  bySource: new Map(),
  byRoute: new Map(),
  unproven: null,
  transfers: 0,
  lastTransferId: '',
  period: { firstAtS: Infinity, lastAtS: -Infinity, isKnown: true },
  hops: 0,
})

/** All value of a category; the last part of it that was added. */
interface Whole {
  amount: bigint
  transfer: Transfer
  route: Route
}

/** One party may be a source in two ways, by its own label and by its cluster, or of two times: what it moved counts once. */
function addToWhole(
  wholes: Map<string, Whole>,
  key: string,
  { transfer, route }: AssetContribution,
  amount: bigint,
): void {
  const known = wholes.get(key)
  if (known === undefined) wholes.set(key, { amount, transfer, route })
  else if (known.transfer !== transfer || known.route !== route)
    Object.assign(known, { amount: known.amount + amount, transfer, route })
}

function addToPeriod(period: Period, { occurredAtS, bundle }: Transfer): void {
  if (occurredAtS === null) period.isKnown = false
  else {
    period.firstAtS = Math.min(period.firstAtS, bundle?.firstAtS ?? occurredAtS)
    period.lastAtS = Math.max(period.lastAtS, occurredAtS)
  }
}

/**
 * Whether the address's own transfer was before every designation of the source: known to be, known not to be, or unknown.
 * Only sanctions are designated.
 */
function predatesDesignation({ source, transfer }: AssetContribution): boolean | null {
  const designatedAtMs = source?.designatedFromMs ?? null
  if (designatedAtMs === null || transfer.occurredAtS === null) return null
  return transfer.occurredAtS * 1_000 < designatedAtMs
}

function addToSource(
  sum: Sum,
  { source, microUsd, route, transfer }: AssetContribution,
  amount: bigint,
): void {
  let known = sum.bySource.get(route.sourceAddress)
  if (known === undefined) {
    known = { ...emptyTally(source?.label?.entity ?? '', source?.label ?? undefined), attribution: source, provenAmount: 0n }
    sum.bySource.set(route.sourceAddress, known)
  }
  addTo(known, amount, microUsd, transfer)
  if (route.proven) known.provenAmount += amount
}

/** The transfer of the largest part, among equal ones that of the lowest id, stands for the way. */
function addToRoute(sum: Sum, one: AssetContribution, amount: bigint): void {
  const known = sum.byRoute.get(one.route.way)
  if (known === undefined) {
    sum.byRoute.set(one.route.way, { amount, largest: one, largestAmount: amount })
    return
  }
  known.amount += amount
  const isLarger =
    amount > known.largestAmount ||
    (amount === known.largestAmount && one.transfer.id < known.largest.transfer.id)
  if (!isLarger) return
  known.largest = one
  known.largestAmount = amount
}

interface MeasureFacts {
  readonly whole: bigint
  readonly total: bigint
  readonly totalComplete: boolean
  readonly pathCount: number
  readonly counterpartyCount: number
}

function measureOf(sum: Sum, facts: MeasureFacts): ExposureMeasure {
  const sources = [...sum.bySource.entries()]
  const all = weighted(sources.map(([, one]) => [one.amount, confidenceOf(one)]))
  const proven = weighted(sources.map(([, one]) => [one.provenAmount, confidenceOf(one)]))
  const [address, top] = sources.reduce((best, next) => (isLarger(next, best) ? next : best))
  const microUsd = sources.reduce<bigint | null>((value, [, one]) => addedValue(value, one.microUsd), 0n)
  const { counterparties, ...others } = listed(sum.bySource, facts.counterpartyCount)
  const { firstAtS, lastAtS, isKnown } = sum.period
  return {
    category: sum.category,
    subcategory: sum.subcategory,
    relation: sum.relation,
    direction: sum.direction,
    asset: sum.asset.symbol,
    contract: sum.asset.contract,
    decimals: sum.asset.decimals,
    dust: sum.asset.dust.toString(),
    preDesignation: sum.preDesignation,
    isWeak: sum.isWeak,
    isCluster: sum.isCluster,
    isHistorical: sum.isHistorical,
    amount: all.amount.toString(),
    microUsd: textOf(microUsd),
    wholeAmount: facts.whole.toString(),
    provenAmount: proven.amount.toString(),
    isOrderUnknown: isOrderUnknown(sum),
    total: facts.total.toString(),
    totalComplete: facts.totalComplete,
    confidencePpm: all.meanPpm,
    provenConfidencePpm: proven.meanPpm,
    transfers: sum.transfers,
    sources: sources.length,
    hops: sum.hops,
    firstAt: isKnown ? utcText(firstAtS) : null,
    lastAt: isKnown ? utcText(lastAtS) : null,
    counterparties,
    counterpartiesOmitted: others.omitted,
    counterpartiesOmittedAmount: others.omittedAmount.toString(),
    counterpartiesOmittedMicroUsd: textOf(others.omittedMicroUsd),
    sanction: top.attribution?.label?.sanction ?? null,
    sourceAddress: address,
    entity: top.attribution?.label?.entity ?? '',
    sourceChain: top.attribution?.label?.chain ?? sum.asset.chain,
    ...namesOf(sources.map(([, { attribution }]) => attribution?.label ?? null)),
    paths: topPaths(sum, facts.pathCount),
  }
}

const confidenceOf = ({ attribution }: SourceSum): number => attribution?.confidencePpm ?? 0

const isLarger = ([a, x]: [string, SourceSum], [b, y]: [string, SourceSum]): boolean =>
  x.amount > y.amount || (x.amount === y.amount && a < b)

/** What all labels have in common: an item about several sources does not name what only one of them says. */
function namesOf(labels: readonly (ConsideredLabel | null)[]) {
  const common = <T>(read: (label: ConsideredLabel) => T, otherwise: T): T => {
    const values = new Set(labels.map((label) => (label === null ? otherwise : read(label))))
    return values.size === 1 ? [...values][0]! : otherwise
  }
  return {
    source: common(({ source }) => source, ''),
    sourceUrl: common(({ sourceUrl }) => sourceUrl, ''),
    origin: common(({ origin }) => origin, ''),
    role: common(({ role }) => role, ''),
    observedAt: common(({ observedAt }) => observedAt, null),
  }
}

/** Whether every transfer of the largest unproven part is proven, so that it is their order that is not known. */
const isOrderUnknown = ({ unproven }: Sum): boolean =>
  unproven !== null && unproven.stepsOf(unproven.route, unproven.transfer).every(({ proven }) => proven)

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
    .map(
      ([
        ,
        {
          amount,
          largest: { route, transfer, stepsOf, asset },
        },
      ]) => ({
        amount: amount.toString(),
        hops: route.between.length + 1,
        // Of the transfers' own asset: stablecoins of a way may differ in their decimals.
        steps: stepsOf(route, transfer).map((one) => stepOf(one, asset.factor)),
      }),
    )
}

const stepOf = (transfer: Transfer, factor: bigint): ExposureStep => ({
  from: transfer.from,
  to: transfer.to,
  txHash: transfer.txHash,
  blockNumber: transfer.blockNumber,
  occurredAt: transfer.occurredAtS === null ? null : utcText(transfer.occurredAtS),
  amount: (transfer.amount * factor).toString(),
  proven: transfer.proven,
})
