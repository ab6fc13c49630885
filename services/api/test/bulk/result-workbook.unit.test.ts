import { reportExample } from '@cupel/contracts'
import type { JobItem } from '@cupel/bulk/read-model'
import { hostileStrings } from '@cupel/testkit'
import { expect, test } from 'vitest'
import { rowsOf, unzip } from '../unzip.js'
import { createResultSheet, zip } from '@cupel/bulk/routes'

const reportId = reportExample.report_id
const reports = new Map([[reportId, JSON.stringify(reportExample)]])
const completed: JobItem = {
  ...({ status: 'completed', index: 0, address: reportExample.address, reportId } as const),
  ...{ level: 'red', score: 100 },
}
const failed = (index: number, reference: string): JobItem => ({
  ...({ status: 'failed', index, address: 'x', reference } as const),
  ...{ code: 'invalid_address', detail: 'It fits no chain.' },
})

async function workbookOf(...slices: readonly (readonly JobItem[])[]): Promise<ReadonlyMap<string, string>> {
  const { begin, end, textOf, workbook } = createResultSheet()
  const texts = async function* () {
    yield Buffer.from(begin)
    for (const slice of slices) yield Buffer.from(textOf(slice, reports))
    yield Buffer.from(end)
  }
  const parts: Uint8Array[] = []
  for await (const part of workbook(texts())) parts.push(part)
  return unzip(Buffer.concat(parts))
}

test('a workbook has a row for each result, with one number, and the results by level', async () => {
  const files = await workbookOf([completed, failed(1, 'order-1')], [completed])
  expect([...files.keys()].sort()).toEqual([
    '[Content_Types].xml',
    '_rels/.rels',
    'xl/_rels/workbook.xml.rels',
    'xl/workbook.xml',
    'xl/worksheets/sheet1.xml',
    'xl/worksheets/sheet2.xml',
  ])
  const [head, ...rows] = rowsOf(files.get('xl/worksheets/sheet1.xml')!)
  expect(head!.slice(0, 3)).toEqual(['number', 'address', 'status'])
  const cells = rows.map((row) => Object.fromEntries(head!.map((name, column) => [name, row[column]])))
  expect(cells).toMatchObject([
    { number: 1, address: reportExample.address, level: 'red', score: 100, sanctions: 100, reference: null },
    { number: 2, status: 'failed', reference: 'order-1', level: null, error_code: 'invalid_address' },
    { number: 1, level: 'red' },
  ])
  expect(rowsOf(files.get('xl/worksheets/sheet2.xml')!)).toEqual([
    ['level_or_status', 'results'],
    ...['green', 'orange', 'red', 'grey'].map((level) => [level, level === 'red' ? 2 : 0]),
    ['failed', 1],
  ])
})

test.each([
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '=HYPERLINK("https://evil.example")',
  '\t=1',
  '</t></is></c><c><f>1+1</f>',
])('%j is a text, and no cell has a formula', async (reference) => {
  const sheet = (await workbookOf([failed(0, reference)])).get('xl/worksheets/sheet1.xml')!
  expect(sheet).not.toMatch(/<f[ >]/)
  expect(rowsOf(sheet)[1]).toContain(reference)
})

test('2,000 hostile strings come back from the sheet as they were, but for what XML has no place for', async () => {
  const strings = hostileStrings(2_000, 20_261_130)
  const items = strings.map((reference, index) => failed(index, reference))
  const sheet = (await workbookOf(items)).get('xl/worksheets/sheet1.xml')!
  const expected = strings.map((text) =>
    Buffer.from(text)
      .toString()
      .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
      .replaceAll(/[^\P{Cc}\t\n\r\u{7F}-\u{9F}]|[\u{FFFE}\u{FFFF}]/gu, '\u{FFFD}'),
  )
  const shown = rowsOf(sheet)
    .slice(1)
    .map((row) => row.at(-1) ?? '')
  expect(shown).toEqual(expected)
})

test('a text that is longer than a cell of Excel ends with a mark', async () => {
  const sheet = (await workbookOf([failed(0, 'x'.repeat(40_000))])).get('xl/worksheets/sheet1.xml')!
  expect(rowsOf(sheet)[1]!.at(-1)).toBe(`${'x'.repeat(32_766)}…`)
})

test('an archive has its files whole, however their chunks are cut, and an empty one too', async () => {
  const chunks = ['', 'a'.repeat(100_000), '', 'ü', 'b'].map((text) => Buffer.from(text))
  const parts: Uint8Array[] = []
  for await (const part of zip([
    { name: 'ä.txt', chunks },
    { name: 'empty', chunks: [] },
  ]))
    parts.push(part)
  for (const part of parts) expect(part.buffer.byteLength).toBe(part.length)
  expect([...unzip(Buffer.concat(parts))]).toEqual([
    ['ä.txt', Buffer.concat(chunks).toString()],
    ['empty', ''],
  ])
})
