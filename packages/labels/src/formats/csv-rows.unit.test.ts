import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textFile } from '../../test/formats/samples.js'
import { readCsvRows, type CsvRow } from './csv-rows.js'

const field = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 8 }),
  fc.string({ unit: fc.constantFrom(',', '"', '\n', 'a', '悪', ' '), maxLength: 8 }),
)
/** A row of one empty field would be a blank line, which has no content. */
const row = fc.array(field, { minLength: 2, maxLength: 5 })

test('whatever fields were written as RFC 4180 come back, each row on its line, however the file is cut into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 8 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      async (rows, lineBreak, quoteAll, chunkBytes) => {
        const lines: number[] = []
        let text = ''
        for (const fields of rows) {
          lines.push(text.split('\n').length)
          text += fields.map((value) => quoted(value, quoteAll)).join(',') + lineBreak
        }
        const read: CsvRow[] = []
        for await (const found of readCsvRows(textFile(text, chunkBytes).open())) read.push(found)
        expect(read.map(({ fields }) => fields)).toEqual(rows)
        expect(read.map(({ line }) => line)).toEqual(lines)
      },
    ),
    { numRuns: 500 },
  )
})

function quoted(value: string, always: boolean): string {
  const needsQuotes = always || /[",\r\n]/.test(value)
  return needsQuotes ? `"${value.replaceAll('"', '""')}"` : value
}

test.each(['\u0000', '\r\u0000'])(
  'two rows that %j joins are refused, never read as the first',
  async (end) => {
    const rows = readCsvRows(textFile(`1,"a"${end}2,"b"\n`).open(), { trim: true })
    await expect(rows.next()).rejects.toMatchObject({ refusal: 'malformed' })
  },
)
