/** Who the counterparties are, what they sent in amounts and dollars, and how all value is divided among them. */
import type { ExposureRecord } from '@cupel/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addressOf,
  ETHER,
  measured,
  neighbourhood,
  policyWith,
  transfer,
  wholeHistory,
} from '../../../../test/exposure-builders.js'
import { ADDRESS, cleanLabel, label, ofacLabel, ofacSet } from '../../../../test/judgement-builders.js'
import { compiledDefaultPolicy } from '../risk/default-policy.js'
import type { LabelFacts } from '../risk/label-facts.js'
import { taintMethods } from './exposure-policy.js'
import type { Neighbourhood } from './measure-exposure.js'
import type { PriceTable } from './prices.js'
import { scoreExposure } from './score-exposure.js'
import type { Transfer } from './transfer.js'

const THIEF = addressOf(1)
const MIDDLE = addressOf(2)
const EXCHANGE = addressOf(3)
const HUB = addressOf(4)
const STRANGER = addressOf(5)
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const policy = compiledDefaultPolicy
const stolen = label({ category: 'stolen', entity: 'A Thief', confidencePpm: 950_000 })

type Labels = Readonly<Record<string, readonly LabelFacts[]>>

const recorded = (
  transfers: readonly Transfer[],
  labels: Labels,
  around: Partial<Neighbourhood> = {},
): ExposureRecord =>
  measured(neighbourhood(transfers, { ranges: wholeHistory, ...around }), labels, { labelSets: [ofacSet()] })

const evidenceOf = ({ measures }: ExposureRecord) =>
  scoreExposure(measures, { policy, isCleanService: false }).map(({ evidence }) => evidence)

/** `category relation amount` of one asset and direction, in whole ether. */
const divided = (record: ExposureRecord, direction = 'in'): readonly string[] =>
  record.breakdown
    .find((one) => one.direction === direction)!
    .parts.map(({ category, relation, amount }) => `${category} ${relation} ${BigInt(amount) / ETHER}`)

describe('an item of several counterparties', () => {
  const seven = Array.from({ length: 7 }, (_, n) => addressOf(100 + n))
  const labels = Object.fromEntries(
    seven.map((at, n) => [at, [label({ category: 'stolen', entity: `Thief ${n}` })]]),
  )
  const transfers = seven.flatMap((from, n) => [
    transfer({ from, amount: BigInt(n + 1) * ETHER }),
    transfer({ from, amount: ETHER }),
  ])

  test('names none of them as the one', () => {
    const [evidence] = evidenceOf(recorded(transfers, labels))
    expect(evidence).toMatchObject({
      address: null,
      entity: null,
      sources: 7,
      transfers: 14,
      value: '35 ETH',
    })
    expect(evidence!.counterparties.map(({ entity, value, transfers: count }) => `${entity} ${value} ${count}`)).toEqual([
      'Thief 6 8 ETH 2', 'Thief 5 7 ETH 2', 'Thief 4 6 ETH 2', 'Thief 3 5 ETH 2', 'Thief 2 4 ETH 2', 'Thief 1 3 ETH 2',
      'Thief 0 2 ETH 2',
    ]) // prettier-ignore
    expect(evidence!.counterparties_omitted).toBeNull()
  })

  test('and of one, that one', () => {
    const [evidence] = evidenceOf(recorded(transfers.slice(0, 2), labels))
    expect(evidence).toMatchObject({ address: seven[0], entity: 'Thief 0', sources: 1, transfers: 2 })
  })

  test('says when, from the first transfer to the last, and nothing if a time is missing', () => {
    const at = (occurredAtS: number | null) => transfer({ from: THIEF, occurredAtS })
    const period = (...times: readonly (number | null)[]) => {
      const [evidence] = evidenceOf(recorded(times.map(at), { [THIEF]: [stolen] }))
      return [evidence!.first_at, evidence!.last_at]
    }
    expect(period(1_700_000_000, 1_600_000_000, 1_650_000_000)).toEqual([
      '2020-09-13T12:26:40.000Z',
      '2023-11-14T22:13:20.000Z',
    ])
    expect(period(1_700_000_000, null)).toEqual([null, null])
  })

  test('of many names the 20 of most value, and the rest makes the whole', () => {
    const many = Array.from({ length: 50 }, (_, n) => addressOf(200 + n))
    const all = many.map((from, n) => transfer({ from, amount: BigInt(n + 1) * ETHER }))
    const record = recorded(all, Object.fromEntries(many.map((at) => [at, [stolen]])))
    const [measure] = record.measures
    expect(measure).toMatchObject({ sources: 50, counterpartiesOmitted: 30 })
    expect(measure!.counterparties.map(({ amount }) => BigInt(amount) / ETHER)).toEqual(
      Array.from({ length: 20 }, (_, n) => BigInt(50 - n)),
    )
    const listed = measure!.counterparties.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
    expect(listed + BigInt(measure!.counterpartiesOmittedAmount)).toBe(BigInt(measure!.amount))
    expect(evidenceOf(record)[0]!.counterparties_omitted).toEqual({
      count: 30,
      value: '465 ETH',
      value_usd: null,
    })
  })

  test('shows what the authority says of the one designated source', () => {
    const sanction = {
      list: 'SDN',
      programmes: ['CYBER2'],
      entityId: '36079',
      aliases: ['Alias'],
      designatedOn: '2022-04-14',
    }
    const designated = {
      [THIEF]: [ofacLabel({ sanction })],
      [STRANGER]: [ofacLabel({ sanction, labelId: 'other' })],
    }
    const [evidence] = evidenceOf(recorded([transfer()], designated))
    expect(evidence!.sanction).toMatchObject({ list: 'SDN', entity_id: '36079', designated_on: '2022-04-14' })
    const [several] = evidenceOf(recorded([transfer(), transfer({ from: STRANGER })], designated))
    expect(several!.sanction).toBeNull()
  })
})

