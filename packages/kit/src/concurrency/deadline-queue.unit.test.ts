import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDeadlineQueue } from './deadline-queue.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('one timer serves any number of entries, and none is left once all limits have passed', () => {
  const queue = createDeadlineQueue<number>(() => undefined)
  for (let entry = 0; entry < 1_000; entry += 1) queue.add(entry, 250)
  for (let entry = 0; entry < 999; entry += 1) queue.delete(entry)
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(250)
  expect(vi.getTimerCount()).toBe(0)
  expect(queue.size()).toBe(0)
})

test('a closed queue reports nothing and holds no timer', () => {
  const expired: string[] = []
  const queue = createDeadlineQueue<string>((entries) => expired.push(...entries))
  queue.add('a', 100)
  queue.close()
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(200)
  expect(expired).toEqual([])
})

test('an entry may be added again while it is reported', () => {
  const reports: number[] = []
  const queue = createDeadlineQueue<string>((entries) => {
    reports.push(performance.now())
    if (reports.length < 3) for (const entry of entries) queue.add(entry, 100)
  })
  const startMs = performance.now()
  queue.add('again', 100)
  vi.advanceTimersByTime(1_000)
  expect(reports.map((atMs) => atMs - startMs)).toEqual([100, 200, 300])
})

const action = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), limitMs: fc.constantFrom(20, 50, 50, 50, 130) }),
  fc.record({ kind: fc.constant('delete' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(60) }),
)

test('for any additions, deletions and passing of time: exactly the entries that are due are reported, once, in order', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const reported: { entry: object; atMs: number }[] = []
      const queue = createDeadlineQueue<object>((entries) => {
        for (const entry of entries) reported.push({ entry, atMs: performance.now() })
      })
      const live: { entry: object; dueMs: number }[] = []
      const expected: { entry: object; atMs: number }[] = []
      for (const each of actions) {
        if (each.kind === 'add') {
          const entry = {}
          live.push({ entry, dueMs: performance.now() + each.limitMs })
          queue.add(entry, each.limitMs)
        } else if (each.kind === 'delete' && live.length > 0) {
          const [gone] = live.splice(each.which % live.length, 1)
          queue.delete(gone!.entry)
        } else if (each.kind === 'pass') {
          const untilMs = performance.now() + each.ms
          const due = live.filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)
          for (const one of due) {
            live.splice(live.indexOf(one), 1)
            expected.push({ entry: one.entry, atMs: one.dueMs })
          }
          vi.advanceTimersByTime(each.ms)
        }
        expect(queue.size()).toBe(live.length)
        expect(vi.getTimerCount()).toBeLessThanOrEqual(1)
      }
      expect(reported.map(({ atMs }) => atMs)).toEqual(expected.map(({ atMs }) => atMs))
      expect(new Set(reported.map(({ entry }) => entry))).toEqual(new Set(expected.map(({ entry }) => entry)))
      queue.close()
    }),
    { numRuns: 300 },
  )
})
