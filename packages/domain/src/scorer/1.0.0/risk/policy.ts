/**
 * The policy: every number of the judgement that is not fixed, as one JSON document with a version.
 * It is compiled once into whole numbers (parts per million, hundredths of a point); decisions never use fractions.
 */
import {
  compileExposurePolicy,
  exposurePolicyFault,
  type CompiledExposurePolicy,
  type ExposurePolicyDocument,
} from '../exposure/exposure-policy.js'
import { canonicalJson, sha256Hex } from '../json/canonical-json.js'
import {
  defaultTransferPolicy,
  transferPolicyFault,
  type TransferPolicyDocument,
} from '../transfers/transfer-policy.js'
import { riskCategories, roles, type RiskCategory, type Role } from '../vocabulary.js'

export interface PolicyDocument {
  readonly id: string
  readonly version: number
  /** Lowest score of the level, points from 0 to 100. */
  readonly levels: { readonly orange: number; readonly red: number }
  /** Factor of each category in the overall score, 0 to 1. */
  readonly weights: Readonly<Record<RiskCategory, number>>
  /** Factor of each role in a label's confidence, 0 to 1. */
  readonly roles: Readonly<Record<Role, number>>
  readonly ownership: {
    /** Labels below are shown and not used. */
    readonly minimum_confidence: number
    /** Origins from here on are combined, where their role is owner or participant. */
    readonly combined_from: number
    readonly combined_cap: number
  }
  readonly green: {
    /** Clean attribution on this chain from which an address can be green without chain data. */
    readonly clean_confidence: number
    /** Share of what came in, per asset, that clean services or issuance must explain. */
    readonly attributed_share: number
    /** Share of what came in from which weakly labelled sources, or dust of illicit ones, forbid green. */
    readonly doubtful_share: number
  }
  readonly freshness: {
    /** Lists that must be fresh in addition to those with a refresh configured. */
    readonly required: readonly RequiredList[]
    readonly max_age_hours: number
    /** By origin of the authority whose own list it is. */
    readonly max_age_hours_by_origin: Readonly<Record<string, number>>
  }
  readonly exposure: ExposurePolicyDocument
  readonly cluster: ClusterPolicyDocument
  /** Absent in policies that were written before transfers were screened: then the default one. */
  readonly transfers?: TransferPolicyDocument | undefined
}

/** How labels of addresses count that spent together with the screened one. */
export interface ClusterPolicyDocument {
  /** Factor of the confidence of a label of another member, 0 to 1. */
  readonly confidence_factor: number
  /** Most weighted points of such labels. */
  readonly maximum: number
  /** Labels of a cluster with more addresses do not count. */
  readonly addresses: number
}

export interface RequiredList {
  /** Origin of the authority whose own list is required. */
  readonly origin: string
  /** `always`: without it there is no sanctions list. `once_published`: required from its first import on. */
  readonly when: 'always' | 'once_published'
}

/** A policy in the whole numbers that decisions use, with the text it came from. */
export interface CompiledPolicy {
  readonly document: PolicyDocument
  /** RFC 8785 form. */
  readonly canonical: string
  /** SHA-256 of the canonical form, lowercase hex. */
  readonly sha256: string
  readonly orangeHundredths: number
  readonly redHundredths: number
  readonly weightsPpm: Readonly<Record<RiskCategory, number>>
  readonly rolesPpm: Readonly<Record<string, number>>
  readonly minimumConfidencePpm: number
  readonly combinedFromPpm: number
  readonly combinedCapPpm: number
  readonly cleanConfidencePpm: number
  readonly attributedSharePpm: number
  readonly doubtfulSharePpm: number
  readonly exposure: CompiledExposurePolicy
  readonly clusterFactorPpm: number
  readonly clusterMaximumHundredths: number
  readonly transfers: TransferPolicyDocument
  readonly illicitSharePpm: number
}

export const PPM = 1_000_000

const MAX_CLUSTER_ADDRESSES = 1_000_000

/** Compiles a document; throws a RangeError that names the first setting out of bounds. */
export function compilePolicy(document: PolicyDocument): CompiledPolicy {
  const fault = policyFault(document)
  if (fault !== null) throw new RangeError(`The policy is not valid: ${fault}`)
  const canonical = canonicalJson(document)
  const { levels, ownership, green, transfers = defaultTransferPolicy } = document
  return {
    document,
    canonical,
    sha256: sha256Hex(canonical),
    orangeHundredths: Math.round(levels.orange * 100),
    redHundredths: Math.round(levels.red * 100),
    weightsPpm: inPpm(document.weights),
    rolesPpm: inPpm(document.roles),
    minimumConfidencePpm: toPpm(ownership.minimum_confidence),
    combinedFromPpm: toPpm(ownership.combined_from),
    combinedCapPpm: toPpm(ownership.combined_cap),
    cleanConfidencePpm: toPpm(green.clean_confidence),
    attributedSharePpm: toPpm(green.attributed_share),
    doubtfulSharePpm: toPpm(green.doubtful_share),
    exposure: compileExposurePolicy(document.exposure),
    clusterFactorPpm: toPpm(document.cluster.confidence_factor),
    clusterMaximumHundredths: Math.round(document.cluster.maximum * 100),
    transfers,
    illicitSharePpm: toPpm(transfers.illicit_share),
  }
}

