import { expect, test } from 'vitest'
import { renderGuard, type Turn } from './run-guard.js'

const LINE = '50/s: CPU of a screen, ms'
const turn = (build: Turn['build'], round: number, value: number, errors: string[] = []): Turn => ({
  ...{ build, round, values: { [LINE]: value }, cpu: [], errors },
})
const turns = [
  ...[2, 4, 10].map((value, round) => turn('earlier', round, value)),
  ...[1, 3, 4].map((value, round) => turn('now', round, value)),
]

test('a line has both medians, and the ratio of each round with the lowest and the highest', () => {
  expect(renderGuard('kafka', turns)).toContain(`| ${LINE} | 4.00 | 3.00 | 0.50 (0.40 to 0.75) | ≤ 0.55 |`)
  expect(renderGuard('embedded', turns)).toContain('| ≤ 0.5 |')
})

test('rounds are compared by their number, whichever build went first', () => {
  expect(renderGuard('kafka', turns.toReversed())).toContain('0.50 (0.40 to 0.75)')
})

test('what was not measured has no line, and errors are named with their build', () => {
  expect(renderGuard('kafka', turns)).not.toContain('label import')
  expect(renderGuard('kafka', turns)).toContain('No errors.')
  const failed = [...turns, turn('now', 3, 1, ['503 later']), turn('earlier', 3, 1)]
  expect(renderGuard('kafka', failed)).toContain('Errors: now: 503 later')
})
