/**
 * Converts measured exposure into points: cap · c̄ · size or share. Parts per million, multiplied as big integers and rounded half
 * up once, to hundredths of a point.
 */
import type { Evidence, ExposureMeasure } from '@cupel/contracts'
import { limited, notCounted, type CappedBy, type Factor } from '../risk/points.js'
import { FULL_HUNDREDTHS, mostHundredths, weightedHundredths } from '../risk/ownership.js'
import type { CompiledPolicy } from '../risk/policy.js'
import { shownSanction } from '../risk/shown-sanction.js'
import { decimalAmount } from '../tables/asset-table.js'
import { riskCategories, type RiskCategory } from '../vocabulary.js'
import { COINJOIN, severeSubcategories } from './attribution.js'
import { ignoredDustOf, isBelowDust } from './ignored-dust.js'
import { sizePpm } from './integer-logarithm.js'
import { UNATTRIBUTED } from './measures.js'

/** Why an exposure does not count. Open: later versions add words. */
export type ExposureReason = 'dust' | 'weak_source' | 'own_service' | 'unattributed' | 'unknown_category'

export interface ScoredExposure {
  readonly category: string
  /** Unweighted points, hundredths; 0 where it does not count. */
  readonly hundredths: number
  /** Weighted points, hundredths. */
  readonly contribution: number
  readonly evidence: Evidence
}

const PPM = 1_000_000
const PPM_N = 1_000_000n

/** Scores every measure. The transfers of its customers do not count against a clean service. */
export function scoreExposure(
  measures: readonly ExposureMeasure[],
  { policy, isCleanService }: { readonly policy: CompiledPolicy; readonly isCleanService: boolean },
): readonly ScoredExposure[] {
  const isIgnored = ignoredDustOf(measures)
  return measures.map((measure) => {
    const reason = unscoredReason(measure, isCleanService, isIgnored(measure))
    const evidence = evidenceOf(measure, reason)
    if (reason !== null) return { category: measure.category, hundredths: 0, contribution: 0, evidence }
    const { hundredths, cappedBy, base, factors } = pointsOf(measure, policy)
    const weightPpm = policy.weightsPpm[measure.category as RiskCategory]
    return {
      category: measure.category,
      hundredths,
      contribution: weightedHundredths(hundredths, weightPpm),
      evidence: { ...evidence, base: base / 100, factors, capped_by: cappedBy, weight: weightPpm / PPM },
    }
  })
}

function unscoredReason(
  measure: ExposureMeasure,
  isCleanService: boolean,
  isIgnored: boolean,
): ExposureReason | null {
  if (measure.category === UNATTRIBUTED) return 'unattributed'
  if (!(riskCategories as readonly string[]).includes(measure.category)) return 'unknown_category'
  if (measure.isWeak) return 'weak_source'
  // What its customers did is not the service's; direct dealings with sanctioned parties contradict that it is clean.
  const contradicts = measure.category === 'sanctions' && measure.relation === 'direct'
  if (isCleanService && !contradicts) return 'own_service'
  return isIgnored ? 'dust' : null
}

interface Points extends Formula {
  readonly cappedBy: CappedBy | null
}

/** Points that depend on unproven transfers are limited; the points of the proven transfers by themselves are the minimum. */
function pointsOf(measure: ExposureMeasure, policy: CompiledPolicy): Points {
  const { exposure } = policy
  const amount = BigInt(measure.amount)
  const provenAmount = BigInt(measure.provenAmount)
  const whole = BigInt(measure.wholeAmount)
  const isIncoming = measure.direction === 'in'
  const ofAll = { amount, confidencePpm: measure.confidencePpm, isDust: !isIncoming && isBelowDust(measure, whole) }
  const all = formula(measure, ofAll, policy)
  const atMost = (weightedLimit: number): number =>
    mostHundredths(policy.weightsPpm[measure.category as RiskCategory], weightedLimit)
  const isCoinJoin = measure.subcategory === COINJOIN
  const isUnproven = provenAmount !== amount && !isCoinJoin
  const ofProven = {
    amount: provenAmount,
    confidencePpm: measure.provenConfidencePpm,
    isDust: isBelowDust(measure, whole - (amount - provenAmount)),
  }
  const proven = isUnproven ? formula(measure, ofProven, policy).hundredths : 0
  const most = limited(Math.max(all.hundredths, proven), [
    ['coinjoin', isCoinJoin ? atMost(exposure.coinJoinMaximumHundredths) : null],
    ['historical', measure.isHistorical ? atMost(exposure.unprovenMaximumHundredths) : null],
    ['cluster', measure.isCluster ? atMost(policy.clusterMaximumHundredths) : null],
    [
      measure.isOrderUnknown ? 'order_unknown' : 'execution_unknown',
      isUnproven ? Math.max(proven, atMost(exposure.unprovenMaximumHundredths)) : null,
    ],
  ])
  const isLowered = isPreDesignation(measure) && all.base < capOf({ ...measure, preDesignation: false }, policy)
  return { ...all, ...most, cappedBy: most.cappedBy ?? (isLowered ? 'pre_designation' : null) }
}