/** Deciding a whole log again compiles the same few texts for every report. */
const rememberedTexts = new Map<string, CompiledPolicy>()
const MAX_REMEMBERED_TEXTS = 16

/** Compiles the canonical text of a policy, as recorded in PolicyActivated. */
export function compilePolicyText(text: string): CompiledPolicy {
  const remembered = rememberedTexts.get(text)
  if (remembered !== undefined) return remembered
  const compiled = compilePolicy(JSON.parse(text) as PolicyDocument)
  if (rememberedTexts.size === MAX_REMEMBERED_TEXTS) rememberedTexts.clear()
  rememberedTexts.set(text, compiled)
  return compiled
}

const toPpm = (fraction: number): number => Math.round(fraction * PPM)

function inPpm<Name extends string>(fractions: Readonly<Record<Name, number>>): Record<Name, number> {
  return Object.fromEntries(
    Object.entries<number>(fractions).map(([name, fraction]) => [name, toPpm(fraction)]),
  ) as Record<Name, number>
}

/** The first setting out of bounds as `path: what is wrong`, or null for a valid document. */
export function policyFault(document: PolicyDocument): string | null {
  if (typeof document !== 'object' || document === null) return 'not an object'
  if (!document.id) return 'id: empty'
  if (!Number.isInteger(document.version) || document.version < 1) return 'version: not a whole number from 1'
  const { levels, weights, ownership, green, freshness } = document
  const fractions: [string, number][] = [
    ...riskCategories.map((category): [string, number] => [`weights.${category}`, weights?.[category]]),
    ...roles.map((role): [string, number] => [`roles.${role}`, document.roles?.[role]]),
    ['ownership.minimum_confidence', ownership?.minimum_confidence],
    ['ownership.combined_from', ownership?.combined_from],
    ['ownership.combined_cap', ownership?.combined_cap],
    ['green.clean_confidence', green?.clean_confidence],
    ['green.attributed_share', green?.attributed_share],
    ['green.doubtful_share', green?.doubtful_share],
    ['cluster.confidence_factor', document.cluster?.confidence_factor],
  ]
  for (const [path, fraction] of fractions) {
    if (!isMultiple(fraction, PPM) || fraction < 0 || fraction > 1)
      return `${path}: not a fraction of at most 6 decimals`
  }
  for (const level of ['orange', 'red'] as const) {
    const points = levels?.[level]
    if (!isMultiple(points, 100) || points <= 0 || points > 100)
      return `levels.${level}: not points above 0, at most 100`
  }
  if (levels.orange >= levels.red) return 'levels: orange does not begin below red'
  const ages: [string, number][] = [
    ['freshness.max_age_hours', freshness?.max_age_hours],
    ...Object.entries(freshness?.max_age_hours_by_origin ?? {}).map(([origin, hours]): [string, number] => [
      `freshness.max_age_hours_by_origin.${origin}`,
      hours,
    ]),
  ]
  for (const [path, hours] of ages) {
    if (!Number.isFinite(hours) || hours <= 0) return `${path}: not a number of hours above 0`
  }
  if (!Array.isArray(freshness.required)) return 'freshness.required: not a list'
  const badList = freshness.required.findIndex(
    (list) => !list?.origin || (list.when !== 'always' && list.when !== 'once_published'),
  )
  if (badList !== -1)
    return `freshness.required.${badList}: no origin, or a "when" that is not always or once_published`
  return (
    clusterFault(document.cluster) ??
    exposurePolicyFault(document.exposure) ??
    transferPolicyFault(document.transfers)
  )
}

function clusterFault({ maximum, addresses }: ClusterPolicyDocument): string | null {
  if (!isMultiple(maximum, 100) || maximum < 0 || maximum > 100)
    return 'cluster.maximum: not points from 0 to 100 of at most 2 decimals'
  if (!Number.isInteger(addresses) || addresses < 2 || addresses > MAX_CLUSTER_ADDRESSES)
    return `cluster.addresses: not a whole number from 2 to ${MAX_CLUSTER_ADDRESSES}`
  return null
}

/** Whether a number, times the scale, is whole but for the error of its binary form. */
function isMultiple(value: unknown, scale: number): value is number {
  return typeof value === 'number' && Math.abs(value * scale - Math.round(value * scale)) < 1e-6
}
