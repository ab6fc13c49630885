import { expect, test } from 'vitest'
import { withPatience } from './open-screening.js'

test('an interrupted tail counts as followed for its patience, from when it was last known to be ready', () => {
  let nowMs = 1_000
  let isReady = true
  const isFollowed = withPatience(
    () => isReady,
    2_500,
    () => nowMs,
  )
  nowMs = 60_000
  expect(isFollowed()).toBe(true)
  isReady = false
  nowMs += 2_499
  expect(isFollowed()).toBe(true)
  nowMs += 1
  expect(isFollowed()).toBe(false)
  isReady = true
  expect(isFollowed()).toBe(true)
  isReady = false
  expect(isFollowed()).toBe(true)
})
