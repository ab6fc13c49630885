import { silentLogger } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFixture, type Fixture } from '../test/fixture.js'
import { jsonCodec } from '../test/json-codec.js'
import { noteView } from '../test/note-view.js'
import { rebuildReadModel, type ReadModel, type RebuildProgress, type RebuildResult } from './index.js'

/** Fast enough that records arrive in every phase of a rebuild. */
const APPEND_INTERVAL_MS = 2

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

async function rebuild(
  options: {
    readModel?: ReadModel
    compareOnly?: boolean
    onProgress?: (progress: RebuildProgress) => void
  } = {},
): Promise<RebuildResult> {
  const { database, log } = fixture
  return await rebuildReadModel({
    readModel: noteView,
    log,
    codec: jsonCodec,
    database,
    logger: silentLogger,
    ...options,
  })
}

async function schemas(): Promise<string[]> {
  const rows = await fixture.database.query<{ nspname: string }>(
    `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'note_view%' ORDER BY nspname`,
  )
  return rows.map((row) => row.nspname)
}

async function project(...notes: string[]): Promise<void> {
  await fixture.report(0, ...notes)
  const live = fixture.run()
  await until(async () => expect(await fixture.checkpoint(0)).toBe(notes.length))
  await live.stop()
}

test('the rebuilt rows are those in service', async () => {
  await project('a:red', 'b:green', 'a:grey')
  const result = await rebuild()
  expect(result).toMatchObject({
    records: 3,
    switched: true,
    comparison: [{ table: 'note', rowsBefore: 2, rowsAfter: 2, isEqual: true }],
  })
  expect(await fixture.notes()).toEqual(['a:red', 'b:green'])
  expect(await schemas()).toEqual(['note_view'])
})

test('a damaged row is reported and repaired', async () => {
  await project('a:red', 'b:green')
  await fixture.database.execute(`UPDATE note_view.note SET level = 'green' WHERE report_id = 'a'`)
  const { comparison } = await rebuild()
  expect(comparison).toEqual([{ table: 'note', rowsBefore: 2, rowsAfter: 2, isEqual: false }])
  expect(await fixture.notes()).toEqual(['a:red', 'b:green'])
})

test('comparing alone changes nothing', async () => {
  await project('a:red')
  await fixture.database.execute(`UPDATE note_view.note SET level = 'green'`)
  expect(await rebuild({ compareOnly: true })).toMatchObject({
    switched: false,
    comparison: [{ isEqual: false }],
  })
  expect(await fixture.notes()).toEqual(['a:green'])
  expect(await schemas()).toEqual(['note_view'])
})

test('the live projector goes on before, during and after the switch, and every record is there once', async () => {
  const live = fixture.run()
  let appended = 0
  const appendOne = async (): Promise<void> => fixture.report(appended % 2, `r${(appended += 1)}:red`)
  const appending = setInterval(() => void appendOne(), APPEND_INTERVAL_MS)
  try {
    for (let round = 1; round <= 4; round += 1) {
      await until(async () => expect((await fixture.notes()).length).toBeGreaterThan(round * 20))
      expect(await rebuild()).toMatchObject({ comparison: [{ isEqual: true }] })
    }
  } finally {
    clearInterval(appending)
  }
  await appendOne()
  await until(async () => expect(await fixture.notes()).toHaveLength(appended))
  expect(live.status().state).toBe('running')
})

test('a rebuild catches up with a projection that stood still', async () => {
  await project('a:red')
  await fixture.report(0, 'b:green')
  await fixture.report(1, 'c:grey')
  await rebuild()
  expect(await fixture.notes()).toEqual(['a:red', 'b:green', 'c:grey'])
  expect([await fixture.checkpoint(0), await fixture.checkpoint(1)]).toEqual([2, 1])
})

test('a rebuild that is cut off leaves the old tables in service and nothing else', async () => {
  await project('a:red')
  const cutOff = rebuild({
    onProgress: ({ phase }) => {
      if (phase === 'switching') throw new Error('cut off')
    },
  })
  await expect(cutOff).rejects.toThrow('cut off')
  expect(await fixture.notes()).toEqual(['a:red'])
  expect(await schemas()).toEqual(['note_view'])
})

test('what a killed rebuild left is cleared away by the next one', async () => {
  await project('a:red')
  await fixture.database.execute(
    `CREATE SCHEMA note_view_rebuild CREATE TABLE note (report_id text PRIMARY KEY)`,
  )
  await fixture.database.execute(
    `CREATE SCHEMA note_view_replaced CREATE TABLE note (report_id text PRIMARY KEY)`,
  )
  await rebuild()
  expect(await fixture.notes()).toEqual(['a:red'])
  expect(await schemas()).toEqual(['note_view'])
})

test('a record that cannot be applied ends the rebuild with its place, and the old tables stay', async () => {
  await project('a:red')
  await fixture.report(1, 'b:unthinkable')
  await expect(rebuild()).rejects.toThrow(/\[1\] offset 0: no such level/)
  expect(await fixture.notes()).toEqual(['a:red'])
})

test('a second rebuild of the same read model is refused', async () => {
  await project('a:red')
  let second: Promise<RebuildResult> | undefined
  await rebuild({ onProgress: () => void (second ??= rebuild()).catch(() => undefined) })
  await expect(second).rejects.toThrow(/already under way/)
})

test('a new definition comes into service by a rebuild, and the waiting projector goes on by itself', async () => {
  await project('a:red')
  const changed = {
    ...noteView,
    definition: `${noteView.definition}; CREATE TABLE tally (n int8)`,
    tables: ['note', 'tally'],
  }
  const live = fixture.run(changed)
  await until(() => expect(live.status().error).toMatch(/audit replay/))
  await rebuild({ readModel: changed })
  await fixture.report(0, 'b:green')
  await until(async () => expect(await fixture.notes()).toEqual(['a:red', 'b:green']))
  expect(await fixture.database.query('SELECT * FROM note_view.tally')).toEqual([])
})
