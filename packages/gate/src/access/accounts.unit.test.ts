import { expect, test } from 'vitest'
import { checkedName, checkedReason } from './accounts.js'

test.each([
  ['name', checkedName, 200],
  ['reason', checkedReason, 500],
] as const)('a %s is as long as the API allows it, in characters', (_what, checked, most) => {
  const longest = '\u{1f511}'.repeat(most)
  expect(checked(longest)).toBe(longest)
  expect(() => checked(`${longest}.`)).toThrow(RangeError)
})
