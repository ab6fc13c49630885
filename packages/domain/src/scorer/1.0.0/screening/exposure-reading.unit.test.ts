/** What a report says of its ledger, and what of it can make an address green. */
import { reportSchema, type ChainFact, type ExposureRecord } from '@cupel/contracts'
import { describe, expect, test } from 'vitest'
import { chainFact } from '../../../../test/chain-fact-builders.js'
import {
  ETHER,
  measured,
  neighbourhood,
  policyWith,
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
import { emptyExposure } from '../exposure/measure-exposure.js'
import { compiledDefaultPolicy } from '../risk/default-policy.js'
import type { LabelFacts } from '../risk/label-facts.js'
import { decideScreening, differences, recompute } from '../../index.js'
import { labelState } from './label-state.js'

const OTHER = `0x${'2'.repeat(40)}`
const known = { blockNumber: 50, from: OTHER }

const lists = { labelSetSeq: 3, labelsAsOf: PUBLISHED_AT, labelSets: [ofacSet(), labelSet()] }
const shared = { labelState: labelState(lists), policyDocument: compiledDefaultPolicy.canonical }

function decided(
  exposure: ExposureRecord | null,
  {
    labels = [],
    policy = compiledDefaultPolicy,
    facts = [],
  }: {
    labels?: readonly LabelFacts[]
    policy?: typeof compiledDefaultPolicy
    facts?: readonly ChainFact[]
  } = {},
) {
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
    snapshot: { ...lists, labelView: 'current', labels },
    ...(facts.length === 0 ? {} : { chainInputs: { stage: 'answered', facts } }),
    exposure,
    policy,
    generatedAt: GENERATED_AT,
  })
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  return { event: decision.event, report: reportSchema.parse(JSON.parse(decision.event.report)) }
}

const whole = neighbourhood([transfer(known)], { ranges: wholeHistory })
/** The payer is an exchange, as a source that is sure enough says. */
const paidByExchange = { [OTHER]: [cleanLabel({ address: OTHER })] }
const coverageOf = (exposure: ExposureRecord | null) => decided(exposure).report.coverage.exposure

describe('green by what the ledger knows', () => {
  test('a whole history over two hops that clean services explain is green', () => {
    const { report } = decided(measured(whole, paidByExchange))
    expect(report.risk).toMatchObject({ level: 'green', level_reasons: [], score_is_lower_bound: false })
    expect(report.coverage.exposure).toEqual({
      status: 'complete',
      reason: null,
      incomplete: [],
      hops_searched: 2,
      transfers_examined: 1,
      truncated: false,
    })
  })

  test.each<[string, ExposureRecord, readonly string[]]>([
    [
      'a history that is not declared whole',
      measured(neighbourhood([transfer(known)]), paidByExchange),
      ['partial', 'range_gap', 'no_traces', 'no_tokens'],
    ],
    ['a limit that was reached', measured({ ...whole, truncated: true }, paidByExchange), ['partial']],
    [
      'a transfer that is not proven',
      measured({ ...whole, transfers: [transfer({ ...known, proven: false })] }, paidByExchange),
      ['partial', 'execution_unknown'],
    ],
    ['a search of one hop', measured(whole, paidByExchange, { policy: policyWith({ hops: 1 }) }), ['partial']],
    ['no transfer at all', measured({ ...whole, transfers: [] }, {}), ['no_history']],
  ])('never with %s', (_name, exposure, reasons) => {
    expect(decided(exposure).report.risk).toMatchObject({ level: 'grey', level_reasons: reasons })
  })

  test('never with exposure of orange or more', () => {
    const exposure = measured(whole, { [OTHER]: [ofacLabel()] }, { labelSets: [ofacSet()] })
    expect(decided(exposure).report.risk).toMatchObject({ level: 'red', categories: { sanctions: 90 } })
  })

  test('never with a conflict', () => {
    const labels = [
      cleanLabel({ confidencePpm: 500_000 }),
      label({ category: 'scam', confidencePpm: 300_000 }),
    ]
    const { report } = decided(measured(whole, paidByExchange), { labels })
    expect(report.risk.level).not.toBe('green')
  })
})

