import { expect, test } from 'vitest'
import { createTrouble } from './trouble.js'

test('an outage is news once, however often and wherever the work is tried again', () => {
  const trouble = createTrouble()
  expect(trouble.failed('a/0', new Error('No answer for 100 ms'))).toBe(true)
  expect(trouble.failed('a/0', new Error('No answer for 200 ms'))).toBe(false)
  expect(trouble.failed('a/1', new Error('No answer for 300 ms'))).toBe(false)
  expect(trouble.failed('a/1', new Error('The disk is full'))).toBe(true)
})

test('it is over once every place works again, and the next one is news', () => {
  const trouble = createTrouble()
  trouble.failed('a/0', new Error('no answer'))
  trouble.failed('a/1', new Error('no answer'))
  trouble.over('a/0')
  expect(trouble.reason()).toBe('no answer')
  expect(trouble.failed('a/0', new Error('no answer'))).toBe(false)
  trouble.over('a/0')
  trouble.over('a/1')
  expect(trouble.reason()).toBeNull()
  expect(trouble.failed('a/0', new Error('no answer'))).toBe(true)
})

test('a place that another member works at is not trouble any more', () => {
  const trouble = createTrouble()
  trouble.failed('a/0', new Error('no answer'))
  trouble.keepOnly(new Set(['a/1']))
  expect(trouble.reason()).toBeNull()
})
