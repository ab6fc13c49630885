import { expect, test } from 'vitest'
import { reportPartitionsOf } from './topic-sizes.js'

test.each([
  ['a new installation on a cluster', null, undefined, true, 64],
  ['a new installation on one broker', null, undefined, false, 16],
  ['a chosen number', null, 128, true, 128],
  ['an installation of an earlier release', 16, undefined, true, 16],
  ['the number that it has, chosen again', 32, 32, true, 32],
])('%s has report partitions: %s present, %s chosen', (_, present, chosen, isCluster, expected) => {
  expect(reportPartitionsOf(present, chosen, isCluster)).toBe(expected)
})

test('another number than ids were made with is refused', () => {
  for (const chosen of [16, 128])
    expect(() => reportPartitionsOf(64, chosen, true)).toThrow(
      `The reports of this installation are in 64 partitions, and report ids name them, so that there cannot be ${chosen}.`,
    )
})

test.each([0, 1, 3, 100, 512])('%i is not a number of report partitions', (chosen) => {
  for (const present of [null, 64])
    expect(() => reportPartitionsOf(present, chosen, true)).toThrow('a power of two from 2 to 256')
})
