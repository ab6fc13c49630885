import fc from 'fast-check'
import { expect, test } from 'vitest'
import { layOutFlow, type LevelFlow } from './flow-layout.js'

test('levels stand worst first on both sides, with what comes from and goes to each', () => {
  const { before, after } = layOutFlow([
    { from: 'green', to: 'green', count: 6 },
    { from: 'red', to: 'orange', count: 3 },
    { from: 'red', to: 'red', count: 1 },
  ])
  expect(before.map(({ level, count }) => [level, count])).toEqual([
    ['red', 4],
    ['green', 6],
  ])
  expect(after.map(({ level, count }) => [level, count])).toEqual([
    ['red', 1],
    ['orange', 3],
    ['green', 6],
  ])
})

test('without reports there is nothing to draw', () => {
  expect(layOutFlow([])).toEqual({ before: [], after: [], bands: [], height: 0 })
})

const level = fc.constantFrom('red', 'orange', 'grey', 'green', 'violet')
const flows = fc.uniqueArray(
  fc.record({ from: level, to: level, count: fc.integer({ min: 0, max: 100_000 }) }),
  { selector: ({ from, to }: LevelFlow) => `${from} ${to}` },
)

test('bands fill the bars of both sides exactly, one under the other, whatever the counts', () => {
  fc.assert(
    fc.property(flows, (given) => {
      const { before, after, bands, height } = layOutFlow(given)
      for (const [bars, side, top] of [
        [before, 'from', 'fromY'],
        [after, 'to', 'toY'],
      ] as const) {
        for (const bar of bars) {
          const own = bands.filter((band) => band[side] === bar.level).sort((a, b) => a[top] - b[top])
          let y = bar.y
          for (const band of own) {
            expect(band[top]).toBeCloseTo(y, 6)
            y += band.height
          }
          expect(y).toBeCloseTo(bar.y + bar.height, 6)
          expect(bar.y + bar.height).toBeLessThanOrEqual(height + 1e-6)
        }
        const sum = bars.reduce((total, { count }) => total + count, 0)
        expect(sum).toBe(given.reduce((total, { count }) => total + count, 0))
      }
    }),
  )
})
