import type { Report } from '@cupel/contracts'
import { sampleJob, sampleJobs, sampleReport } from '@cupel/testkit'
import { describe, expect, it } from 'vitest'
import { en, visibleText } from '../index.js'
import { bulkDocument, MAX_SUMMARY_ROWS } from './bulk-document.js'

const reportOf = (level: string, score: number, changes: Partial<Report> = {}) => ({
  status: 'completed',
  report: sampleReport(changes, { level, score }),
})
const refused = (code: string) => ({ status: 'failed', error: { code, detail: `Because of ${code}.` } })

describe('the summary of a job', () => {
  it('counts every address once, worst levels first and those without a report last', () => {
    const { headline, levels } = bulkDocument(
      sampleJob([
        reportOf('green', 0),
        refused('invalid_address'),
        reportOf('red', 90),
        reportOf('violet', 5),
        reportOf('grey', 0),
        reportOf('orange', 40),
        reportOf('green', 0),
        { status: 'cancelled' },
      ]),
    )
    expect(levels.slices.map(({ outcome, count }) => [outcome, count])).toEqual([
      ['red', 1],
      ['orange', 1],
      ['grey', 1],
      ['violet', 1],
      ['green', 2],
      ['failed', 1],
      ['cancelled', 1],
    ])
    expect(headline).toBe(
      '8 addresses: 1 red, 1 orange, 1 not cleared, 1 violet, 2 green, 1 without a report, 1 cancelled',
    )
    expect(levels.table.rows).toContainEqual(['Green', '2', '25%'])
  })

  it('shows what is not green, by level, then by score, then in the order of the submission', () => {
    const { worst } = bulkDocument(
      sampleJob([
        reportOf('orange', 40),
        reportOf('green', 0),
        reportOf('red', 70),
        reportOf('grey', 20),
        reportOf('red', 100),
        reportOf('red', 70),
      ]),
    )
    expect(worst.table?.rows.map(([line, , , level, score]) => `${line} ${level} ${score}`)).toEqual([
      '5 Red 100',
      '3 Red 70',
      '6 Red 70',
      '1 Orange 40',
      '4 Not cleared 20',
    ])
    expect(worst.more).toBeNull()
    expect(worst.table?.links).toEqual(Array(5).fill('https://cupel.example.com/reports/9f2c4a1be07d6358'))
  })

  it('says how many rows it leaves out, of addresses and of failures', () => {
    const rest = 7
    const { worst, failures } = bulkDocument(
      sampleJob([
        ...Array.from({ length: MAX_SUMMARY_ROWS + rest }, () => reportOf('red', 80)),
        ...Array.from({ length: MAX_SUMMARY_ROWS + 1 }, () => refused('invalid_address')),
      ]),
    )
    expect(worst.table?.rows).toHaveLength(MAX_SUMMARY_ROWS)
    expect(worst.more).toBe(en.bulk.worst.more(rest))
    expect(failures?.items.rows).toHaveLength(MAX_SUMMARY_ROWS)
    expect(failures?.more).toBe(en.bulk.failures.more(1))
  })

  it('counts failures by reason with their first lines, and explains codes by the list of problems', () => {
    const codes = ['unsupported_chain', 'invalid_address', 'invalid_address', 'code_of_tomorrow']
    const { failures } = bulkDocument(sampleJob(codes.map(refused)))
    expect(failures?.reasons.rows).toEqual([
      ['The address is not valid', '2', '2, 3'],
      ['The chain is not supported', '1', '1'],
      ['code_of_tomorrow', '1', '4'],
    ])
  })

  it('never reads as good news where an address has no report, or a score may be too low', () => {
    const { headline, cautions, worst } = bulkDocument(sampleJob([refused('invalid_address')]))
    expect(headline).toBe('1 address: 1 without a report')
    expect(cautions).toEqual([en.bulk.cautions.nothing, en.bulk.cautions.failed(1)])
    expect(worst.intro).toBe(en.bulk.cautions.nothing)
    const low = {
      status: 'completed',
      report: sampleReport({}, { level: 'green', score_is_lower_bound: true }),
    }
    expect(bulkDocument(sampleJob([low], { livemode: false })).cautions).toEqual([
      en.cautions.sandbox,
      en.bulk.cautions.lowerBounds(1),
    ])
  })

  it('attaches every result without its evidence', () => {
    for (const job of Object.values(sampleJobs())) {
      const { results } = JSON.parse(bulkDocument(job).results) as { results: Record<string, unknown>[] }
      expect(results.map(({ number, address, status, level }) => [number, address, status, level])).toEqual(
        job.results.map(({ number, address, status, report }) => [
          number,
          address,
          status,
          report?.risk.level,
        ]),
      )
      for (const result of results) expect(result).not.toHaveProperty('report')
    }
  })

  it('holds no invisible character of foreign text', () => {
    const document = bulkDocument(sampleJobs()['hostile']!)
    const texts = JSON.stringify({ ...document, results: '' })
    expect(texts).toContain('[U+202E]')
    expect(visibleText(texts)).toBe(texts)
  })

  it('is the same each time, and changes nothing of the job', () => {
    const job = sampleJobs()['mixed']!
    const before = JSON.stringify(job)
    expect(bulkDocument(job)).toEqual(bulkDocument(structuredClone(job)))
    expect(JSON.stringify(job)).toBe(before)
  })
})
