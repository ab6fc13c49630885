/** What was paid while a designation was in force remains evidence after a delisting. */
import { describe, expect, test } from 'vitest'
import {
  addressOf,
  ETHER,
  measured,
  neighbourhood,
  transfer,
  wholeHistory,
} from '../../../../test/exposure-builders.js'
import {
  ADDRESS,
  judged,
  label,
  ofacLabel,
  ofacSet,
  restatement,
} from '../../../../test/judgement-builders.js'
import { compiledDefaultPolicy as policy } from '../risk/default-policy.js'
import type { LabelFacts, LabelSetFacts } from '../risk/label-facts.js'
import type { Neighbourhood } from './measure-exposure.js'
import { scoreExposure } from './score-exposure.js'
import type { Transfer } from './transfer.js'

const PARTY = addressOf(1)
const MIDDLE = addressOf(2)
const seconds = (date: string): number => Date.parse(date) / 1_000
const paidOn = (date: string, changes: Partial<Transfer> = {}): Transfer =>
  transfer({ from: PARTY, amount: 10n * ETHER, occurredAtS: seconds(date), ...changes })

/** Delisted by a newer version of the list: designated from 2022-08-08 to 2025-03-21. */
const delisted = (changes: Partial<LabelFacts> = {}): LabelFacts =>
  ofacLabel({ validFrom: '2022-08-08', validTo: '2025-03-21', knownTo: '2025-03-22T00:00:00.000Z', ...changes })

function items(
  transfers: readonly Transfer[],
  ofParty: readonly LabelFacts[],
  {
    around = {},
    labelSets = [ofacSet()],
  }: { around?: Partial<Neighbourhood>; labelSets?: readonly LabelSetFacts[] } = {},
) {
  const record = measured(
    neighbourhood(transfers, { ranges: wholeHistory, ...around }),
    { [PARTY]: ofParty },
    { labelSets },
  )
  return scoreExposure(record.measures, { policy, isCleanService: false }).map(
    ({ category, contribution, evidence }) => ({
      ...{ category, points: contribution / 100, status: evidence.status, cappedBy: evidence.capped_by },
      ...{ pre: evidence.pre_designation, relation: evidence.relation, value: evidence.value },
    }),
  )
}

