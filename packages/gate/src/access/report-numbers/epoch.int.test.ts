/** Report numbers under restores and failovers, which put the log, the database and the clock at different moments. */
import { topicOf } from '@cupel/contracts'
import { eventLogMigrations } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { projectionsMigrations } from '@cupel/projections'
import { openTestDatabase } from '@cupel/testkit'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accessMigrations } from '../index.js'
import { claimReportEpoch, EPOCHS, highestReportEpoch, NUMBERS_PER_EPOCH, passReportEpoch } from './epoch.js'
import { openReportNumbers } from './report-numbers.js'

const NOW_MS = Date.UTC(2026, 10, 23)
const LONG_AGO_MS = Date.UTC(2020, 0, 1)

let log: TestInstallation
let closing: (() => Promise<void>)[]
beforeEach(async () => {
  closing = []
  log = await openTestInstallation()
})
afterEach(async () => {
  for (const close of closing.reverse()) await close()
  await log.close()
})

/** A separate database: the log is in another one, as with Kafka. */
async function openNumbers(): Promise<Database> {
  const sources = [eventLogMigrations, projectionsMigrations, accessMigrations]
  const { database, close } = await openTestDatabase(sources)
  closing.push(close)
  return database
}

const claim = (database: Database, nowMs = LONG_AGO_MS, { log: of, codec } = log): Promise<number> =>
  claimReportEpoch({ database, log: of, codec }, { instance: 0, nowMs })

const row = async (database: Database): Promise<bigint> => {
  const [found] = await database.query<{ next: string }>(
    'SELECT next::text AS next FROM access.report_number',
  )
  return BigInt(found!.next)
}
const setRow = (database: Database, next: bigint) =>
  database.execute('UPDATE access.report_number SET next = $1', [String(next)])

const unique = (epochs: readonly number[]): void => expect(new Set(epochs).size).toBe(epochs.length)

test('instances that start at once get an epoch each, and the log knows every claim', async () => {
  const database = await openNumbers()
  const epochs = await Promise.all(Array.from({ length: 12 }, () => claim(database)))
  unique(epochs)
  expect(await highestReportEpoch(log)).toBe(Math.max(...epochs))
})

test('two databases that know nothing of each other give out no epoch twice', async () => {
  const [primary, promoted] = [await openNumbers(), await openNumbers()]
  const epochs: number[] = []
  for (let round = 0; round < 4; round += 1)
    epochs.push(
      ...(await Promise.all([primary, promoted, primary, promoted].map((database) => claim(database)))),
    )
  unique(epochs)
})

test('a database that was restored to an earlier state passes the epochs of the log', async () => {
  const database = await openNumbers()
  const before = [await claim(database)]
  const dumped = await row(database)
  before.push(await claim(database), await claim(database))
  await setRow(database, dumped)
  unique([...before, await claim(database)])
})

test('a log that was restored to an earlier state, or begun anew, passes the epochs of the database', async () => {
  const database = await openNumbers()
  const before = [await claim(database), await claim(database)]
  const older = await openTestInstallation()
  closing.push(older.close)
  expect(await highestReportEpoch(older)).toBe(-1)
  unique([...before, await claim(database, LONG_AGO_MS, older)])
})

test('where both are restored to an earlier state, the clock keeps the numbers apart', async () => {
  const before = await claim(await openNumbers(), NOW_MS)
  const older = await openTestInstallation()
  closing.push(older.close)
  const anotherDatabase = await openNumbers()
  expect(await claim(anotherDatabase, NOW_MS + 60_000, older)).toBeGreaterThan(before)
})

test('a clock of another century takes no epoch away', async () => {
  const epoch = await claim(await openNumbers(), Date.UTC(2200, 0, 1))
  expect(epoch).toBeLessThan(EPOCHS / 2)
})

test('blocks that an instance of an earlier release takes meanwhile belong to no epoch', async () => {
  const database = await openNumbers()
  const block = 4_096n
  const ranges: [from: bigint, to: bigint][] = []
  for (let round = 0; round < 3; round += 1) {
    const from = await row(database)
    await setRow(database, from + block)
    ranges.push([from, from + block])
    const epoch = BigInt(await claim(database))
    ranges.push([epoch * NUMBERS_PER_EPOCH, (epoch + 1n) * NUMBERS_PER_EPOCH])
  }
  ranges.sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [index, [from]] of ranges.entries())
    if (index > 0) expect(from).toBeGreaterThanOrEqual(ranges[index - 1]![1])
})

test('the claim of another producer counts for nothing', async () => {
  const topic = topicOf('ReportEpochClaimed')
  const database = await openNumbers()
  const epoch = await claim(database)
  const [record] = await log.records(topic)
  // Its MAC belongs to another key.
  await log.log.unchecked.append('test', [{ ...record!, key: String(EPOCHS - 1) }])
  expect(await highestReportEpoch(log)).toBe(epoch)
})

test('after the last number of an epoch the numbers of a new one follow', async () => {
  const database = await openNumbers()
  const take = await openReportNumbers(() => claim(database))
  const most = Number(NUMBERS_PER_EPOCH) - 10
  const taken: [first: bigint, count: number][] = []
  for (const count of [most, 8, 4, 4]) taken.push([await take(count), count])
  for (const [index, [first]] of taken.entries())
    for (const [other, count] of taken.slice(0, index))
      expect(first >= other + BigInt(count) || first < other).toBe(true)
  expect(taken[1]![0]).toBe(taken[0]![0] + BigInt(most))
})

test('a restored database can be led past the log before anything starts', async () => {
  const [database, restored] = [await openNumbers(), await openNumbers()]
  const highest = await claim(database)
  expect(await passReportEpoch(restored, highest)).toBe(true)
  expect(await row(restored)).toBe(BigInt(highest + 1) * NUMBERS_PER_EPOCH)
  expect(await passReportEpoch(restored, highest)).toBe(false)
  expect(await passReportEpoch(restored, -1)).toBe(false)
})
