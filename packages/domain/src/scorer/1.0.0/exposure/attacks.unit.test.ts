/** Ways in which an adversary made a false green, or an innocent address orange. */
import { describe, expect, test } from 'vitest'
import {
  addressOf,
  ETHER,
  measured,
  neighbourhood,
  transfer,
  wholeHistory,
} from '../../../../test/exposure-builders.js'
import { ADDRESS, label, ofacLabel, ofacSet } from '../../../../test/judgement-builders.js'
import { compiledDefaultPolicy } from '../risk/default-policy.js'
import type { LabelFacts } from '../risk/label-facts.js'
import type { Neighbourhood } from './measure-exposure.js'
import { scoreExposure } from './score-exposure.js'
import type { Transfer } from './transfer.js'

const THIEF = addressOf(1)
const MIDDLE = addressOf(2)
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const DAI = '0x6b175474e89094c44da98b954eedeac495271d0f'
const policy = compiledDefaultPolicy
const thief = { [THIEF]: [label({ category: 'stolen', confidencePpm: 950_000 })] }

function exposed(
  transfers: readonly Transfer[],
  labels: Readonly<Record<string, readonly LabelFacts[]>>,
  around: Partial<Neighbourhood> = {},
) {
  const record = measured(neighbourhood(transfers, { ranges: wholeHistory, ...around }), labels, {
    labelSets: [ofacSet()],
  })
  return { record, scored: scoreExposure(record.measures, { policy, isCleanService: false }) }
}

describe('times that are missing', () => {
  const through = { followed: [MIDDLE] }
  const theft = (changes: Partial<Transfer>) => transfer({ from: THIEF, to: MIDDLE, ...changes })
  const payment = (changes: Partial<Transfer>) => transfer({ from: MIDDLE, to: ADDRESS, ...changes })

  test('proceeds passed on one block later are the thief’s', () => {
    const passedOn = [theft({ blockNumber: 700 }), payment({ blockNumber: 701, occurredAtS: null })]
    expect(exposed(passedOn, thief, through).record).toMatchObject({
      measures: [
        {
          category: 'stolen',
          relation: 'indirect',
          amount: ETHER.toString(),
          provenAmount: ETHER.toString(),
        },
      ],
      incomplete: [],
    })
  })

  test('a payment made before the theft is not', () => {
    const before = [payment({ blockNumber: 700 }), theft({ blockNumber: 701, occurredAtS: null })]
    expect(exposed(before, thief, through).record.measures).toEqual([])
  })

  test('the same holds within a block', () => {
    const at = (index: number) => ({ blockNumber: 700, occurredAtS: null, index })
    expect(exposed([theft(at(3)), payment(at(4))], thief, through).record.measures).toHaveLength(1)
    expect(exposed([theft(at(4)), payment(at(3))], thief, through).record.measures).toEqual([])
  })

  test.each<[string, Partial<Transfer>, Partial<Transfer>]>([
    [
      'neither has a time or a block',
      { blockNumber: null, occurredAtS: null },
      { blockNumber: null, occurredAtS: null },
    ],
    ['one has a block and the other a time', { occurredAtS: null }, { blockNumber: null }],
    [
      'both are in one block without places',
      { blockNumber: 700, index: null },
      { blockNumber: 700, index: null },
    ],
  ])(
    'what rests on unknown order is an item, proves nothing, and is not complete: %s',
    (_name, first, second) => {
      for (const transfers of [
        [theft(first), payment(second)],
        [payment(second), theft(first)],
      ]) {
        const { record } = exposed(transfers, thief, through)
        expect(record.measures).toMatchObject([{ amount: ETHER.toString(), provenAmount: '0' }])
        expect(record.incomplete).toContain('unknown_order')
        expect(record.historyComplete).toBe(false)
      }
    },
  )

  test('so much clean value of unknown time that nothing of the theft is left is still not complete', () => {
    const flood = transfer({
      from: addressOf(8),
      to: MIDDLE,
      amount: 10n ** 40n,
      occurredAtS: null,
      blockNumber: null,
    })
    const { record } = exposed([theft({}), flood, payment({})], thief, through)
    expect(record.measures).toEqual([])
    expect(record.incomplete).toEqual(['unknown_order'])
  })

  test('unknown order at an address that never met the thief says nothing', () => {
    const clean = [theft({ from: addressOf(8), blockNumber: null, occurredAtS: null }), payment({})]
    expect(exposed(clean, thief, through).record.incomplete).toEqual([])
  })
})

