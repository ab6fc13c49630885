import { reportSchema, type ExposureBreakdown, type ReportGenerated } from '@cupel/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { failedFact } from '../../../../test/chain-fact-builders.js'
import { addressOf } from '../../../../test/exposure-builders.js'
import {
  ADDRESS,
  cleanLabel,
  GENERATED_AT,
  labelSet,
  ofacLabel,
  ofacSet,
  PUBLISHED_AT,
} from '../../../../test/judgement-builders.js'
import { OWN, terms, transferFacts } from '../../../../test/transfer-builders.js'
import { decideScreening, recompute } from '../../index.js'
import { compiledDefaultPolicy, defaultPolicy } from '../risk/default-policy.js'
import { compilePolicy, policyFault, type PolicyDocument } from '../risk/policy.js'
import { labelState } from '../screening/label-state.js'
import type { ScreeningInputs } from '../screening/screening-inputs.js'
import { judgeTransfer, type TransferFacts } from './judge-transfer.js'
import { defaultTransferPolicy, recommendations, type TransferPolicyDocument } from './transfer-policy.js'

const ETHER = 10n ** 18n
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'

/** Ether that came in, of which some per mille are of a darknet market. */
function cameIn(perMille: number, changes: Partial<ExposureBreakdown> = {}): ExposureBreakdown {
  const part = (category: string, relation: string, share: number) => ({
    ...{ category, relation, amount: ((ETHER * BigInt(share)) / 100n).toString(), microUsd: null },
    ...{ counterparties: [], counterpartiesOmitted: 0 },
  })
  return {
    ...{ direction: 'in', asset: 'ETH', contract: '', decimals: 18, total: (10n * ETHER).toString() },
    ...{ microUsd: null, totalComplete: true },
    parts: [part('darknet', 'direct', perMille), part('unattributed', '', 1_000 - perMille)],
    ...changes,
  }
}

const codesOf = (facts: TransferFacts): string[] => judgeTransfer(facts).reasons.map(({ code }) => code)
const rank = (recommendation: string): number =>
  recommendations.indexOf(recommendation as (typeof recommendations)[number])

