import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { guessChoice, jobsOf, MAX_ADDRESSES, readAddresses, type Reading } from './address-choice.js'
import { decodeText, MAX_TEXT_LENGTH, readAddressFile, type AddressFile } from './address-file.js'

const ETH = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const BTC = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'

function fileOf(text: string): AddressFile {
  const result = readAddressFile(text)
  if (!result.ok) throw new Error(result.fault)
  return result.file
}
function readingOf(text: string): Reading {
  const file = fileOf(text)
  return readAddresses(file, guessChoice(file).choice)
}
const listed = ({ addresses }: Reading): [number, string][] => addresses.map(({ line, text }) => [line, text])
const BOTH: [number, string][] = [
  [2, ETH],
  [3, BTC],
]

describe('addresses are found with their lines in', () => {
  test.each([
    ['one a line, with blank lines and blanks', `\n  ${ETH} \n\t${BTC}\n\n`, BOTH],
    ['a CSV with a header', `name,Wallet address\nA,${ETH}\nB,${BTC}\n`, BOTH],
    [
      'a CSV with the line ends of Windows and a mark',
      `\ufeffname,address\r\nA,${ETH}\r\nB,${BTC}\r\n`,
      BOTH,
    ],
    ['semicolons', `Nr;Konto\n1;${ETH}\n2;${BTC}`, BOTH],
    ['cells copied from a spreadsheet', `client\taddress\nA\t${ETH}\nB\t${BTC}`, BOTH],
    ['quotes around delimiters', `name,address\n"A, ""the"" first",${ETH}\n"B",${BTC}`, BOTH],
    ['rows of different lengths', `a,b,c\nx,${ETH}\ny,${BTC},z,z`, BOTH],
    ['a header of numbers and a column of junk', `2024,2025\njunk,${ETH}\n,${BTC}`, BOTH],
    ['one line with commas', `${ETH}, ${BTC}`, BOTH.map(([, text]): [number, string] => [1, text])],
  ])('%s', (_, text, expected) => {
    expect(listed(readingOf(text))).toEqual(expected)
  })

  test('a cell with a line break in it: the line is the one at which the row ends', () => {
    expect(listed(readingOf(`note,address\n"two\nlines",${ETH}\nB,${BTC}`))).toEqual([
      [3, ETH],
      [4, BTC],
    ])
  })

  test.each([
    ['UTF-16, as spreadsheets write Unicode text', Buffer.from(`\ufeffwer\tadresse\nÄ\t${ETH}`, 'utf16le')],
    ['the code page of Windows', Buffer.from(`wer\tadresse\n\xc4\t${ETH}`, 'latin1')],
    ['UTF-8', Buffer.from(`wer\tadresse\nÄ\t${ETH}`)],
  ])('a file in %s', (_, bytes) => {
    const file = fileOf(decodeText(bytes))
    expect(file.rows[1]!.cells).toEqual(['Ä', ETH])
  })
})

describe('what is wrong is told', () => {
  test('by line and in the words of the judgement, and a mistyped first address is not a header', () => {
    const mistyped = ETH.replace('dC57', 'Dc57')
    const { addresses, refused } = readingOf(`${mistyped}\n${BTC}\nnonsense`)
    expect(addresses).toHaveLength(3)
    expect(refused).toMatchObject([
      { line: 1, detail: expect.stringMatching(/checksum/) as string },
      { line: 3, text: 'nonsense' },
    ])
  })

  test('with repeats, empty cells, and texts that no job takes', () => {
    const key = `cpl_live_${'A'.repeat(60)}`
    const reading = readingOf(`a,address\n1,${ETH}\n2,\n3,${ETH}\n4,${'x'.repeat(257)}\n5,${key}`)
    expect(reading.repeats).toEqual([{ line: 4, text: ETH }])
    expect(reading.emptyRows).toBe(1)
    expect(reading.unusable.map(({ line }) => line)).toContain(5)
    expect(listed(reading)).toContainEqual([2, ETH])
  })

  test('with a chain that does not fit', () => {
    const file = fileOf(`${ETH}\n${BTC}`)
    const { refused } = readAddresses(file, { ...guessChoice(file).choice, chain: 'ETH' })
    expect(refused).toMatchObject([{ line: 2 }])
  })

  test.each([
    ['nothing', ' \n \t'],
    ['a workbook', 'PK\u0003\u0004\u0014\u0000'],
    ['more than a mebibyte', 'x'.repeat(MAX_TEXT_LENGTH + 1)],
  ])('for %s', (_, text) => {
    expect(readAddressFile(text)).toMatchObject({ ok: false })
  })

  test('for a quotation mark that is never closed, which hides no line', () => {
    const file = fileOf(`name,address\n"A,${ETH}\nB,${BTC}`)
    expect(file.openQuoteLine).not.toBeNull()
    expect(listed(readAddresses(file, guessChoice(file).choice))).toEqual(BOTH)
  })
})

test('more than a thousand addresses become jobs in the order of the lines, and too many do not', () => {
  const { addresses } = readingOf(Array.from({ length: 2_001 }, (_, index) => `line-${index}`).join('\n'))
  const jobs = jobsOf(addresses)
  expect(jobs.map((job) => job.length)).toEqual([1_000, 1_000, 1])
  expect(jobs.flat()).toEqual(addresses.map(({ text }) => ({ address: text })))
  const many = readingOf(`x\n`.repeat(MAX_ADDRESSES + 7))
  expect(many.addresses.length).toBe(MAX_ADDRESSES + 7)
})

test('whatever is dropped is read or refused, and each cell of the column is in the reading once', () => {
  const text = fc.string({
    unit: fc.constantFrom('"', ',', ';', '\t', '\n', '\r', '|', 'a', '=', ETH, '\u202e'),
  })
  fc.assert(
    fc.property(text, (given) => {
      const result = readAddressFile(given)
      if (!result.ok) return
      const { choice } = guessChoice(result.file)
      const { addresses, unusable, emptyRows } = readAddresses(result.file, choice)
      const rows = result.file.rows.length - (choice.hasHeader ? 1 : 0)
      const cells = addresses.length + unusable.length + emptyRows
      // A line of addresses holds one address per cell.
      expect(cells).toBeGreaterThanOrEqual(rows)
      expect(addresses.every(({ text: one }) => given.includes(one) || one.includes('"'))).toBe(true)
    }),
  )
})
