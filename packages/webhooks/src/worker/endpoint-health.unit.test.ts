import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEndpointHealth, MAX_PER_ENDPOINT, PLACES_PER_TRUSTED } from './endpoint-health.js'

const fresh = (attemptsPerSecond = 1_000) => createEndpointHealth({ attemptsPerSecond })

test('an endpoint nothing is known of gets one attempt, one that accepted gets sixteen', () => {
  const health = fresh()
  health.begun('a', 0)
  expect(health.closed(0)).toEqual(['a'])
  health.ended('a', true, 0)
  expect([health.trusted(), health.closed(0)]).toEqual([['a'], []])
  for (let attempt = 0; attempt <= MAX_PER_ENDPOINT - PLACES_PER_TRUSTED; attempt += 1) health.begun('a', 0)
  expect(health.closed(0)).toEqual(['a'])
  health.ended('a', true, 0)
  expect(health.closed(0)).toEqual([])
})

test('one that failed is trusted no more and gets one attempt at a time', () => {
  const health = fresh()
  health.begun('a', 0)
  health.ended('a', true, 0)
  health.begun('a', 0)
  health.begun('a', 0)
  health.ended('a', false, 0)
  expect([health.trusted(), health.isFailing('a'), health.closed(0)]).toEqual([[], true, ['a']])
  health.ended('a', false, 0)
  expect(health.closed(0)).toEqual([])
})

test('five failures in a row earn a break that doubles up to a minute and ends with the first acceptance', () => {
  const health = fresh()
  const fail = (atMs: number): void => {
    health.begun('a', atMs)
    health.ended('a', false, atMs)
  }
  for (let failure = 0; failure < 4; failure += 1) fail(0)
  expect(health.closed(0)).toEqual([])
  for (const [breakMs, atMs] of [
    [10_000, 0],
    [20_000, 10_000],
    [40_000, 30_000],
    [60_000, 70_000],
    [60_000, 130_000],
  ] as const) {
    fail(atMs)
    expect(health.closed(atMs + breakMs - 1)).toEqual(['a'])
    expect(health.closed(atMs + breakMs)).toEqual([])
  }
  health.begun('a', 200_000)
  health.ended('a', true, 200_000)
  expect(health.closed(200_000)).toEqual([])
})

test('failing endpoints together leave places to the others', () => {
  const health = fresh()
  for (let n = 0; n < 200; n += 1) {
    health.begun(`bad_${n}`, 0)
    health.ended(`bad_${n}`, false, 0)
  }
  for (let n = 0; n < 128; n += 1) health.begun(`bad_${n}`, 0)
  expect(health.closed(0)).toHaveLength(200)
  health.begun('good', 0)
  health.ended('good', true, 0)
  expect(health.closed(0)).not.toContain('good')
  health.withdrawn('bad_0', 0)
  expect(health.closed(0)).not.toContain('bad_199')
})

test('no endpoint gets more than its attempts a second', () => {
  const health = fresh(10)
  let begun = 0
  for (let atMs = 0; atMs < 5_000; atMs += 10) {
    if (health.closed(atMs).includes('a')) continue
    health.begun('a', atMs)
    health.ended('a', true, atMs)
    begun += 1
  }
  expect(begun).toBeGreaterThanOrEqual(55)
  expect(begun).toBeLessThanOrEqual(60)
})

test('whatever happens in whatever order, what is counted as under way is what is under way', () => {
  const step = fc.record({
    endpoint: fc.integer({ min: 0, max: 3 }),
    what: fc.constantFrom('begin', 'accept', 'fail', 'withdraw'),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const health = fresh()
      const under = new Map<string, number>()
      for (const [atMs, { endpoint, what }] of steps.entries()) {
        const id = `e${endpoint}`
        const count = under.get(id) ?? 0
        if (what === 'begin') health.begun(id, atMs)
        else if (count === 0) continue
        else if (what === 'withdraw') health.withdrawn(id, 0)
        else health.ended(id, what === 'accept', atMs)
        under.set(id, count + (what === 'begin' ? 1 : -1))
        expect(health.inFlight()).toBe([...under.values()].reduce((sum, one) => sum + one, 0))
      }
      // Once all have ended, only time keeps an endpoint closed.
      for (const [id, count] of under) for (let n = 0; n < count; n += 1) health.withdrawn(id, 0)
      expect(health.inFlight()).toBe(0)
      expect(health.closed(10_000_000)).toEqual([])
    }),
    { numRuns: 500 },
  )
})
