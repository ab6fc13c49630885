/** Attributes a counterparty by its labels: a source of exposure, a service at which paths end, or neither. */
import type { ConsideredLabel } from '@cupel/contracts'
import { compareStrength, considerLabels, strengthPpm } from '../risk/consider-labels.js'
import type { LabelFacts, LabelSetFacts, UnusedReason } from '../risk/label-facts.js'
import { ownershipByCategory } from '../risk/ownership.js'
import { PPM, type CompiledPolicy } from '../risk/policy.js'
import { riskCategories, type Category, type RiskCategory } from '../vocabulary.js'

export interface Attribution {
  /** Illicit categories that the address is attributed to. */
  readonly sources: readonly SourceAttribution[]
  /** The clean service that the address is attributed to, of whatever confidence; null without one. */
  readonly clean: CleanAttribution | null
  /** The service that owns the address. Paths end there, because the value behind it belongs to the service. */
  readonly service: Category | null
  /** The address has at least one live label. */
  readonly isLabelled: boolean
}

export interface SourceAttribution {
  readonly category: RiskCategory
  /** A subcategory with rules of its own (severe, or coinjoin); else empty. */
  readonly subcategory: string
  /** C of the category. */
  readonly confidencePpm: number
  /** The strongest label that counts, of a severe source the strongest severe one; null for a CoinJoin. */
  readonly label: ConsideredLabel | null
  /** The label is one of another member of the address's cluster. */
  readonly isCluster?: true
}

export interface CleanAttribution {
  readonly category: 'clean_exchange'
  /** C of the category. */
  readonly confidencePpm: number
  readonly label: ConsideredLabel
}

/** Subcategories that no one pays by mistake. */
export const severeSubcategories: ReadonlySet<string> = new Set(['ransomware', 'terrorist_financing', 'csam'])

/** In a CoinJoin nobody paid anybody: its transfers lead to and from one node that stands for the transaction. */
export const COINJOIN = 'coinjoin'
export const isCoinJoinNode = (address: string): boolean => address.startsWith(`${COINJOIN}:`)

/** Services that mix the value of all their customers. */
const serviceCategories = ['clean_exchange', 'mixer', 'darknet'] as const satisfies readonly Category[]

const nothingKnown: Attribution = { sources: [], clean: null, service: null, isLabelled: false }

/**
 * The node of a CoinJoin is a mixer, by the form of the transaction and without any label. Paths go on through it, because the share of
 * designated participants is known.
 */
export const coinJoinAttribution: Attribution = {
  sources: [{ category: 'mixer', subcategory: COINJOIN, confidencePpm: PPM, label: null }],
  clean: null,
  service: null,
  isLabelled: true,
}

/**
 * The attribution of an address in a cluster: what the members are counts with less confidence, unless its own labels say as much. A clean
 * service has customers that spend together, so its cluster has no single owner.
 */
export function withCluster(
  own: Attribution,
  members: readonly Attribution[],
  { clusterFactorPpm }: CompiledPolicy,
): Attribution {
  if (members.some(({ service }) => service === 'clean_exchange')) return own
  const sources = riskCategories.flatMap((category): SourceAttribution[] => {
    const ofCategory = (one: Attribution) => one.sources.filter((source) => source.category === category)
    const [best] = members.flatMap(ofCategory).sort((a, b) => b.confidencePpm - a.confidencePpm)
    if (best === undefined) return []
    const confidencePpm = Math.floor((best.confidencePpm * clusterFactorPpm + PPM / 2) / PPM)
    const isKnown = ofCategory(own).some((one) => one.confidencePpm >= confidencePpm)
    return isKnown ? [] : [{ ...best, subcategory: '', confidencePpm, isCluster: true }]
  })
  if (sources.length === 0) return own
  return { ...own, sources: [...own.sources, ...sources], isLabelled: true }
}

export interface AttributionContext {
  readonly chain: string
  readonly labelSets: readonly LabelSetFacts[]
  readonly generatedAt: string
  readonly policy: CompiledPolicy
}

/** Attributes an address by every label under its look-up key. */
export function attribute(labels: readonly LabelFacts[], context: AttributionContext): Attribution {
  if (labels.length === 0) return nothingKnown
  const { policy } = context
  const considered = considerLabels({ ...context, labels })
  const ownership = ownershipByCategory(considered, policy)
  const strongest = (found: readonly ConsideredLabel[]): ConsideredLabel | undefined =>
    [...found].sort((a, b) => compareStrength(a, b, policy))[0]
  const owned = (category: Category) => {
    const { confidencePpm, counted } = ownership.find((one) => one.category === category)!
    return { confidencePpm, label: strongest(counted.map(({ label }) => label)) }
  }
  const sources = riskCategories.flatMap((category): SourceAttribution[] => {
    const { confidencePpm, label } = owned(category)
    if (label === undefined || confidencePpm === 0) return []
    const severe = strongest(considered.filter((one) => one.category === category && isSevere(one, policy)))
    const subcategory = severe === undefined ? '' : severe.subcategory
    return [{ category, subcategory, confidencePpm, label: severe ?? label }]
  })
  const { confidencePpm, label } = owned('clean_exchange')
  return {
    sources,
    clean: label === undefined ? null : { category: 'clean_exchange', confidencePpm, label },
    service: serviceOf(labels, context),
    isLabelled: considered.some(({ status }) => status === 'live'),
  }
}

/** A label that counts, or would if its origin did not say something stronger beside it. */
const isSevere = (label: ConsideredLabel, policy: CompiledPolicy): boolean =>
  (label.used || label.reason === ('same_origin' satisfies UnusedReason)) &&
  severeSubcategories.has(label.subcategory) &&
  strengthPpm(label, policy) >= policy.exposure.sourceConfidencePpm

/** The service that owns the address. Its users, and contracts beside it, are not the service. */
function serviceOf(labels: readonly LabelFacts[], context: AttributionContext): Category | null {
  const owners = labels.filter(({ role }) => role === 'owner')
  if (!owners.some(({ category }) => (serviceCategories as readonly string[]).includes(category))) return null
  const ownership = ownershipByCategory(considerLabels({ ...context, labels: owners }), context.policy)
  const found = serviceCategories.find((category) => {
    const { confidencePpm } = ownership.find((one) => one.category === category)!
    return confidencePpm > 0 && confidencePpm >= context.policy.exposure.serviceConfidencePpm
  })
  return found ?? null
}
