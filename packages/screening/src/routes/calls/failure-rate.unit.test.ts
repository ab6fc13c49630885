import { expect, test } from 'vitest'
import { createFailureRate } from './failure-rate.js'

const START_MS = 1_000_000
const told = (failures: number, screens: number, laterMs = 0): string | null => {
  let nowMs = START_MS
  const rate = createFailureRate(() => nowMs)
  for (let index = 0; index < screens; index += 1) {
    rate.note(index >= failures)
    nowMs += 10
  }
  nowMs = START_MS + laterMs
  return rate.detail()
}

test('more than a fifth of the screens of a minute without a report is told, with the numbers', () => {
  expect(told(21, 100)).toBe('21 of the 100 screens of the last minute were answered without a report')
  expect(told(20, 100)).toBeNull()
})

test('a few failures of a few screens say nothing', () => {
  expect(told(4, 4)).toBeNull()
  expect(told(5, 5)).not.toBeNull()
})

test('what failed more than a minute ago does not count', () => {
  expect(told(50, 50, 54_000)).not.toBeNull()
  expect(told(50, 50, 66_000)).toBeNull()
})
