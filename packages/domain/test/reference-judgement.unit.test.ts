/** The product's judgement against the reference, over generated cases and over every shared label. */
import { categories } from '@cupel/contracts'
import { assertWithin } from '@cupel/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judge, type Judgement, type JudgementFacts } from '../src/index.js'
import { drawnFacts } from './drawn-facts.js'
import { referenceJudgement, type ReferenceItem, type ReferenceJudgement } from './reference-judgement.js'
import { judgeRows } from './shared-judgement.js'
import { readSharedLabels, sharedData } from './shared-labels.js'

const suite = { name: 'judgement', full: 100_000, minimum: 1_000 }

/** One line per statement, so that both sides are compared as text and a difference reads well. */
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
  const { category, origin, used, reason, status, contribution, decisive, confidence } = item
  return `${category} ${origin} ${used} ${reason} ${status} ${contribution} ${decisive} ${confidence}`
}

function expectAgreement(facts: JudgementFacts, judgement: Judgement): void {
  const [ours, theirs] = [statedByProduct(judgement), statedByReference(referenceJudgement(facts))]
  if (ours !== theirs) expect(ours).toBe(theirs)
}

test('the judgement equals the reference in generated cases', { timeout: 1_800_000 }, async () => {
  await assertWithin(
    suite,
    fc.property(drawnFacts, (facts) => expectAgreement(facts, judge(facts))),
  )
})

test.skipIf(sharedData === null)(
  'the judgement equals the reference for every address of the shared labels',
  { timeout: 300_000 },
  () => {
    for (const { facts, judgement } of judgeRows(readSharedLabels(sharedData!)))
      expectAgreement(facts, judgement)
  },
)
