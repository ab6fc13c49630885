import { type Report, reportExample } from '@cupel/contracts'
import { capReasons, factorNames, levelReasons, notExaminedItems } from '@cupel/domain'
import { en, pointsText, reasonText } from '@cupel/reports/document'
import { hostileStrings } from '@cupel/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jobDocument, resultDocuments, resultLines } from './job-documents.js'
import { resultTable } from './result-table.js'

const reportId = reportExample.report_id
const reports = new Map([[reportId, JSON.stringify(reportExample, null, 1)]])
const completed = {
  ...({ status: 'completed', index: 0, address: reportExample.address, reportId } as const),
  ...{ level: 'red', score: 100 },
}
const failed = {
  status: 'failed',
  index: 1,
  address: 'x',
  reference: 'order-1',
  code: 'invalid_address',
  detail: 'It "fits" no chain, sorry.',
} as const
const pending = { status: 'pending', index: 2, address: 'y' } as const

/** Reads RFC 4180 by its grammar. */
function parseTable(text: string): string[][] {
  return text
    .split('\r\n')
    .slice(0, -1)
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
        ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare!,
      ),
    )
}

describe('the table of results', () => {
  test('has a row for each item, with what is known of it', () => {
    const [head, ...rows] = parseTable(resultTable([completed, failed, pending], reports))
    const cells = rows.map((row) => Object.fromEntries(head!.map((name, column) => [name, row[column]])))
    expect(cells[0]).toMatchObject({
      ...{ number: '1', address: reportExample.address, status: 'completed', report_id: reportId },
      ...{ level: 'red', score: '100', sanctions: '100', clean_exchange: '0', error_code: '' },
    })
    expect(cells[1]).toMatchObject({
      ...{ status: 'failed', reference: 'order-1', number: '2' },
      error_code: 'invalid_address',
      error_detail: failed.detail,
      level: '',
    })
    expect(cells[2]).toMatchObject({ status: 'pending', report_id: '' })
    expect(rows.every((row) => row.length === head!.length)).toBe(true)
  })

  const rowOf = (risk: Partial<Report['risk']>, changes: Partial<Report> = {}): Record<string, string> => {
    const report = { ...reportExample, ...changes, risk: { ...reportExample.risk, ...risk } }
    const [head, row] = parseTable(resultTable([completed], new Map([[reportId, JSON.stringify(report)]])))
    return Object.fromEntries(head!.map((name, column) => [name, row![column]!]))
  }
  const item = { ...reportExample.risk.evidence[0]!, decisive: true, base: 95, weight: 1 }

  test.each(levelReasons)('says %s in a sentence, and what a person can do about it', (reason) => {
    expect(rowOf({ level: 'grey', score: 0, level_reasons: [reason], evidence: [] })).toMatchObject({
      ...{ level_reasons: reason, what_to_do: reasonText(reason), base: '', capped_by: '' },
      why: expect.stringMatching(
        /^(too little is known to say|something that is known speaks against) green$/,
      ) as string,
    })
  })

  test.each(capReasons)('says why points are limited by %s, and how they come about', (capped_by) => {
    const factors = factorNames.map((name) => ({ name, value: 0.5 }))
    const evidence = [{ ...item, capped_by, factors }]
    const row = rowOf({ level: 'orange', score: 69.99, score_is_lower_bound: true, evidence })
    expect(row).toMatchObject({ base: '95', capped_by, weight: '1', score_is_lower_bound: 'true' })
    expect(row['factors']).toBe('confidence=0.5 role=0.5 share=0.5 size=0.5 size_weight=0.5')
    expect(row['points']).toBe(pointsText(evidence[0]!))
    expect(row['why']).toContain('; points limited')
  })

  test.each(notExaminedItems)('says that %s was not examined, and what that means', (item) => {
    const coverage = { ...reportExample.coverage, not_examined: [item] }
    const row = rowOf({}, { coverage })
    expect(row['not_examined']).toBe(item)
    expect(row['not_examined_means']).toBe(en.notExamined[item])
  })

  test('says what the address is on other chains', () => {
    const other_chains = [{ chain: 'LTC', level: 'grey', score: 0, level_reasons: ['no_chain_data'] }]
    expect(rowOf({}, { other_chains })['other_chains']).toMatch(/^LTC: Not cleared\. \p{Lu}/u)
  })

  test('reads back as it was written, whatever the text, but for the mark before a formula', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((value) => !/[\r\n]/.test(value))
    fc.assert(
      fc.property(text, (address) => {
        const [, row] = parseTable(resultTable([{ ...pending, address }], reports))
        expect(unmarked(row![1]!)).toBe(unmarked(address))
      }),
    )
  })
})

