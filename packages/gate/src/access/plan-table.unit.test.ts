/** Callers receive true values: a caller that waits for Retry-After is admitted, and no field contradicts another. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { bucketsOf, plans, takeTokens, type Plan, type PlanName } from '@cupel/domain'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPlanTable } from './plan-table.js'

const enterprise = fc.record({
  refillPerSecond: fc.integer({ min: 1, max: 10_000 }),
  burst: fc.integer({ min: 1, max: 10_000 }),
  hardCapPerSecond: fc.integer({ min: 1, max: 50_000 }),
})
const moment = fc.record({
  name: fc.constantFrom<PlanName>('pro', 'enterprise'),
  enterprise,
  // The distance of the buckets from full: 1 is empty.
  debt: fc.double({ min: 0, max: 1, noNaN: true }),
  hardDebt: fc.double({ min: 0, max: 1, noNaN: true }),
})

test('over 10,000 moments a lone client that waits exactly Retry-After is admitted', () => {
  let refused = 0
  fc.assert(
    fc.property(
      fc.oneof(
        moment,
        moment.map((drawn) => ({ ...drawn, debt: 1, hardDebt: 1 })),
      ),
      (drawn) => {
        const all: Record<PlanName, Plan> = {
          ...plans,
          enterprise: { ...plans.enterprise, ...drawn.enterprise },
        }
        const table = createPlanTable({ plans: all, logger: silentLogger, metrics: noMetrics })
        const { published, refusing } = bucketsOf(all[drawn.name])
        const debtUs = Math.floor(drawn.debt * published.depth * published.intervalUs)
        const hardDebtUs = Math.floor(drawn.hardDebt * refusing.depth * refusing.intervalUs)
        const told = table.standing({ plan: drawn.name, keyId: 'k' }, debtUs, hardDebtUs)

        expect(told.retryAfterSeconds).toBeGreaterThanOrEqual(Math.max(1, told.rateLimit.nextTokenSeconds))
        expect(told.rateLimit.remaining).toBe(takeTokens(published, debtUs, 0, 0).available)
        const refusingDebtUs = drawn.name === 'pro' ? debtUs : hardDebtUs
        if (takeTokens(refusing, refusingDebtUs, 0, 1).granted === 0) refused += 1
        const later = takeTokens(refusing, refusingDebtUs, told.retryAfterSeconds * 1_000_000, 1)
        expect(later.granted).toBe(1)
      },
    ),
    { numRuns: 10_000 },
  )
  expect(refused).toBeGreaterThan(2_000)
})
