import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createIdSet, fingerprint } from './id-set.js'

test('knows each id once it was added, as a set would', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[0-9a-f]{2,16}$/), { maxLength: 200 }), (ids) => {
      const ours = createIdSet(200)
      const known = new Set<string>()
      for (const id of ids) {
        expect(ours.add(id)).toBe(!known.has(id))
        known.add(id)
      }
      expect(ours.size()).toBe(known.size)
    }),
  )
})

test('two hundred thousand neighbouring ids do not fall together', () => {
  const set = createIdSet(200_000)
  for (let number = 0; number < 200_000; number += 1) {
    const id = number.toString(16).padStart(16, '0')
    if (!set.add(id)) throw new Error(`${id} fell together with another one`)
  }
  expect(() => set.add('one more')).toThrow(RangeError)
})

test('its hashes divide ids evenly into shares', () => {
  const shares = Array.from({ length: 7 }, () => 0)
  for (let number = 0; number < 70_000; number += 1) shares[fingerprint(`id ${number}`).high % 7]! += 1
  for (const share of shares) expect(Math.abs(share - 10_000)).toBeLessThan(500)
})
