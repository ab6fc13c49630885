import { expect, test } from 'vitest'
import { createFailureWindow, RECENT_OUTCOMES, TOLERATED_FAILURES } from './failure-window.js'

test('a bad record among good ones may be dead-lettered', () => {
  const window = createFailureWindow()
  for (let i = 0; i < 50; i++) window.succeeded()
  expect(window.mayGiveUp()).toBe(true)
})

test('the first bad records of a quiet consumer may be dead-lettered, a longer row of them may not', () => {
  const window = createFailureWindow()
  for (let i = 0; i < TOLERATED_FAILURES; i++) expect(window.mayGiveUp()).toBe(true)
  expect(window.mayGiveUp()).toBe(false)
})

test('a record that was held back may be tried any number of times, and good records open the window again', () => {
  const window = createFailureWindow()
  for (let i = 0; i < TOLERATED_FAILURES; i++) window.mayGiveUp()
  for (let i = 0; i < 1_000; i++) expect(window.mayGiveUp()).toBe(false)
  window.succeeded()
  for (let i = 0; i < RECENT_OUTCOMES; i++) window.succeeded()
  expect(window.mayGiveUp()).toBe(true)
})

test('old failures are forgotten', () => {
  const window = createFailureWindow()
  for (let i = 0; i < TOLERATED_FAILURES; i++) window.mayGiveUp()
  for (let i = 0; i < RECENT_OUTCOMES; i++) window.succeeded()
  for (let i = 0; i < TOLERATED_FAILURES; i++) expect(window.mayGiveUp()).toBe(true)
})
