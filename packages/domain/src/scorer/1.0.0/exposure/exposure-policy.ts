/** The part of a policy that judges exposure: its numbers, their bounds, and their whole-number form. */
import { riskCategories, type RiskCategory } from '../vocabulary.js'

/** How value is followed through an intermediary. Haircut and FIFO conserve value, poison does not. */
export const taintMethods = ['haircut', 'fifo', 'poison'] as const
export type TaintMethod = (typeof taintMethods)[number]

/** Highest points of an exposure, 0 to 100, by the direction in which value moved. */
export interface DirectionCaps {
  readonly in: number
  readonly out: number
}

export interface ExposurePolicyDocument {
  readonly method: TaintMethod
  /** Transfers between the address and a source, at most. */
  readonly hops: number
  readonly caps: Readonly<
    Record<RiskCategory, { readonly direct: DirectionCaps; readonly indirect: DirectionCaps }>
  >
  /** Cap of what is known to have moved before the designation, points. */
  readonly pre_designation_cap: number
  /** Least points of direct sanctions exposure: any outgoing value, or incoming value that is not dust. */
  readonly direct_sanctions_minimum: number
  /** Weighted points, at most, of an item that rests on a transfer whose execution is not proven. */
  readonly unproven_maximum: number
  /** What was paid directly to ransomware, terrorist financing or child sexual abuse material, points. */
  readonly severe: {
    /** Least weighted points. */
    readonly minimum: number
    /** Cap, where the category's own cap is lower. */
    readonly cap: number
  }
  /** Weighted points, at most, of value that passed through a CoinJoin. */
  readonly coinjoin_maximum: number
  /** Sources below are shown and not scored. */
  readonly source_confidence: number
  /** Owners of a service from here on end a path: what lies behind them is the service's. */
  readonly service_confidence: number
  /** A clean service from here on, without an illicit label, is not scored by what passes through it. */
  readonly clean_service_confidence: number
  /** The share of all value at which points begin, and from which on they are full. */
  readonly share: { readonly sanctions: ShareBand; readonly other: ShareBand }
  /** Powers of ten of dust after which size counts in full. */
  readonly size_decades: number
  /** What the size is worth by itself where the share is known to be small. */
  readonly size_factor: { readonly sanctions: number; readonly other: number }
  /** Hours by which the end of a complete history may lie before the report. */
  readonly history_max_age_hours: number
  /** Counts, never time: the same ledger gives the same answer on a slow machine. */
  readonly limits: ExposureLimits
}

export interface ShareBand {
  readonly from: number
  readonly to: number
}

export interface ExposureLimits {
  /** Transfers of the screened address that are followed, the largest first. Its direct exposure counts all of them. */
  readonly transfers: number
  /** Addresses that paths are followed through. */
  readonly intermediaries: number
  /** Transfers of one such address, the largest first. */
  readonly transfers_per_intermediary: number
  /** Transfers of all of them together. */
  readonly transfers_of_intermediaries: number
  /** Unlabelled addresses with more counterparties, of at least dust each, end a path. */
  readonly hub_counterparties: number
  /** Recorded paths of each exposure, those of most value first. */
  readonly paths: number
}

export const MAX_HOPS = 4

/** Least and greatest value of every whole-number setting; a document beyond them is refused. */
export const exposureBounds = {
  hops: [1, MAX_HOPS],
  size_decades: [1, 12],
  history_max_age_hours: [1, 720],
  limits: {
    transfers: [1, 20_000],
    intermediaries: [0, 1_000],
    transfers_per_intermediary: [1, 5_000],
    transfers_of_intermediaries: [0, 50_000],
    hub_counterparties: [1, 100_000],
    paths: [0, 20],
  },
} as const

/** The section in whole numbers: parts per million and hundredths of a point. */
export interface CompiledExposurePolicy {
  readonly document: ExposurePolicyDocument
  readonly capsHundredths: Readonly<
    Record<RiskCategory, { readonly direct: DirectionCaps; readonly indirect: DirectionCaps }>
  >
  readonly preDesignationCapHundredths: number
  readonly directSanctionsMinimumHundredths: number
  readonly unprovenMaximumHundredths: number
  readonly severeMinimumHundredths: number
  readonly severeCapHundredths: number
  readonly coinJoinMaximumHundredths: number
  readonly sourceConfidencePpm: number
  readonly serviceConfidencePpm: number
  readonly cleanServiceConfidencePpm: number
  readonly sharePpm: { readonly sanctions: ShareBand; readonly other: ShareBand }
  readonly sizeFactorPpm: { readonly sanctions: number; readonly other: number }
}

