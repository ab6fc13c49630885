/** What scorers tell of their comparisons of rows with the log, and what of it is a fault. */
import type { Database } from '@cupel/postgres'
import { openTestDatabase, until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  heartbeatsMigrations,
  knownDifference,
  listComparedRows,
  tellComparedRows,
  uncomparedOf,
  type ComparedRows,
} from '../../src/heartbeats/index.js'

let database: Database
let close: () => Promise<void>
beforeEach(async () => {
  ;({ database, close } = await openTestDatabase([heartbeatsMigrations]))
})
afterEach(() => close())

const failing = (error: unknown): never => {
  throw error
}
const faults = async () => uncomparedOf(await listComparedRows(database))
/** Nothing is at fault, and no comparison has ended yet. */
const equal = (kind: ComparedRows['kind']): ComparedRows => ({
  ...{ kind, ageMs: 5, fault: null, difference: null, equalForMs: null },
})
const telling = (...rows: readonly ComparedRows[]) =>
  tellComparedRows(database, { read: () => rows, onError: failing })
const told = (count: number) =>
  until(async () => expect(await listComparedRows(database)).toHaveLength(count))
const aged = () =>
  database.execute(`UPDATE heartbeats.compared_rows SET told_at = now() - interval '61 seconds'`)

test('the age of the last whole comparison and its fault are told by each scorer, and taken back at its end', async () => {
  const fault = 'A scorer cannot compare the rows of labels with the log: it is refused.'
  const one = telling({ ...equal('labels'), ageMs: 3_600_000, fault }, equal('ledger'))
  const other = telling(equal('labels'))
  await told(3)
  expect(await faults()).toEqual([fault])
  const ages = (await listComparedRows(database)).map(({ ageMs }) => ageMs >= 3_600_000)
  expect(ages.filter((isOld) => isOld)).toHaveLength(1)
  await one.stop()
  expect(await listComparedRows(database)).toMatchObject([{ kind: 'labels', fault: null }])
  await other.stop()
  expect(await listComparedRows(database)).toEqual([])
})

test('a scorer that tells nothing any more is at fault until another one compares the same rows', async () => {
  const ended = '00000000-0000-4000-8000-000000000001'
  await database.execute(
    `INSERT INTO heartbeats.compared_rows VALUES ($1, 'labels', now(), NULL, NULL, now())`,
    [ended],
  )
  expect(await faults()).toEqual([])
  await aged()
  expect(await faults()).toEqual([expect.stringMatching(/No scorer has told for \d+ s .* rows of labels/)])
  const other = telling(equal('labels'))
  await until(async () => expect(await faults()).toEqual([]))
  await told(1)
  await other.stop()
})

test('a difference that a scorer found stays known after its end, until a comparison that began later finds none', async () => {
  const difference = 'label-view lacks label x, which the log states.'
  expect(await knownDifference(database)).toBeNull()
  const scorer = telling({ ...equal('labels'), difference })
  await told(1)
  await scorer.stop()
  await aged()
  expect([await knownDifference(database), await faults()]).toEqual([difference, [difference]])
  const [ofLabels, ofLedger] = [
    await knownDifference(database, 'labels'),
    await knownDifference(database, 'ledger'),
  ]
  expect([ofLabels, ofLedger]).toEqual([difference, null])

  const tooEarly = [equal('labels'), { ...equal('ledger'), equalForMs: 5 }]
  for (const rows of [tooEarly, [{ ...equal('labels'), equalForMs: 70_000 }]]) {
    const other = telling(...rows)
    await told(1 + rows.length)
    await other.stop()
    expect(await knownDifference(database)).toBe(difference)
  }
  const later = telling({ ...equal('labels'), equalForMs: 5 })
  await until(async () => expect(await knownDifference(database)).toBeNull())
  await later.stop()
})
