import { until } from '@cupel/testkit'
import { expect, test } from 'vitest'
import { NUMBERS_PER_EPOCH } from './epoch.js'
import { EPOCH_RENEWAL_MS, openReportNumbers } from './report-numbers.js'

/** Returns claims of epochs 7, 8 and so on; while `fails` is set, every claim fails. */
function claims(): { claim: () => Promise<number>; made: () => number; fails: boolean } {
  let epoch = 6
  const told = {
    fails: false,
    made: () => epoch - 6,
    claim: async () => {
      if (told.fails) throw new Error('the log is away')
      return (epoch += 1)
    },
  }
  return told
}
const epochOf = (number: bigint): bigint => number / NUMBERS_PER_EPOCH

test('after an hour of work the next epoch is claimed, and no call waits for it', async () => {
  const told = claims()
  let nowMs = 0
  const take = await openReportNumbers(told.claim, () => nowMs)
  expect(await take(3)).toBe(7n * NUMBERS_PER_EPOCH)
  nowMs = EPOCH_RENEWAL_MS - 1
  expect(await take(1)).toBe(7n * NUMBERS_PER_EPOCH + 3n)
  expect(told.made()).toBe(1)
  nowMs = EPOCH_RENEWAL_MS
  expect(epochOf(await take(1))).toBe(7n)
  await until(async () => expect(epochOf(await take(1))).toBe(8n))
  expect(told.made()).toBe(2)
})

test('where the claim of an hour fails the numbers at hand go on, and the next hour tries again', async () => {
  const told = claims()
  let nowMs = 0
  const take = await openReportNumbers(told.claim, () => nowMs)
  told.fails = true
  nowMs = EPOCH_RENEWAL_MS
  const taken = [await take(1), await take(1), await take(1)]
  expect(taken).toEqual([0n, 1n, 2n].map((count) => 7n * NUMBERS_PER_EPOCH + count))
  told.fails = false
  nowMs = 2 * EPOCH_RENEWAL_MS
  await until(async () => expect(epochOf(await take(1))).toBe(8n))
})