describe('the recommendation', () => {
  test.each([
    ['green', 'allow'],
    ['grey', 'review'],
    ['orange', 'review'],
    ['red', 'reject'],
  ] as const)('for a %s counterparty is to %s', (level, recommendation) => {
    const judged = judgeTransfer(transferFacts({ counterparty: { level } }))
    expect(judged).toMatchObject({
      recommendation,
      reasons: [{ code: `counterparty_${level}`, recommendation }],
    })
  })

  test.each<[string, Parameters<typeof transferFacts>[0]]>([
    ['missing_stages', { counterparty: { missesStages: true } }],
    ['lists_not_complete', { counterparty: { areListsComplete: false } }],
    ['illicit_funds', { counterparty: { breakdown: [cameIn(10)] } }],
    // A history with gaps hides no illicit funds that it shows.
    ['illicit_funds', { counterparty: { breakdown: [cameIn(10, { totalComplete: false })] } }],
    ['more_than_history', { terms: { amount: '10.5' }, counterparty: { breakdown: [cameIn(0)] } }],
    ['contradicts_ledger', { terms: { seen: 'contradicted' } }],
    ['not_searched', { terms: { seen: 'not_searched' } }],
    ['not_searched', { terms: { seen: 'of a later version' } }],
    ['unknown_token', { terms: { contract: addressOf(9) } }],
    ['lying_symbol', { terms: { symbolLies: true } }],
    ['zero_amount', { terms: { amount: '0.00' } }],
    ['self_transfer', { terms: { ownCanonicalAddress: ADDRESS } }],
    ['burn_address', { counterparty: { canonicalAddress: '0x000000000000000000000000000000000000dead' } }],
    ['token_contract', { counterparty: { canonicalAddress: USDT } }],
    ['token_contract', { terms: { contract: ADDRESS } }],
  ])('is a review because of %s, also with a green counterparty', (code, changes) => {
    const facts = transferFacts(changes)
    expect(codesOf(facts)).toContain(code)
    expect(judgeTransfer(facts).recommendation).toBe('review')
  })

  test('compares the amount only with a whole history, and only where the transfer came from it', () => {
    const of = (direction: string, totalComplete: boolean): readonly string[] =>
      codesOf(
        transferFacts({
          terms: { direction, amount: '11' },
          counterparty: {
            breakdown: [cameIn(0, { totalComplete }), cameIn(0, { totalComplete, direction: 'out' })],
          },
        }),
      )
    expect(of('incoming', true)).toContain('more_than_history')
    expect(of('incoming', false)).not.toContain('more_than_history')
    expect(of('outgoing', true)).not.toContain('more_than_history')
  })

  test('names a contract, and changes nothing for it', () => {
    const facts = transferFacts({ counterparty: { code: 'contract' } })
    expect(codesOf(facts)).toEqual(['counterparty_green', 'counterparty_is_contract'])
    expect(judgeTransfer(facts).recommendation).toBe('allow')
  })

  test.each(['not_seen', 'no_ledger'])('a hash that nobody read (%s) is reviewed, or rejected by the policy', (seen) => {
    const facts = transferFacts({ terms: { seen } })
    expect(codesOf(facts)).toEqual(['counterparty_green', 'not_in_ledger'])
    expect(judgeTransfer(facts).recommendation).toBe('review')
    const transfers = { ...defaultTransferPolicy, unread_hash: 'reject' as const }
    const policy = compilePolicy({ ...defaultPolicy, transfers })
    expect(judgeTransfer(transferFacts({ policy, terms: { seen } })).recommendation).toBe('reject')
    const allowing = { ...transfers, unread_hash: 'allow' as const }
    expect(policyFault({ ...defaultPolicy, transfers: allowing })).toContain('transfers.unread_hash')
  })

  test.each([
    ['contradicts_provider', { seen: 'contradicted', toldBy: 'explorer' }],
    ['transaction_failed', { seen: 'failed', toldBy: 'explorer' }],
    ['transaction_unconfirmed', { seen: 'unconfirmed', toldBy: 'explorer' }],
    ['other_senders', { seen: 'other_senders', toldBy: 'explorer' }],
    ['providers_disagree', { seen: 'disagreement', toldBy: 'explorer+other' }],
    ['not_found_by_provider', { seen: 'not_seen', lookup: 'not_found' }],
    ['provider_unread', { seen: 'not_seen', lookup: 'timeout' }],
    ['provider_unread', { seen: 'not_seen', lookup: 'of a later version' }],
  ])('what a provider says is a review because of %s', (code, stated) => {
    const facts = transferFacts({ terms: stated })
    expect(codesOf(facts)).toContain(code)
    expect(judgeTransfer(facts).recommendation).toBe('review')
  })

  test('a transfer that a provider told is judged as one of the ledger, and names the provider', () => {
    const judged = judgeTransfer(transferFacts({ terms: { toldBy: 'explorer', ledgerSeq: 0 } }))
    expect(judged).toMatchObject({
      recommendation: 'allow',
      ledger: { status: 'seen', snapshot: null, provider: 'explorer' },
    })
    expect(judged.reasons.map(({ code }) => code)).toEqual(['counterparty_green', 'told_by_provider'])
  })

  test.each([
    [{ level: 'red', isDesignated: true }, 'designated_own_address', 'reject'],
    [{ level: 'red', isDesignated: false }, 'own_address_red', 'reject'],
    [{ level: 'orange', isDesignated: false }, 'own_address_orange', 'review'],
  ] as const)('an own address that is %j is named', (own, code, recommendation) => {
    const facts = transferFacts({ own })
    expect(codesOf(facts)).toEqual(['counterparty_green', code])
    expect(judgeTransfer(facts).recommendation).toBe(recommendation)
  })

  test('a lower score that may be higher is never allowed, whatever the policy says of orange', () => {
    const levels = { ...defaultTransferPolicy.levels, orange: 'allow' as const }
    const policy = compilePolicy({ ...defaultPolicy, transfers: { ...defaultTransferPolicy, levels } })
    const orange = (scoreIsLowerBound: boolean): TransferFacts =>
      transferFacts({ policy, counterparty: { level: 'orange', scoreIsLowerBound } })
    expect(judgeTransfer(orange(false)).recommendation).toBe('allow')
    expect(judgeTransfer(orange(true)).recommendation).toBe('review')
  })

  test('the share of the policy decides from where on illicit funds ask for a review', () => {
    const withShare = (illicit_share: number) =>
      compilePolicy({ ...defaultPolicy, transfers: { ...defaultTransferPolicy, illicit_share } })
    const facts = (policy = compiledDefaultPolicy, perMille = 10) =>
      transferFacts({ policy, counterparty: { breakdown: [cameIn(perMille)] } })
    expect(codesOf(facts())).toContain('illicit_funds')
    expect(codesOf(facts(withShare(0.010001)))).not.toContain('illicit_funds')
    expect(codesOf(facts(withShare(0), 1))).toContain('illicit_funds')
    expect(codesOf(facts(withShare(0), 0))).not.toContain('illicit_funds')
  })
})

