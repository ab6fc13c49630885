/**
 * Labels of other addresses of a cluster: addresses that spent together in one transaction, so that probably one owner controls
 * them. Such a label counts with a lower confidence, never reaches red by itself under the default policy, and designates nobody.
 */
import type { ClusterLabel, ClusterRecord } from '@cupel/contracts'
import { attribute, type AttributionContext } from '../exposure/attribution.js'
import { riskCategories, type RiskCategory } from '../vocabulary.js'
import { compareStrength, compareText, confidenceOf, considerLabels, rolePpmOf } from './consider-labels.js'
import type { LabelFacts } from './label-facts.js'
import { hundredthsOf, mostHundredths, weightedHundredths } from './ownership.js'
import { limited, type CappedBy } from './points.js'
import { PPM, type CompiledPolicy } from './policy.js'

/** Why labels of a cluster do not count. */
export const clusterStops = ['too_large', 'holds_service', 'failed'] as const
export type ClusterStop = (typeof clusterStops)[number]

/** A cluster as it was read: every label of every other member. */
export type ClusterFacts = Omit<ClusterRecord, 'labels'> & {
  readonly labels: readonly ClusterLabelFacts[]
}

export type ClusterLabelFacts = Omit<ClusterLabel, 'label'> & { readonly label: LabelFacts }

/** One origin's statement about another member, in points. */
export interface ClusterFinding extends ClusterLabel {
  readonly category: RiskCategory
  /** c of the label times the factor of the policy. */
  readonly confidencePpm: number
  /** Unweighted points, hundredths. */
  readonly hundredths: number
  readonly cappedBy: CappedBy | null
  /** Weighted points, hundredths; at most the maximum of the policy. */
  readonly contribution: number
}

/**
 * Decides which labels of a cluster count, and keeps only those: per category and origin the strongest. A cluster that holds a
 * clean service stops, because customers of one service spend together; of it the labels of the service are kept. Deciding the result
 * again gives the same result.
 */
export function considerCluster(cluster: ClusterFacts, context: AttributionContext): ClusterRecord {
  if (cluster.stopped !== '') return { ...cluster, labels: consideredByMember(cluster, context).flat() }
  const service = [...labelsByMember(cluster)].find(
    ([, labels]) =>
      attribute(
        labels.map(({ label }) => label),
        context,
      ).service === 'clean_exchange',
  )
  if (service !== undefined) {
    const labels = consideredByMember({ labels: service[1] }, context).flat()
    return { ...cluster, stopped: 'holds_service' satisfies ClusterStop, labels }
  }
  return { ...cluster, labels: strongestOfEach(consideredByMember(cluster, context).flat(), context.policy) }
}

/** What the labels of a cluster contribute; nothing where it stopped. */
export function clusterFindings(
  cluster: ClusterRecord | null,
  policy: CompiledPolicy,
): readonly ClusterFinding[] {
  if (cluster === null || cluster.stopped !== '') return []
  return cluster.labels.map((one): ClusterFinding => {
    const category = one.label.category as RiskCategory
    const confidencePpm = roundedProduct(confidenceOf(one.label), policy.clusterFactorPpm)
    const strength = roundedProduct(confidencePpm, rolePpmOf(one.label, policy))
    const weightPpm = policy.weightsPpm[category]
    const points = limited(hundredthsOf(strength), [
      ['cluster', mostHundredths(weightPpm, policy.clusterMaximumHundredths)],
    ])
    const contribution = weightedHundredths(points.hundredths, weightPpm)
    return { ...one, category, confidencePpm, ...points, contribution }
  })
}

const roundedProduct = (a: number, b: number): number => Math.floor((a * b + PPM / 2) / PPM)

/** Members in the order of their first label. */
function labelsByMember<L extends ClusterLabelFacts>({ labels }: { readonly labels: readonly L[] }) {
  const byMember = new Map<string, L[]>()
  for (const one of labels) {
    const known = byMember.get(one.member)
    if (known === undefined) byMember.set(one.member, [one])
    else known.push(one)
  }
  return byMember
}

/** Each member's labels are judged as if that member were screened. */
function consideredByMember(
  cluster: Pick<ClusterFacts, 'labels'>,
  context: AttributionContext,
): readonly (readonly ClusterLabel[])[] {
  return [...labelsByMember(cluster).values()].map((ofMember) => {
    const considered = considerLabels({ ...context, labels: ofMember.map(({ label }) => label) })
    return ofMember.map((one, index) => ({ ...one, label: considered[index]! }))
  })
}

/** A clean label says nothing about other members, so only risk categories are kept. */
function strongestOfEach(labels: readonly ClusterLabel[], policy: CompiledPolicy): readonly ClusterLabel[] {
  const strongest = new Map<string, ClusterLabel>()
  for (const one of labels) {
    const { used, category, origin } = one.label
    if (!used || !(riskCategories as readonly string[]).includes(category)) continue
    const key = JSON.stringify([category, origin])
    const known = strongest.get(key)
    if (known === undefined || compareClusterLabels(one, known, policy) < 0) strongest.set(key, one)
  }
  return [...strongest.entries()].sort(([a], [b]) => compareText(a, b)).map(([, one]) => one)
}

const compareClusterLabels = (a: ClusterLabel, b: ClusterLabel, policy: CompiledPolicy): number =>
  compareStrength(a.label, b.label, policy) || compareText(a.member, b.member)
