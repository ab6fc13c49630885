import { expect, it } from 'vitest'
import { namesTag } from './entity-tag.js'

it.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['*', true],
  ['"A"', false],
  ['"ab"', false],
  ['a', false],
  ['', false],
  [undefined, false],
])('If-None-Match %s names the tag "a": %s', (header, names) => {
  expect(namesTag(header, '"a"')).toBe(names)
})