describe('dust divided', () => {
  const DOLLARS_24_99 = { [USDT]: 24_990_000n, [USDC]: 24_990_000n, [DAI]: 24_990_000_000_000_000_000n }
  const designated = { [THIEF]: [ofacLabel({ validFrom: '2024-01-01' })] }
  const [before, after] = ['2023-06-01', '2024-06-01'].map((day) => Date.parse(day) / 1_000)
  const payments = (times: readonly number[]) =>
    Object.entries(DOLLARS_24_99).map(([contract, amount], index) =>
      transfer({ kind: 'token', contract, amount, from: THIEF, occurredAtS: times[index]! }),
    )

  test('three payments of 24.99 dollars in three stablecoins count', () => {
    const { record, scored } = exposed(payments([after!, after!, after!]), designated)
    expect(record.measures).toMatchObject([
      {
        asset: 'USD',
        contract: 'usd',
        decimals: 18,
        amount: '74970000000000000000',
        transfers: 3,
        sources: 1,
      },
    ])
    expect(scored).toMatchObject([{ evidence: { value: '74.97 USD', used: true, reason: null } }])
    expect(scored[0]!.hundredths).toBeGreaterThanOrEqual(2_500)
  })

  test('also where a designation date divides them', () => {
    const { record, scored } = exposed(payments([before!, before!, after!]), designated)
    expect(
      record.measures.map(({ amount, wholeAmount, preDesignation }) => [amount, wholeAmount, preDesignation]),
    ).toEqual([
      ['24990000000000000000', '74970000000000000000', false],
      ['49980000000000000000', '74970000000000000000', true],
    ])
    expect(scored).toMatchObject([
      { hundredths: 9_000, evidence: { used: true, pre_designation: false } },
      { hundredths: 4_000, evidence: { used: true, pre_designation: true } },
    ])
  })

  test('one of them by itself stays dust', () => {
    expect(exposed(payments([after!, after!, after!]).slice(0, 1), designated).scored).toMatchObject([
      { hundredths: 0, evidence: { used: false, reason: 'dust' } },
    ])
  })

  test('an unproven payment does not lift proven dust', () => {
    const unproven = transfer({ from: THIEF, amount: 100n * ETHER, proven: false })
    const dust = transfer({ from: THIEF, amount: ETHER / 1_000n })
    const { scored } = exposed([unproven, dust], thief)
    expect(scored[0]!.contribution).toBeLessThanOrEqual(6_999)
    expect(exposed([unproven], thief).scored[0]!.hundredths).toBe(scored[0]!.hundredths)
  })

  test('a share counts every stablecoin in T', () => {
    const clean = transfer({ kind: 'token', contract: USDC, amount: 75_030_000n, from: addressOf(8) })
    const stolen = transfer({
      kind: 'token',
      contract: DAI,
      amount: 24_970_000_000_000_000_000n,
      from: THIEF,
    })
    const more = transfer({ kind: 'token', contract: USDT, amount: 100_000_000n, from: THIEF })
    const { record, scored } = exposed([clean, stolen, more], thief)
    expect(record.measures).toMatchObject([{ total: '200000000000000000000', totalComplete: true }])
    expect(scored).toMatchObject([{ evidence: { share: 0.62485 } }])
  })

  test('stablecoins are followed through an address one by one', () => {
    const through = { followed: [MIDDLE] }
    const token = (contract: string, changes: Partial<Transfer>) =>
      transfer({ kind: 'token', contract, amount: 100_000_000n, ...changes })
    const swapped = [token(USDT, { from: THIEF, to: MIDDLE }), token(USDC, { from: MIDDLE })]
    expect(exposed(swapped, thief, through).record.measures).toEqual([])
    const same = [token(USDT, { from: THIEF, to: MIDDLE }), token(USDT, { from: MIDDLE })]
    expect(exposed(same, thief, through).record.measures).toMatchObject([
      { asset: 'USD', relation: 'indirect' },
    ])
  })
})

