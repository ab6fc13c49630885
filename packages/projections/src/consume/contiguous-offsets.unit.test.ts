import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contiguousOffsets } from './contiguous-offsets.js'

test('a gap holds the checkpoint back until it is closed', () => {
  const offsets = contiguousOffsets(10)
  offsets.add(15, 20)
  expect(offsets.next()).toBe(10)
  offsets.add(10, 15)
  expect(offsets.next()).toBe(20)
})

test('ranges in any order, repeated and overlapping, give the first offset that is not done', () => {
  const range = fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 12 }))
  fc.assert(
    fc.property(fc.array(range, { maxLength: 40 }), fc.nat(30), (ranges, start) => {
      const offsets = contiguousOffsets(start)
      const done = new Set<number>()
      for (const [from, length] of ranges) {
        offsets.add(from, from + length)
        for (let offset = from; offset < from + length; offset += 1) done.add(offset)
        let expected = start
        while (done.has(expected)) expected += 1
        expect(offsets.next()).toBe(expected)
      }
    }),
  )
})