/** The fewest points whose weighted value, rounded half up, reaches a minimum; full points where none does. */
const unweightedMinimum = (category: RiskCategory, minimum: number, policy: CompiledPolicy): number =>
  minimum === 0
    ? 0
    : Math.min(FULL_HUNDREDTHS, Math.ceil(((minimum * 2 - 1) * (PPM / 2)) / policy.weightsPpm[category]))

interface Value {
  readonly amount: bigint
  readonly confidencePpm: number
  /** Its share says nothing; if it came in, it does not count at all. */
  readonly isDust: boolean
}

interface Formula {
  /** The cap, hundredths. */
  readonly base: number
  readonly factors: Factor[]
  /** Their product, or the minimum of direct exposure that has one. */
  readonly hundredths: number
}

/** cap · c̄ · (share unknown ? ℓ : max(V ≥ d ? s : 0, u·ℓ)), and the minimum of direct exposure that has one. */
function formula(
  measure: ExposureMeasure,
  { amount, confidencePpm, isDust }: Value,
  policy: CompiledPolicy,
): Formula {
  const base = capOf(measure, policy)
  if (amount === 0n || (isDust && measure.direction === 'in')) return { base, factors: [], hundredths: 0 }
  const { exposure } = policy
  const band = measure.category === 'sanctions' ? 'sanctions' : 'other'
  const size = sizePpm(amount, BigInt(measure.dust), exposure.document.size_decades)
  const share = sharePpm(measure, amount)
  const sizeWeight = share === null ? PPM : exposure.sizeFactorPpm[band]
  const ofSize = BigInt(size) * BigInt(sizeWeight)
  const ofBand = share === null || isDust ? 0 : shareOfBandPpm(share, exposure.sharePpm[band])
  const ofShare = BigInt(ofBand) * PPM_N
  const factor = ofSize > ofShare ? ofSize : ofShare
  const points = roundedQuotient(BigInt(base) * BigInt(confidencePpm) * factor, PPM_N * PPM_N * PPM_N)
  const weighing: readonly Factor[] =
    ofShare >= ofSize
      ? [{ name: 'share', value: ofBand / PPM }]
      : [
          { name: 'size', value: size / PPM },
          { name: 'size_weight', value: sizeWeight / PPM },
        ]
  return {
    base,
    factors: [{ name: 'confidence', value: confidencePpm / PPM }, ...weighing],
    hundredths: Math.max(points, minimumOf(measure, amount, policy)),
  }
}

const isPreDesignation = ({ preDesignation }: ExposureMeasure): boolean => preDesignation === true

/** What was paid directly to those whom no one pays by mistake. */
const isSeverePayment = ({ relation, direction, subcategory }: ExposureMeasure): boolean =>
  relation === 'direct' && direction === 'out' && severeSubcategories.has(subcategory)

function capOf(measure: ExposureMeasure, { exposure }: CompiledPolicy): number {
  const { category, relation, direction } = measure
  const cap =
    exposure.capsHundredths[category as RiskCategory][relation as 'direct' | 'indirect'][
      direction as 'in' | 'out'
    ]
  if (isPreDesignation(measure)) return Math.min(cap, exposure.preDesignationCapHundredths)
  return isSeverePayment(measure) ? Math.max(cap, exposure.severeCapHundredths) : cap
}

