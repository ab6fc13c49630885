import { parseListedAddress } from '@cupel/domain'
import { describe, expect, test } from 'vitest'
import { labelFormats } from '../../src/formats/formats.js'
import { noSharedData, parseFile, rawFile, textFile, type Parsed } from './samples.js'

const ftm = labelFormats.get('ftm')!
const lines = (...entities: object[]): string =>
  entities.map((entity) => `${JSON.stringify(entity)}\n`).join('')
const parse = (text: string): Promise<Parsed> => parseFile(ftm, textFile(text, 64))

const holder = {
  id: 'ofac-1',
  schema: 'Person',
  caption: 'Somebody',
  properties: {
    topics: ['sanction'],
    sourceUrl: ['https://sanctionssearch.ofac.treas.gov/Details.aspx?id=1'],
  },
}
const wallet = {
  id: 'w-1',
  schema: 'CryptoWallet',
  caption: '1abc',
  last_change: '2026-08-20T00:00:00',
  properties: { publicKey: ['1abc'], currency: ['XBT'], holder: ['ofac-1'], topics: ['sanction'] },
}

describe('FollowTheMoney lines', () => {
  test.each([
    ['after', [holder, wallet], 2],
    ['before', [wallet, holder], 1],
  ])('give wallets that stand %s their holder the holder’s name and link', async (_where, entities, line) => {
    const { rows } = await parse(lines(...entities))
    expect(rows).toEqual([
      {
        line,
        address: '1abc',
        chain: null,
        chainHint: 'XBT',
        category: 'sanctions',
        entity: 'Somebody',
        source: null,
        sourceUrl: 'https://sanctionssearch.ofac.treas.gov/Details.aspx?id=1',
        confidencePpm: null,
        kind: 'restatement',
        observedAt: '2026-08-20T00:00:00.000Z',
        validFrom: null,
      },
    ])
  })

  test('give a wallet without topics those of its holder, also of a nested holder', async () => {
    const nested = { ...wallet, properties: { publicKey: ['1abc'], holder: [{ ...holder, id: 'x' }] } }
    expect((await parse(lines(nested))).rows).toMatchObject([{ category: 'sanctions', entity: 'Somebody' }])
  })

  test('do not call a wallet sanctioned that is only linked to a sanctioned party', async () => {
    const linked = { ...wallet, properties: { ...wallet.properties, topics: ['sanction.linked'] } }
    const { rows, skipped } = await parse(lines(linked, holder))
    expect(rows).toEqual([])
    expect(skipped).toEqual([{ line: 1, reason: 'no known category in topics "sanction.linked"' }])
  })

  test('refuse a wallet without a key', async () => {
    const keyless = { ...wallet, properties: { topics: ['sanction'] } }
    expect((await parse(lines(holder, keyless))).refused).toEqual([
      { line: 2, reason: 'wallet "w-1" has no publicKey' },
    ])
  })

  test.each([
    ['a line that is no JSON', `${lines(wallet)}nonsense\n${lines(holder)}`, 'malformed'],
    ['a line that is no entity', '{"a":1}\n', 'malformed'],
    ['an end in the middle of an entity', lines(holder, wallet).slice(0, -30), 'truncated'],
  ])('are refused as a whole: %s', async (_what, text, refusal) => {
    await expect(parse(text)).rejects.toMatchObject({ name: 'SetRefusedError', refusal })
  })

  test.skipIf(noSharedData)(
    'of people and companies alone hold no labels (skipped without the shared data)',
    async () => {
      const file = rawFile('opensanctions/yente_t1_entities.ftm.json')
      expect((await parseFile(ftm, file)).items).toEqual([])
    },
  )

  test.skipIf(noSharedData)(
    'of OFAC facts give addresses that all parse, each with a name (skipped without the shared data)',
    async () => {
      const file = rawFile('opensanctions/cryptowallet_rebuilt_from_ofac.ftm.jsonl')
      const { rows, refused } = await parseFile(ftm, file)
      expect(rows.length).toBeGreaterThan(30)
      expect(refused).toEqual([])
      for (const row of rows) {
        expect(parseListedAddress(row.address, row.chainHint ?? '').ok, row.address).toBe(true)
        expect(row.entity).not.toBe('')
      }
    },
  )
})
