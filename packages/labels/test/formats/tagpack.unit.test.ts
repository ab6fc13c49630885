import { parseListedAddress } from '@cupel/domain'
import { describe, expect, test } from 'vitest'
import { labelFormats } from '../../src/formats/formats.js'
import { noSharedData, parseFile, rawFile, textFile, type Parsed } from './samples.js'

const tagpack = labelFormats.get('tagpack')!
const parse = (text: string): Promise<Parsed> => parseFile(tagpack, textFile(text))

describe('a TagPack', () => {
  test('gives every tag the fields of the header that it does not set itself', async () => {
    const { rows } = await parse(`
title: A pack
confidence: forensic
abuse: phishing
currency: BTC
label: Everybody
lastmod: 2021-11-12
source: https://example.org/report
tags:
- address: 1abc
- address: Le3g
  currency: LTC
  label: Somebody
  confidence: web_crawl
  lastmod: 2022-01-02
  source: https://example.org/other
`)
    expect(rows).toMatchObject([
      {
        line: 10,
        address: '1abc',
        chain: null,
        chainHint: 'BTC',
        category: 'scam',
        entity: 'Everybody',
        sourceUrl: 'https://example.org/report',
        confidencePpm: 800_000,
        kind: 'forensic',
        observedAt: '2021-11-12T00:00:00.000Z',
      },
      {
        line: 11,
        address: 'Le3g',
        chainHint: 'LTC',
        entity: 'Somebody',
        sourceUrl: 'https://example.org/other',
        confidencePpm: 600_000,
        kind: 'crawl',
        observedAt: '2022-01-02T00:00:00.000Z',
      },
    ])
  })

  test('keeps an unquoted 0x address, a number and a date as the texts they are', async () => {
    const { rows } = await parse(
      `currency: ETH\ncategory: exchange\ntags:\n- address: 0x098B716B8Aaf21512996dC57EB0615e2383E2f96\n  label: 0042\n`,
    )
    expect(rows).toMatchObject([{ address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', entity: '0042' }])
  })

  test('takes an abuse before what the entity is: a hacked exchange is a theft', async () => {
    const { rows } = await parse(
      `currency: BTC\ncategory: exchange\nabuse: service_hack\ntags:\n- address: 1abc\n`,
    )
    expect(rows).toMatchObject([{ category: 'stolen' }])
  })

  test.each([
    ['abuse: pyramid_scheme', 'scam', 'investment_fraud'],
    ['abuse: ponzi_scheme', 'scam', 'investment_fraud'],
    ['abuse: investment_fraud', 'scam', 'investment_fraud'],
    ['abuse: phishing', 'scam', 'phishing'],
    ['abuse: ransomware', 'scam', 'ransomware'],
    ['abuse: sextortion', 'scam', 'sextortion'],
    ['abuse: extortion', 'scam', undefined],
    ['abuse: scam', 'scam', undefined],
    ['abuse: service_hack', 'stolen', 'hack'],
    ['abuse: terrorism', 'darknet', 'terrorist_financing'],
    ['abuse: child_sexual_abuse', 'darknet', 'csam'],
    ['abuse: dark_web', 'darknet', undefined],
    ['abuse: money_laundering', 'mixer', undefined],
    ['abuse: sanction', 'sanctions', undefined],
    ['abuse: [scam, ransomware]', 'scam', 'ransomware'],
    [
      'category: exchange\nconcepts: [hot_wallet, financial_crime, pyramid_scheme]',
      'scam',
      'investment_fraud',
    ],
    ['abuse: terrorism\nconcepts: [sanction]', 'sanctions', undefined],
  ])('%s is %s %s', async (header, category, subcategory) => {
    const { rows } = await parse(`currency: BTC\n${header}\ntags:\n- address: 1abc\n`)
    expect(rows.map((row) => [row.category, row.subcategory])).toEqual([[category, subcategory]])
  })

  test.each(['extremism', 'victim, ransomware', 'constructor'])('%s is not a category', async (concepts) => {
    const { rows, skipped } = await parse(`currency: BTC\nconcepts: [${concepts}]\ntags:\n- address: 1abc\n`)
    expect(rows).toEqual([])
    expect(skipped).toEqual([{ line: 4, reason: `no known category in "${concepts}"` }])
  })

  test('skips tags without a known category, and says which and why', async () => {
    const { rows, skipped, facts } = await parse(
      `currency: BTC\ncategory: miner\ntags:\n- address: 1abc\n- address: 1def\n  category: mixing_service\n- address: 1ghi\n  abuse: spilled_milk\n- address: 1jkl\n  category:\n`,
    )
    expect(rows).toMatchObject([{ address: '1def', category: 'mixer' }])
    expect(skipped).toEqual([
      { line: 4, reason: 'no known category in "miner"' },
      { line: 7, reason: 'no known category in "spilled_milk, miner"' },
      { line: 9, reason: 'the tag states no category' },
    ])
    expect(facts).toMatchObject({ defaultSource: 'graphsense_tagpacks' })
  })

  test('names actors from the ActorPack next to it', async () => {
    const pack = textFile(
      `currency: BTC\ncategory: exchange\nlabel: hot wallet\nactor: bitfinex\ntags:\n- address: 1abc\n`,
    )
    const actors = textFile(`title: Actors\nactors:\n- id: bitfinex\n  label: Bitfinex\n`)
    expect((await parseFile(tagpack, pack)).rows).toMatchObject([{ entity: 'hot wallet' }])
    expect((await parseFile(tagpack, pack, { companion: actors })).rows).toMatchObject([
      { entity: 'Bitfinex' },
    ])
  })

  test('reads the timestamps of YAML, and drops no address for an odd date', async () => {
    const dated = async (lastmod: string) =>
      (await parse(`\nabuse: scam\ncurrency: BTC\nlastmod: ${lastmod}\ntags:\n- address: 1abc\n`)).rows
    expect(await dated('2026-08-16 12:18:52.619444')).toMatchObject([
      { observedAt: '2026-08-16T12:18:52.619Z' },
    ])
    expect(await dated('2026-08-16 12:18:52 +02:00')).toMatchObject([
      { observedAt: '2026-08-16T10:18:52.000Z' },
    ])
    expect(await dated('last week')).toMatchObject([{ address: '1abc', observedAt: null }])
  })

  test('refuses unusable tags one by one', async () => {
    const { refused } = await parse(`
abuse: scam
tags:
- currency: BTC
- address: 1abc
- address: zil1
  currency: Ziliqa
- address: 1def
  currency: BTC
  confidence: certain
- address: 1ghi
  currency: BTC
  lastmod: last week
`)
    expect(refused).toEqual([
      { line: 4, reason: 'the tag has no address' },
      { line: 5, reason: 'the tag has no currency' },
      { line: 6, reason: 'no chain is known for currency "ZILIQA"' },
      { line: 8, reason: 'unknown confidence word "certain"' },
    ])
  })

  test.each([
    ['no YAML', 'title: [a\ntags:\n', 'malformed'],
    ['no mapping', '- a\n- b\n', 'malformed'],
    ['no tags', 'title: a\nactors: []\n', 'wrong-header'],
    ['tags that are not tags', 'tags:\n- 1abc\n', 'malformed'],
    ['a key twice', 'currency: BTC\ncurrency: ETH\ntags: []\n', 'malformed'],
  ])('is refused as a whole: %s', async (_what, text, refusal) => {
    await expect(parse(text)).rejects.toMatchObject({ name: 'SetRefusedError', refusal })
  })
})

describe.skipIf(noSharedData)('genuine TagPacks (skipped without the shared data)', () => {
  test.each([
    ['blender_io', 45, 0, 0],
    ['ronin_bridge', 6, 0, 0],
    ['plustoken', 12, 0, 0],
    ['electrum_phishing', 6, 0, 0],
    ['tornado_cash', 39, 0, 0],
    ['demo', 0, 0, 5],
  ])('%s: %i tags, %i refused, %i left out', async (name, rows, refused, skipped) => {
    const file = rawFile(`graphsense/${name}.yaml`)
    const parsed = await parseFile(tagpack, file)
    expect({
      rows: parsed.rows.length,
      refused: parsed.refused.length,
      skipped: parsed.skipped.length,
    }).toEqual({
      rows,
      refused,
      skipped,
    })
  })

  test('of exchanges give addresses on every chain they name', async () => {
    const file = rawFile('graphsense/exchange-wallets-bitfinexcom.yaml')
    const actors = rawFile('graphsense/actorpack_excerpt.yaml')
    const { rows, refused } = await parseFile(tagpack, file, { companion: actors })
    expect(rows.length).toBeGreaterThan(50)
    for (const { reason } of refused) expect(reason).toMatch(/no chain is known/)
    const chains = rows.flatMap((row) => {
      const parsed = parseListedAddress(row.address, row.chainHint ?? '')
      return parsed.ok ? [parsed.chain] : []
    })
    expect(new Set(chains).size).toBeGreaterThan(10)
    expect(new Set(rows.map(({ category }) => category))).toEqual(new Set(['clean_exchange']))
  })
})
