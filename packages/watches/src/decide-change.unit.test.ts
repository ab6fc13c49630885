import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hundredths, isChange, type Finding } from './decide-change.js'

const THRESHOLDS = fc.integer({ min: 1, max: 3_000 })

/** Steps of a score that begins anywhere and stays between 0 and 100; the levels rarely change. */
const walks = fc
  .record({
    start: fc.integer({ min: 0, max: 10_000 }),
    steps: fc.array(
      fc.record({
        by: fc.integer({ min: -400, max: 400 }),
        level: fc.oneof({ weight: 9, arbitrary: fc.constant('same') }, fc.constantFrom('green', 'orange')),
      }),
      { minLength: 1, maxLength: 60 },
    ),
  })
  .map(({ start, steps }) => {
    let now = { level: 'green', at: start }
    return [now, ...steps.map(({ by, level }) => (now = next(now, by, level)))].map(
      ({ level, at }): Finding => ({ level, score: at / 100 }),
    )
  })

function next(now: { level: string; at: number }, by: number, level: string): { level: string; at: number } {
  return {
    level: level === 'same' ? now.level : level,
    at: Math.min(10_000, Math.max(0, now.at + by)),
  }
}

/** The reported findings, as the coordinator keeps them. */
function toldOf(reports: readonly Finding[], threshold: number): Finding[] {
  const told = [reports[0]!]
  for (const report of reports.slice(1)) if (isChange(told.at(-1)!, report, threshold)) told.push(report)
  return told
}

const distance = (a: Finding, b: Finding): number => Math.abs(hundredths(a.score) - hundredths(b.score))

test('however a score creeps, the account never knows one that is the threshold or more away, nor another level', () => {
  fc.assert(
    fc.property(walks, THRESHOLDS, (reports, threshold) => {
      reports.forEach((report, index) => {
        const known = toldOf(reports.slice(0, index + 1), threshold).at(-1)!
        expect(known.level).toBe(report.level)
        expect(distance(known, report)).toBeLessThan(threshold)
      })
    }),
  )
})

test('what is told differs from what was told before by the threshold or by the level', () => {
  fc.assert(
    fc.property(walks, THRESHOLDS, (reports, threshold) => {
      const told = toldOf(reports, threshold)
      told.slice(1).forEach((report, index) => {
        const before = told[index]!
        expect(before.level !== report.level || distance(before, report) >= threshold).toBe(true)
      })
    }),
  )
})

test('a score that comes back before it was told is not a change', () => {
  fc.assert(
    fc.property(walks, THRESHOLDS, (reports, threshold) => {
      const still = reports.map((report) => ({ ...report, level: 'green' }))
      const first = still[0]!
      const isFar = still.some((report) => distance(first, report) >= threshold)
      expect(toldOf(still, threshold).length > 1).toBe(isFar)
    }),
  )
})

test.each([
  [0.3, 0.1 + 0.2, 1, false],
  [10, 19.99, 1_000, false],
  [10, 20, 1_000, true],
  [100, 90, 1_000, true],
])('from %d to %d with a threshold of %d hundredths: %s', (from, to, threshold, expected) => {
  const at = (score: number): Finding => ({ level: 'orange', score })
  expect(isChange(at(from), at(to), threshold)).toBe(expected)
})
