import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { sleep } from './sleep.js'

test('an aborted signal ends the sleep at once, whether it was aborted before or meanwhile', async () => {
  const abort = new AbortController()
  const sleeping = sleep(60_000, abort.signal)
  abort.abort()
  await sleeping
  await sleep(60_000, abort.signal)
})

test('a sleep that took its time leaves no listener on the signal', async () => {
  const { signal } = new AbortController()
  await sleep(1, signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