describe('what a provider says of the address', () => {
  const explained = { balanceBaseUnits: ETHER.toString(), tokens: [], txCount: 0 }
  const judged = (changes: Partial<ChainFact>) =>
    decided(measured(whole, paidByExchange), { facts: [chainFact({ ...explained, ...changes })] }).report

  test('may agree with the ledger', () => {
    expect(judged({}).risk).toMatchObject({ level: 'green', level_reasons: [] })
  })

  test('a balance of 9,000 ETH with a ledger of one transfer is not green', () => {
    const report = judged({ balanceBaseUnits: (9_000n * ETHER).toString() })
    expect(report.risk).toMatchObject({ level: 'grey', level_reasons: ['partial', 'balance_mismatch'] })
    expect(report.coverage.exposure).toMatchObject({ status: 'partial', incomplete: ['balance_mismatch'] })
    expect(report.exposure).toMatchObject([{ total_complete: false }])
  })

  test('nor a token that the ledger never saw arrive', () => {
    const tokens = [{ asset: 'USDT', amountBaseUnits: '5000000000000', decimals: 6 }]
    expect(judged({ tokens }).risk).toMatchObject({
      level: 'grey',
      level_reasons: ['partial', 'balance_mismatch'],
    })
  })

  test('nor a count of outgoing transactions that the ledger does not have', () => {
    expect(judged({ txCount: 5 }).risk).toMatchObject({
      level: 'grey',
      level_reasons: ['partial', 'count_mismatch'],
    })
  })

  test('nor a transaction of an address that the whole ledger does not have', () => {
    const empty = measured({ ...whole, transfers: [] }, {})
    const { report } = decided(empty, { facts: [chainFact({ balanceBaseUnits: '0', txCount: 1 })] })
    expect(report.risk.level).toBe('grey')
    expect(report.risk.level_reasons).toContain('partial')
  })
})

describe('a stage that faulted', () => {
  test.each(['late', 'failed'] as const)(
    '%s: covers nothing, the score is a lower bound, and nothing is green by it',
    (status) => {
      const exposure = emptyExposure(status, { ledgerSeq: 4, policy: compiledDefaultPolicy })
      const { event, report } = decided(exposure)
      expect(report.risk).toMatchObject({
        level: 'grey',
        level_reasons: ['no_chain_data', 'partial'],
        score_is_lower_bound: true,
      })
      expect(report.coverage.exposure).toMatchObject({ status: 'unavailable', reason: status })
      expect(event.inputs.exposure).toMatchObject({ status, ledgerSeq: 4 })
    },
  )

  test('leaves ownership as it is', () => {
    const exposure = emptyExposure('late', { ledgerSeq: 4, policy: compiledDefaultPolicy })
    const labels = [ofacLabel()]
    expect(decided(exposure, { labels }).report.risk.evidence).toEqual(
      decided(null, { labels }).report.risk.evidence,
    )
    expect(decided(exposure, { labels }).report.risk).toMatchObject({ level: 'red', score: 100 })
  })
})

test('an address that the ledger does not hold is covered only where the ledger is whole', () => {
  expect(coverageOf(null).status).toBe('unavailable')
  expect(coverageOf(measured(neighbourhood([]), {})).status).toBe('unavailable')
  expect(coverageOf(measured({ ...whole, transfers: [] }, {})).status).toBe('complete')
})

test('exposure raises its category, and what the address is stays the floor', () => {
  const stolenLabel = label({ category: 'stolen', confidencePpm: 950_000 })
  const exposure = measured(neighbourhood([transfer(known)]), { [OTHER]: [stolenLabel] })
  expect(decided(exposure).report.risk.categories.stolen).toBe(53.83)
  expect(decided(exposure, { labels: [label({ category: 'stolen' })] }).report.risk.categories.stolen).toBe(
    80,
  )
})

test('a clean exchange is green whatever its customers got from thieves, and shows it', () => {
  const stolenLabel = label({ category: 'stolen', confidencePpm: 950_000 })
  const exposure = measured(neighbourhood([transfer(known)]), { [OTHER]: [stolenLabel] })
  const { report } = decided(exposure, { labels: [cleanLabel()] })
  expect(report.risk).toMatchObject({ level: 'green', score: 0, categories: { stolen: 0 } })
  expect(report.risk.evidence).toContainEqual(
    expect.objectContaining({ relation: 'direct', used: false, reason: 'own_service', contribution: 0 }),
  )
})

test('the record by itself gives the same bytes again, and a changed amount shows', () => {
  const exposure = measured(whole, { [OTHER]: [ofacLabel()] }, { labelSets: [ofacSet()] })
  const { event } = decided(exposure)
  const stored = structuredClone(event)
  expect(differences(stored, recompute(stored, shared))).toEqual([])
  const [measure] = stored.inputs.exposure!.measures
  const tampered = {
    ...stored,
    inputs: {
      ...stored.inputs,
      exposure: { ...stored.inputs.exposure!, measures: [{ ...measure!, amount: '1', provenAmount: '1' }] },
    },
  }
  expect(differences(tampered, recompute(tampered, shared))).toContain('report')
})
