import { describe, expect, test } from 'vitest'
import { csvFormat, CSV_HEADER, parseConfidence } from './csv.js'
import { SetRefusedError, type ByteStream, type ParsedItem } from './label-source.js'

const header = CSV_HEADER.join(',')
const hydra = '123WBUDmSJv4GctdVEz6Qq6z8nXSKrJ4KX,BTC,darknet,Hydra,src,https://example.org/a,0.95,2023-05-10'

describe('a label CSV', () => {
  test('is read row by row with the line each row begins on', async () => {
    const items = await parse(
      `${header}\n${hydra}\n"1abc",btc,scam,"two\nlines, quoted ""so""",src,,,\n${hydra}\n`,
    )
    expect(items.map((item) => (item.type === 'row' ? item.row.line : item))).toEqual([2, 3, 5])
  })

  test('may have a subcategory behind the other columns', async () => {
    const items = await parse(
      `${header},subcategory\n1abc,btc,scam,,,,,,ransomware\n1abc,btc,scam,,,,,,\n1abc,btc,stolen,,,,,,ransomware\n`,
    )
    expect(items).toMatchObject([
      { type: 'row', row: { category: 'scam', subcategory: 'ransomware' } },
      { type: 'row', row: { category: 'scam' } },
      { type: 'refused', line: 4, reason: '"ransomware" is not a subcategory of stolen' },
    ])
    expect(items[1]).not.toHaveProperty('row.subcategory')
  })

  test('keeps what the row says, and nothing it does not say', async () => {
    const items = await parse(`${header}\n1abc,btc,scam,"a, ""b""",,,,\n`)
    expect(items).toEqual([
      {
        type: 'row',
        row: {
          line: 2,
          address: '1abc',
          chain: 'BTC',
          chainHint: null,
          category: 'scam',
          entity: 'a, "b"',
          source: null,
          sourceUrl: '',
          confidencePpm: null,
          kind: null,
          observedAt: null,
          validFrom: null,
        },
      },
    ])
  })

  test('may have a byte order mark, CRLF, and chunks cut anywhere, even inside a character', async () => {
    const bytes = Buffer.from(
      `\ufeff${header}\r\n1abc,BTC,scam,Übel Ñandú 悪,src,,0.5,2020-01-02\r\n`,
      'utf8',
    )
    const oneByOne = await collect(chunksOf(bytes, 1))
    expect(oneByOne).toEqual(await collect(chunksOf(bytes, bytes.length)))
    expect(oneByOne).toMatchObject([
      { type: 'row', row: { line: 2, entity: 'Übel Ñandú 悪', observedAt: '2020-01-02T00:00:00.000Z' } },
    ])
  })

  test.each([
    [',BTC,scam,,s,,0.5,2020-01-01', 'the address is empty'],
    ['1abc,,scam,,s,,0.5,2020-01-01', 'the chain is empty'],
    ['1abc,BTC,fraud,,s,,0.5,2020-01-01', 'unknown category "fraud"'],
    ['1abc,BTC,Scam,,s,,0.5,2020-01-01', 'unknown category "Scam"'],
    ['1abc,BTC,scam,,s,javascript:alert(1),0.5,2020-01-01', 'source_url is not an http(s) URL'],
    ['1abc,BTC,scam,,s,,1.01,2020-01-01', 'confidence is not a number from 0 to 1'],
    ['1abc,BTC,scam,,s,,1e-1,2020-01-01', 'confidence is not a number from 0 to 1'],
    ['1abc,BTC,scam,,s,,NaN,2020-01-01', 'confidence is not a number from 0 to 1'],
    ['1abc,BTC,scam,,s,,0.5,2020-02-30', 'observed_at is not a date'],
    ['1abc,BTC,scam,,s,,0.5,yesterday', 'observed_at is not a date'],
    [`1abc,BTC,scam,${'x'.repeat(2049)},s,,0.5,2020-01-01`, 'entity is longer than 2048 characters'],
  ])('refuses only the row %s, with line and reason', async (row, reason) => {
    const items = await parse(`${header}\n${row}\n${hydra}\n`)
    expect(items).toMatchObject([{ type: 'refused', line: 2 }, { type: 'row' }])
    expect(items[0]).toHaveProperty('reason', expect.stringContaining(reason))
  })

  test.each([
    ['an empty file', '', 'truncated'],
    ['another header', `address,chain\n`, 'wrong-header'],
    ['a header in another order', `chain,${header.replace('chain,', '')}\n${hydra}\n`, 'wrong-header'],
    ['a row with a column too few', `${header}\n1abc,BTC,scam,,s,,0.5\n${hydra}\n`, 'wrong-columns'],
    ['a row with a column too many', `${header}\n${hydra},x\n${hydra}\n`, 'wrong-columns'],
    ['a last row cut in the middle', `${header}\n${hydra}\n${hydra.slice(0, 50)}`, 'truncated'],
    ['a last row cut inside its date', `${header}\n${hydra}\n${hydra.slice(0, -1)}`, 'truncated'],
    ['a last row cut before its date', `${header}\n${hydra}\n${hydra.slice(0, -10)}`, 'truncated'],
    [
      'a quote that is never closed',
      `${header}\n${hydra}\n1abc,BTC,scam,"open,s,,0.5,2020-01-01\n`,
      'truncated',
    ],
    ['a quote in the middle of a field', `${header}\n1abc,BTC,scam,a"b,s,,0.5,2020-01-01\n`, 'malformed'],
  ])('is refused as a whole: %s', async (_what, text, refusal) => {
    await expect(parse(text)).rejects.toMatchObject({ name: 'SetRefusedError', refusal })
  })

  test('is refused as a whole where a byte is not UTF-8, also in the last character', async () => {
    const sound = Buffer.from(`${header}\n${hydra}\n`)
    for (const broken of [Buffer.from([0xff]), Buffer.from([0xc3])]) {
      await expect(collect(chunksOf(Buffer.concat([sound, broken]), 7))).rejects.toMatchObject({
        refusal: 'undecodable',
      })
    }
  })

  test('is believed without a line break at its end where the last row is complete', async () => {
    expect(await parse(`${header}\n${hydra}`)).toHaveLength(1)
  })

  test('that fails while it is read passes the error on', async () => {
    const failing = async function* (): ByteStream {
      yield Buffer.from(`${header}\n${hydra}\n`)
      throw new Error('disk gone')
    }
    await expect(collect(failing())).rejects.toThrow('disk gone')
  })

  test('with only a header is a set without rows', async () => {
    expect(await parse(`${header}\n`)).toEqual([])
  })
})

test('confidence becomes parts per million, rounded half up, without a binary fraction deciding', () => {
  expect(['0', '1', '1.0', '0.95', '.5', '0.0000005', '0.0000004', '0.9999995'].map(parseConfidence)).toEqual(
    [0, 1_000_000, 1_000_000, 950_000, 500_000, 1, 0, 1_000_000],
  )
  expect(['', '-0.1', '1.1', '0,5', ' 0.5', '1.0000001'].map(parseConfidence)).toEqual(Array(6).fill(NaN))
})

test('a refusal of the whole set names the line', () => {
  expect(new SetRefusedError('truncated', 12, 'cut off').message).toBe('Line 12: cut off')
})

const parse = (text: string): Promise<ParsedItem[]> => collect(chunksOf(Buffer.from(text), 4_096))

async function collect(input: ByteStream): Promise<ParsedItem[]> {
  const items: ParsedItem[] = []
  for await (const item of csvFormat.parse({ open: () => input }).items) items.push(item)
  return items
}

async function* chunksOf(bytes: Buffer, size: number): ByteStream {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