export function compileExposurePolicy(document: ExposurePolicyDocument): CompiledExposurePolicy {
  const caps = ({ in: incoming, out }: DirectionCaps): DirectionCaps => ({
    in: hundredths(incoming),
    out: hundredths(out),
  })
  const band = ({ from, to }: ShareBand): ShareBand => ({ from: ppm(from), to: ppm(to) })
  return {
    document,
    capsHundredths: Object.fromEntries(
      riskCategories.map((category) => {
        const { direct, indirect } = document.caps[category]
        return [category, { direct: caps(direct), indirect: caps(indirect) }]
      }),
    ) as CompiledExposurePolicy['capsHundredths'],
    preDesignationCapHundredths: hundredths(document.pre_designation_cap),
    directSanctionsMinimumHundredths: hundredths(document.direct_sanctions_minimum),
    unprovenMaximumHundredths: hundredths(document.unproven_maximum),
    severeMinimumHundredths: hundredths(document.severe.minimum),
    severeCapHundredths: hundredths(document.severe.cap),
    coinJoinMaximumHundredths: hundredths(document.coinjoin_maximum),
    sourceConfidencePpm: ppm(document.source_confidence),
    serviceConfidencePpm: ppm(document.service_confidence),
    cleanServiceConfidencePpm: ppm(document.clean_service_confidence),
    sharePpm: { sanctions: band(document.share.sanctions), other: band(document.share.other) },
    sizeFactorPpm: {
      sanctions: ppm(document.size_factor.sanctions),
      other: ppm(document.size_factor.other),
    },
  }
}

const PPM = 1_000_000
const ppm = (fraction: number): number => Math.round(fraction * PPM)
const hundredths = (points: number): number => Math.round(points * 100)

/** The first setting of the section out of bounds as `path: what is wrong`, or null for a valid one. */
export function exposurePolicyFault(section: ExposurePolicyDocument): string | null {
  if (typeof section !== 'object' || section === null) return 'exposure: not an object'
  if (!taintMethods.includes(section.method)) return `exposure.method: not one of ${taintMethods.join(', ')}`
  for (const [path, points] of pointSettings(section)) {
    if (!isMultiple(points, 100) || points < 0 || points > 100)
      return `exposure.${path}: not points from 0 to 100 of at most 2 decimals`
  }
  for (const [path, fraction] of fractionSettings(section)) {
    if (!isMultiple(fraction, PPM) || fraction < 0 || fraction > 1)
      return `exposure.${path}: not a fraction of at most 6 decimals`
  }
  for (const name of ['sanctions', 'other'] as const) {
    const { from, to } = section.share[name]
    if (from >= to) return `exposure.share.${name}: does not begin below its end`
  }
  const counts: [string, unknown, readonly [number, number]][] = [
    ['hops', section.hops, exposureBounds.hops],
    ['size_decades', section.size_decades, exposureBounds.size_decades],
    ['history_max_age_hours', section.history_max_age_hours, exposureBounds.history_max_age_hours],
    ...Object.entries(exposureBounds.limits).map(
      ([name, bounds]): [string, unknown, readonly [number, number]] => [
        `limits.${name}`,
        section.limits?.[name as keyof ExposureLimits],
        bounds,
      ],
    ),
  ]
  for (const [path, count, [least, most]] of counts) {
    if (!Number.isInteger(count) || (count as number) < least || (count as number) > most)
      return `exposure.${path}: not a whole number from ${least} to ${most}`
  }
  return null
}

function pointSettings({ caps, ...section }: ExposurePolicyDocument): readonly [string, number][] {
  return [
    ...riskCategories.flatMap((category) =>
      (['direct', 'indirect'] as const).flatMap((relation) =>
        (['in', 'out'] as const).map((direction): [string, number] => [
          `caps.${category}.${relation}.${direction}`,
          caps?.[category]?.[relation]?.[direction],
        ]),
      ),
    ),
    ['pre_designation_cap', section.pre_designation_cap],
    ['direct_sanctions_minimum', section.direct_sanctions_minimum],
    ['unproven_maximum', section.unproven_maximum],
    ['severe.minimum', section.severe?.minimum],
    ['severe.cap', section.severe?.cap],
    ['coinjoin_maximum', section.coinjoin_maximum],
  ]
}

function fractionSettings(section: ExposurePolicyDocument): readonly [string, number][] {
  return [
    ['source_confidence', section.source_confidence],
    ['service_confidence', section.service_confidence],
    ['clean_service_confidence', section.clean_service_confidence],
    ['share.sanctions.from', section.share?.sanctions?.from],
    ['share.sanctions.to', section.share?.sanctions?.to],
    ['share.other.from', section.share?.other?.from],
    ['share.other.to', section.share?.other?.to],
    ['size_factor.sanctions', section.size_factor?.sanctions],
    ['size_factor.other', section.size_factor?.other],
  ]
}

/** Whether a number, times the scale, is whole but for the error of its binary form. */
function isMultiple(value: unknown, scale: number): value is number {
  return typeof value === 'number' && Math.abs(value * scale - Math.round(value * scale)) < 1e-6
}
