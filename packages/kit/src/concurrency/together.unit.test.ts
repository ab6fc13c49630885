import { expect, test } from 'vitest'
import { together } from './together.js'

test('results come in the order of the work, of promises and of values', async () => {
  expect(await together([Promise.resolve(1), 'two', null])).toEqual([1, 'two', null])
})

test('the first failure is thrown once all of the work has ended', async () => {
  let end = (): void => undefined
  const slow = new Promise<void>((resolve) => (end = resolve))
  let isEnded = false
  const both = together([
    Promise.reject(new Error('first')),
    slow.then(() => {
      isEnded = true
      throw new Error('second')
    }),
  ])
  const thrown = both.catch((error: unknown) => [(error as Error).message, isEnded])
  expect(await Promise.race([thrown, new Promise((resolve) => setImmediate(resolve, 'running'))])).toBe(
    'running',
  )
  end()
  expect(await thrown).toEqual(['first', true])
})
