import { expect, test } from 'vitest'
import { createLateWork, type LateWork } from './late-work.js'

const key = (address: string) => ({ chain: 'ETH', address, state: '1 1' })
const never = (): Promise<never> => new Promise(() => undefined)
const done = (result: string) => async () => ({ result: { result }, holdsUntilMs: Infinity })
const ignore = (): void => undefined

async function finish(late: LateWork<{ result: string }>, address: string, result: string): Promise<void> {
  late.finish('a', key(address), done(result))
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
  const late = createLateWork<{ result: string }>(ignore, { maxWaiting: 4 })
  const begun: string[] = []
  for (const address of ['a', 'b', 'c'])
    late.finish('a', key(address), async () => {
      begun.push(address)
      return await done(address)()
    })
  expect(begun).toEqual(['a'])
  expect(late.underWay(key('c'))).toBeUndefined()
  await Promise.all([late.underWay(key('a')), late.underWay(key('b'))])
  expect(begun).toEqual(['a', 'b'])
})

/** Begins the work of each owner for each of its addresses, and tells in which order it is done. */
function ofOwners(late: LateWork<{ result: string }>, wanted: Readonly<Record<string, string>>) {
  const begun: string[] = []
  for (const [owner, addresses] of Object.entries(wanted))
    for (const address of addresses)
      late.finish(owner, key(address), async () => {
        begun.push(address)
        return await done(address)()
      })
  return begun
}

test('the much work of one account delays that of another by one piece', async () => {
  const late = createLateWork<{ result: string }>(ignore)
  const begun = ofOwners(late, { customer: 'abcdef', other: 'xy' })
  await late.settled(key('f'))
  expect(begun).toEqual(['a', 'b', 'x', 'c', 'y', 'd', 'e', 'f'])
})

test('an account that wants what another one wants too does not wait for its turn', async () => {
  const late = createLateWork<{ result: string }>(ignore)
  const begun = ofOwners(late, { customer: 'abcd', other: 'd' })
  await late.underWay(key('d'))
  expect(late.find(key('d'), 0)).toEqual({ result: 'd' })
  await late.settled(key('c'))
  expect(begun).toEqual(['a', 'b', 'd', 'c'])
})

test('an account takes no more than its part of the work that may wait, and leaves room for others', async () => {
  const late = createLateWork<{ result: string }>(ignore, { maxWaiting: 8 })
  const begun = ofOwners(late, { customer: 'abcdefgh', other: 'xyz' })
  expect(['e', 'y', 'z'].map((address) => late.underWay(key(address)) === undefined)).toEqual([
    ...[true, false, true],
  ])
  await Promise.all([late.settled(key('d')), late.settled(key('y'))])
  expect(begun.toSorted()).toEqual(['a', 'b', 'c', 'd', 'x', 'y'])
  expect(ofOwners(late, { customer: 'efgh' })).toEqual(['e'])
  await late.settled(key('h'))
})

test('a key has one piece of work at a time', async () => {
  const late = createLateWork<{ result: string }>(ignore)
  let begun = 0
  const work = async () => {
    begun += 1
    return await done('a')()
  }
  late.finish('a', key('a'), work)
  late.finish('a', key('a'), work)
  await late.settled(key('a'))
  expect(begun).toBe(1)
})

test('work that hangs gives its turn to the next, and leaves nothing', async () => {
  const late = createLateWork<{ result: string }>(ignore, { maxWorkMs: 20 })
  late.finish('a', key('a'), never)
  await finish(late, 'b', 'b')
  expect(late.find(key('a'), 0)).toBeUndefined()
  expect(late.find(key('b'), 0)).toEqual({ result: 'b' })
})

test('work that fails is told, leaves nothing, and may be tried again', async () => {
  const told: unknown[] = []
  const late = createLateWork<{ result: string }>((error) => void told.push(error))
  const error = new Error('no')
  late.finish('a', key('a'), () => Promise.reject(error))
  await late.settled(key('a'))
  expect(told).toEqual([error])
  await finish(late, 'a', 'a')
  expect(late.find(key('a'), 0)).toEqual({ result: 'a' })
})

test('a result holds until its moment', async () => {
  const late = createLateWork<{ result: string }>(ignore)
  late.finish('a', key('a'), async () => ({ result: { result: 'a' }, holdsUntilMs: 10 }))
  await late.settled(key('a'))
  expect(late.find(key('a'), 9)).toEqual({ result: 'a' })
  expect(late.find(key('a'), 10)).toBeUndefined()
})
