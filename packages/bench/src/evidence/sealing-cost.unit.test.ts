import { expect, test } from 'vitest'
import { bodiesWith, SEALING_ROUNDS, sealingRows, sealingTurns } from './sealing-cost.js'

const BODIES = Array.from({ length: 2_500 }, (_, index) => ({ address: `0x${index}`, chain: 'ETH' }))
const references = (...of: Parameters<typeof bodiesWith>) =>
  bodiesWith(...of).map((body) => body.customer_reference)

test('known references come again, and new ones in no other turn', () => {
  expect(new Set(references(BODIES, 'none', 0))).toEqual(new Set([undefined]))
  expect(new Set([...references(BODIES, 'known', 0), ...references(BODIES, 'known', 1)]).size).toBe(1_000)
  expect(new Set([...references(BODIES, 'new', 0), ...references(BODIES, 'new', 1)]).size).toBe(5_000)
})

test('a ratio compares turns of one round', async () => {
  let turn = 0
  const phase = { kind: 'open', level: 50, seconds: 1 } as const
  const turns = await sealingTurns(BODIES, phase, (bodies) => {
    // The machine becomes slower with each round.
    const slower = 1 + Math.floor(turn++ / 3)
    const cost = bodies[0]!.customer_reference === undefined ? 1 : 2
    const rest = { errorSamples: [], perSecond: 50, p50Ms: 1, p95Ms: cost, p99Ms: 1, maxMs: 1 }
    return Promise.resolve({
      result: { ...phase, ...rest, requests: 110, errors: 10 },
      cpuSeconds: (cost * slower) / 10,
    })
  })
  expect(turns).toHaveLength(3 * SEALING_ROUNDS)
  const [none, known, fresh] = sealingRows(turns)
  expect([none!.ratio, known!.ratio, fresh!.ratio]).toEqual([
    [1, 1, 1],
    [2, 2, 2],
    [2, 2, 2],
  ])
  expect(none!.screenMicros).toBe(3_500)
  expect([none!.p95Ms, known!.p95Ms]).toEqual([1, 2])
})