describe('values in dollars', () => {
  const DAY_S = 1_700_000_000
  const prices = (byDay: Readonly<Record<string, bigint>>): PriceTable => ({
    sha256: 'a'.repeat(64),
    microUsdOf: (symbol, day) => byDay[`${symbol} ${day}`] ?? null,
  })
  const two = { 'ETH 2023-11-14': 2_000_000_000n, 'ETH 2023-11-15': 2_100_000_001n }
  const from = (occurredAtS: number | null, amount = ETHER) => transfer({ from: THIEF, occurredAtS, amount })
  const valued = (transfers: readonly Transfer[], byDay: Readonly<Record<string, bigint>>) => {
    const record = recorded(transfers, { [THIEF]: [stolen] }, { prices: prices(byDay) })
    expect(record.priceTableSha256).toBe('a'.repeat(64))
    expect(record.breakdown[0]!.microUsd).toBe(record.measures[0]!.microUsd)
    return evidenceOf(record)[0]!
  }

  test('are those of the day of each transfer', () => {
    const evidence = valued([from(DAY_S), from(DAY_S + 86_400)], two)
    expect(evidence.value_usd).toBe('4100.000001')
    expect(evidence.counterparties).toMatchObject([{ value_usd: '4100.000001' }])
  })

  test('are rounded down to millionths for each transfer', () => {
    expect(valued([from(DAY_S + 86_400, ETHER / 2n), from(DAY_S + 86_400, ETHER / 2n)], two).value_usd).toBe(
      '2100',
    )
  })

  test('are unknown as soon as one price or one time is', () => {
    expect(valued([from(DAY_S), from(DAY_S + 2 * 86_400)], two).value_usd).toBeNull()
    expect(valued([from(DAY_S), from(null)], two).value_usd).toBeNull()
  })

  test('add up over stablecoins at the price of each', () => {
    const dollars = transfer({
      kind: 'token',
      contract: USDT,
      amount: 1_000_000n,
      from: THIEF,
      occurredAtS: DAY_S,
    })
    expect(valued([dollars], { 'USDT 2023-11-14': 999_800n })).toMatchObject({
      value: '1 USD',
      value_usd: '0.9998',
    })
    expect(valued([dollars], { 'USD 2023-11-14': 1_000_000n }).value_usd).toBeNull()
  })

  test('of the transfers that are not listed are told too', () => {
    const many = Array.from({ length: 21 }, (_, n) => addressOf(200 + n))
    const all = many.map((at) => transfer({ from: at, occurredAtS: DAY_S }))
    const record = recorded(all, Object.fromEntries(many.map((at) => [at, [stolen]])), {
      prices: prices(two),
    })
    expect(evidenceOf(record)[0]!.counterparties_omitted).toEqual({
      count: 1,
      value: '1 ETH',
      value_usd: '2000',
    })
  })
})

