import { expect, test } from 'vitest'
import { compareRounds } from '../rounds.js'
import { renderLeaves } from './render.js'
import { compareCpu } from './run-leaves.js'

test('the CPU of a round is held against the two turns of the same round', () => {
  const one = [10_000, 20_000, 30_000]
  const other = [10_000, 20_000, 30_000]
  const beside = [10_400, 20_800, 31_200]
  const { heldMicros, runningMicros, effect, noise } = compareCpu({ one, other, beside })
  expect([heldMicros, runningMicros]).toEqual([20_000, 20_800])
  // Rounds differ by a factor of three, and the effect is the same in each.
  for (const value of [effect.value, effect.low, effect.high]) expect(value).toBeCloseTo(1.04)
  expect(noise).toEqual({ value: 1, low: 1, high: 1 })
})

test('a report of a run states both ratios, and says so where no CPU was told', () => {
  const turns = { one: [[10, 20]], other: [[10, 20]], beside: [[11, 22]] }
  const results = {
    ...{
      date: '2026-11-25',
      cores: 2,
      loadAverage: 0.1,
      profile: 'embedded' as const,
      seconds: 8,
      rounds: 1,
    },
    ...{ perSecond: 50, screens: compareRounds(turns, 0.95), errors: 0, leavesPerScreen: 2, turns },
    ...{ cpuMicros: { one: [], other: [], beside: [] }, cpu: null },
  }
  expect(renderLeaves(results)).toContain(
    '| 20.0 ms | 22.0 ms | 1.100 (1.100 to 1.100) | 1.000 (1.000 to 1.000) |',
  )
  expect(renderLeaves(results)).not.toContain('CPU of a screen,')
})
