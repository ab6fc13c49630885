import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFixture, type Fixture } from '../test/fixture.js'
import { noteView, TOPIC } from '../test/note-view.js'
import { listProjectionStatuses } from './index.js'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

test('rows and checkpoint follow the log, partition by partition', async () => {
  await fixture.report(0, 'a:red', 'b:green')
  fixture.run()
  await fixture.report(1, 'c:grey')
  await until(async () => expect(await fixture.notes()).toEqual(['a:red', 'b:green', 'c:grey']))
  expect([await fixture.checkpoint(0), await fixture.checkpoint(1)]).toEqual([2, 1])
})

test('the first record of a report id is the report, also within one batch', async () => {
  await fixture.report(0, 'a:red', 'a:green')
  fixture.run()
  await until(async () => expect(await fixture.checkpoint(0)).toBe(2))
  await fixture.report(0, 'a:grey')
  await until(async () => expect(await fixture.checkpoint(0)).toBe(3))
  expect(await fixture.notes()).toEqual(['a:red'])
})

test('texts come as they are, whatever characters they have', async () => {
  const ids = [
    '"',
    String.raw`\\`,
    String.raw`\"`,
    ',',
    '{}',
    '{a,"b"}',
    'NULL',
    'null',
    '',
    ' ',
    '\n',
    "'",
    '$1',
    '$&',
    'é漢😀',
  ]
  fixture.run()
  await fixture.report(0, ...ids.map((id) => `${id}:red`))
  await until(async () => expect(await fixture.checkpoint(0)).toBe(ids.length))
  const rows = await fixture.database.query('SELECT report_id FROM note_view.note ORDER BY log_offset')
  expect(rows).toEqual(ids.map((id) => ({ report_id: id })))
})

test('a member that lost its partitions without knowing neither adds nor loses a row', async () => {
  // Both runners get every partition, so each is the other's zombie.
  fixture.run()
  fixture.run()
  for (let n = 0; n < 30; n += 1) await fixture.report(n % 2, `r${n}:red`)
  await until(async () => expect(await fixture.notes()).toHaveLength(30))
  expect([await fixture.checkpoint(0), await fixture.checkpoint(1)]).toEqual([15, 15])
})

test('commits that a crash of the database took back are made again', async () => {
  fixture.run()
  await fixture.report(0, 'a:red', 'b:green')
  await until(async () => expect(await fixture.checkpoint(0)).toBe(2))
  // An asynchronous commit can lose rows and checkpoint together. The runner's own position is then ahead of both.
  await fixture.database.transaction({ at: 'test' }, async (transaction) => {
    await transaction.execute(`DELETE FROM note_view.note WHERE report_id = 'b'`)
    await transaction.execute('UPDATE projection.checkpoint SET next = 1 WHERE partition = 0')
  })
  await fixture.report(0, 'c:grey')
  await until(async () => expect(await fixture.notes()).toEqual(['a:red', 'b:green', 'c:grey']))
  expect(await fixture.checkpoint(0)).toBe(3)
})

test.each([
  ['a reducer refuses', 'b:unthinkable', /no such level/],
  ['the database refuses', 'b:refused', /note_level_check/],
])('a record that %s stops the projection in front of it', async (_, poison, reason) => {
  const projection = fixture.run()
  await fixture.report(0, 'a:red', poison, 'c:green')
  await until(() => expect(projection.status().state).toBe('stopped'))
  expect(projection.status()).toMatchObject({
    stoppedAt: { topic: TOPIC, partition: 0, offset: 1 },
    error: expect.stringMatching(reason) as string,
  })
  expect(await fixture.notes()).toEqual(['a:red'])
  expect(await fixture.checkpoint(0)).toBe(1)
  await until(async () => {
    const [stored] = await listProjectionStatuses(fixture.database)
    expect(stored).toMatchObject({ state: 'stopped', stoppedAt: { topic: TOPIC, partition: 0, offset: 1 } })
  })
})

test('a projection that begins while its row is held replaces the stop of an earlier process afterwards', async () => {
  const { database } = fixture
  await database.execute(
    `UPDATE projection.read_model SET state = 'stopped', error = 'of an earlier process'`,
  )
  await database.transaction({ at: 'test' }, async (transaction) => {
    await transaction.query('SELECT FROM projection.read_model FOR UPDATE')
    fixture.run()
    await fixture.report(0, 'a:red')
    await until(async () => expect(await fixture.notes()).toEqual(['a:red']))
  })
  await until(async () => {
    const [stored] = await listProjectionStatuses(database)
    expect(stored).toMatchObject({ state: 'running', error: null })
  })
})

test('a record of a type that this version does not know stops the projection', async () => {
  const projection = fixture.run()
  await fixture.log.append('test', [
    {
      topic: TOPIC,
      key: 'a',
      partition: 0,
      value: Buffer.from('{}'),
      headers: { ce_type: 'ReportRecalled' },
    },
  ])
  await until(() => expect(projection.status().error).toMatch(/ReportRecalled is unknown/))
})

test('a projection that stopped leaves the others running', async () => {
  const other = { ...noteView, name: 'other-view', schema: 'other_view', reducers: [] }
  await fixture.close()
  fixture = await openFixture([noteView, other])
  const stopping = fixture.run()
  const going = fixture.run(other)
  await fixture.report(0, 'a:unthinkable', 'b:green')
  await until(() => expect(stopping.status().state).toBe('stopped'))
  await fixture.report(1, 'c:green')
  await until(async () => expect(await fixture.checkpoint(1, 'projector.other-view.v1')).toBe(1))
  expect(going.status().state).toBe('running')
  await stopping.stop()
  await fixture.report(1, 'd:green')
  await until(async () => expect(await fixture.checkpoint(1, 'projector.other-view.v1')).toBe(2))
})

test('a database that is away is waited for, and the state says so', async () => {
  const projection = fixture.run()
  await until(() => expect(projection.status().state).toBe('running'))
  await fixture.database.execute('ALTER TABLE note_view.note RENAME TO hidden')
  await fixture.report(0, 'a:red')
  await until(() =>
    expect(projection.status()).toMatchObject({
      state: 'retrying',
      error: expect.stringMatching(/note/) as string,
    }),
  )
  await fixture.database.execute('ALTER TABLE note_view.hidden RENAME TO note')
  await until(async () => expect(await fixture.notes()).toEqual(['a:red']))
  await until(() => expect(projection.status()).toMatchObject({ state: 'running', error: null }))
})

test('tables made by another version stay as they are until they are rebuilt', async () => {
  const changed = { ...noteView, definition: `${noteView.definition}; CREATE INDEX ON note (level)` }
  const projection = fixture.run(changed)
  await fixture.report(0, 'a:red')
  await until(() => expect(projection.status().error).toMatch(/audit replay --target note-view/))
  expect(await fixture.notes()).toEqual([])
})

test('the checkpoint tells when it was last at the end of the log', async () => {
  fixture.run()
  await fixture.report(0, 'a:red')
  const followed = async (): Promise<Date | null> => {
    const [row] = await fixture.database.query<{ followed_at: Date | null }>(
      'SELECT followed_at FROM projection.checkpoint WHERE partition = 1',
    )
    return row?.followed_at ?? null
  }
  // Partition 1 has no records at all. The read model follows it anyway and continues to do so.
  await until(async () => expect(await followed()).not.toBeNull())
  const before = (await followed())!
  await until(async () => expect((await followed())!.getTime()).toBeGreaterThan(before.getTime()))
})