/** Sanctions: any payment, and what was received if it is not dust. Severe: payments that are not dust, weighted. */
function minimumOf(measure: ExposureMeasure, amount: bigint, policy: CompiledPolicy): number {
  const { exposure } = policy
  const category = measure.category as RiskCategory
  const ofSanctions = category === 'sanctions' && measure.relation === 'direct' && !isPreDesignation(measure)
  const ofSevere = isSeverePayment(measure) && amount >= BigInt(measure.dust)
  return Math.max(
    ofSanctions ? exposure.directSanctionsMinimumHundredths : 0,
    ofSevere ? unweightedMinimum(category, exposure.severeMinimumHundredths, policy) : 0,
  )
}

/** x = V/T in parts per million, rounded half up; null where T is not known to be all there ever was. */
export function sharePpm({ total, totalComplete }: ExposureMeasure, amount: bigint): number | null {
  const whole = BigInt(total)
  return totalComplete && whole > 0n ? roundedQuotient(amount * PPM_N, whole) : null
}

/** Where in its band a share lies, 0 to 1 in parts per million, rounded half up. */
function shareOfBandPpm(share: number, { from, to }: { readonly from: number; readonly to: number }): number {
  if (share <= from) return 0
  return share >= to ? PPM : roundedQuotient(BigInt(share - from) * PPM_N, BigInt(to - from))
}

const roundedQuotient = (top: bigint, bottom: bigint): number => Number((2n * top + bottom) / (2n * bottom))

function evidenceOf(measure: ExposureMeasure, reason: ExposureReason | null): Evidence {
  const share = sharePpm(measure, BigInt(measure.amount))
  const hasOneSource = measure.sources === 1
  return {
    category: measure.category,
    subcategory: measure.subcategory === '' ? null : measure.subcategory,
    relation: measure.relation,
    direction: measure.direction,
    hops: measure.hops,
    chain: measure.sourceChain,
    address: hasOneSource ? measure.sourceAddress : null,
    entity: hasOneSource ? measure.entity : null,
    source: measure.source,
    source_url: measure.sourceUrl,
    origin: measure.origin,
    role: measure.role,
    confidence: measure.confidencePpm / PPM,
    status: measure.isHistorical ? 'historical' : 'live',
    observed_at: measure.observedAt,
    sanction: hasOneSource ? shownSanction(measure.sanction) : null,
    value: inAsset(measure, measure.amount),
    value_usd: inDollars(measure.microUsd),
    share: share === null ? null : share / PPM,
    transfers: measure.transfers,
    sources: measure.sources,
    first_at: measure.firstAt,
    last_at: measure.lastAt,
    counterparties: measure.counterparties.map((one) => ({
      address: one.address,
      entity: one.entity,
      value: inAsset(measure, one.amount),
      value_usd: inDollars(one.microUsd),
      transfers: one.transfers,
      source: one.source,
      source_url: one.sourceUrl,
    })),
    counterparties_omitted:
      measure.counterpartiesOmitted === 0
        ? null
        : {
            count: measure.counterpartiesOmitted,
            value: inAsset(measure, measure.counterpartiesOmittedAmount),
            value_usd: inDollars(measure.counterpartiesOmittedMicroUsd),
          },
    path: pathOf(measure),
    ...notCounted,
    decisive: false,
    used: reason === null,
    reason,
    pre_designation: measure.preDesignation,
  }
}

const inAsset = ({ decimals, asset }: ExposureMeasure, baseUnits: string): string =>
  `${decimalAmount(BigInt(baseUnits), decimals)} ${asset}`

const MICRO_DECIMALS = 6

/** Dollars as a decimal number, exact. */
const inDollars = (microUsd: string | null): string | null =>
  microUsd === null ? null : decimalAmount(BigInt(microUsd), MICRO_DECIMALS)

const pathOf = (measure: ExposureMeasure): Evidence['path'] =>
  (measure.paths[0]?.steps ?? []).map((step) => ({
    from: step.from,
    to: step.to,
    transaction: step.txHash === '' ? null : step.txHash,
    block: step.blockNumber,
    at: step.occurredAt,
    value: inAsset(measure, step.amount),
    execution: step.proven ? 'proven' : 'unknown',
  }))
