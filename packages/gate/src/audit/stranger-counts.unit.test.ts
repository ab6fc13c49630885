import { expect, test } from 'vitest'
import { createStrangerCounts, MAX_TOLD_PER_MINUTE } from './stranger-counts.js'

const MINUTE_MS = 60_000

function counts() {
  const clock = { nowMs: 10 * MINUTE_MS }
  return { clock, ...createStrangerCounts(() => clock.nowMs) }
}

test('the first calls of a minute are told in full, the rest is one count when the minute is over', () => {
  const { clock, note, take } = counts()
  const told = Array.from({ length: 50 }, () => note('203.0.113.9')).filter(Boolean)
  expect(told).toHaveLength(MAX_TOLD_PER_MINUTE)
  expect(take()).toEqual([])
  clock.nowMs += MINUTE_MS
  const count = { clientNetwork: '203.0.113.9', count: 30, fromMs: 10 * MINUTE_MS, toMs: 10 * MINUTE_MS }
  expect(take()).toEqual([count])
  expect(take()).toEqual([])
  expect(note('203.0.113.9')).toBe(true)
})

test('one client does not use up what another may be told', () => {
  const { note, take } = counts()
  for (let call = 0; call < 100; call += 1) note('203.0.113.9')
  expect(note('203.0.113.10')).toBe(true)
  expect(take('now').map(({ clientNetwork, count }) => [clientNetwork, count])).toEqual([['203.0.113.9', 80]])
})

test('more clients than are counted at once lose no count', () => {
  const { note, take } = counts()
  for (let call = 0; call < MAX_TOLD_PER_MINUTE + 5; call += 1) note('first')
  for (let client = 0; client < 20_000; client += 1) note(`client ${client}`)
  expect(take().map(({ clientNetwork, count }) => [clientNetwork, count])).toEqual([['first', 5]])
})
