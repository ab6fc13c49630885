import { expect, test } from 'vitest'
import { addressesOf, groupsOf, labelRows, transferRows, type WorldOptions } from './world.js'

const world: WorldOptions = { transfers: 15_000, labelledEvery: 7 }
const cellsOf = (rows: Iterable<string>): string[][] => [...rows].slice(1).map((row) => row.trim().split(','))
const [HASH, FROM, TO, AMOUNT] = [3, 8, 9, 10]

function degreesOf(transfers: readonly string[][]): Map<string, number> {
  const degrees = new Map<string, number>()
  for (const row of transfers)
    for (const one of [row[FROM]!, row[TO]!]) degrees.set(one, (degrees.get(one) ?? 0) + 1)
  return degrees
}

test('the screened addresses are what their group says', () => {
  const degrees = degreesOf(cellsOf(transferRows(world)))
  const groups = groupsOf(world, 50)
  const degreesIn = (name: keyof typeof groups): number[] => groups[name].map((one) => degrees.get(one) ?? 0)
  expect(degreesIn('absent').every((degree) => degree === 0)).toBe(true)
  expect(degreesIn('ordinary').every((degree) => degree >= 3 && degree <= 10)).toBe(true)
  expect(Math.min(...degreesIn('hub'))).toBeGreaterThan(Math.max(...degreesIn('ordinary')))
})

test('the busiest address has a share of all transfers that follows the power law', () => {
  const busiest = Math.max(...degreesOf(cellsOf(transferRows(world))).values())
  // P(floor(P · u³) = 0) = P^(-1/3), on both sides of a transfer.
  const expected = 2 * world.transfers * addressesOf(world) ** (-1 / 3)
  expect(busiest / expected).toBeCloseTo(1, 1)
})

test('one address in so many is labelled, and labelled addresses have transfers', () => {
  const labelled = cellsOf(labelRows(world)).map(([address]) => address!)
  expect(new Set(labelled).size).toBe(Math.ceil(addressesOf(world) / world.labelledEvery))
  const degrees = degreesOf(cellsOf(transferRows(world)))
  expect(labelled.filter((one) => degrees.has(one)).length).toBeGreaterThan(labelled.length / 2)
})

test('a world is the same in every run, and each of its transactions has a hash of its own', () => {
  const rows = [...transferRows(world)]
  const transfers = cellsOf(rows)
  expect(new Set(transfers.map((row) => row[HASH])).size).toBe(world.transfers)
  expect(transfers.every((row) => BigInt(row[AMOUNT]!) > 0n)).toBe(true)
  expect([...transferRows(world)].join('') === rows.join('')).toBe(true)
})

test('the giant has its transfers with customers of its own, of whom some are labelled', () => {
  const withGiant = { ...world, ofGiant: 1_000 }
  const transfers = cellsOf(transferRows(withGiant))
  expect(transfers.slice(0, world.transfers)).toEqual(cellsOf(transferRows(world)))
  const [giant] = groupsOf(withGiant, 50).giant
  const further = transfers.slice(world.transfers)
  expect(further.every((row) => row[FROM] === giant || row[TO] === giant)).toBe(true)
  const customers = new Set(further.flatMap((row) => [row[FROM]!, row[TO]!]).filter((one) => one !== giant))
  const labelled = cellsOf(labelRows(withGiant)).map(([address]) => address!)
  expect(labelled).not.toContain(giant)
  expect(labelled.filter((one) => customers.has(one)).length).toBeGreaterThan(0)
  expect(
    [...degreesOf(transfers.slice(0, world.transfers)).keys()].filter((one) => customers.has(one)),
  ).toEqual([])
})