describe('all value is divided', () => {
  test('by what the other side is, else by what came through it, else it is unattributed', () => {
    const transfers = [
      transfer({ from: EXCHANGE, amount: 5n * ETHER }),
      transfer({ from: HUB, amount: 3n * ETHER }),
      transfer({ from: THIEF, amount: 2n * ETHER }),
      transfer({ from: STRANGER, amount: 7n * ETHER }),
      transfer({ from: THIEF, to: MIDDLE, amount: 3n * ETHER }),
      transfer({ from: EXCHANGE, to: MIDDLE, amount: 6n * ETHER }),
      transfer({ from: STRANGER, to: MIDDLE, amount: 3n * ETHER }),
      transfer({ from: MIDDLE, amount: 12n * ETHER }),
    ]
    const record = recorded(
      transfers,
      { [THIEF]: [stolen], [EXCHANGE]: [cleanLabel()] },
      { followed: [MIDDLE], cut: [{ address: HUB, reason: 'hub', hops: 1 }] },
    )
    expect(divided(record)).toEqual([
      'stolen direct 2',
      'stolen indirect 3',
      'clean_exchange direct 5',
      'clean_exchange indirect 6',
      'service direct 3',
      'unattributed  10',
    ])
    const unattributed = record.breakdown[0]!.parts.at(-1)!
    expect(unattributed.counterparties.map(({ address }) => address)).toEqual([STRANGER, MIDDLE])
    expect(record.breakdown).toMatchObject([
      { direction: 'in', total: (29n * ETHER).toString(), totalComplete: true },
    ])
  })

  test('the leading category takes the whole of what has several', () => {
    const both = { [THIEF]: [stolen, label({ category: 'scam' }), cleanLabel(), ofacLabel()] }
    expect(divided(recorded([transfer()], both))).toEqual(['sanctions direct 1'])
    expect(
      divided(recorded([transfer()], { [THIEF]: [label({ category: 'mixer' }), cleanLabel()] })),
    ).toEqual(['mixer direct 1'])
  })

  test('who is attributed too weakly names nothing', () => {
    const weak = { [THIEF]: [label({ category: 'scam', confidencePpm: 499_999 })] }
    expect(divided(recorded([transfer()], weak))).toEqual(['unattributed  1'])
  })

  test('where sources follow one another, the value is divided once', () => {
    const scammer = addressOf(6)
    const transfers = [
      transfer({ from: scammer, to: MIDDLE, amount: 4n * ETHER }),
      transfer({ from: MIDDLE, to: THIEF, amount: 4n * ETHER }),
      transfer({ from: THIEF, to: STRANGER, amount: 4n * ETHER }),
      transfer({ from: STRANGER, amount: 4n * ETHER }),
    ]
    const around = neighbourhood(transfers, { followed: [MIDDLE, THIEF, STRANGER], ranges: wholeHistory })
    const labels = { [scammer]: [label({ category: 'scam' })], [THIEF]: [stolen] }
    for (const method of taintMethods) {
      const record = measured(around, labels, { policy: policyWith({ hops: 4, method }) })
      expect(divided(record), method).toEqual(['stolen indirect 4'])
    }
  })

  test('both ways', () => {
    const record = recorded([transfer({ from: ADDRESS, to: THIEF }), transfer({ from: EXCHANGE })], {
      [THIEF]: [stolen],
      [EXCHANGE]: [cleanLabel()],
    })
    expect(divided(record, 'in')).toEqual(['clean_exchange direct 1'])
    expect(divided(record, 'out')).toEqual(['stolen direct 1'])
  })
})

