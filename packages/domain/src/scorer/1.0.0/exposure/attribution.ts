/** Attributes a counterparty by its labels: a source of exposure, a service at which paths end, or neither. */
import type { ConsideredLabel } from '@cupel/contracts'
import { designatedNamesake } from '../risk/designated-names.js'
import { compareStrength, compareText, considerLabels, strengthPpm } from '../risk/consider-labels.js'
import type { LabelFacts, LabelSetFacts, UnusedReason } from '../risk/label-facts.js'
import { designationsOf, firstDesignatedMs, timeOf, type Designation, type DesignationInterval } from '../risk/designations.js'
import { ownershipByCategory } from '../risk/ownership.js'
import { PPM, type CompiledPolicy } from '../risk/policy.js'
import { riskCategories, type Category, type RiskCategory } from '../vocabulary.js'
import type { Transfer } from './transfer.js'

export interface Attribution {
  /** Illicit categories that the address is attributed to. */
  readonly sources: readonly SourceAttribution[]
  /** The clean service that the address is attributed to, of whatever confidence; null without one. */
  readonly clean: CleanAttribution | null
  /** The service that owns the address. Paths end there, because the value behind it belongs to the service. */
  readonly service: Category | null
  /** The address has at least one live label. */
  readonly isLabelled: boolean
  /** A designation that has ended since; null without one, and where another one is live. */
  readonly past: PastDesignation | null
}

export interface PastDesignation {
  readonly source: SourceAttribution
  /** When it was in force. */
  readonly intervals: readonly DesignationInterval[]
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
  /** The designation has ended since. */
  readonly isHistorical?: true
  /** Of sanctions, when the first designation began; null where that is not known. */
  readonly designatedFromMs?: number | null
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

const nothingKnown: Attribution = { sources: [], clean: null, service: null, isLabelled: false, past: null }

/**
 * The node of a CoinJoin is a mixer, by the form of the transaction and without any label. Paths go on through it, because the share of
 * designated participants is known.
 */
export const coinJoinAttribution: Attribution = {
  sources: [{ category: 'mixer', subcategory: COINJOIN, confidencePpm: PPM, label: null }],
  clean: null,
  service: null,
  isLabelled: true,
  past: null,
}

/** Whether a transfer of the address was, or may have been, while a designation was in force that has ended since. */
export function wasDesignated({ past }: Attribution, { occurredAtS, bundle }: Transfer): boolean {
  if (past === null || occurredAtS === null) return past !== null
  const lastMs = occurredAtS * 1_000
  const firstMs = bundle === undefined ? lastMs : (bundle.firstAtS ?? -Infinity) * 1_000
  return past.intervals.some(
    ({ fromMs, toMs }) => (fromMs ?? -Infinity) <= lastMs && firstMs < (toMs ?? Infinity),
  )
}

/** What the address is a source of; while it was designated, of sanctions too. */
export const sourcesOf = ({ sources, past }: Attribution, isDesignated: boolean): readonly SourceAttribution[] =>
  isDesignated && past !== null ? [...sources, past.source] : sources

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
  const inCluster = (one: SourceAttribution): SourceAttribution => ({
    ...one,
    subcategory: '',
    confidencePpm: Math.floor((one.confidencePpm * clusterFactorPpm + PPM / 2) / PPM),
    isCluster: true,
  })
  const sources = riskCategories.flatMap((category): SourceAttribution[] => {
    const ofCategory = (one: Attribution) => one.sources.filter((source) => source.category === category)
    const [best] = members.flatMap(ofCategory).sort((a, b) => b.confidencePpm - a.confidencePpm)
    if (best === undefined) return []
    const found = inCluster(best)
    const isKnown = ofCategory(own).some((one) => one.confidencePpm >= found.confidencePpm)
    return isKnown ? [] : [found]
  })
  const [ended] = members.flatMap(({ past }) => past ?? [])
  const past = own.past ?? (ended === undefined ? null : { ...ended, source: inCluster(ended.source) })
  if (sources.length === 0) return past === own.past ? own : { ...own, past }
  return { ...own, sources: [...own.sources, ...sources], isLabelled: true, past }
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
  const designations = designationsOf(labels, context.labelSets)
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
    const shown = severe ?? label
    const isDated = designations.some(({ labelId }) => labelId === label.labelId)
    const began = isDated ? designations : [...designations, { fromMs: timeOf(label.validFrom) }]
    const dates = category === 'sanctions' ? { designatedFromMs: firstDesignatedMs(began) } : {}
    return [{ category, subcategory, confidencePpm, label: shown, ...dates }]
  })
  const { confidencePpm, label } = owned('clean_exchange')
  // What came from somebody with the name of a designated party is not explained by a label that calls it clean.
  const isNamesake = considered.some(
    ({ category, status, entity }) =>
      category === 'clean_exchange' && status === 'live' && designatedNamesake(entity, context.labelSets) !== null,
  )
  return {
    sources,
    clean: label === undefined || isNamesake ? null : { category: 'clean_exchange', confidencePpm, label },
    service: serviceOf(labels, context),
    isLabelled: considered.some(({ status }) => status === 'live'),
    past: considered.some(({ isLiveDesignation }) => isLiveDesignation)
      ? null
      : pastDesignation(considered, designations),
  }
}

/** Of several the one that ended last stands for all. While it was in force it was as certain as a live one. */
function pastDesignation(
  considered: readonly ConsideredLabel[],
  designations: readonly Designation[],
): PastDesignation | null {
  const [last] = [...designations].sort(
    (a, b) => (b.toMs ?? Infinity) - (a.toMs ?? Infinity) || compareText(a.labelId, b.labelId),
  )
  if (last === undefined) return null
  const label = considered.find(({ labelId }) => labelId === last.labelId)!
  const source: SourceAttribution = {
    category: 'sanctions',
    subcategory: severeSubcategories.has(label.subcategory) ? label.subcategory : '',
    confidencePpm: PPM,
    label,
    isHistorical: true,
    designatedFromMs: firstDesignatedMs(designations),
  }
  return { source, intervals: designations }
}

/** A label that counts, or would if its origin did not also say something stronger. */
const isSevere = (label: ConsideredLabel, policy: CompiledPolicy): boolean =>
  (label.used || label.reason === ('same_origin' satisfies UnusedReason)) &&
  severeSubcategories.has(label.subcategory) &&
  strengthPpm(label, policy) >= policy.exposure.sourceConfidencePpm

/** The service that owns the address. Its users and other contracts are not the service. */
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
