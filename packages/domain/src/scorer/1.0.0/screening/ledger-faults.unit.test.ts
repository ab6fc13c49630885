/** No fault of the ledger, of clusters, prices or providers makes a report greener, or hides itself. */
import { reportSchema, type ChainFact, type Report } from '@cupel/contracts'
import { assertWithin } from '@cupel/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chainFact, failedFact } from '../../../../test/chain-fact-builders.js'
import {
  addressOf,
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
import { decideScreening } from '../../index.js'
import { emptyExposure } from '../exposure/measure-exposure.js'
import { compilePolicy } from '../risk/policy.js'
import { defaultPolicy } from '../risk/default-policy.js'
import type { ClusterFacts } from '../risk/cluster.js'
import type { LabelFacts } from '../risk/label-facts.js'
import type { ScreeningInputs } from './screening-inputs.js'

const FULL = 2_000
const MINIMUM = 150

type LedgerInputs = Pick<ScreeningInputs, 'snapshot' | 'exposure' | 'cluster' | 'chainInputs' | 'policy'>

const decided = (inputs: LedgerInputs): Report => reportSchema.parse(JSON.parse(textOf(inputs)))

function textOf(inputs: LedgerInputs): string {
  const decision = decideScreening({
    request: {
      ...{ reportId: '9f2c4a1be07d6358', accountId: 'a', livemode: true, address: ADDRESS },
      ...{ canonicalAddress: ADDRESS, chain: 'BTC', candidateChains: [], customerReference: null },
      ...{ reportUrl: '', jobId: null, jobIndex: null },
    },
    ...inputs,
    generatedAt: GENERATED_AT,
  })
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  return decision.event.report
}

const THIEF = addressOf(7)
const ofBitcoin = (one: LabelFacts): LabelFacts => ({ ...one, chain: 'BTC' })
const prices = { sha256: 'b'.repeat(64), microUsdOf: () => 90_000_000_000n }
const lists = { labelSetSeq: 3, labelsAsOf: PUBLISHED_AT, labelSets: [ofacSet(), labelSet()] }

const ownLabels: Readonly<Record<string, readonly LabelFacts[]>> = {
  none: [],
  clean: [cleanLabel()],
  'weakly clean': [cleanLabel({ confidencePpm: 550_000 })],
  accused: [label({ confidencePpm: 300_000, role: 'disputed' })],
  designated: [ofacLabel()],
}
const moved = {
  nothing: [],
  'from a stranger': [transfer({ blockNumber: 50, amount: 100_000n })],
  'from a thief': [transfer({ blockNumber: 50, from: THIEF, amount: 100_000_000n })],
  'to a thief': [
    transfer({ blockNumber: 50, amount: 100_000_000n }),
    transfer({ blockNumber: 60, from: ADDRESS, to: THIEF, amount: 90_000_000n }),
  ],
}
const thieves = { [THIEF]: [ofBitcoin(label({ category: 'stolen', address: THIEF }))] }
const policies = [
  compilePolicy(defaultPolicy),
  policyWith({ clean_service_confidence: 0.9 }),
  compilePolicy({ ...defaultPolicy, green: { ...defaultPolicy.green, clean_confidence: 0.5 } }),
]
const clusterOf = (labels: readonly LabelFacts[]): ClusterFacts => ({
  ...{ clusterId: THIEF, size: 2, ledgerSeq: 7, stopped: '' },
  labels: labels.map((one) => ({ member: THIEF, txHash: '', label: one })),
})
const clusters: Readonly<Record<string, ClusterFacts | null>> = {
  none: null,
  unlabelled: clusterOf([]),
  'of a thief': clusterOf(thieves[THIEF]!),
}
const balances: Readonly<Record<string, readonly ChainFact[]>> = {
  'not asked': [],
  explained: [fact('10000000')],
  unexplained: [fact('900000000000')],
}

function fact(balanceBaseUnits: string): ChainFact {
  return chainFact({
    chain: 'BTC',
    balanceBaseUnits,
    txCount: 2,
    txCountKind: 'total',
    isContract: null,
    tokens: [],
  })
}

const netOf = (name: keyof typeof moved): bigint =>
  moved[name].reduce((net, one) => net + (one.to === ADDRESS ? one.amount : -one.amount), 0n)

const drawn = fc
  .record({
    own: fc.constantFrom(...Object.keys(ownLabels)),
    moved: fc.constantFrom(...(Object.keys(moved) as (keyof typeof moved)[])),
    cluster: fc.constantFrom(...Object.keys(clusters)),
    balance: fc.constantFrom(...Object.keys(balances)),
    policy: fc.constantFrom(...policies),
    isWhole: fc.boolean(),
  })
  .map((draw): LedgerInputs => {
    const around = neighbourhood(moved[draw.moved], {
      ...{ chain: 'BTC', prices, netBaseUnits: netOf(draw.moved) },
      ranges: draw.isWhole ? wholeHistory : [],
    })
    const facts = balances[draw.balance]!
    return {
      snapshot: { ...lists, labelView: 'current', labels: ownLabels[draw.own]!.map(ofBitcoin) },
      exposure: measured(around, thieves, { policy: draw.policy }),
      cluster: clusters[draw.cluster]!,
      chainInputs: { stage: facts.length === 0 ? '' : 'answered', facts },
      policy: draw.policy,
    }
  })

const dropped =
  (status: 'late' | 'failed') =>
  (healthy: LedgerInputs): LedgerInputs => ({
    ...healthy,
    exposure: emptyExposure(status, { ledgerSeq: 7, policy: healthy.policy }),
    cluster: { ...clusterOf([]), clusterId: '', size: 0, stopped: 'failed' },
  })

const faults: Readonly<Record<string, (healthy: LedgerInputs) => LedgerInputs>> = {
  'a ledger that is late': dropped('late'),
  'a ledger that fails': dropped('failed'),
  'only exposure that is late': (healthy) => ({
    ...healthy,
    exposure: emptyExposure('late', { ledgerSeq: 7, policy: healthy.policy }),
  }),
  'a cluster that cannot be read': (healthy) => ({ ...healthy, cluster: dropped('late')(healthy).cluster! }),
  'a provider that fails': (healthy) => ({
    ...healthy,
    chainInputs: { stage: 'failed', facts: [failedFact('timeout', 'own-node')] },
  }),
}

/** `decisive` depends on the score, and a fault may lower the score of exposure. */
const ownership = ({ risk }: Report) =>
  risk.evidence.filter(({ relation }) => relation === 'ownership').map((one) => ({ ...one, decisive: null }))

test.each(Object.entries(faults))('%s', async (name, fault) => {
  const greens = new Set<string>()
  await assertWithin(
    { name, full: FULL, minimum: MINIMUM },
    fc.property(drawn, (inputs) => {
      const [before, after] = [decided(inputs), decided(fault(inputs))]
      greens.add(before.risk.level)
      if (after.risk.level === 'green') expect(before.risk.level).toBe('green')
      expect(ownership(after)).toEqual(ownership(before))
      expect(after.risk.score_is_lower_bound).toBe(true)
      const { exposure, chain_data: chainData } = after.coverage
      const isNamed =
        exposure.reason === 'late' ||
        exposure.reason === 'failed' ||
        chainData.faults !== undefined ||
        after.coverage.not_examined.includes('clusters')
      expect(isNamed).toBe(true)
    }),
  )
  expect([...greens].sort()).toEqual(['green', 'grey', 'orange', 'red'])
})

test('prices that are missing take dollars away and nothing else', async () => {
  await assertWithin(
    { name: 'prices that are missing', full: FULL, minimum: MINIMUM },
    fc.property(
      fc.constantFrom(...(Object.keys(moved) as (keyof typeof moved)[])),
      fc.boolean(),
      (of, isWhole) => {
        const ranges = isWhole ? wholeHistory : []
        const [before, after] = [prices, null].map((table) =>
          decided({
            snapshot: { ...lists, labelView: 'current', labels: [] },
            exposure: measured(
              neighbourhood(moved[of], { chain: 'BTC', ranges, prices: table, netBaseUnits: netOf(of) }),
              thieves,
            ),
            policy: policies[0]!,
          }),
        ) as [Report, Report]
        const withoutUsd = (text: unknown): unknown =>
          JSON.parse(JSON.stringify(text, (key, value: unknown) => (key.endsWith('_usd') ? null : value)))
        expect(after.risk).toEqual(withoutUsd(before.risk))
        expect(after.exposure).toEqual(withoutUsd(before.exposure))
        if (of !== 'nothing') expect(before.exposure[0]?.total_usd).not.toBeNull()
        expect(after.coverage.prices).toBeNull()
      },
    ),
  )
})

test('every part of a report reads in the order of its documentation', () => {
  fc.assert(
    fc.property(drawn, (inputs) => {
      const text = textOf(inputs)
      expect(JSON.stringify(reportSchema.parse(JSON.parse(text)))).toBe(text)
    }),
    { numRuns: 200 },
  )
})