test('lines of results are one JSON document each, whatever the report looks like inside', () => {
  const lines = resultLines([completed, failed, pending], reports).split('\n')
  expect(lines.pop()).toBe('')
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    { number: 1, address: completed.address, status: 'completed', report: reportExample },
    {
      ...{ number: 2, address: 'x', reference: 'order-1', status: 'failed' },
      error: { code: failed.code, detail: failed.detail },
    },
    { number: 3, address: 'y', status: 'pending' },
  ])
})

test('a job shows the reports of its items byte for byte', () => {
  const job = {
    ...({ jobId: 'job_1', status: 'completed', total: 1, completed: 1, failed: 0, cancelled: 0 } as const),
    ...{
      name: 'Customers',
      createdAt: 'a',
      startedAt: 'b',
      completedAt: 'c',
      isTerminal: true,
      levels: { red: 1, 'unheard-of': 2 },
      refused: 0,
    },
  }
  const results = resultDocuments([completed], reports)
  const document = jobDocument(job, true, (jobId) => `https://example.org/${jobId}`, results)
  expect(document).toContain(reports.get(reportId))
  expect(JSON.parse(document)).toMatchObject({
    job_id: 'job_1',
    name: 'Customers',
    results_url: 'https://example.org/job_1',
    levels: { green: 0, orange: 0, red: 1, grey: 2 },
    results: [{ number: 1 }],
  })
})

test('5,000 hostile strings come back from the table as they were, none of them a formula', () => {
  const strings = hostileStrings(5_000, 20_261_122)
  const items = strings.map((text, index) => ({
    ...({ status: 'failed', index, code: 'invalid_address', detail: text } as const),
    address: text,
  }))
  const [head, ...rows] = parseCells(resultTable(items, new Map()))
  const columns = [head!.indexOf('address'), head!.indexOf('error_detail')]
  expect(rows).toHaveLength(strings.length)
  for (const [index, row] of rows.entries()) {
    expect(row).toHaveLength(head!.length)
    for (const cell of columns.map((column) => row[column]!)) {
      expect(unmarked(cell)).toBe(unmarked(strings[index]!))
      expect(cell).not.toMatch(/^\s*[=+\-@|%＝＋－＠]/)
    }
  }
})

/** Removes the marks before formulas, and apostrophes of the text itself in the same places. */
const unmarked = (text: string): string => text.replaceAll(/(^|[,;|\p{Cc}\u2028\u2029])'+/gu, '$1')

/** Reads RFC 4180 character by character: cells may hold line breaks. */
function parseCells(table: string): string[][] {
  const rows: string[][] = [['']]
  let isQuoted = false
  for (let at = 0; at < table.length; at += 1) {
    const row = rows.at(-1)!
    const one = table[at]!
    if (one === '"' && isQuoted && table[at + 1] === '"') row[row.length - 1] += table[(at += 1)]!
    else if (one === '"') isQuoted = !isQuoted
    else if (one === ',' && !isQuoted) row.push('')
    else if (one === '\r' && table[at + 1] === '\n' && !isQuoted) {
      rows.push([''])
      at += 1
    } else row[row.length - 1] += one
  }
  return rows.slice(0, -1)
}
