/** The busiest addresses are examined once in a state, one at a time, and a newer state ends the work for an older one. */
import { until } from '@cupel/testkit'
import { expect, test } from 'vitest'
import { createBusyWork } from './busy-work.js'

function begun(addressesOf = () => Promise.resolve(['a', 'b', 'c'])) {
  const errors: unknown[] = []
  const prepared: string[] = []
  let atOnce = 0
  const work = createBusyWork({ addressesOf, onError: (error) => errors.push(error) })
  const begin = (state: string, then: (address: string) => void = () => undefined): void =>
    work.begin('ETH', state, async (address) => {
      expect((atOnce += 1)).toBe(1)
      prepared.push(`${state} ${address}`)
      then(address)
      await Promise.resolve()
      atOnce -= 1
    })
  return { work, begin, prepared, errors }
}

test('a state is begun once', async () => {
  const { work, begin, prepared } = begun()
  begin('1')
  begin('1')
  await until(() => expect(prepared).toEqual(['1 a', '1 b', '1 c']))
  begin('1')
  await work.stop()
  expect(prepared).toHaveLength(3)
})

test('a newer state begins with the busiest address again, and the older one goes no further', async () => {
  const { work, begin, prepared } = begun()
  begin('1', () => begin('2'))
  await until(() => expect(prepared).toEqual(['1 a', '2 a', '2 b', '2 c']))
  await work.stop()
})

test('after a failure the next state is examined, and after the stop nothing is', async () => {
  let isBroken = true
  const { work, begin, prepared, errors } = begun(() =>
    isBroken ? Promise.reject(new Error('The connection was lost')) : Promise.resolve(['a']),
  )
  begin('1')
  await until(() => expect(errors).toHaveLength(1))
  isBroken = false
  begin('2')
  await until(() => expect(prepared).toEqual(['2 a']))
  await work.stop()
  begin('3')
  expect(prepared).toEqual(['2 a'])
})
