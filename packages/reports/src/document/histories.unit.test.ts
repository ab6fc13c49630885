/** What a report says of the histories that it rests on, or lacks. */
import { sampleReport } from '@cupel/testkit'
import { describe, expect, it } from 'vitest'
import { en, historiesOf, reportDocument } from './index.js'

describe('a report', () => {
  it.each([
    [
      { status: 'reading', reason: null, provider: 'explorer', pages: 3, pages_expected: 5, waiting: 0 },
      'The history of the address is being read: 3 of 5 pages.',
    ],
    [
      { status: 'reading', reason: null, provider: 'explorer', pages: 0, pages_expected: null, waiting: 2 },
      'The histories of 2 counterparties are being read.',
    ],
    [
      {
        status: 'failed',
        reason: 'day_budget',
        provider: 'explorer',
        pages: 0,
        pages_expected: null,
        waiting: 0,
      },
      'The history of the address or of a counterparty could not be read from explorer: the calls of the day are used up.',
    ],
  ])('says how far a history is: %j', (history, text) => {
    const report = sampleReport({}, { level: 'grey' })
    const coverage = { ...report.coverage, history, missing_stages: ['history'] }
    const shown = reportDocument({ ...report, coverage })
    expect(shown.unknown.points.map((point) => point.text)).toContain(text)
    expect(shown.verdict.headline).toContain(en.verdict.historyMissing)
  })

  it('names the provider and the block of each history, and why one is not whole', () => {
    const { coverage } = sampleReport()
    const of = {
      address: '0xab',
      provider: 'explorer',
      height: 19_999_988,
      as_of: '2026-11-22T00:00:00.000Z',
    }
    const histories = [
      { ...of, kinds: ['native', 'token'], incomplete: [] },
      { ...of, kinds: [], incomplete: ['truncated'] },
    ]
    const report = sampleReport({ coverage: { ...coverage, exposure: { ...coverage.exposure, histories } } })
    expect(historiesOf(report)).toEqual([
      'whole (native, token) by explorer at block 19,999,988',
      'not whole by explorer at block 19,999,988: the provider gives only a part',
    ])
  })
})