describe('a CoinJoin', () => {
  const node = `coinjoin:0x${'c'.repeat(64)}`
  const joined = (changes: Partial<Transfer>): Transfer =>
    transfer({ kind: 'utxo', coinJoin: true, amount: 10n ** 9n, ...changes })
  const others = [3, 4, 5, 6].map(addressOf)
  const all = [
    ...[THIEF, ...others].map((from) => joined({ from, to: node })),
    ...[ADDRESS, ...others].map((to) => joined({ from: node, to })),
  ]
  const around = { chain: 'BTC', ranges: wholeHistory.slice(0, 1) }
  const designated = { [THIEF]: [ofacLabel({ chain: 'BTC' })] }

  test('of five with one designated participant makes nobody its counterparty', () => {
    const { record, scored } = exposed(all, designated, around)
    expect(record.measures).toMatchObject([
      { category: 'mixer', subcategory: 'coinjoin', relation: 'direct', sourceAddress: node, entity: '' },
    ])
    expect(scored).toMatchObject([{ contribution: 2_499, evidence: { subcategory: 'coinjoin', used: true } }])
  })

  test('is followed no further, and stays below orange behind another address too', () => {
    const passed = joined({ from: others[0]!, to: MIDDLE, coinJoin: false })
    const through = { ...around, followed: [others[0]!] }
    const { record, scored } = exposed([...all.slice(0, 5), ...all.slice(6), passed], designated, {
      ...through,
      address: MIDDLE,
    })
    expect(record.measures).toMatchObject([
      { category: 'mixer', subcategory: 'coinjoin', relation: 'indirect' },
    ])
    expect(scored[0]!.contribution).toBeLessThanOrEqual(2_499)
  })

  test('is an item of its own in addition to a labelled mixer', () => {
    const mixer = { [addressOf(7)]: [label({ category: 'mixer', chain: 'BTC' })] }
    const both = [...all, joined({ from: addressOf(7), coinJoin: false })]
    expect(exposed(both, mixer, around).record.measures.map(({ subcategory }) => subcategory)).toEqual([
      '',
      'coinjoin',
    ])
  })
})

describe('payments to those whom no one pays by mistake', () => {
  const severe = (subcategory: string, category = 'scam') => ({
    [THIEF]: [label({ category, subcategory, confidencePpm: 600_000 })],
  })
  const payment = (amount: bigint) => transfer({ from: ADDRESS, to: THIEF, amount })

  test.each([
    ['ransomware', 'scam'],
    ['terrorist_financing', 'darknet'],
    ['csam', 'darknet'],
  ])('%s: what is not dust is orange', (subcategory, category) => {
    const { record, scored } = exposed([payment(ETHER / 100n)], severe(subcategory, category))
    expect(record.measures).toMatchObject([{ category, subcategory }])
    expect(scored[0]!.contribution).toBeGreaterThanOrEqual(2_500)
    expect(exposed([payment(ETHER / 100n - 1n)], severe(subcategory, category)).scored).toMatchObject([
      { hundredths: 0 },
    ])
  })

  test('the cap is 60 where the category’s own is lower, and never lowers it', () => {
    const much = [payment(100_000n * ETHER)]
    expect(exposed(much, severe('ransomware')).scored).toMatchObject([{ hundredths: 3_600 }])
    expect(exposed(much, severe('csam', 'darknet')).scored).toMatchObject([{ hundredths: 4_800 }])
    expect(exposed(much, severe('phishing')).scored).toMatchObject([{ hundredths: 900 }])
  })

  test('what came from them has the points of its category', () => {
    const got = [transfer({ from: THIEF, amount: 100_000n * ETHER })]
    expect(exposed(got, severe('ransomware')).scored[0]!.hundredths).toBe(
      exposed(got, severe('')).scored[0]!.hundredths,
    )
  })

  test('a weaker severe label still makes it severe if a stronger plain one has the same origin', () => {
    const labels = {
      [THIEF]: [
        label({ category: 'scam', confidencePpm: 900_000 }),
        label({ labelId: 'second', category: 'scam', subcategory: 'ransomware', confidencePpm: 600_000 }),
      ],
    }
    const [measure] = exposed([payment(ETHER)], labels).record.measures
    expect(measure).toMatchObject({ subcategory: 'ransomware', confidencePpm: 900_000 })
  })

  test('dust is judged on the whole category, however subcategories divide it', () => {
    const kinds = ['ransomware', 'phishing', 'sextortion'].map((subcategory, index) => ({
      address: addressOf(20 + index),
      given: label({ category: 'scam', subcategory, confidencePpm: 900_000 }),
    }))
    const dusty = kinds.map(({ address }) => transfer({ from: address, amount: ETHER / 100n - 1n }))
    const labels = Object.fromEntries(kinds.map(({ address, given }) => [address, [given]]))
    for (const { evidence } of exposed(dusty, labels).scored) expect(evidence.reason).toBeNull()
  })
})
