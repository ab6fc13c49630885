/** Compares the product's judgement with the reference, over generated cases and over every shared label. */
import { categories } from '@cupel/contracts'
import { assertWithin } from '@cupel/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judge, type Judgement, type JudgementFacts } from '../src/index.js'
import { drawnFacts } from './drawn-facts.js'
import { referenceJudgement, type ReferenceItem, type ReferenceJudgement } from './reference-judgement.js'
import { judgeRows } from './shared-judgement.js'
import { readSharedLabels, sharedData } from './shared-labels.js'
import { fewestShown } from './variety.js'

const suite = { name: 'judgement', full: 100_000, minimum: 1_000, demanded: 100_000 }

/** Prints one line per statement, so that both sides are compared as text and a difference is easy to read. */
function statedByReference(reference: ReferenceJudgement): string {
  const { level, levelReasons, score, categories, conflictCategories, scoreIsLowerBound, items } = reference
  return [
    `${level} ${levelReasons.join()} ${score} ${conflictCategories.join()} ${scoreIsLowerBound}`,
    ...Object.keys(categories)
      .sort()
      .map((category) => `${category} ${categories[category]}`),
    ...items.map(lineOf).sort(),
  ].join('\n')
}

function statedByProduct(judgement: Judgement): string {
  const points = judgement.categoryHundredths
  return [
    `${judgement.level} ${judgement.levelReasons.join()} ${judgement.overallHundredths / 100} ` +
      `${judgement.conflicts.map(({ category }) => category).join()} ${judgement.scoreIsLowerBound}`,
    ...categories.toSorted().map((category) => `${category} ${points[category] / 100}`),
    ...judgement.evidence
      .map((item) => lineOf({ ...item, confidence: item.origin === 'combined' ? item.confidence : null }))
      .sort(),
  ].join('\n')
}

function lineOf(item: ReferenceItem): string {
  const { relation, category, origin, used, reason, status, contribution, decisive, confidence } = item
  return `${relation} ${category} ${origin} ${used} ${reason} ${status} ${contribution} ${decisive} ${confidence}`
}

/** The facts that a reader of a failed case needs. */
function stated({
  chain,
  labels,
  labelSets,
  cluster,
  labelView,
  codeAtAddress,
  policy,
}: JudgementFacts): string {
  const { weights, roles, ownership, freshness, levels, cluster: ofClusters } = policy.document
  return [
    `${chain}, labels ${labelView}, code ${codeAtAddress}`,
    ...labels.map((one) => JSON.stringify(one)),
    ...labelSets.map((one) => JSON.stringify(one)),
    `cluster ${JSON.stringify(cluster)}`,
    JSON.stringify({ weights, roles, ownership, freshness, levels, ofClusters }),
  ].join('\n')
}

function expectAgreement(facts: JudgementFacts, judgement: Judgement): ReferenceJudgement {
  const reference = referenceJudgement(facts)
  const [ours, theirs] = [statedByProduct(judgement), statedByReference(reference)]
  if (ours !== theirs) expect(ours, stated(facts)).toBe(theirs)
  return reference
}

/** Rules that must occur in one of 250 cases: the agreement proves nothing about a rule that never occurs. */
const rules = [
  ...['green', 'grey', 'orange', 'red'],
  ...['stale_labels', 'no_sanctions_list', 'list_incomplete', 'conflict', 'weak_attribution', 'partial'],
  ...['ended', 'authority_ended', 'other_chain', 'contract_here', 'low_confidence'],
  ...['cluster', 'us-ofac'],
] as const

const wordsOf = ({ level, levelReasons, items }: ReferenceJudgement): ReadonlySet<string | null> =>
  new Set([level, ...levelReasons, ...items.flatMap((item) => [item.relation, item.origin, item.reason])])

test('the judgement equals the reference in generated cases', { timeout: 1_800_000 }, async () => {
  const seen = new Map<string, number>(rules.map((rule) => [rule, 0]))
  const { cases } = await assertWithin(
    suite,
    fc.property(drawnFacts, (facts) => {
      const words = wordsOf(expectAgreement(facts, judge(facts)))
      for (const rule of rules) if (words.has(rule)) seen.set(rule, seen.get(rule)! + 1)
    }),
  )
  for (const [rule, count] of seen) expect(count, rule).toBeGreaterThan(fewestShown(cases, 250))
})

test.skipIf(sharedData === null)(
  'the judgement equals the reference for every address of the shared labels',
  { timeout: 300_000 },
  () => {
    for (const { facts, judgement } of judgeRows(readSharedLabels(sharedData!)))
      expectAgreement(facts, judgement)
  },
)