test('parts add up to all that moved, and listed counterparties to no more, whatever the neighbourhood', () => {
  const nodes = [ADDRESS, ...Array.from({ length: 6 }, (_, n) => addressOf(n + 1))]
  const contracts = ['', USDT, '0x6b175474e89094c44da98b954eedeac495271d0f']
  const labelled = [stolen, cleanLabel(), ofacLabel(), label({ category: 'scam', confidencePpm: 400_000 })]
  const drawn = fc.record({
    transfers: fc.array(
      fc.record({
        from: fc.constantFrom(...nodes),
        to: fc.constantFrom(...nodes),
        contract: fc.constantFrom(...contracts),
        amount: fc.bigInt(0n, 1_000_000_007n),
        occurredAtS: fc.option(fc.nat(1_000_000)),
        blockNumber: fc.option(fc.nat(5)),
        proven: fc.boolean(),
      }),
      { minLength: 3, maxLength: 20 },
    ),
    labels: fc.dictionary(fc.constantFrom(...nodes.slice(1)), fc.subarray(labelled, { minLength: 1 })),
    followed: fc.subarray(nodes.slice(1)),
    method: fc.constantFrom(...taintMethods),
    hops: fc.constantFrom(2, 3),
  })
  const seen = new Set<string>()
  fc.assert(
    fc.property(drawn, ({ transfers, labels, followed, method, hops }) => {
      const given = transfers.map((one, index) => transfer({ ...one, id: String(index) }))
      const around = neighbourhood(given, {
        followed,
        cut: followed.includes(HUB) ? [] : [{ address: HUB, reason: 'hub', hops: 1 }],
      })
      const record = measured(around, labels, {
        policy: policyWith({ method, hops }),
        labelSets: [ofacSet()],
      })
      for (const direction of ['in', 'out'] as const) {
        for (const contract of ['', 'usd']) {
          const moved = given
            .filter((one) => (one.contract === '') === (contract === '') && one.from !== one.to)
            .filter((one) => (direction === 'in' ? one.to : one.from) === ADDRESS)
            .reduce((sum, one) => sum + one.amount * (one.contract === USDT ? 10n ** 12n : 1n), 0n)
          const whole = record.breakdown.find(
            (one) => one.direction === direction && one.contract === contract,
          )
          expect(BigInt(whole?.total ?? 0)).toBe(moved)
          let sum = 0n
          for (const { category, relation, amount, counterparties } of whole?.parts ?? []) {
            seen.add(`${category} ${relation}`)
            sum += BigInt(amount)
            expect(counterparties.reduce((part, one) => part + BigInt(one.amount), 0n)).toBe(BigInt(amount))
          }
          expect(sum).toBe(moved)
        }
      }
      for (const one of record.measures) {
        const listed = one.counterparties.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
        expect(listed + BigInt(one.counterpartiesOmittedAmount)).toBe(BigInt(one.amount))
        expect(BigInt(one.wholeAmount) >= BigInt(one.amount)).toBe(true)
      }
    }),
    { numRuns: 1_500 },
  )
  expect([...seen].sort()).toEqual([
    'clean_exchange direct', 'clean_exchange indirect', 'sanctions direct', 'sanctions indirect', 'service direct', 'stolen direct',
    'stolen indirect', 'unattributed ',
  ]) // prettier-ignore
})

test('the record of the busiest address stays far below a mebibyte', () => {
  const categories = ['sanctions', 'darknet', 'mixer', 'scam', 'stolen', 'clean_exchange']
  const sources = Array.from({ length: 1_000 }, (_, n) => addressOf(1_000 + n))
  const contracts = [
    '',
    USDT,
    '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
    '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599',
  ]
  const moved = sources.flatMap((source, n) =>
    contracts.flatMap((contract) => {
      const [amount, through] = [BigInt(n + 1) * 10n ** 24n, addressOf(5_000 + (n % 100))]
      return [
        transfer({ from: source, contract, amount }),
        transfer({ from: ADDRESS, to: source, contract, amount }),
        transfer({ from: source, to: through, contract, amount }),
        transfer({ from: through, contract, amount }),
        transfer({ from: ADDRESS, to: through, contract, amount }),
        transfer({ from: through, to: source, contract, amount }),
      ]
    }),
  )
  const labels = Object.fromEntries(
    sources.map((source, n) => [
      source,
      [
        label({
          category: categories[n % 6]!,
          entity: 'An Entity with a Rather Long Name',
          confidencePpm: n % 4 === 0 ? 400_000 : 900_000,
        }),
      ],
    ]),
  )
  const record = recorded(moved, labels, {
    followed: Array.from({ length: 100 }, (_, n) => addressOf(5_000 + n)),
  })
  expect(record.measures.length).toBeGreaterThan(50)
  expect(JSON.stringify(record).length).toBeLessThan(512 * 1_024)
})
