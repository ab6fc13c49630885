import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTraffic, MAX_STEP_WAIT_MS } from './traffic.js'

const call = fc.record({ accountId: fc.constantFrom('a', 'b', 'c'), afterMs: fc.integer({ min: 0, max: 5 }) })

test('others called when any call of another account lies within the time', () => {
  fc.assert(
    fc.property(
      fc.array(call),
      fc.constantFrom('a', 'b', 'd'),
      fc.integer({ min: 0, max: 12 }),
      (calls, accountId, ms) => {
        let nowMs = 0
        const traffic = createTraffic(() => nowMs)
        const made = calls.map((each) => {
          nowMs += each.afterMs
          traffic.note(each.accountId)
          return { accountId: each.accountId, atMs: nowMs }
        })
        const expected = made.some((each) => each.accountId !== accountId && nowMs - each.atMs <= ms)
        expect(traffic.othersCalledWithin(accountId, ms)).toBe(expected)
      },
    ),
  )
})

test('a step waits for the end of the last open screen, and not where none is open', async () => {
  const traffic = createTraffic()
  expect(traffic.quietMoment()).toBeUndefined()
  const [endOne, endOther] = [traffic.openScreen(), traffic.openScreen()]
  let steps = 0
  const step = async (): Promise<void> => {
    await traffic.quietMoment()
    steps += 1
  }
  const all = [step(), step()]
  endOne()
  await Promise.resolve()
  expect(steps).toBe(0)
  endOther()
  await Promise.all(all)
  expect(steps).toBe(2)
  expect(traffic.quietMoment()).toBeUndefined()
})

test('a step waits no longer than its limit while screens are open all the time', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const traffic = createTraffic()
  const end = traffic.openScreen()
  let steps = 0
  void traffic.quietMoment()!.then(() => (steps += 1))
  await vi.advanceTimersByTimeAsync(MAX_STEP_WAIT_MS - 1)
  expect(steps).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(steps).toBe(1)
  end()
  await vi.runAllTimersAsync()
  expect([steps, vi.getTimerCount()]).toEqual([1, 0])
})
