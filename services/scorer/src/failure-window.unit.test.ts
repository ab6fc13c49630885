import { expect, test } from 'vitest'
import { createFailureWindow, RECENT_OUTCOMES, TOLERATED_FAILURES } from './failure-window.js'

test('a bad record among good ones is given up', () => {
  const window = createFailureWindow()
  for (let i = 0; i < 50; i++) window.succeeded()
  expect(window.mayGiveUp()).toBe(true)
  expect(window.paused()).toBe(false)
})

test('the first bad records of a quiet service are given up, a row of them is not', () => {
  const window = createFailureWindow()
  for (let i = 0; i < TOLERATED_FAILURES; i++) expect(window.mayGiveUp()).toBe(true)
  expect(window.mayGiveUp()).toBe(false)
  expect(window.paused()).toBe(true)
})

test('a refused record may be tried for as long as it takes, and good records open the window again', () => {
  const window = createFailureWindow()
  for (let i = 0; i < TOLERATED_FAILURES; i++) window.mayGiveUp()
  for (let i = 0; i < 1_000; i++) expect(window.mayGiveUp()).toBe(false)
  window.succeeded()
  expect(window.paused()).toBe(false)
  for (let i = 0; i < RECENT_OUTCOMES; i++) window.succeeded()
  expect(window.mayGiveUp()).toBe(true)
})

test('old failures are forgotten', () => {
  const window = createFailureWindow()
  for (let i = 0; i < TOLERATED_FAILURES; i++) window.mayGiveUp()
  for (let i = 0; i < RECENT_OUTCOMES; i++) window.succeeded()
  for (let i = 0; i < TOLERATED_FAILURES; i++) expect(window.mayGiveUp()).toBe(true)
})
