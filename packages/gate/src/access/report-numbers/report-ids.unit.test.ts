import { reportIdsOf, restoreReportNumbers } from '@cupel/domain'
import { expect, test, vi } from 'vitest'
import { reportIdRounds } from './report-id-cipher.js'
import { createReportIds } from './report-ids.js'

/** Blocks of an epoch, for any number of takers. */
function blocks() {
  let next = 0n
  return vi.fn(async (count: number) => {
    next += BigInt(count)
    return next - BigInt(count)
  })
}

const idsOf = (first: bigint, count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(first + BigInt(index)))

test('ids of several takers never repeat, however they interleave', async () => {
  const take = blocks()
  const takers = [1, 2, 3].map(() => createReportIds({ take, idsOf }))
  const ids = await Promise.all(Array.from({ length: 20_000 }, (_, index) => takers[index % 3]!.next()))
  expect(new Set(ids).size).toBe(ids.length)
})

test('callers of one moment wait for one block, and the next is there before it is needed', async () => {
  const take = blocks()
  const ids = createReportIds({ take, idsOf })
  await Promise.all(Array.from({ length: 100 }, () => ids.next()))
  expect(take).toHaveBeenCalledTimes(1)
  for (let count = 0; count < 3_500; count += 1) await ids.next()
  expect(take).toHaveBeenCalledTimes(2)
})

test('a block that cannot be taken fails the caller and is asked for again', async () => {
  const take = vi.fn(blocks()).mockRejectedValueOnce(new Error('down'))
  const ids = createReportIds({ take, idsOf })
  await expect(ids.next()).rejects.toThrow('down')
  expect(await ids.next()).toBe('0')
})

test('names follow only from the installation’s key, and lead back only with it', () => {
  const rounds = reportIdRounds(new Uint8Array(32).fill(7))
  const again = reportIdRounds(new Uint8Array(32).fill(7))
  const other = reportIdRounds(new Uint8Array(32).fill(8))
  const idOf = (keyed: typeof rounds): string => reportIdsOf([42n], () => 3, 16, keyed)[0]!
  const id = idOf(rounds)
  expect(idOf(again)).toBe(id)
  expect(idOf(other)).not.toBe(id)
  expect(restoreReportNumbers([BigInt(`0x${id.slice(0, 14)}`)], rounds)).toEqual([42n])
  // The value is fixed for good: another function under the same key would issue ids twice.
  expect(id).toBe('a4c9b600c2291b13')
})
