import type { Report } from '@cupel/contracts'
import { sampleExposureEvidence, sampleReport } from '@cupel/testkit'
import { h } from 'preact'
import { render } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { ScoreLine } from './score-line.js'

const at = (day: number, risk: Partial<Report['risk']>, changes: Partial<Report> = {}): Report =>
  sampleReport(
    { report_id: String(day).padStart(16, '0'), generated_at: `2026-11-${day}T09:00:00.000Z`, ...changes },
    risk,
  )
/** `reports`: oldest first. */
const shown = (...reports: readonly Report[]): string =>
  render(h(ScoreLine, { reports: reports.toReversed() })).replaceAll('&#39;', "'")
const steps = (html: string): number => html.split('class="score-step"').length - 1

const orange = { level: 'orange', score: 61.25, evidence: [sampleExposureEvidence()] }
const red = { level: 'red', score: 80.1, evidence: [sampleExposureEvidence({ contribution: 80.1 })] }
const grey = { level: 'grey', score: 0, evidence: [], level_reasons: ['stale_labels'] }

test('each change is named with its exact points and its evidence, the newest first', () => {
  const html = shown(at(10, orange), at(11, red), at(12, orange))
  expect(html.indexOf('−18.85 points')).toBeGreaterThan(-1)
  expect(html.indexOf('−18.85 points')).toBeLessThan(html.indexOf('+18.85 points'))
  expect(html).toContain('61.25 points, 1,204.5 ETH, then 80.1 points, 1,204.5 ETH')
  expect(steps(html)).toBe(2)
})

test('a report that is not cleared has no place on the line: zero would look safe', () => {
  const html = shown(at(10, orange), at(11, grey), at(12, orange))
  expect(steps(html)).toBe(0)
  expect(html).toContain('2026-11-11 Not cleared,')
  expect(html).not.toMatch(/points<\/p>/)
})

test('what became unknown, and what was learned, are told apart', () => {
  const html = shown(at(10, orange), at(11, { ...orange, level_reasons: ['stale_labels'] }))
  expect(html).toContain('Newly unknown: ')
  expect(html).not.toContain('Learned')
  expect(shown(at(11, { ...orange, level_reasons: ['stale_labels'] }), at(12, orange))).toContain('Learned')
})

test('reports of one moment stand in the order in which a comparison puts them', () => {
  const [one, other] = [at(10, orange), { ...at(10, red), report_id: 'f'.repeat(16) }]
  for (const reports of [
    [one, other],
    [other, one],
  ])
    expect(shown(...reports)).toMatch(
      /oldest to the newest report: \S+ Orange 61.25, \S+ Red 80.1".*\+18\.85 points/s,
    )
})

test('reports that say the same make a line without a change, and a single report makes none', () => {
  const html = shown(at(10, orange), at(11, orange))
  expect(html).toContain('Nothing changed')
  expect(steps(html)).toBe(1)
  expect(shown(at(10, orange))).toBe('')
  expect(shown(at(10, orange), at(11, orange, { chain: 'BSC' }))).toBe('')
})
