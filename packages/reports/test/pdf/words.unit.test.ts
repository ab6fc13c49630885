/** What the texts of a PDF say of levels, reasons and limits. */
import type { Report } from '@cupel/contracts'
import { en } from '../../src/document/strings.en.js'
import { limitText } from '../../src/document/points.js'
import { reasonText } from '../../src/document/limits.js'
import { reportDocument } from '../../src/document/report-document.js'
import { sampleEvidence, sampleReport } from '@cupel/testkit'
import { expect, test } from 'vitest'
import { documentDefinition } from '../../src/pdf/document-definition.js'

/** Every text of the document, in its order. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => (name === 'files' ? [] : textsOf(one)))
}

const textOf = (changes: Partial<Report>, risk: Partial<Report['risk']>): string =>
  textsOf(documentDefinition(reportDocument(sampleReport(changes, risk)), '')).join('\n')

const notCleared = { level: 'grey', score: 0, evidence: [] }

test('an address that is not cleared is called that, and no points are shown as if they were good', () => {
  const text = textOf({}, notCleared)
  expect(text).toContain('Not cleared: too little is known to say green')
  expect(text).not.toMatch(/0 of 100|0 points|nothing that counts|Not cleared, /)
})

test.each(Object.keys(en.levelReasons))(
  '%s is said in a sentence, with what a person can do about it',
  (reason) => {
    expect(textOf({}, { ...notCleared, level_reasons: [reason] })).toContain(reasonText(reason))
  },
)

test.each(Object.keys(en.points.limits))(
  'points that are limited by %s say why, in the verdict and at the item',
  (capped_by) => {
    const evidence = [sampleEvidence({ decisive: true, base: 95, weight: 1, capped_by, contribution: 69.99 })]
    const text = textOf({}, { level: 'orange', score: 69.99, evidence })
    expect(text.split(limitText(capped_by)).length).toBeGreaterThanOrEqual(3)
  },
)

test('the highest score is not said to be too low, and a lower one is', () => {
  expect(textOf({}, { score_is_lower_bound: true, score: 100 })).not.toContain('too low')
  expect(textOf({}, { score_is_lower_bound: true, score: 99.99 })).toContain('The score may be too low')
})

test('what is not known comes after the reasons', () => {
  const text = textOf({}, {})
  const [reasons, unknown] = [en.why.inShort, en.unknown.title].map((title) => text.indexOf(title))
  expect(reasons).toBeGreaterThan(0)
  expect(unknown).toBeGreaterThan(reasons!)
})
