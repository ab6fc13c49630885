/** Green is earned: who explains the value of an address, and what keeps it from green. */
import { reportSchema, type Report } from '@cupel/contracts'
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
  cleanLabel,
  GENERATED_AT,
  label,
  labelSet,
  ofacLabel,
  ofacSet,
  PUBLISHED_AT,
} from '../../../../test/judgement-builders.js'
import { decideScreening } from '../../index.js'
import type { Transfer } from '../exposure/transfer.js'
import type { UnknownTokens } from '../exposure/unknown-tokens.js'
import { defaultPolicy } from './default-policy.js'
import { compilePolicy } from './policy.js'
import type { LabelFacts } from './label-facts.js'

const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const [EXCHANGE, OTHER_EXCHANGE, STRANGER, SWINDLER, DESIGNATED] = [1, 2, 3, 4, 5].map(addressOf) as [
  string,
  string,
  string,
  string,
  string,
]

const labelsOf: Readonly<Record<string, readonly LabelFacts[]>> = {
  [EXCHANGE]: [cleanLabel({ address: EXCHANGE })],
  [OTHER_EXCHANGE]: [cleanLabel({ address: OTHER_EXCHANGE, entity: 'Another Exchange' })],
  [SWINDLER]: [label({ address: SWINDLER })],
  [DESIGNATED]: [ofacLabel({ address: DESIGNATED })],
}

const labelSets = [ofacSet(), labelSet()]

function screened(
  transfers: readonly Transfer[],
  {
    labels = [],
    others = {},
    unknownTokens = [],
    green = {},
  }: {
    labels?: readonly LabelFacts[]
    others?: Readonly<Record<string, readonly LabelFacts[]>>
    unknownTokens?: readonly UnknownTokens[]
    green?: Partial<typeof defaultPolicy.green>
  } = {},
): Report['risk'] {
  const around = neighbourhood(transfers, { ranges: wholeHistory, unknownTokens })
  const decision = decideScreening({
    request: {
      reportId: '9f2c4a1be07d6358',
      accountId: 'account-1',
      livemode: true,
      address: ADDRESS,
      canonicalAddress: ADDRESS,
      chain: 'ETH',
      candidateChains: [],
      customerReference: null,
      reportUrl: 'https://reports.example/9f2c4a1be07d6358',
      jobId: null,
      jobIndex: null,
    },
    snapshot: { labelSetSeq: 3, labelsAsOf: PUBLISHED_AT, labelSets, labelView: 'current', labels },
    exposure: measured(around, { ...labelsOf, ...others }, { labelSets }),
    policy: compilePolicy({ ...defaultPolicy, green: { ...defaultPolicy.green, ...green } }),
    generatedAt: GENERATED_AT,
  })
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  return reportSchema.parse(JSON.parse(decision.event.report)).risk
}

const from = (address: string, changes: Partial<Transfer> = {}): Transfer =>
  transfer({ from: address, ...changes })
const to = (address: string, changes: Partial<Transfer> = {}): Transfer =>
  transfer({ from: ADDRESS, to: address, ...changes })
/** 0.005 of a token of 8 decimals: few base units, and far more than dust. */
const fewUnits = {
  ...{ kind: 'token', contract: '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599', amount: 5n * 10n ** 5n },
} as const
const tokens = { kind: 'token', contract: USDT, amount: 500n * 10n ** 6n } as const

describe('a plain wallet of a customer', () => {
  test('funded by two exchanges over its whole history is green', () => {
    const risk = screened([
      from(EXCHANGE),
      from(OTHER_EXCHANGE, { amount: 2n * ETHER }),
      from(EXCHANGE, tokens),
      to(STRANGER, { amount: ETHER / 2n }),
    ])
    expect(risk).toMatchObject({ level: 'green', level_reasons: [], score: 0 })
  })

  test('stays green with a tenth from a stranger, and with dust of another asset', () => {
    const risk = screened([
      from(EXCHANGE, { amount: 9n * ETHER }),
      from(STRANGER, { amount: ETHER }),
      from(STRANGER, { ...tokens, amount: 24n * 10n ** 6n }),
    ])
    expect(risk).toMatchObject({ level: 'green', level_reasons: [] })
  })

  test('stays green whatever unknown tokens strangers send, and not if a designated party sent one', () => {
    const sent = (counterparty: string): UnknownTokens => ({
      ...{ direction: 'in', contract: addressOf(77), counterparty, amount: 10n ** 30n, transfers: 1 },
    })
    expect(screened([from(EXCHANGE)], { unknownTokens: [sent(STRANGER)] })).toMatchObject({ level: 'green' })
    const risk = screened([from(EXCHANGE)], { unknownTokens: [sent(STRANGER), sent(DESIGNATED)] })
    expect(risk.level).toBe('grey')
    expect(risk.level_reasons).toContain('illicit_token')
  })

  test('is green where the exchange paid over another address', () => {
    const between = addressOf(9)
    const first = transfer({ from: EXCHANGE, to: between })
    const around = neighbourhood([first, from(between)], { ranges: wholeHistory, followed: [between] })
    expect(measured(around, labelsOf, { labelSets }).breakdown).toMatchObject([
      { direction: 'in', parts: [{ category: 'clean_exchange', relation: 'indirect' }] },
    ])
  })
})

