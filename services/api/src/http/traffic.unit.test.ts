import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTraffic } from './traffic.js'

const call = fc.record({ keyId: fc.constantFrom('a', 'b', 'c'), afterMs: fc.integer({ min: 0, max: 5 }) })

test('others called when any call of another key lies within the time', () => {
  fc.assert(
    fc.property(
      fc.array(call),
      fc.constantFrom('a', 'b', 'd'),
      fc.integer({ min: 0, max: 12 }),
      (calls, keyId, ms) => {
        let nowMs = 0
        const traffic = createTraffic(() => nowMs)
        const made = calls.map((each) => {
          nowMs += each.afterMs
          traffic.note(each.keyId)
          return { keyId: each.keyId, atMs: nowMs }
        })
        const expected = made.some((each) => each.keyId !== keyId && nowMs - each.atMs <= ms)
        expect(traffic.othersCalledWithin(keyId, ms)).toBe(expected)
      },
    ),
  )
})
