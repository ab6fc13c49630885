/**
 * The evidence for a score: one item per origin, one more where several origins together exceed the best of them, and the labels
 * that do not count, with the reason. Contributions do not add up: the highest decides.
 */
import type { ConsideredLabel, Evidence } from '@cupel/contracts'
import type { ScoredExposure } from '../exposure/score-exposure.js'
import { categories, type RiskCategory } from '../vocabulary.js'
import type { ClusterFinding } from './cluster.js'
import { compareStrength, compareText, confidenceOf, rolePpmOf } from './consider-labels.js'
import type { UnusedReason } from './label-facts.js'
import { weightedHundredths, type CategoryOwnership, type CountedLabel } from './ownership.js'
import { labelPoints, notCounted } from './points.js'
import { PPM, type CompiledPolicy } from './policy.js'
import { shownSanction } from './shown-sanction.js'

/** Items a report shows; the rest is counted. */
export const MAX_EVIDENCE_ITEMS = 50

/** Origin of the item that stands for several origins together. */
export const COMBINED_ORIGIN = 'combined'

export interface EvidenceList {
  readonly shown: readonly Evidence[]
  readonly omitted: number
}

/** Evidence in its fixed order: the highest contribution first, unused labels last. */
export function collectEvidence({
  ownership,
  considered,
  findings,
  exposure,
  overallHundredths,
  screenedAddress,
  policy,
}: {
  readonly ownership: readonly CategoryOwnership[]
  readonly considered: readonly ConsideredLabel[]
  readonly findings: readonly ClusterFinding[]
  readonly exposure: readonly ScoredExposure[]
  readonly overallHundredths: number
  /** Canonical address that was screened. */
  readonly screenedAddress: string
  readonly policy: CompiledPolicy
}): EvidenceList {
  const items = [
    ...ownership.flatMap((owned) => countedItems(owned, screenedAddress, policy)),
    ...unusedItems(considered, screenedAddress, policy),
    ...findings.map((finding) => clusterItem(finding, policy)),
    ...exposure.map(exposureItem),
  ]
  items.sort(compareItems)
  return {
    shown: items.slice(0, MAX_EVIDENCE_ITEMS).map((item) => ({
      ...item.evidence,
      contribution: item.contribution / 100,
      decisive: overallHundredths > 0 && item.contribution === overallHundredths,
    })),
    omitted: Math.max(0, items.length - MAX_EVIDENCE_ITEMS),
  }
}

interface EvidenceItem {
  readonly evidence: Evidence
  /** Hundredths of a point. */
  readonly contribution: number
  readonly labelId: string
}

function countedItems(
  owned: CategoryOwnership,
  screenedAddress: string,
  policy: CompiledPolicy,
): readonly EvidenceItem[] {
  const items = owned.counted.map((counted) => ({
    evidence: {
      ...evidenceOf(counted.label, screenedAddress),
      ...labelPoints(
        confidenceOf(counted.label),
        counted.label.isLiveDesignation ? PPM : rolePpmOf(counted.label, policy),
        counted.label.isLiveDesignation ? PPM : weightPpmOf(owned, policy),
      ),
    },
    contribution: contributionOf(owned, counted, policy),
    labelId: counted.label.labelId,
  }))
  return owned.isCombined ? [...items, combinedItem(owned, policy)] : items
}

/** A designation contributes 100 under every policy. A clean attribution contributes 0. */
function contributionOf(
  owned: CategoryOwnership,
  { label, hundredths }: Pick<CountedLabel, 'label' | 'hundredths'>,
  policy: CompiledPolicy,
): number {
  if (label.isLiveDesignation) return hundredths
  return weighted(owned, hundredths, policy)
}

const weighted = (owned: CategoryOwnership, hundredths: number, policy: CompiledPolicy): number =>
  weightedHundredths(hundredths, weightPpmOf(owned, policy))

const weightPpmOf = ({ category }: CategoryOwnership, policy: CompiledPolicy): number =>
  category === 'clean_exchange' ? 0 : policy.weightsPpm[category satisfies RiskCategory]

