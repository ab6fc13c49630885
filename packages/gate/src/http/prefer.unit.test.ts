import { describe, expect, test } from 'vitest'
import { preferredWait } from './prefer.js'

describe('the preference wait of RFC 7240', () => {
  test.each<[string, number | null]>([
    ['wait=10', 10],
    ['Wait = 7', 7],
    ['wait="7"', 7],
    ['wait=0', 0],
    ['wait=20', 20],
    ['respond-async, wait=5', 5],
    ['foo="a, wait=3"; bar="\\"", wait=4; x=1;y', 4],
    [',, wait=6', 6],
    ['wait=3, wait=9', 3],
    ['wait=x, wait=9', null],
    ['wait', null],
    ['wait=', null],
    ['wait=-1', null],
    ['wait=1.5', null],
    ['wait=1e1', null],
    ['wait=٣', null],
    ['"wait=5', null],
    ['= 5, wait=5', null],
    ['waiting=5', null],
    ['', null],
  ])('%j', (prefer, seconds) => {
    expect(preferredWait({ prefer })).toBe(seconds)
  })

  test.each(['wait=21', 'wait=86400', `wait=${'9'.repeat(400)}`])(
    '%.20s is never more than 20 s',
    (prefer) => {
      expect(preferredWait({ prefer })).toBe(20)
    },
  )

  test('the first of several fields counts, and without a field nothing is preferred', () => {
    expect(preferredWait({ prefer: ['wait=2', 'wait=8'] })).toBe(2)
    expect(preferredWait({})).toBeNull()
  })

  test.each(['; ', ';\t', ' ', 'b=', 'b =', ';b ', '"', '\\"', ', ', 'wait=;', ';x="\\"'])(
    'of 16 KiB of %j that do not fit the work grows only with the length',
    (part) => {
      const timeOf = (length: number): number => {
        const times = Array.from({ length: 5 }, () => {
          const beganAt = performance.now()
          for (const [first, last] of [
            ['a', '@'],
            ['a', '"'],
            ['@', ''],
            ['a="', ''],
          ] as const)
            preferredWait({ prefer: first + part.repeat(Math.ceil(length / part.length)) + last })
          return performance.now() - beganAt
        })
        return Math.min(...times)
      }
      expect(timeOf(16_384)).toBeLessThan(50)
    },
  )
})