const anyRecommendation = fc.constantFrom(...recommendations)
const policies = fc.record({
  levels: fc.record({
    green: anyRecommendation,
    grey: anyRecommendation,
    orange: anyRecommendation,
    red: anyRecommendation,
  }),
  designated: anyRecommendation,
  illicit_share: fc.constantFrom(0, 0.01, 0.1, 1),
})
const counterparties = fc.record({
  canonicalAddress: fc.constantFrom(ADDRESS, USDT, OWN),
  level: fc.constantFrom('green', 'grey', 'orange', 'red'),
  isDesignated: fc.boolean(),
  scoreIsLowerBound: fc.boolean(),
  areListsComplete: fc.boolean(),
  missesStages: fc.boolean(),
  code: fc.constantFrom('contract', 'none', 'unknown'),
  breakdown: fc.constantFrom([], [cameIn(0)], [cameIn(5)], [cameIn(500)], [cameIn(5, { totalComplete: false })]),
})
const statedTerms = fc.record({
  direction: fc.constantFrom('incoming', 'outgoing'),
  contract: fc.constantFrom('', USDT, addressOf(9), null),
  symbolLies: fc.boolean(),
  amount: fc.constantFrom('0', '1', '2.5', '1000000'),
  seen: fc.constantFrom('planned', 'seen', 'not_seen', 'not_searched', 'contradicted', 'no_ledger'),
})

const withPolicy = (transfers: TransferPolicyDocument): PolicyDocument => ({ ...defaultPolicy, transfers })
const isValid = (transfers: TransferPolicyDocument): boolean => policyFault(withPolicy(transfers)) === null

test('no valid policy recommends more than the level of the counterparty allows, or allows a designated or unknown one', () => {
  let judged = 0
  fc.assert(
    fc.property(policies, counterparties, statedTerms, (transfers, counterparty, stated) => {
      if (!isValid(transfers)) return
      judged += 1
      const policy = compilePolicy(withPolicy(transfers))
      const { recommendation } = judgeTransfer(transferFacts({ policy, counterparty, terms: stated }))
      expect(rank(recommendation)).toBeGreaterThanOrEqual(rank(transfers.levels[counterparty.level]))
      const mayPass =
        !counterparty.isDesignated && (counterparty.level === 'green' || counterparty.level === 'orange')
      if (!mayPass) expect(recommendation).not.toBe('allow')
    }),
    { numRuns: 5_000 },
  )
  expect(judged).toBeGreaterThan(200)
})

