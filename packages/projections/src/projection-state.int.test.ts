/** A checkpoint counts as followed only where it has reached the end: a scorer trusts labels that were followed a moment ago. */
import type { Queryable } from '@cupel/postgres'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFixture, type Fixture } from '../test/fixture.js'
import { advanceCheckpoints } from './index.js'
import { ensureCheckpoint } from './checkpoint.js'
import { storeProjectionStatus, type ProjectionStatus } from './projection-state.js'

const GROUP = 'a.group.v1'
const LOG = 'log-1'
const place = (partition: number) => ({ group: GROUP, topic: 'a.topic', partition })
const STATUS: ProjectionStatus = { name: 'a', state: 'running', lag: 0, error: null, stoppedAt: null }

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
  for (const partition of [0, 1, 2]) {
    await ensureCheckpoint(fixture.database, place(partition), LOG)
    const moves = [{ ...place(partition), expected: 0, next: 5 }]
    await fixture.database.transaction({ at: 'test' }, (transaction) =>
      advanceCheckpoints(transaction, { group: GROUP, log: LOG, moves }),
    )
  }
  await fixture.database.execute(`UPDATE projection.checkpoint SET followed_at = now() - interval '1 hour'`)
})
afterEach(() => fixture.close())

/** The partitions that were followed within the last minutes. */
async function followed(): Promise<number[]> {
  const rows = await fixture.database.query<{ partition: number }>(
    `SELECT partition FROM projection.checkpoint WHERE followed_at > now() - interval '30 min' ORDER BY partition`,
  )
  return rows.map(({ partition }) => partition)
}

const store = (group: string, log: string) =>
  storeProjectionStatus(fixture.database, STATUS, {
    replacesStop: false,
    // At the end, behind it, and not looked at.
    seen: { group, log, ends: [5, 6].map((endOffset, partition) => ({ ...place(partition), endOffset })) },
  })

test('only a checkpoint at its end is followed', async () => {
  await store(GROUP, LOG)
  expect(await followed()).toEqual([0])
})

test('a checkpoint of another group or another log is not followed', async () => {
  await store('other.group.v1', LOG)
  await store(GROUP, 'log-2')
  expect(await followed()).toEqual([])
})

test('a state without ends follows nothing', async () => {
  await storeProjectionStatus(fixture.database, STATUS, { replacesStop: true })
  expect(await followed()).toEqual([])
})

test('an error with characters that Postgres cannot store keeps no state of another read model back', async () => {
  const { database } = fixture
  const row = `INSERT INTO projection.read_model (name, schema_name, definition_sha256) VALUES ($1, $1, '')`
  for (const name of ['a', 'b']) await database.execute(row, [name])
  const broken = { ...STATUS, name: 'a', state: 'stopped', error: 'no such level: \0 \ud83d' } as const
  await Promise.all(
    [broken, { ...STATUS, name: 'b' }].map((status) =>
      storeProjectionStatus(database, status, { replacesStop: false }),
    ),
  )
  const states = `SELECT name, state, error FROM projection.read_model WHERE name IN ('a', 'b') ORDER BY name`
  expect(await database.query(states)).toEqual([
    { name: 'a', state: 'stopped', error: 'no such level: \ufffd \ufffd' },
    { name: 'b', state: 'running', error: null },
  ])
})

test('read models that are stored at the same moment share a statement, and do not wait for one that is held', async () => {
  const { database } = fixture
  const row = `INSERT INTO projection.read_model (name, schema_name, definition_sha256) VALUES ($1, $1, '')`
  for (const name of ['a', 'b']) await database.execute(row, [name])
  let statements = 0
  const counted: Queryable = {
    query: (...args) => ((statements += 1), database.query(...args)),
    execute: (...args) => ((statements += 1), database.execute(...args)),
  }
  const ends = [{ ...place(0), endOffset: 5 }]
  const storeBoth = () =>
    Promise.allSettled(
      ['a', 'b'].map((name) =>
        storeProjectionStatus(
          counted,
          { ...STATUS, name },
          { replacesStop: false, seen: { group: GROUP, log: LOG, ends } },
        ),
      ),
    )
  // As a rebuild of `a` does.
  const stored = await database.transaction({ at: 'test' }, async (transaction) => {
    await transaction.query('SELECT FROM projection.checkpoint FOR UPDATE')
    await transaction.query(`SELECT FROM projection.read_model WHERE name = 'a' FOR UPDATE`)
    return await storeBoth()
  })
  expect(stored.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(statements).toBe(1)
  expect(await followed()).toEqual([])
  const states = `SELECT name, state FROM projection.read_model WHERE name IN ('a', 'b') ORDER BY name`
  expect(await database.query(states)).toEqual([
    { name: 'a', state: 'idle' },
    { name: 'b', state: 'running' },
  ])

  expect((await storeBoth()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  expect(await followed()).toEqual([0])
})
