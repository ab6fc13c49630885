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
        sanction: {
          list: 'opensanctions',
          programmes: [],
          entityId: '',
          aliases: [],
          designatedOn: null,
        },
      },
    ])
  })

  test('give a wallet without topics those of its holder, also of a nested holder', async () => {
    const nested = { ...wallet, properties: { publicKey: ['1abc'], holder: [{ ...holder, id: 'x' }] } }
    expect((await parse(lines(nested))).rows).toMatchObject([{ category: 'sanctions', entity: 'Somebody' }])
  })

  test('give a wallet what the source says of any of its holders, and name a holder that is missing', async () => {
    const other = { ...holder, id: 'other', caption: 'Other', properties: { topics: ['corp'] } }
    const own = { publicKey: ['1abc'], topics: ['crime.theft'], holder: ['other', holder.id] }
    const sanctioned = await parse(lines({ ...wallet, properties: own }, other, holder))
    expect(sanctioned.rows).toMatchObject([{ category: 'sanctions' }])
    const cut = await parse(lines({ ...wallet, properties: { publicKey: ['1abc'], holder: [holder.id] } }))
    expect(cut.refused).toEqual([
      { line: 1, reason: `the file does not have the holder ${JSON.stringify(holder.id)} of the wallet` },
    ])
  })

  test('give each dataset a source of its own: one authority’s delisting is not another’s', async () => {
    const listed = {
      ...wallet,
      datasets: ['us_ofac_sdn', 'eu_fsf', 'somebody_else'],
    }
    const entry = (authority: string, startDate: string): object => ({
      id: `s-${authority}`,
      schema: 'Sanction',
      caption: 'A sanction',
      datasets: [authority],
      properties: {
        entity: ['ofac-1'],
        programId: [`${authority} programme`],
        authorityId: [`${authority} 7`],
        startDate: [startDate],
      },
    })
    const named = { ...holder, properties: { ...holder.properties, name: ['Somebody', 'Some Body'] } }
    const { rows } = await parse(
      lines(listed, entry('eu_fsf', '2024-02'), named, entry('us_ofac_sdn', '2022-11-08')),
    )
    expect(rows).toMatchObject([
      {
        source: 'opensanctions:us_ofac_sdn',
        category: 'sanctions',
        validFrom: '2022-11-08T00:00:00.000Z',
        sanction: {
          list: 'us_ofac_sdn',
          programmes: ['us_ofac_sdn programme'],
          entityId: 'us_ofac_sdn 7',
          aliases: ['Some Body'],
          designatedOn: '2022-11-08',
        },
      },
      {
        source: 'opensanctions:eu_fsf',
        validFrom: null,
        sanction: { list: 'eu_fsf', programmes: ['eu_fsf programme'], designatedOn: null },
      },
    ])
    expect(rows).toHaveLength(2)
  })

  test('give what a nested holder says of its sanction', async () => {
    const sanctions = [
      {
        id: 's',
        schema: 'Sanction',
        caption: '',
        datasets: ['eu_fsf'],
        properties: { startDate: ['2023-01-02'] },
      },
    ]
    const inside = { ...holder, properties: { ...holder.properties, sanctions } }
    const nested = { ...wallet, datasets: ['eu_fsf'], properties: { ...wallet.properties, holder: [inside] } }
    expect((await parse(lines(nested))).rows).toMatchObject([{ validFrom: '2023-01-02T00:00:00.000Z' }])
  })

  test.each([
    [
      ['crime.terror'],
      ['il_mod_crypto'],
      [['opensanctions:il_mod_crypto', 'darknet', 'terrorist_financing']],
    ],
    [
      ['crime.terror', 'sanction'],
      ['il_mod_crypto'],
      [
        ['opensanctions:il_mod_crypto', 'sanctions', undefined],
        ['opensanctions:il_mod_crypto', 'darknet', 'terrorist_financing'],
      ],
    ],
    [['crime.theft'], ['ransomwhere'], [['opensanctions:ransomwhere', 'scam', 'ransomware']]],
    [
      ['crime.fin', 'crime.cyber'],
      ['us_fbi_lazarus_crypto'],
      [['opensanctions:us_fbi_lazarus_crypto', 'stolen', 'hack']],
    ],
    [['crime.theft'], ['a_dataset_nobody_knows'], [[null, 'stolen', undefined]]],
    [['crime.fraud'], [], [[null, 'scam', undefined]]],
    [['crime.traffick.drug'], [], [[null, 'darknet', undefined]]],
  ])('with topics %j of %j are %j', async (topics, datasets, expected) => {
    const stated = { ...wallet, datasets, properties: { publicKey: ['1abc'], topics } }
    const { rows } = await parse(lines(stated))
    expect(rows.map((row) => [row.source, row.category, row.subcategory])).toEqual(expected)
  })

  test('give wallets that stand inside their holder, even if other wallets have lines of their own', async () => {
    const inside = { ...wallet, id: 'w-2', properties: { publicKey: ['1def'], currency: ['XBT'] } }
    const outside = { ...holder, properties: { ...holder.properties, cryptoWallets: [inside, 'w-1'] } }
    const { rows } = await parse(lines(wallet, outside))
    expect(rows).toMatchObject([
      { line: 1, address: '1abc', entity: 'Somebody' },
      { line: 2, address: '1def', category: 'sanctions', entity: 'Somebody' },
    ])
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
    ['a line that is not JSON', `${lines(wallet)}nonsense\n${lines(holder)}`, 'malformed'],
    ['a line that is not an entity', '{"a":1}\n', 'malformed'],
    ['an end in the middle of an entity', lines(holder, wallet).slice(0, -30), 'truncated'],
  ])('are refused as a whole: %s', async (_what, text, refusal) => {
    await expect(parse(text)).rejects.toMatchObject({ name: 'SetRefusedError', refusal })
  })

  test.skipIf(noSharedData)(
    'of only people and companies hold no labels (skipped without the shared data)',
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
