/** No fault of a provider makes a report greener, or hides itself. */
import { reportSchema, riskCategories, type ChainFact, type Report } from '@cupel/contracts'
import { assertWithin } from '@cupel/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chainFact, failedFact } from '../../../../test/chain-fact-builders.js'
import { drawnFacts } from '../../../../test/drawn-facts.js'
import type { JudgementFacts } from '../risk/judge.js'
import { decideScreening } from '../../index.js'
import type { ChainInputs } from './chain-inputs.js'

const FULL = 1_000
const MINIMUM = 50

function decided(facts: JudgementFacts, chainInputs: ChainInputs): Report {
  const { canonicalAddress: address, chain, policy, generatedAt, labels, labelSets, labelView } = facts
  const decision = decideScreening({
    request: {
      ...{ reportId: '9f2c4a1be07d6358', accountId: 'a', livemode: true, address, canonicalAddress: address },
      ...{ chain, candidateChains: [], customerReference: null, reportUrl: '', jobId: null, jobIndex: null },
    },
    snapshot: { labelSetSeq: 1, labelView, labelsAsOf: '', labels, labelSets },
    chainInputs,
    policy,
    generatedAt,
  })
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  return reportSchema.parse(JSON.parse(decision.event.report))
}

const answered = (...facts: ChainFact[]): ChainInputs => ({ stage: 'answered', facts })
const contradicting = { provider: 'explorer', balanceBaseUnits: '1' }

const faults: Readonly<Record<string, (healthy: ChainFact) => ChainInputs>> = {
  'comes too late': () => ({ stage: 'late', facts: [failedFact('late', 'own-node')] }),
  fails: () => ({ stage: 'failed', facts: [failedFact('timeout', 'own-node')] }),
  'fails while another answers': (healthy) => answered(healthy, failedFact('circuit_open')),
  'contradicts another on the balance': (healthy) => answered(healthy, { ...healthy, ...contradicting }),
  'contradicts another on code': (healthy) =>
    answered(healthy, { ...healthy, provider: 'explorer', isContract: !healthy.isContract }),
}

test.each(Object.entries(faults))('a provider that %s', async (name, faulted) => {
  await assertWithin(
    { name: `a provider that ${name}`, full: FULL, minimum: MINIMUM },
    fc.property(drawnFacts, fc.boolean(), (facts, isContract) => {
      const healthy = chainFact({ isContract })
      const before = decided(facts, answered(healthy))
      const after = decided(facts, faulted(healthy))

      // Not green unless the healthy run is.
      if (after.risk.level === 'green') expect(before.risk.level).toBe('green')
      // Nothing illicit is lost: where code is no longer known, more labels count, never fewer.
      for (const category of riskCategories)
        expect(after.risk.categories[category]).toBeGreaterThanOrEqual(before.risk.categories[category])
      expect(after.risk.categories.sanctions).toBe(before.risk.categories.sanctions)
      // Nothing clean is won.
      expect(after.risk.categories.clean_exchange).toBeLessThanOrEqual(before.risk.categories.clean_exchange)
      // The fault is named.
      const { status, faults: named = [], disagreements = [] } = after.coverage.chain_data
      expect(status).not.toBe('complete')
      expect(named.length + disagreements.length).toBeGreaterThan(0)
      expect(after.risk.score_is_lower_bound).toBe(true)
    }),
  )
})