test('what is lost makes no recommendation better', () => {
  const losses: readonly ((facts: TransferFacts) => TransferFacts)[] = [
    (facts) => ({ ...facts, counterparty: { ...facts.counterparty, missesStages: true } }),
    (facts) => ({ ...facts, counterparty: { ...facts.counterparty, areListsComplete: false } }),
    (facts) => ({ ...facts, counterparty: { ...facts.counterparty, scoreIsLowerBound: true } }),
    // A stage that is late takes the breakdown with it.
    (facts) => ({ ...facts, counterparty: { ...facts.counterparty, missesStages: true, breakdown: [] } }),
    (facts) => ({ ...facts, terms: { ...facts.terms, contract: null } }),
  ]
  fc.assert(
    fc.property(
      policies.filter(isValid),
      counterparties,
      statedTerms,
      fc.constantFrom(...losses),
      (transfers, counterparty, stated, lose) => {
        const facts = transferFacts({
          ...{ policy: compilePolicy(withPolicy(transfers)), counterparty, terms: stated },
        })
        const [before, after] = [judgeTransfer(facts), judgeTransfer(lose(facts))]
        expect(rank(after.recommendation)).toBeGreaterThanOrEqual(rank(before.recommendation))
      },
    ),
    { numRuns: 2_000 },
  )
})

test.each<[string, unknown]>([
  ['transfers.levels.grey', { ...defaultTransferPolicy.levels, grey: 'allow' }],
  ['transfers.levels.red', { ...defaultTransferPolicy.levels, red: 'allow' }],
  ['transfers.levels.red', { ...defaultTransferPolicy.levels, orange: 'reject', red: 'review' }],
  ['transfers.levels.grey', { ...defaultTransferPolicy.levels, green: 'reject' }],
  ['transfers.levels.orange', { green: 'allow', grey: 'review', red: 'reject' }],
])('a policy with another %s than is possible is refused by name', (path, levels) => {
  const transfers = { ...defaultTransferPolicy, levels } as TransferPolicyDocument
  expect(policyFault(withPolicy(transfers))).toMatch(new RegExp(`^${path}:`))
})

test('a policy of an earlier time recommends as the default one, and keeps its text', () => {
  const earlier = { ...defaultPolicy, transfers: undefined }
  const policy = compilePolicy(earlier)
  expect(policy.canonical).not.toContain('"transfers":{"designated')
  expect(policy.transfers).toEqual(defaultTransferPolicy)
})

describe('what is shown', () => {
  test('the origin of the amount has the shares of the sender’s funds', () => {
    const facts = transferFacts({ counterparty: { breakdown: [cameIn(250)] } })
    expect(judgeTransfer(facts).funds).toEqual({
      ...{ direction: 'incoming', asset: 'ETH', total: '10 ETH', total_complete: true },
      by_category: [
        { category: 'darknet', relation: 'direct', share: 0.25, amount: '0.5 ETH' },
        { category: 'unattributed', relation: null, share: 0.75, amount: '1.5 ETH' },
      ],
    })
  })

  test('amounts of stablecoins are compared with those of their currency', () => {
    const dollars = cameIn(0, { asset: 'USD', contract: 'usd', total: (100n * ETHER).toString() })
    const of = (amount: string) =>
      transferFacts({ terms: { contract: USDT, amount }, counterparty: { breakdown: [dollars] } })
    expect(codesOf(of('100'))).not.toContain('more_than_history')
    expect(codesOf(of('100.000001'))).toContain('more_than_history')
  })

  test('the value is that of the price, rounded down', () => {
    const priced = { amount: '1.5', microUsd: '3000000001', pricedOn: '2026-11-20' }
    expect(judgeTransfer(transferFacts({ terms: priced }))).toMatchObject({
      ...{ amount: '1.5', amount_base_units: '1500000000000000000' },
      ...{ value_usd: '4500.000001', priced_on: '2026-11-20' },
    })
  })
})

