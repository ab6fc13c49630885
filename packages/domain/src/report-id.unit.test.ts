import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isReportId,
  permuteReportNumbers,
  REPORT_NUMBERS,
  reportIdsOf,
  restoreReportNumbers,
  type RoundFunction,
} from './report-id.js'

/** Any function must give a permutation. This one is weak on purpose and reaches beyond 28 bits. */
const weak: RoundFunction = (round, halves) => halves.map((half) => (half * 2_654_435_761 + round) % 2 ** 32)

const keyed: RoundFunction = (round, halves) =>
  halves.map((half) => createHmac('sha256', 'a secret').update(`${round}:${half}`).digest().readUInt32BE(0))

const numbers = fc.bigInt({ min: 0n, max: REPORT_NUMBERS - 1n })

test.each([
  ['weak', weak],
  ['keyed', keyed],
])('the permutation can be undone, so no two numbers share an id (%s)', (_name, round) => {
  fc.assert(
    fc.property(fc.array(numbers, { maxLength: 20 }), (several) => {
      const permuted = permuteReportNumbers(several, round)
      for (const number of permuted) expect(number >= 0n && number < REPORT_NUMBERS).toBe(true)
      expect(restoreReportNumbers(permuted, round)).toEqual(several)
    }),
  )
})

test('a number has the same id by itself and among others', () => {
  const several = [7n, 0n, REPORT_NUMBERS - 1n, 42n]
  const partitionOf = (number: bigint): number => Number(number % 16n)
  expect(reportIdsOf(several, partitionOf, 16, keyed)).toEqual(
    several.flatMap((number) => reportIdsOf([number], partitionOf, 16, keyed)),
  )
})

test('numbers in a row give ids without order', () => {
  const inARow = Array.from({ length: 5_000 }, (_, index) => BigInt(index))
  const ids = reportIdsOf(inARow, () => 3, 16, keyed)
  expect(new Set(ids).size).toBe(ids.length)
  const ascending = ids.filter((id, index) => index > 0 && id > ids[index - 1]!).length
  expect(ascending).toBeGreaterThan(2_300)
  expect(ascending).toBeLessThan(2_700)
})

test('an id has 16 digits and names its partition in the last two', () => {
  fc.assert(
    fc.property(numbers, fc.constantFrom(1, 2, 8, 16, 256), fc.nat(), (number, partitions, any) => {
      const partition = any % partitions
      const id = reportIdsOf([number], () => partition, partitions, keyed)[0]!
      expect(isReportId(id)).toBe(true)
      expect(Number.parseInt(id.slice(-2), 16) % partitions).toBe(partition)
    }),
  )
})

test.each([
  [REPORT_NUMBERS, 0, 16],
  [-1n, 0, 16],
  [1n, 16, 16],
  [1n, 0, 12],
  [1n, 0, 512],
])('number %s, partition %i of %i has no id', (number, partition, partitions) => {
  expect(() => reportIdsOf([number], () => partition, partitions, weak)).toThrow(RangeError)
})

test.each(['', '9F2C4A1BE07D6358', '9f2c4a1be07d635', '9f2c4a1be07d63588', '9f2c4a1be07d635g'])(
  '%s is not a report id',
  (text) => {
    expect(isReportId(text)).toBe(false)
  },
)