function combinedItem(owned: CategoryOwnership, policy: CompiledPolicy): EvidenceItem {
  const strongest = [...owned.counted].sort((a, b) => compareStrength(a.label, b.label, policy))[0]!.label
  return {
    evidence: {
      ...evidenceOf(strongest, strongest.address),
      source: COMBINED_ORIGIN,
      source_url: '',
      origin: COMBINED_ORIGIN,
      confidence: owned.confidencePpm / PPM,
      observed_at: null,
      ...labelPoints(owned.confidencePpm, PPM, weightPpmOf(owned, policy)),
    },
    contribution: weighted(owned, owned.hundredths, policy),
    labelId: '',
  }
}

/** Of the labels that do not count, one per category, origin and reason; repeats of a counted origin are left out. */
function unusedItems(
  considered: readonly ConsideredLabel[],
  screenedAddress: string,
  policy: CompiledPolicy,
): readonly EvidenceItem[] {
  const strongest = new Map<string, ConsideredLabel>()
  for (const label of considered) {
    if (label.used || (label.reason as UnusedReason) === 'same_origin') continue
    const key = JSON.stringify([label.category, label.origin, label.reason])
    const known = strongest.get(key)
    if (known === undefined || compareStrength(label, known, policy) < 0) strongest.set(key, label)
  }
  return [...strongest.values()].map((label) => ({
    evidence: evidenceOf(label, screenedAddress),
    contribution: 0,
    labelId: label.labelId,
  }))
}

function evidenceOf(label: ConsideredLabel, screenedAddress: string): Evidence {
  return {
    category: label.category,
    subcategory: label.subcategory === '' ? null : label.subcategory,
    relation: 'ownership',
    direction: null,
    hops: 0,
    chain: label.chain,
    address: label.address === screenedAddress ? null : label.address,
    entity: label.entity,
    source: label.source,
    source_url: label.sourceUrl,
    origin: label.origin,
    role: label.role,
    confidence: confidenceOf(label) / PPM,
    status: label.status,
    observed_at: label.observedAt,
    sanction: shownSanction(label.sanction),
    value: null,
    value_usd: null,
    share: null,
    transfers: 0,
    sources: 0,
    first_at: null,
    last_at: null,
    counterparties: [],
    counterparties_omitted: null,
    path: [],
    ...notCounted,
    decisive: false,
    used: label.used,
    reason: label.used ? null : label.reason,
    pre_designation: null,
  }
}

/** The other member is the address, and the transaction in which it spent together with the cluster is the path. */
function clusterItem(
  { category, label, member, txHash, confidencePpm, contribution, cappedBy }: ClusterFinding,
  policy: CompiledPolicy,
): EvidenceItem {
  return {
    evidence: {
      ...evidenceOf(label, ''),
      relation: 'cluster',
      address: member,
      confidence: confidencePpm / PPM,
      path: [{ transaction: txHash === '' ? null : txHash }],
      ...labelPoints(confidencePpm, rolePpmOf(label, policy), policy.weightsPpm[category]),
      capped_by: cappedBy,
    },
    contribution,
    labelId: label.labelId,
  }
}

function exposureItem({ evidence, contribution }: ScoredExposure): EvidenceItem {
  const { relation, direction, value, pre_designation, status } = evidence
  const labelId = JSON.stringify([relation, direction, value, pre_designation, status])
  return { evidence, contribution, labelId }
}

function compareItems(a: EvidenceItem, b: EvidenceItem): number {
  return (
    b.contribution - a.contribution ||
    Number(b.evidence.used) - Number(a.evidence.used) ||
    categoryRank(a) - categoryRank(b) ||
    b.evidence.confidence - a.evidence.confidence ||
    compareText(a.evidence.origin, b.evidence.origin) ||
    compareText(a.evidence.reason ?? '', b.evidence.reason ?? '') ||
    compareText(a.evidence.category, b.evidence.category) ||
    compareText(a.labelId, b.labelId)
  )
}

/** Known categories in their fixed order, unknown ones after them. */
function categoryRank({ evidence }: EvidenceItem): number {
  const rank = (categories as readonly string[]).indexOf(evidence.category)
  return rank === -1 ? categories.length : rank
}
