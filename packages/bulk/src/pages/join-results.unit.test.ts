import fc from 'fast-check'
import { csvCell } from '@cupel/reports/document'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { joinResults } from './join-results.js'
import { readUpload, type Upload } from './read-upload.js'

const ETH = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const BTC = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const HEAD = 'number,address,status,level,reference'
const resultsOf = (
  ...rows: readonly (readonly [address: string, level: string, reference?: string])[]
): string =>
  [
    HEAD,
    ...rows.map(([address, level, reference = ''], at) =>
      [at + 1, csvCell(address), 'completed', level, reference].join(','),
    ),
  ].join('\r\n')

function joined(content: string, table: string): string[][] {
  const file = joinResults(content, table)
  if (!file.ok) throw new Error(file.fault)
  return parse(file.table) as string[][]
}

describe('a file with the results of its job', () => {
  test('keeps every column and every row, in its order', () => {
    const rows = joined(
      `client;wallet;note\n"Doe; Jane";${ETH};a\nACME;${BTC};"b, c"\nlate;0x99;d\n`,
      resultsOf([ETH, 'red'], [BTC, 'grey']),
    )
    expect(rows).toEqual([
      ['client', 'wallet', 'note', 'cupel_number', 'cupel_status', 'cupel_level', 'cupel_reference'],
      ['Doe; Jane', ETH, 'a', '1', 'completed', 'red', ''],
      ['ACME', BTC, 'b, c', '2', 'completed', 'grey', ''],
      ['late', '0x99', 'd', '', 'not in this job', '', ''],
    ])
  })

  test('gives each of equal addresses its own result, by its reference once the file was sorted', () => {
    const table = resultsOf([ETH, 'red', 'a'], [ETH, 'orange', 'b'])
    const byReference = (content: string): string[][] =>
      joined(content, table).map((row) => [row[0]!, row.at(-2)!, row.at(-1)!])
    expect(byReference(`b,${ETH}\na,${ETH}`).slice(1)).toEqual([
      ['b', 'orange', 'b'],
      ['a', 'red', 'a'],
    ])
  })

  test('names columns without a header by their number', () => {
    expect(joined(`A,${ETH}\nB,${BTC}`, resultsOf([ETH, 'red'], [BTC, 'grey']))[0]!.slice(0, 2)).toEqual([
      'column 1',
      'column 2',
    ])
  })

  test('is refused if no column has an address of the job', () => {
    expect(joinResults('a,b\nc,d', resultsOf([ETH, 'red']))).toMatchObject({ ok: false })
  })

  test('invents no result: a row has that of its address, or says that it is not in the job', () => {
    const address = fc.constantFrom(ETH, BTC, '=cmd', '0x1', 'x,"y')
    fc.assert(
      fc.property(fc.array(address, { minLength: 1 }), fc.array(address, { minLength: 1 }), (asked, file) => {
        const table = resultsOf(...asked.map((one, at): [string, string] => [one, `level ${at}`]))
        const content = ['wallet,n', ...file.map((one, at) => `"${one.replaceAll('"', '""')}",${at}`)].join(
          '\n',
        )
        const outcome = joinResults(content, table)
        if (!outcome.ok) {
          expect(asked.some((one) => file.includes(one))).toBe(false)
          return
        }
        const [, ...rows] = parse(outcome.table) as string[][]
        expect(rows).toHaveLength(file.length)
        for (const [at, row] of rows.entries()) {
          const level = row.at(-2)!
          if (level === '') expect(row.at(-3)).toBe('not in this job')
          else expect(asked[Number(level.slice('level '.length))]).toBe(file[at])
        }
      }),
    )
  })
})

describe('which column is meant', () => {
  const read = (content: string, chosen: Upload['chosen'] = null) => {
    const result = readUpload({ content, chain: null, chosen })
    if (!result.ok) throw new Error(result.fault)
    return result.read
  }
  const TWO = `client,from,to\nA,${ETH},${BTC}\nB,${BTC},${ETH}\n`

  test('is asked if several columns have addresses: none is read before the answer', () => {
    expect(read(TWO)).toMatchObject({ openColumns: [1, 2], reading: { addresses: [] } })
    const chosen = { column: 2, hasHeader: true, referenceColumn: 0 }
    expect(read(TWO, chosen)).toMatchObject({
      openColumns: [],
      reading: {
        addresses: [
          { text: BTC, reference: 'A' },
          { text: ETH, reference: 'B' },
        ],
      },
    })
  })

  test('is not asked for one column, nor for a line of addresses', () => {
    expect(read(`client,address\nA,${ETH}\n`).openColumns).toEqual([])
    expect(read(`${ETH}, ${BTC}`).openColumns).toEqual([])
  })

  test('a reference that no job takes leaves its line out by name', () => {
    const long = `ref,address\n${'r'.repeat(129)},${ETH}\nb,${BTC}\n`
    const { reading } = read(long, { column: 1, hasHeader: true, referenceColumn: 0 })
    expect(reading.addresses).toEqual([{ line: 3, text: BTC, reference: 'b' }])
    expect(reading.unusable).toMatchObject([{ line: 2, detail: 'A reference has at most 128 characters.' }])
  })
})
