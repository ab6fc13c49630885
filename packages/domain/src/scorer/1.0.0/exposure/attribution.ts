/** Attributes a counterparty by its labels: a source of exposure, a service at which paths end, or neither. */
import type { ConsideredLabel } from '@cupel/contracts'
import { compareStrength, considerLabels } from '../risk/consider-labels.js'
import type { LabelFacts, LabelSetFacts } from '../risk/label-facts.js'
import { ownershipByCategory } from '../risk/ownership.js'
import type { CompiledPolicy } from '../risk/policy.js'
import { riskCategories, type Category, type RiskCategory } from '../vocabulary.js'

export interface Attribution {
  /** Illicit categories that the address is attributed to. */
  readonly sources: readonly SourceAttribution[]
  /** The service that owns the address. Paths end there, because the value behind it belongs to the service. */
  readonly service: Category | null
  /** The address has at least one live label. */
  readonly isLabelled: boolean
}

export interface SourceAttribution {
  readonly category: RiskCategory
  /** C of the category. */
  readonly confidencePpm: number
  /** The strongest label that counts. */
  readonly label: ConsideredLabel
}

/** Services that mix the value of all their customers. */
const serviceCategories = ['clean_exchange', 'mixer', 'darknet'] as const satisfies readonly Category[]

const nothingKnown: Attribution = { sources: [], service: null, isLabelled: false }

export interface AttributionContext {
  readonly chain: string
  readonly labelSets: readonly LabelSetFacts[]
  readonly generatedAt: string
  readonly policy: CompiledPolicy
}

/** Attributes an address by every label under its look-up key. */
export function attribute(labels: readonly LabelFacts[], context: AttributionContext): Attribution {
  if (labels.length === 0) return nothingKnown
  const considered = considerLabels({ ...context, labels })
  const ownership = ownershipByCategory(considered, context.policy)
  const sources = riskCategories.flatMap((category): SourceAttribution[] => {
    const owned = ownership.find((one) => one.category === category)!
    const [strongest] = [...owned.counted].sort((a, b) => compareStrength(a.label, b.label, context.policy))
    if (strongest === undefined || owned.confidencePpm === 0) return []
    return [{ category, confidencePpm: owned.confidencePpm, label: strongest.label }]
  })
  return {
    sources,
    service: serviceOf(labels, context),
    isLabelled: considered.some(({ status }) => status === 'live'),
  }
}

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