describe('green is refused by name', () => {
  test.each<[string, readonly Transfer[], readonly string[]]>([
    ['most came from a stranger', [from(STRANGER)], ['unattributed']],
    [
      'less than nine tenths are explained in one of two assets',
      [from(EXCHANGE), from(EXCHANGE, tokens), from(STRANGER, { ...tokens, amount: 56n * 10n ** 6n })],
      ['unattributed'],
    ],
    ['nothing but dust came in', [from(STRANGER, { amount: ETHER / 1_000n })], ['unattributed']],
    [
      'a swindler was paid, below orange',
      [from(EXCHANGE), to(SWINDLER, { amount: ETHER / 20n })],
      ['illicit_value'],
    ],
    [
      'few base units went to a swindler, which are more than dust',
      [from(EXCHANGE), from(EXCHANGE, { ...fewUnits, amount: 10n ** 8n }), to(SWINDLER, fewUnits)],
      ['illicit_value'],
    ],
    [
      'a hundredth came from an illicit source as dust',
      [from(EXCHANGE, { amount: (7n * ETHER) / 10n }), from(SWINDLER, { amount: (8n * ETHER) / 1_000n })],
      ['illicit_dust'],
    ],
    [
      'dust of a designated party is all that came of an asset',
      [from(EXCHANGE), from(DESIGNATED, { ...tokens, amount: 10n ** 6n })],
      ['illicit_dust', 'unattributed'],
    ],
  ])('%s', (_name, transfers, reasons) => {
    const risk = screened(transfers)
    expect(risk).toMatchObject({ level: 'grey', level_reasons: reasons })
  })

  test('the policy says how much must be attributed, and how much may be doubtful', () => {
    const others = { [STRANGER]: [label({ address: STRANGER, confidencePpm: 400_000 })] }
    const transfers = [from(EXCHANGE, { amount: 19n * ETHER }), from(STRANGER)]
    expect(screened(transfers, { others, green: { doubtful_share: 0.06 } }).level).toBe('green')
    expect(screened(transfers, { green: { attributed_share: 0.95 } }).level).toBe('green')
    expect(screened(transfers, { green: { attributed_share: 0.96 } }).level_reasons).toEqual(['unattributed'])
  })

  test('a twentieth came from a source whose label is too weak to score', () => {
    const others = { [STRANGER]: [label({ address: STRANGER, confidencePpm: 400_000 })] }
    const transfers = [from(EXCHANGE, { amount: 19n * ETHER }), from(STRANGER)]
    expect(screened(transfers, { others })).toMatchObject({
      level: 'grey',
      level_reasons: ['weak_origin'],
      score: 0,
    })
  })

  test('a label below one half does not explain where value is from', () => {
    const others = { [EXCHANGE]: [cleanLabel({ address: EXCHANGE, confidencePpm: 490_000 })] }
    expect(screened([from(EXCHANGE)], { others })).toMatchObject({ level_reasons: ['unattributed'] })
  })
})

describe('a clean service', () => {
  const labels = [cleanLabel()]

  test('is in conflict with what it exchanged with a designated party, and the reason names both', () => {
    const risk = screened([from(EXCHANGE), to(DESIGNATED, { amount: ETHER / 2n })], { labels })
    expect(risk.conflicts).toEqual([
      { category: 'sanctions', clean_entity: 'Some Exchange', illicit_entity: 'Designated Group' },
    ])
    expect(risk).toMatchObject({ level: 'red', score: 95 })
  })

  test('is green with dust of a designated party, which anybody can send', () => {
    const risk = screened([from(EXCHANGE), from(DESIGNATED, { amount: ETHER / 1_000n })], { labels })
    expect(risk).toMatchObject({ level: 'green', conflicts: [] })
  })

  test('keeps its level whatever its customers got from a swindler', () => {
    const risk = screened([from(EXCHANGE), from(SWINDLER)], { labels })
    expect(risk).toMatchObject({ level: 'green', score: 0 })
  })
})
