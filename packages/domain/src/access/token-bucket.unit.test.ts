/** The bucket's guarantee over simulated calls: never too many in any window, and never a refusal while a token is available. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucketsOf, plans } from './plans.js'
import { bucketStanding, bucketWindowSeconds, takeTokens, tokenBucket, wholeSeconds } from './token-bucket.js'

const pro = bucketsOf(plans.pro).published
const RUNS = 500
const CALLS_PER_RUN = 2_000
const SECOND_US = 1_000_000
const HOUR_US = 3_600 * SECOND_US

/** Gaps between calls: storms, steady callers just above and below the rate, and pauses. The property draws the mixture. */
const traffic = fc.record({
  seed: fc.nat(),
  startUs: fc.integer({ min: 0, max: HOUR_US }),
  storms: fc.integer({ min: 1, max: 20 }),
  busy: fc.integer({ min: 0, max: 10 }),
  steady: fc.integer({ min: 0, max: 20 }),
  pauses: fc.integer({ min: 0, max: 3 }),
})
type Traffic = typeof traffic extends fc.Arbitrary<infer T> ? T : never

function callTimes({ seed, startUs, storms, busy, steady, pauses }: Traffic): number[] {
  // The steps of Numerical Recipes' generator: a million draws through fast-check itself would take a minute.
  let state = seed >>> 0
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const gap = (): number => {
    const choice = below(storms + busy + steady + pauses)
    if (choice < storms) return 0
    if (choice < storms + busy) return below(2_000)
    return choice < storms + busy + steady ? 95_000 + below(10_000) : below(4 * SECOND_US)
  }
  let nowUs = startUs
  return Array.from({ length: CALLS_PER_RUN }, () => (nowUs += gap()))
}

test('over a million calls, no window lets through more than 50 + 10·Δt', () => {
  let calls = 0
  let refused = 0
  fc.assert(
    fc.property(traffic, (drawn) => {
      const admittedAt: number[] = []
      let fullAtUs = drawn.startUs
      for (const nowUs of callTimes(drawn)) {
        calls += 1
        const taken = takeTokens(pro, fullAtUs, nowUs, 1)
        fullAtUs = taken.fullAtUs
        if (taken.granted === 1) admittedAt.push(nowUs)
        else refused += 1
      }
      expect(worstExcess(admittedAt)).toBeLessThanOrEqual(50)
    }),
    { numRuns: RUNS },
  )
  expect(calls).toBe(1_000_000)
  // The traffic is neither idle nor one long storm, so it really tests the property.
  expect(refused / calls).toBeGreaterThan(0.05)
  expect(refused / calls).toBeLessThan(0.95)
})

/**
 * Largest count − 10·Δt over all windows that start and end with an admitted call; no other window holds more. It needs one
 * pass: count(i..j) − rate·(t_j − t_i) splits into a part of i and a part of j, and the loop keeps the best i so far.
 */
function worstExcess(timesUs: readonly number[]): number {
  let best = -Infinity
  let worst = 0
  for (const [index, timeUs] of timesUs.entries()) {
    // In hundred-thousandths of a token, one of which returns each microsecond, so that all values are integers.
    best = Math.max(best, timeUs - index * 100_000)
    worst = Math.max(worst, (index + 1) * 100_000 - timeUs + best)
  }
  return worst / 100_000
}

test('a lone client is refused only while no token exists, counted independently', () => {
  fc.assert(
    fc.property(traffic, (drawn) => {
      let tokens = 50 * 100_000
      let fullAtUs = drawn.startUs
      let beforeUs = drawn.startUs
      for (const nowUs of callTimes(drawn)) {
        tokens = Math.min(50 * 100_000, tokens + nowUs - beforeUs)
        beforeUs = nowUs
        const taken = takeTokens(pro, fullAtUs, nowUs, 1)
        if (taken.granted !== (tokens >= 100_000 ? 1 : 0)) expect.fail(`${tokens} at ${nowUs}`)
        if (taken.granted === 1) tokens -= 100_000
        fullAtUs = taken.fullAtUs
      }
    }),
  )
})

test('who waits as long as the standing says finds one token more', () => {
  const bucket = fc.record({
    intervalUs: fc.integer({ min: 1, max: 3_000_000 }),
    depth: fc.integer({ min: 1, max: 1_000 }),
  })
  fc.assert(
    fc.property(bucket, fc.nat(), fc.nat(), (any, fullAtUs, nowUs) => {
      const before = takeTokens(any, fullAtUs, nowUs, 0)
      const standing = bucketStanding(any, before.fullAtUs - nowUs)
      expect(standing.remaining).toBe(before.available)
      if (standing.nextTokenUs === 0) {
        expect(standing.remaining).toBe(any.depth)
        return
      }
      const later = takeTokens(any, before.fullAtUs, nowUs + standing.nextTokenUs, any.depth)
      expect(later.available).toBe(before.available + 1)
      const sooner = takeTokens(any, before.fullAtUs, nowUs + standing.nextTokenUs - 1, any.depth)
      expect(sooner.available).toBe(before.available)
    }),
  )
})

test('many tokens taken at once are the same as one after the other', () => {
  fc.assert(
    fc.property(fc.nat(10_000_000), fc.nat(10_000_000), fc.nat(80), (fullAtUs, nowUs, wanted) => {
      const atOnce = takeTokens(pro, fullAtUs, nowUs, wanted)
      let granted = 0
      let state = fullAtUs
      for (let call = 0; call < wanted; call += 1) {
        const taken = takeTokens(pro, state, nowUs, 1)
        granted += taken.granted
        state = taken.fullAtUs
      }
      expect(atOnce.granted).toBe(granted)
      if (wanted > 0) expect(atOnce.fullAtUs).toBe(state)
    }),
  )
})

test('a clock that is set back costs at most a full bucket’s time', () => {
  const taken = takeTokens(pro, 3_600 * SECOND_US, 0, 1)
  expect(taken).toEqual({ granted: 0, available: 0, fullAtUs: 5 * SECOND_US })
  expect(takeTokens(pro, taken.fullAtUs, 100_000, 1).granted).toBe(1)
})

test('a rate that does not divide a second gives less, never more', () => {
  expect(tokenBucket(3, 1).intervalUs).toBe(333_334)
  expect(() => tokenBucket(0, 1)).toThrow(RangeError)
  expect(() => tokenBucket(1, 0.5)).toThrow(RangeError)
})

test('the published figures of a plan are those of its bucket', () => {
  expect([pro.depth, bucketWindowSeconds(pro)]).toEqual([50, 5])
  expect(bucketsOf(plans.pro).refusing).toEqual(pro)
  const enterprise = bucketsOf(plans.enterprise)
  expect(enterprise.refusing).toEqual({ intervalUs: 50, depth: 20_000 })
  expect(bucketWindowSeconds(enterprise.published)).toBe(2)
  expect([wholeSeconds(0), wholeSeconds(1), wholeSeconds(1_000_000)]).toEqual([0, 1, 1])
})
