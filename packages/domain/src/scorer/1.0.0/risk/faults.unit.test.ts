/** A fault may take green away and must say so; it never makes anything look better. */
import { assertWithin } from '@cupel/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawnFacts } from '../../../../test/drawn-facts.js'
import { labelSet } from '../../../../test/judgement-builders.js'
import { judge, type JudgementFacts } from './judge.js'

const FULL = 2_000
const MINIMUM = 100

const NEVER_CAME = 'a list that is waited for never came'
const neverCame = labelSet({
  source: '',
  dataset: 'late',
  sha256: '',
  publishedAt: '',
  asOf: null,
  refreshConfigured: true,
  total: 0,
})

const tenYearsBefore = (time: string | null): string | null =>
  time?.replace(/^20[12]/, (decade) => (decade === '202' ? '201' : '200')) ?? null

const faults: Readonly<Record<string, (facts: JudgementFacts) => JudgementFacts>> = {
  'the label view lags': (facts) => ({ ...facts, labelView: 'lagging' }),
  'every list is old and should be fresh': (facts) => ({
    ...facts,
    labelView: 'lagging',
    labelSets: facts.labelSets.map((set) => ({
      ...set,
      // Whose list is current, and which empty one is in force, stays as it is.
      refreshConfigured: set.total > 0 || set.refreshConfigured,
      asOf: tenYearsBefore(set.asOf),
      confirmedAt: tenYearsBefore(set.confirmedAt),
    })),
  }),
  [NEVER_CAME]: (facts) => ({
    ...facts,
    labelSets: [...facts.labelSets, neverCame],
  }),
}

test.each(Object.entries(faults))(
  '%s: not green, the same score, named in the coverage',
  { timeout: 120_000 },
  async (name, fault) => {
    await assertWithin(
      { name, full: FULL, minimum: MINIMUM },
      fc.property(drawnFacts, (facts) => {
        const [healthy, faulted] = [judge(facts), judge(fault(facts))]
        expect(faulted.level).not.toBe('green')
        expect(faulted.overallHundredths).toBe(healthy.overallHundredths)
        expect(faulted.categoryHundredths).toEqual(healthy.categoryHundredths)
        expect(faulted.evidence).toEqual(healthy.evidence)
        if (healthy.level !== 'green') expect(faulted.level).toBe(healthy.level)
        // A list that never came leaves the others as they are.
        const coverages = name === NEVER_CAME ? ['stale', 'partial', 'unavailable'] : ['stale']
        expect(coverages).toContain(faulted.labelsCoverage)
        expect(faulted.scoreIsLowerBound).toBe(true)
      }),
    )
  },
)

const FEWER = 'lists have fewer labels than their publications state'
test(`${FEWER}: not green, named, and never a lower score`, { timeout: 120_000 }, async () => {
  await assertWithin(
    { name: FEWER, full: FULL, minimum: MINIMUM },
    fc.property(drawnFacts, ({ labelSets, ...facts }) => {
      fc.pre(labelSets.some(({ publishedAt, total }) => publishedAt !== '' && total > 0))
      const healthy = judge({ ...facts, labelSets })
      const fewer = labelSets.map((set) => ({ ...set, visible: Math.max(0, set.total - 1) }))
      const faulted = judge({ ...facts, labelSets: fewer })
      expect(faulted.level).not.toBe('green')
      expect(faulted.overallHundredths).toBeGreaterThanOrEqual(healthy.overallHundredths)
      expect(faulted.labelsCoverage).not.toBe('complete')
      expect(faulted.scoreIsLowerBound).toBe(true)
    }),
  )
})