describe('a designation that has ended since', () => {
  test.each<[string, Partial<Transfer>]>([
    ['received', {}],
    ['sent', { from: ADDRESS, to: PARTY }],
  ])('counts for what was %s while it was in force, and is orange at most', (_, changes) => {
    expect(items([paidOn('2023-01-01', changes)], [delisted()])).toMatchObject([
      { category: 'sanctions', points: 69.99, status: 'historical', cappedBy: 'historical', pre: false },
    ])
  })

  test('counts below its limit by its formula, and not below the minimum of direct sanctions', () => {
    const small = paidOn('2023-01-01', { amount: ETHER / 90n })
    const other = transfer({ from: addressOf(9), amount: 100n * ETHER })
    expect(items([small, other], [delisted()])).toMatchObject([{ points: 25, status: 'historical', cappedBy: null }])
  })

  test.each([
    ['before it began', '2022-08-07'],
    ['after the day it ended', '2025-03-22'],
  ])('does not count for what moved %s', (_, date) => {
    expect(items([paidOn(date)], [delisted()])).toEqual([])
  })

  test('counts where the time of the transfer, or the beginning of the designation, is not known', () => {
    expect(items([paidOn('', { occurredAtS: null })], [delisted()])).toMatchObject([
      { points: 69.99, status: 'historical', pre: null },
    ])
    expect(items([paidOn('2015-01-01')], [delisted({ validFrom: null })])).toMatchObject([
      { points: 69.99, status: 'historical', pre: null },
    ])
  })

  test('counts where a later list of another name shows that it ended', () => {
    const older = ofacSet({ dataset: 'sdn_2024', asOf: '2024-01-01' })
    const newer = ofacSet({ labelSetSeq: 2, asOf: '2026-11-20', versionOf: ['ofac_sdn/sdn_2024'] })
    const stated = ofacLabel({ dataset: 'sdn_2024', validFrom: '2022-08-08' })
    expect(items([paidOn('2023-01-01')], [stated], { labelSets: [older, newer] })).toMatchObject([
      { points: 69.99, status: 'historical' },
    ])
  })

  test('counts for each of its transfers in force, whoever else the party is', () => {
    const mixer = label({ category: 'mixer', entity: 'A Mixer', confidencePpm: 900_000 })
    const both = [paidOn('2023-01-01'), paidOn('2026-01-01')]
    expect(items(both, [delisted(), mixer])).toMatchObject([
      { category: 'mixer', value: '20 ETH', status: 'live' },
      { category: 'sanctions', value: '10 ETH', status: 'historical' },
    ])
  })

  test('counts value once if the party is another source of sanctions too', () => {
    const forensic = label({ category: 'sanctions', source: 'study', origin: 'study', confidencePpm: 800_000 })
    const paid = [paidOn('2023-01-01'), transfer({ from: addressOf(9), amount: 90n * ETHER })]
    const around = neighbourhood(paid, { ranges: wholeHistory })
    const { measures } = measured(around, { [PARTY]: [delisted(), forensic] }, { labelSets: [ofacSet()] })
    expect(measures.map(({ amount, wholeAmount, isHistorical }) => [amount, wholeAmount, isHistorical])).toEqual([
      [String(10n * ETHER), String(10n * ETHER), false],
      [String(10n * ETHER), String(10n * ETHER), true],
    ])
  })

  test('counts over an address between for what the party paid while it was in force', () => {
    const around = { followed: [MIDDLE] }
    const passedOn = (paid: string) => [
      paidOn(paid, { to: MIDDLE, blockNumber: 10 }),
      transfer({ from: MIDDLE, amount: 10n * ETHER, occurredAtS: seconds('2026-01-01'), blockNumber: 11 }),
    ]
    expect(items(passedOn('2023-01-01'), [delisted()], { around })).toMatchObject([
      { relation: 'indirect', status: 'historical', pre: false },
    ])
    expect(items(passedOn('2025-06-01'), [delisted()], { around })).toEqual([])
  })

  test('is not a restatement: what a restatement says ends without a trace', () => {
    const ended = restatement({ validTo: '2025-03-21', knownTo: '2025-03-22T00:00:00.000Z' })
    expect(items([paidOn('2023-01-01')], [ended])).toEqual([])
  })

  test('gives the address itself no points', () => {
    const judgement = judged([delisted()], { labelSets: [ofacSet()] })
    expect(judgement).toMatchObject({ overallHundredths: 0, level: 'grey' })
    expect(judgement.evidence).toMatchObject([{ status: 'ended', contribution: 0, used: false }])
  })
})

describe('a party that was listed again', () => {
  const again = ofacLabel({ validFrom: '2025-12-01' })

  test.each([
    ['in the first interval', '2023-01-01', false, 95],
    ['between the intervals', '2025-06-01', false, 95],
    ['before all intervals', '2022-01-01', true, 40],
  ])('is judged against all intervals: %s', (_, date, pre, points) => {
    const sent = paidOn(date, { from: ADDRESS, to: PARTY })
    expect(items([sent], [delisted(), again])).toMatchObject([{ points, pre, status: 'live' }])
  })

  test('may have been designated since ever, where one interval is not dated', () => {
    const undated = delisted({ validFrom: null, validTo: '2020-01-01' })
    expect(items([paidOn('2022-01-01')], [undated, again])).toMatchObject([{ points: 90, pre: null }])
  })

  test('is dated by a revision that adds the date', () => {
    const before = delisted({ validFrom: null, validTo: '2025-12-01' })
    const after = ofacLabel({ validFrom: '2022-08-08' })
    expect(items([paidOn('2022-01-01')], [before, after])).toMatchObject([{ points: 40, pre: true }])
  })
})
