import { describe, expect, test } from 'vitest'
import { parseFile, textFile, type Parsed } from '../../test/formats/samples.js'
import { labelFormats } from './formats.js'

const OFAC = (uid: number): string =>
  `${uid},"A","-0- ","SDNT",${Array<string>(7).fill('-0- ').join(',')},"Digital Currency Address - ETH 0x7f367cc41522ce07553e823bf3be79a889debe1b."`
const OFSI_COLUMNS =
  'Name 1,Name 2,Name 3,Name 4,Name 5,Name 6,Other Information,Alias Type,Regime,Listed On,Group ID'
const entity = (id: number): string =>
  JSON.stringify({
    ...{ id: `w${id}`, schema: 'CryptoWallet' },
    properties: { publicKey: ['0x7f367cc41522ce07553e823bf3be79a889debe1b'], topics: ['sanction'] },
  })
/** Layouts of one row per line, with the word for a row that is left out. */
const LAYOUTS: Readonly<Record<string, readonly [lines: readonly string[], word: 'unreadable' | 'refused']>> =
  {
    'ofac-csv': [[OFAC(1), OFAC(2), OFAC(3)], 'unreadable'],
    'ofsi-csv': [
      ['Last Updated,03/06/2026', OFSI_COLUMNS, ',,,,,A,,,,,1', ',,,,,B,,,,,2', ',,,,,C,,,,,3'],
      'unreadable',
    ],
    csv: [
      [
        'address,chain,category,entity,source,source_url,confidence,observed_at',
        ...['a', 'b', 'c'].map((name) => `${name},ETH,scam,,x,,1,2026-01-02`),
      ],
      'refused',
    ],
    ftm: [[entity(1), entity(2), entity(3)], 'refused'],
  }

const read = async (format: string, text: string): Promise<Parsed> =>
  await parseFile(labelFormats.get(format)!, textFile(text))

describe.each(Object.entries(LAYOUTS))('a blank line of %s', (format, [lines, word]) => {
  test('in the place of a row is named, wherever it is', async () => {
    for (let at = format === 'ofsi-csv' ? 2 : format === 'csv' ? 1 : 0; at < lines.length; at += 1) {
      const parsed = await read(format, `${lines.with(at, '').join('\r\n')}\r\n`)
      expect(
        parsed[word].map(({ line }) => line),
        `line ${at + 1}`,
      ).toEqual([at + 1])
    }
  })

  test('is named between rows, and after them', async () => {
    const blank = lines.length
    for (const text of [lines.toSpliced(blank - 1, 0, ''), [...lines, '']]) {
      const parsed = await read(format, `${text.join('\n')}\n`)
      expect(parsed[word]).toHaveLength(1)
    }
  })

  test.each(['\n\n', '\n\r\n', '\r\n\r\n\r\n'])('belongs to the layout if all rows end so', async (end) => {
    for (const last of [end, '']) {
      const parsed = await read(format, lines.join(end) + (format === 'ofsi-csv' ? end : last))
      expect(parsed[word]).toEqual([])
    }
  })
})

test('the lines after the end-of-file character of DOS are left out', async () => {
  const parsed = await read('ofac-csv', `${OFAC(1)}\r\n${OFAC(2)}\r\n\u001a\r\n\r\n`)
  expect(parsed.rows).toHaveLength(2)
  expect(parsed.unreadable).toEqual([])
})
