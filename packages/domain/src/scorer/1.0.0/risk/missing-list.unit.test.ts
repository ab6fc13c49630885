import { expect, test } from 'vitest'
import {
  cleanLabel,
  foreignList,
  judged,
  label,
  labelSet,
  ofacLabel,
  ofacSet,
} from '../../../../test/judgement-builders.js'

/** Waited for by whoever refreshes it; nothing was ever published. */
const missing = labelSet({
  source: '',
  dataset: 'late',
  sha256: '',
  publishedAt: '',
  asOf: null,
  refreshConfigured: true,
  total: 0,
})
const old = ofacSet({ asOf: '2026-10-01' })
test.each([
  ['among others is partial', [foreignList(), missing], 'current', 'partial'],
  ['by itself leaves nothing to look at', [missing], 'current', 'unavailable'],
  ['together with one that is too old is one fault of two', [old, missing], 'current', 'stale'],
  ['in a view that lags is one fault of two', [foreignList(), missing], 'lagging', 'stale'],
] as const)(
  'a list that never came, %s: grey, and the same score',
  (_case, labelSets, labelView, coverage) => {
    const judgement = judged([cleanLabel(), label({ confidencePpm: 100_000 })], { labelSets, labelView })
    expect(judgement).toMatchObject({
      level: 'grey',
      levelReasons: expect.arrayContaining(['stale_labels']) as string[],
      labelsCoverage: coverage,
      scoreIsLowerBound: true,
      overallHundredths: 0,
    })
    expect(judgement.labelSets.at(-1)).toMatchObject({ dataset: 'late', status: 'missing' })
    expect(judged([ofacLabel()], { labelSets, labelView })).toMatchObject({ level: 'red' })
  },
)
