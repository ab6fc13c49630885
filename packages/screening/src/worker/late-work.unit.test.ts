import { expect, test } from 'vitest'
import { createLateWork, type LateWork } from './late-work.js'

const key = (address: string) => ({ chain: 'ETH', address, state: '1 1' })
const never = (): Promise<never> => new Promise(() => undefined)
const done = (result: string) => async () => ({ result: { result }, holdsUntilMs: Infinity })
const ignore = (): void => undefined

async function finish(late: LateWork<{ result: string }>, address: string, result: string): Promise<void> {
  late.finish(key(address), done(result))
  await late.settled(key(address))
}

test('the results kept have at most the given bytes, and the newest stay', async () => {
  const late = createLateWork<{ result: string }>(ignore, { maxKeptBytes: 100 })
  for (const address of ['a', 'b', 'c']) await finish(late, address, 'x'.repeat(30))
  expect(late.find(key('a'), 0)).toBeUndefined()
  expect(late.find(key('c'), 0)).toEqual({ result: 'x'.repeat(30) })
  await finish(late, 'd', 'x'.repeat(200))
  expect(late.find(key('d'), 0)).toBeUndefined()
})

test('work waits in turn, no more of it than the limit', async () => {
  const late = createLateWork<{ result: string }>(ignore, { maxWaiting: 2 })
  const begun: string[] = []
  for (const address of ['a', 'b', 'c'])
    late.finish(key(address), async () => {
      begun.push(address)
      return await done(address)()
    })
  expect(begun).toEqual(['a'])
  expect(late.underWay(key('c'))).toBeUndefined()
  await Promise.all([late.underWay(key('a')), late.underWay(key('b'))])
  expect(begun).toEqual(['a', 'b'])
})

test('a key has one piece of work at a time', async () => {
  const late = createLateWork<{ result: string }>(ignore)
  let begun = 0
  const work = async () => {
    begun += 1
    return await done('a')()
  }
  late.finish(key('a'), work)
  late.finish(key('a'), work)
  await late.settled(key('a'))
  expect(begun).toBe(1)
})

test('work that hangs gives its turn to the next, and leaves nothing', async () => {
  const late = createLateWork<{ result: string }>(ignore, { maxWorkMs: 20 })
  late.finish(key('a'), never)
  await finish(late, 'b', 'b')
  expect(late.find(key('a'), 0)).toBeUndefined()
  expect(late.find(key('b'), 0)).toEqual({ result: 'b' })
})

test('work that fails is told, leaves nothing, and may be tried again', async () => {
  const told: unknown[] = []
  const late = createLateWork<{ result: string }>((error) => void told.push(error))
  const error = new Error('no')
  late.finish(key('a'), () => Promise.reject(error))
  await late.settled(key('a'))
  expect(told).toEqual([error])
  await finish(late, 'a', 'a')
  expect(late.find(key('a'), 0)).toEqual({ result: 'a' })
})

test('a result holds until its moment', async () => {
  const late = createLateWork<{ result: string }>(ignore)
  late.finish(key('a'), async () => ({ result: { result: 'a' }, holdsUntilMs: 10 }))
  await late.settled(key('a'))
  expect(late.find(key('a'), 9)).toEqual({ result: 'a' })
  expect(late.find(key('a'), 10)).toBeUndefined()
})
