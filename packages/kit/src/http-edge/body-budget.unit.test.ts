import { noMetrics } from '@cupel/contracts'
import { expect, test } from 'vitest'
import { createBodyBudget, strangerBudgetLimits } from './body-budget.js'

const LIMITS = { maxBytes: 30, maxBytesPerClient: 20, maxBodies: 4, maxBodiesPerClient: 3 }

test('a client has no more than its part, over all its bodies, and the /64 of an IPv6 address is one client', () => {
  const budget = createBodyBudget(noMetrics, LIMITS)
  const [first, second] = [budget.open('2001:db8::1')!, budget.open('2001:db8::2')!]
  expect([first.take(15), second.take(6), second.take(5)]).toEqual([true, false, true])
  expect(budget.open('2001:db8:0:1::1')!.take(10)).toBe(true)
})

test('all clients together have no more than the instance', () => {
  const budget = createBodyBudget(noMetrics, LIMITS)
  expect(budget.open('198.51.100.1')!.take(20)).toBe(true)
  expect(budget.open('198.51.100.2')!.take(11)).toBe(false)
  expect(budget.open('198.51.100.2')!.take(10)).toBe(true)
})

test('a body that sends nothing counts too: a client has few at once, and all clients have a few more', () => {
  const budget = createBodyBudget(noMetrics, LIMITS)
  const bodies = Array.from({ length: 4 }, () => budget.open('198.51.100.1'))
  expect(bodies.map((body) => body !== null)).toEqual([true, true, true, false])
  expect([budget.open('198.51.100.2'), budget.open('198.51.100.3')].map((body) => body !== null)).toEqual([
    true,
    false,
  ])
  bodies[0]!.close()
  expect(budget.open('198.51.100.3')).not.toBeNull()
})

test('what a body took is there again once it has ended, and only once', () => {
  const budget = createBodyBudget(noMetrics, LIMITS)
  const body = budget.open('198.51.100.1')!
  body.take(20)
  body.close()
  body.close()
  const next = budget.open('198.51.100.1')!
  expect([next.take(20), next.take(1)]).toEqual([true, false])
  expect(body.take(1)).toBe(false)
})

test('strangers hold four bodies each and 32 in all, of 72 KiB at most, however many addresses they have', () => {
  const budget = createBodyBudget(noMetrics, strangerBudgetLimits)
  const bodies = Array.from({ length: 50 }, (_, index) => budget.open(`198.51.100.${Math.floor(index / 5)}`))
  expect(bodies.slice(0, 5).map((body) => body !== null)).toEqual([true, true, true, true, false])
  const held = bodies.filter((body) => body !== null)
  expect(held).toHaveLength(32)
  for (const body of held) expect(body.take(72 * 1_024)).toBe(true)
  expect(held[0]!.take(1)).toBe(false)
})
