/** What scorers tell of waiting screens, and what the coordinator reads of it. */
import type { Database } from '@cupel/postgres'
import { openTestDatabase, until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { heartbeatsMigrations, readDwells, sweepDwells, tellDwells } from '../../src/heartbeats/index.js'

let database: Database
let close: () => Promise<void>
beforeEach(async () => {
  ;({ database, close } = await openTestDatabase([heartbeatsMigrations]))
})
afterEach(() => close())

const failing = (error: unknown): never => {
  throw error
}

test('a look sums what all scorers told since the last one, and the first look begins from nothing', async () => {
  const tellings = [1, 2].map(() => tellDwells(database, { targetMs: 25, onError: failing }))
  tellings[0]!.decided(30)
  await until(async () => expect(await database.query('SELECT FROM heartbeats.dwell')).toHaveLength(1))
  const reading = readDwells(database)
  expect(await reading.look()).toEqual({ screens: 0, lateScreens: 0 })
  for (const telling of tellings) for (const dwellMs of [25, 26, 400]) telling.decided(dwellMs)
  let [screens, lateScreens] = [0, 0]
  await until(async () => {
    const seen = await reading.look()
    screens += seen.screens
    lateScreens += seen.lateScreens
    expect([screens, lateScreens]).toEqual([6, 4])
  })
  expect(await reading.look()).toEqual({ screens: 0, lateScreens: 0 })
  reading.forget()
  tellings[1]!.decided(3)
  for (const telling of tellings) await telling.stop()
  expect(await reading.look()).toEqual({ screens: 0, lateScreens: 0 })
})

test('what a scorer told that ended is forgotten after an hour', async () => {
  const process = '00000000-0000-4000-8000-000000000001'
  await database.execute(
    "INSERT INTO heartbeats.dwell VALUES ($1, 9, 3, now() - interval '59 minutes'), (gen_random_uuid(), 5, 5, now() - interval '61 minutes')",
    [process],
  )
  await sweepDwells(database)
  expect(await database.query('SELECT process FROM heartbeats.dwell')).toEqual([{ process }])
})

test('a database that refuses is told of once, until it takes a message again', async () => {
  const errors: unknown[] = []
  const telling = tellDwells(database, { targetMs: 25, onError: (error) => errors.push(error) })
  await database.execute('ALTER TABLE heartbeats.dwell RENAME TO away')
  for (let n = 0; n < 3; n += 1) {
    telling.decided(30)
    await until(() => expect(errors.length).toBeGreaterThan(0))
  }
  await database.execute('ALTER TABLE heartbeats.away RENAME TO dwell')
  await until(async () => {
    telling.decided(30)
    expect(await database.query('SELECT FROM heartbeats.dwell')).toHaveLength(1)
  })
  await telling.stop()
  expect(errors).toHaveLength(1)
})
