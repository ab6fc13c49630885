/**
 * Converts measured exposure into points: cap · c̄ · size or share. Parts per million, multiplied as big integers and rounded half
 * up once, to hundredths of a point.
 */
import type { Evidence, ExposureMeasure } from '@cupel/contracts'
import { FULL_HUNDREDTHS, weightedHundredths } from '../risk/ownership.js'
import type { CompiledPolicy } from '../risk/policy.js'
import { decimalAmount } from '../tables/asset-table.js'
import { riskCategories, type RiskCategory } from '../vocabulary.js'
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
  return measures.map((measure) => {
    const reason = unscoredReason(measure, isCleanService)
    const hundredths = reason === null ? pointsOf(measure, policy) : 0
    const contribution =
      reason === null
        ? weightedHundredths(hundredths, policy.weightsPpm[measure.category as RiskCategory])
        : 0
    return { category: measure.category, hundredths, contribution, evidence: evidenceOf(measure, reason) }
  })
}

function unscoredReason(measure: ExposureMeasure, isCleanService: boolean): ExposureReason | null {
  if (measure.category === UNATTRIBUTED) return 'unattributed'
  if (!(riskCategories as readonly string[]).includes(measure.category)) return 'unknown_category'
  if (measure.isWeak) return 'weak_source'
  if (isCleanService) return 'own_service'
  return isDust(measure, BigInt(measure.amount)) ? 'dust' : null
}

/** Anyone can send dust to any address, so only incoming dust is ignored. */
const isDust = ({ direction, dust }: ExposureMeasure, amount: bigint): boolean =>
  direction === 'in' && amount < BigInt(dust)

/** Points that depend on unproven transfers are limited; the points of the proven transfers alone are the minimum. */
function pointsOf(measure: ExposureMeasure, policy: CompiledPolicy): number {
  const amount = BigInt(measure.amount)
  const provenAmount = BigInt(measure.provenAmount)
  const all = formula(measure, amount, measure.confidencePpm, policy)
  if (provenAmount === amount) return all
  const proven = formula(measure, provenAmount, measure.provenConfidencePpm, policy)
  return Math.max(proven, Math.min(all, unprovenLimit(measure.category as RiskCategory, policy)))
}

/** The most points whose weighted value, rounded half up, is within what an unproven item may contribute. */
function unprovenLimit(category: RiskCategory, policy: CompiledPolicy): number {
  const weightPpm = policy.weightsPpm[category]
  if (weightPpm === 0) return FULL_HUNDREDTHS
  const beyond = (policy.exposure.unprovenMaximumHundredths * 2 + 1) * (PPM / 2)
  return Math.min(FULL_HUNDREDTHS, Math.ceil(beyond / weightPpm) - 1)
}

/** cap · c̄ · (share unknown ? ℓ : max(V ≥ d ? s : 0, u·ℓ)), and the minimum for direct sanctions exposure. */
function formula(
  measure: ExposureMeasure,
  amount: bigint,
  confidencePpm: number,
  { exposure }: CompiledPolicy,
): number {
  if (amount === 0n || isDust(measure, amount)) return 0
  const category = measure.category as RiskCategory
  const direction = measure.direction as 'in' | 'out'
  const isSanctions = category === 'sanctions'
  const band = isSanctions ? 'sanctions' : 'other'
  const dust = BigInt(measure.dust)
  const size = sizePpm(amount, dust, exposure.document.size_decades)
  const share = sharePpm(measure, amount)
  const ofSize = BigInt(size) * BigInt(share === null ? PPM : exposure.sizeFactorPpm[band])
  const ofShare =
    share === null || amount < dust ? 0n : BigInt(shareOfBandPpm(share, exposure.sharePpm[band])) * PPM_N
  const factor = ofSize > ofShare ? ofSize : ofShare
  const fullCap = exposure.capsHundredths[category][measure.relation as 'direct' | 'indirect'][direction]
  const isPre = measure.preDesignation === true
  const cap = isPre ? Math.min(fullCap, exposure.preDesignationCapHundredths) : fullCap
  const points = roundedQuotient(BigInt(cap) * BigInt(confidencePpm) * factor, PPM_N * PPM_N * PPM_N)
  const hasMinimum = isSanctions && measure.relation === 'direct' && !isPre
  return hasMinimum ? Math.max(points, exposure.directSanctionsMinimumHundredths) : points
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
  const amount = BigInt(measure.amount)
  const share = sharePpm(measure, amount)
  const inAsset = (units: string): string =>
    `${decimalAmount(BigInt(units), measure.decimals)} ${measure.asset}`
  return {
    category: measure.category,
    subcategory: null,
    relation: measure.relation,
    direction: measure.direction,
    hops: measure.hops,
    chain: measure.sourceChain,
    address: measure.sourceAddress,
    entity: measure.entity,
    source: measure.source,
    source_url: measure.sourceUrl,
    origin: measure.origin,
    role: measure.role,
    confidence: measure.confidencePpm / PPM,
    status: 'live',
    observed_at: measure.observedAt,
    sanction: null,
    value_usd: null,
    transfers: measure.transfers,
    sources: measure.sources,
    first_at: null,
    last_at: null,
    counterparties: [],
    counterparties_omitted: null,
    value: inAsset(measure.amount),
    share: share === null ? null : share / PPM,
    path: (measure.paths[0]?.steps ?? []).map((step) => ({
      from: step.from,
      to: step.to,
      transaction: step.txHash === '' ? null : step.txHash,
      block: step.blockNumber,
      at: step.occurredAt,
      value: inAsset(step.amount),
      execution: step.proven ? 'proven' : 'unknown',
    })),
    contribution: 0,
    decisive: false,
    used: reason === null,
    reason,
    pre_designation: measure.preDesignation,
  }
}
