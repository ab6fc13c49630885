import { hostileStrings } from '@cupel/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvCell } from './csv-cell.js'

/** The start of a formula in Excel, LibreOffice and similar programs, after the blanks, zero-width signs and quotes that they strip. */
const FORMULA = /^[\s\p{Cf}"]*[=+\-@|%＝＋－＠]/u

/**
 * Cells as spreadsheets read them if they split lines at `separator`: a quote opens a quoted cell only as its first character. A
 * quote in other places is text, and text between a closed quote and the separator belongs to the cell.
 */
function readAsSpreadsheet(line: string, separator: string): string[] {
  const cells: string[] = []
  for (let at = 0; at <= line.length; at += 1) {
    let cell = ''
    if (line[at] === '"') {
      for (at += 1; at < line.length; at += 1) {
        if (line[at] !== '"') cell += line[at]!
        else if (line[at + 1] === '"') cell += line[(at += 1)]!
        else break
      }
      at += 1
    }
    for (; at < line.length && line[at] !== separator && !'\r\n'.includes(line[at]!); at += 1)
      cell += line[at]!
    cells.push(cell)
  }
  return cells
}

/** Puts the cell between two others, and reads the line as a spreadsheet with each separator does. */
function formulasSeen(text: string): string[] {
  const line = `0,${csvCell(text)},x`
  return [',', ';', '|', '\t', '\u001f', '\v', '\f', '\0']
    .flatMap((separator) => readAsSpreadsheet(line, separator))
    .filter((cell) => FORMULA.test(cell))
}

describe('a cell of a table', () => {
  test.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    ' =1',
    '＝1',
    '＋1',
    '|cmd',
    '%0A',
    '\u200b=1',
    '"=1',
  ])('is text where it begins like the formula %j', (text) => {
    expect(csvCell(text).replace(/^"/, '')).toMatch(/^'/)
  })

  test.each([
    ['a;=1+1', `"a;'=1+1"`],
    ['a\t@x', `"a\t'@x"`],
    ['a\n-1', `"a\n'-1"`],
    ['a;"=1', `"a;'""=1"`],
    ['a; =1', `"a;' =1"`],
    ['a;b', '"a;b"'],
    ['a\tb', '"a\tb"'],
    ['a\u0007b', '"a\u0007b"'],
    ['a|b', '"a|b"'],
  ])('is quoted, and marked after each divider: %j', (text, cell) => {
    expect(csvCell(text)).toBe(cell)
  })

  test('leaves numbers, nothing and plain texts as they are', () => {
    expect([csvCell(-1.5), csvCell(undefined), csvCell('0x098B'), csvCell('a-b'), csvCell('a=b')]).toEqual([
      '-1.5',
      '',
      '0x098B',
      'a-b',
      'a=b',
    ])
  })

  test('is not a formula for any spreadsheet, whatever the text and whatever divides its lines', () => {
    const unit = fc.constantFrom(...`=+-@|%＝＋－＠"',;\t\r\n\v\f\0\u001f\u00a0\u200b\u2028 a1`)
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
        expect(formulasSeen(text)).toEqual([])
      }),
      { numRuns: 5_000 },
    )
    for (const text of hostileStrings(2_000, 20_261_123)) expect(formulasSeen(text), text).toEqual([])
  })
})
