import { expect, test } from 'vitest'
import { inParallel } from './in-parallel.js'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('every item is worked on once, no more at a time than the limit', async () => {
  const done: number[] = []
  let underWay = 0
  let most = 0
  await inParallel([0, 1, 2, 3, 4, 5, 6], 3, async (item) => {
    most = Math.max(most, (underWay += 1))
    await turn()
    underWay -= 1
    done.push(item)
  })
  expect(done.sort()).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(most).toBe(3)
})

test('after a failure nothing new begins, and the failure is told when all is quiet', async () => {
  const begun: number[] = []
  const ended: number[] = []
  const work = inParallel([0, 1, 2, 3, 4], 2, async (item) => {
    begun.push(item)
    await turn()
    if (item === 0) throw new Error('no')
    await turn()
    ended.push(item)
  })
  await expect(work).rejects.toThrow('no')
  expect({ begun, ended }).toEqual({ begun: [0, 1], ended: [1] })
})

test('nothing to do is done', async () => {
  await inParallel([], 2, () => Promise.reject(new Error('never')))
})
