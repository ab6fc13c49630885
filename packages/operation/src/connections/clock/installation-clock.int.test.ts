import { noMetrics, silentLogger, type Metrics } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'
import { openTestDatabase, until, type OpenTestDatabase } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallationClock } from './installation-clock.js'

let opened: OpenTestDatabase
let database: Database
beforeAll(async () => {
  opened = await openTestDatabase()
  ;({ database } = opened)
})
afterAll(() => opened.close())

/** The database runs on this machine, so the service's offset from it is the skew of its machine clock. */
async function started(skewMs: number, of: Queryable = database) {
  const skews: number[] = []
  const warnings: object[] = []
  const metrics: Metrics = { ...noMetrics, gauge: () => ({ set: (value) => void skews.push(value) }) }
  const clock = await startInstallationClock({
    database: of,
    metrics,
    logger: { ...silentLogger, warn: (fields) => void warnings.push(fields) },
    machineNow: () => new Date(Date.now() + skewMs),
  })
  return { clock, skews, warnings, [Symbol.asyncDispose]: () => clock.stop() }
}

/** More than a query to a busy database on this machine takes, and less than any skew of these tests. */
const NEAR_MS = 10_000

test.each([-3_600_000, -30_000, 30_000, 3_600_000])(
  'a service whose clock is %i ms off has the time of the database, says how far it is off, and warns once',
  async (skewMs) => {
    await using service = await started(skewMs)
    // A start does not wait long: on a busy machine the first measurement comes later.
    await until(() => expect(service.skews.length).toBeGreaterThan(0))
    expect(Math.abs(service.clock.now().getTime() - Date.now())).toBeLessThan(NEAR_MS)
    expect(Math.abs(service.skews[0]! * 1_000 + skewMs)).toBeLessThan(NEAR_MS)
    expect(service.warnings).toHaveLength(1)
  },
)

test('while the database is away the last difference holds, and the first is made up for', async () => {
  let isAway = true
  const away: Queryable = {
    ...database,
    query: (async (statement: never, values: never) => {
      if (isAway) throw new Error('away')
      return await database.query(statement, values)
    }) as Queryable['query'],
  }
  await using service = await started(30_000, away)
  expect(service.skews).toEqual([])
  isAway = false
  await until(() => expect(service.skews.length).toBeGreaterThan(0))
  isAway = true
  expect(Math.abs(service.clock.now().getTime() - Date.now())).toBeLessThan(NEAR_MS)
})

test('a database that hangs holds up no start for long', async () => {
  const hanging: Queryable = { ...database, query: () => new Promise<never>(() => undefined) }
  await using service = await started(0, hanging)
  expect(service.skews).toEqual([])
})

test('with clocks that agree nothing is warned of', async () => {
  const warnings: object[] = []
  const logger = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) }
  const clock = await startInstallationClock({ database, metrics: noMetrics, logger })
  expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(NEAR_MS)
  await clock.stop()
  expect(warnings).toEqual([])
})
