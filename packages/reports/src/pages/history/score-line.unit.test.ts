import type { Report } from '@cupel/contracts'
import { sampleExposureEvidence, sampleReport } from '@cupel/testkit'
import { h, type ComponentProps } from 'preact'
import { render } from 'preact-render-to-string'
import { afterEach, expect, test } from 'vitest'
import type { ReportChange } from '../compare/report-change.js'
import { scoreChanges, ScoreLine } from './score-line.js'

const at = (day: number, risk: Partial<Report['risk']>, changes: Partial<Report> = {}): Report =>
  sampleReport(
    { report_id: String(day).padStart(16, '0'), generated_at: `2026-11-${day}T09:00:00.000Z`, ...changes },
    risk,
  )
let explained: ComponentProps<typeof ScoreLine>['explained'] = new Map()
afterEach(() => (explained = new Map()))
/** `reports`: oldest first. */
const shown = (...reports: readonly Report[]): string =>
  render(h(ScoreLine, { reports: reports.toReversed(), explained })).replaceAll('&#39;', "'")
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

test('a change has its points by cause, or why they are not split; what was not asked for says nothing', () => {
  const reports = [at(10, orange), at(11, red), at(12, orange)]
  expect(scoreChanges(reports.toReversed())).toEqual([
    [reports[1], reports[2]],
    [reports[0], reports[1]],
  ])
  expect(shown(...reports)).not.toContain('By cause')
  const part = (name: string, added: number) => ({ part: name, differs: true, added, alone: added })
  const change = {
    ...{
      since: reports[0]!.report_id,
      missing: null,
      detail: null,
      added: 18.85,
      funds_include_labels: false,
    },
    parts: [part('labels', 21.85), part('funds', -3), part('policy', 0)],
  }
  explained = new Map<string, ReportChange | null>([
    [reports[1]!.report_id, change],
    [reports[2]!.report_id, { ...change, missing: 'unreadable', parts: [] }],
  ])
  const html = shown(...reports)
  expect(html).toContain('By cause: labels +21.85, funds −3.')
  expect(html).toContain('The points are not split: one of the reports cannot be read.')
  explained = new Map([[reports[1]!.report_id, null]])
  expect(shown(...reports)).toContain('The points are not split.')
})
