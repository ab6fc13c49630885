import { silentLogger } from '@cupel/contracts'
import type { Database, Statement } from '@cupel/postgres'
import { PATIENCE_MS, until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFixture, type Fixture } from '../test/fixture.js'
import { TOPIC } from '../test/note-view.js'
import { waitUntilProjected } from './index.js'
import { onNudge } from './nudges.js'

const GROUP = 'projector.note-view.v1'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

/** The fixture's database with a counter of its statements. */
function counted(): { database: Database; queries: () => number } {
  let queries = 0
  const query = (statement: Statement | string, values?: readonly unknown[]) => {
    queries += 1
    return fixture.database.query(statement, values)
  }
  return {
    database: Object.assign(Object.create(fixture.database) as Database, { query }),
    queries: () => queries,
  }
}

const wait = (
  offset: number,
  timeoutMs = PATIENCE_MS,
  partition = 0,
  database: Database = fixture.database,
): Promise<boolean> =>
  waitUntilProjected({ database, group: GROUP, topic: TOPIC, partition, offset, timeoutMs })

test('a reader who waits for the end sees what was written before it', async () => {
  fixture.run()
  for (let n = 1; n <= 20; n += 1) {
    await fixture.report(0, `r${n}:red`)
    expect(await wait(await fixture.log.endOffset(TOPIC, 0))).toBe(true)
    expect(await fixture.notes()).toContain(`r${n}:red`)
  }
})

test('an offset that is not reached in time is said to be so, early ones are not held up by it', async () => {
  fixture.run()
  await fixture.report(0, 'a:red')
  const late = wait(2, 200)
  expect(await wait(1)).toBe(true)
  expect(await late).toBe(false)
})

test('an empty partition needs no waiting', async () => {
  const { database, queries } = counted()
  expect(await wait(0, 10, 0, database)).toBe(true)
  expect(queries()).toBe(0)
})

test('a thousand readers ask the database together', async () => {
  const { database, queries } = counted()
  const waiting = Array.from({ length: 1_000 }, (_, n) => wait(1, PATIENCE_MS, n % 2, database))
  await fixture.report(0, 'a:red')
  await fixture.report(1, 'b:red')
  fixture.run()
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => true))
  // However long it took, there are fewer queries than readers.
  expect(queries()).toBeLessThan(1_000)
  const settled = queries()
  // With no waiting reader, no query runs.
  await fixture.report(0, 'c:red')
  await until(async () => expect(await fixture.checkpoint(0)).toBe(2))
  expect(queries()).toBe(settled)
})

test('a database that cannot be asked is an error, not a miss', async () => {
  await fixture.database.execute('ALTER TABLE projection.checkpoint RENAME TO away')
  await expect(wait(1)).rejects.toThrow(/checkpoint/)
  await fixture.database.execute('ALTER TABLE projection.away RENAME TO checkpoint')
})

test('who waits nudges the group that is waited for, once, and no other group', async () => {
  const nudged: string[] = []
  const stops = [GROUP, 'another.group.v1'].map((group) =>
    onNudge(fixture.database, { group, hurry: () => nudged.push(group) }, silentLogger),
  )
  // A new connection hurries every listener once, because waits nudged before it may still be open.
  await until(() => expect(nudged).toEqual([GROUP, 'another.group.v1']))
  expect(await wait(1, 200)).toBe(false)
  await until(() => expect(nudged.slice(2)).toEqual([GROUP]))
  await Promise.all(stops.map((each) => each.stop()))
})

test('a nudge is heard again after the connection of the listeners was ended', async () => {
  let hurries = 0
  const listening = onNudge(fixture.database, { group: GROUP, hurry: () => (hurries += 1) }, silentLogger)
  await until(() => expect(hurries).toBe(1))
  await fixture.database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`,
  )
  await until(() => expect(hurries).toBe(2))
  expect(await wait(1, 200)).toBe(false)
  await until(() => expect(hurries).toBe(3))
  await listening.stop()
})

test('a read model passes nudges on to the log', async () => {
  fixture.run()
  // A wait before the listener has started nudges no listener.
  await until(async () => {
    const before = fixture.log.nudges
    expect(await wait(1, 50)).toBe(false)
    expect(fixture.log.nudges).toBe(before + 1)
  })
})