describe('the report of a counterparty', () => {
  const inputs = (changes: Partial<ScreeningInputs> = {}): ScreeningInputs => ({
    request: {
      ...{ reportId: '9f2c4a1be07d6358', accountId: 'account-1', livemode: true, reportUrl: '' },
      ...{ address: ADDRESS, canonicalAddress: ADDRESS, chain: 'ETH', candidateChains: [] },
      ...{ customerReference: null, jobId: null, jobIndex: null, transfer: terms() },
    },
    snapshot: {
      ...{ labelSetSeq: 17, labelView: 'current', labelsAsOf: PUBLISHED_AT },
      ...{ labelSets: [ofacSet(), labelSet()], labels: [cleanLabel()] },
    },
    policy: compiledDefaultPolicy,
    originTableVersion: '1.0.0',
    generatedAt: GENERATED_AT,
    ...changes,
  })
  const decided = (changes: Partial<ScreeningInputs> = {}): ReportGenerated => {
    const decision = decideScreening(inputs(changes))
    if (decision.outcome !== 'decided') throw new Error(decision.detail)
    return decision.event
  }
  const labelled = (labels: ScreeningInputs['snapshot']['labels']): Partial<ScreeningInputs> => ({
    snapshot: { ...inputs().snapshot, labels },
  })

  test('is judged as without a transfer, and is recomputed with it', () => {
    const event = decided(labelled([ofacLabel()]))
    const report = reportSchema.parse(JSON.parse(event.report))
    const alone = inputs(labelled([ofacLabel()]))
    const screened = decideScreening({ ...alone, request: { ...alone.request, transfer: null } })
    expect(screened.outcome === 'decided' && JSON.parse(screened.event.report)).toEqual(
      JSON.parse(JSON.stringify({ ...report, transfer: undefined })),
    )
    expect(event.recommendation).toBe('reject')
    expect(report.transfer?.reasons.map(({ code }) => code)).toEqual([
      'designated_counterparty',
      'counterparty_red',
    ])
    const shared = {
      labelState: labelState(inputs().snapshot),
      policyDocument: compiledDefaultPolicy.canonical,
    }
    expect(recompute(event, shared)).toEqual(event)
    const changed = { ...event, transfer: terms({ amount: '0' }) }
    expect(recompute(changed, shared).report).not.toBe(event.report)
  })

  test('has the labels of the own address, which make nothing better, and is recomputed with them', () => {
    const own = { ...ofacLabel(), address: OWN }
    const event = decided({ ownAddressLabels: [own] })
    expect(event.recommendation).toBe('reject')
    expect(event.inputs.ownAddressLabels).toMatchObject([{ address: OWN, isLiveDesignation: true }])
    const shared = {
      labelState: labelState(inputs().snapshot),
      policyDocument: compiledDefaultPolicy.canonical,
    }
    expect(recompute(event, shared)).toEqual(event)
    const hidden = { ...event, inputs: { ...event.inputs, ownAddressLabels: [] } }
    expect(recompute(hidden, shared).report).not.toBe(event.report)
    // The level and the evidence are those of the counterparty.
    expect(event.level).toBe('green')
  })

  test('a transaction that is read too late is a stage that is missing', () => {
    const late = terms({ seen: 'not_seen', lookup: 'late' })
    const event = decided({ request: { ...inputs().request, transfer: late } })
    const report = reportSchema.parse(JSON.parse(event.report))
    expect(report.coverage.missing_stages).toEqual(['transaction'])
    expect(event.recommendation).toBe('review')
  })

  test('a provider that fails forbids the recommendation that it would have', () => {
    expect(decided().recommendation).toBe('allow')
    const failed = { stage: 'answered', facts: [failedFact('timeout')] } as const
    expect(decided({ chainInputs: failed }).recommendation).toBe('review')
    expect(decided({ chainInputs: { stage: 'late', facts: [] } }).recommendation).toBe('review')
    const old = { ...inputs().snapshot, labelSets: [ofacSet({ asOf: '2026-01-01' }), labelSet()] }
    expect(decided({ snapshot: old }).recommendation).toBe('review')
  })
})
