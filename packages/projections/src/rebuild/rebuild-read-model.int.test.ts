import { silentLogger } from '@cupel/contracts'
import { UndecodableRecordError, type EventCodec } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openFixture, type Fixture } from '../../test/fixture.js'
import { jsonCodec } from '../../test/json-codec.js'
import { noteView, TOPIC } from '../../test/note-view.js'
import {
  rebuildReadModel,
  type AcceptedDifferences,
  type ReadModel,
  type RebuildProgress,
  type RebuildResult,
} from '../index.js'

/** Fast enough that records arrive during every phase of a rebuild. */
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
    accept?: AcceptedDifferences
    codec?: EventCodec
    onProgress?: (progress: RebuildProgress) => void
    database?: Database
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
    differences: 0,
  })
  expect(await fixture.notes()).toEqual(['a:red', 'b:green'])
  expect(await schemas()).toEqual(['note_view'])
})

const damaged = async (): Promise<void> => {
  await project('a:red', 'b:green')
  await fixture.database.execute(`UPDATE note_view.note SET level = 'green' WHERE report_id = 'a'`)
}
const accepted = (differences: number) => ({ differences, by: 'operator:jo', reason: 'the disk was bad' })
/** The events about the operator that the transaction of the switch writes for the log. */
const acceptances = async () =>
  (await fixture.database.query<{ event: { data: object } }>('SELECT event FROM projection.outbox')).map(
    ({ event }) => event.data,
  )

test('rebuilt tables that differ from those in service are not switched to', async () => {
  await damaged()
  expect(await rebuild()).toMatchObject({
    comparison: [{ table: 'note', rowsOnlyBefore: 1, rowsOnlyAfter: 1, isEqual: false }],
    differences: 2,
    switched: false,
  })
  expect(await fixture.notes()).toEqual(['a:green', 'b:green'])
  expect(await schemas()).toEqual(['note_view'])
  expect(await acceptances()).toEqual([])
})

test('a row whose text was chosen to have a fast hash of the true one is a difference', async () => {
  const [stated, chosen] = ['green-as-the-log-states.', 'red14Sk|E}qa]tnJ%@++LJI3']
  await project(`0123456789:${stated}`)
  const { database } = fixture
  await database.execute('UPDATE note_view.note SET level = $1', [chosen])
  const [hashes] = await database.query(
    `SELECT hashtextextended(n::text, 0) = hashtextextended(replace(n::text, $1, $2), 0) AS "areSame" FROM note_view.note n`,
    [chosen, stated],
  )
  expect(hashes).toEqual({ areSame: true })
  expect(await rebuild({ compareOnly: true })).toMatchObject({
    comparison: [
      {
        isEqual: false,
        different: [{ key: 'report_id=0123456789', difference: 'other', columns: ['level'] }],
      },
    ],
    differences: 2,
  })
})

test('a damaged row is repaired where an operator accepts exactly these differences, and that is recorded', async () => {
  await damaged()
  for (const wrong of [0, 1, 3])
    expect(await rebuild({ accept: accepted(wrong) })).toMatchObject({ differences: 2, switched: false })
  expect(await acceptances()).toEqual([])
  expect(await rebuild({ accept: accepted(2) })).toMatchObject({ differences: 2, switched: true })
  expect(await fixture.notes()).toEqual(['a:red', 'b:green'])
  expect(await acceptances()).toEqual([
    {
      ...{ readModel: 'note-view', differences: 2, acceptedBy: 'operator:jo', reason: 'the disk was bad' },
      acceptedAt: expect.any(String) as string,
      tables: [{ table: 'note', rowsBefore: 2, rowsAfter: 2, rowsOnlyBefore: 1, rowsOnlyAfter: 1 }],
    },
  ])
})

test('a rebuild over a topic whose front was deleted is refused, and the tables in service stay', async () => {
  await project('a:red', 'b:green')
  fixture.log.deleteBefore(TOPIC, 0, 1)
  const accept = accepted(1)
  for (const options of [{}, { compareOnly: true }, { accept }])
    await expect(rebuild(options)).rejects.toMatchObject({
      reason: 'truncated-log',
      message: expect.stringContaining(`${TOPIC}/0 begins at offset 1`) as string,
    })
  expect(await fixture.notes()).toEqual(['a:red', 'b:green'])
  expect(await schemas()).toEqual(['note_view'])
})

test('rows of another log are differences like any other', async () => {
  await project('a:red', 'b:green')
  await fixture.database.execute(`UPDATE projection.checkpoint SET log = 'another log'`)
  await fixture.database.execute(`UPDATE note_view.note SET level = 'grey' WHERE report_id = 'b'`)
  expect(await rebuild()).toMatchObject({ differences: 2, switched: false })
  expect(await fixture.notes()).toEqual(['a:red', 'b:grey'])
  expect(await rebuild({ accept: accepted(2) })).toMatchObject({ switched: true })
  expect(await fixture.notes()).toEqual(['a:red', 'b:green'])
})

describe('a record of a work topic that cannot be read', () => {
  const working = { ...noteView, workTopics: [TOPIC] }
  /** A codec that knows schemas only after it has read the catalogue `readings` more times. */
  const codecThatKnowsAfter = (readings: number): EventCodec => {
    let read = 0
    return {
      ...jsonCodec,
      decode(record) {
        if (String(record.value).includes('newer') && read < readings)
          throw new UndecodableRecordError('unknown-schema', record, 'schema 9 is not in the catalogue')
        return jsonCodec.decode(record)
      },
      refreshSchemas: async () => void (read += 1),
    }
  }

  test('is skipped by a rebuild too, which says so', async () => {
    await fixture.report(0, 'a:red', 'newer:green', 'b:unthinkable', 'c:grey')
    const result = await rebuild({ readModel: working, codec: codecThatKnowsAfter(Infinity) })
    expect(result).toMatchObject({ records: 4, skipped: 2, switched: true })
    expect(await fixture.notes()).toEqual(['a:red', 'c:grey'])
  })

  test('is not skipped where its schema was registered since the start', async () => {
    await fixture.report(0, 'a:red', 'newer:green')
    const result = await rebuild({ readModel: working, codec: codecThatKnowsAfter(1) })
    expect(result).toMatchObject({ records: 2, skipped: 0 })
    expect(await fixture.notes()).toEqual(['a:red', 'newer:green'])
  })

  test('of any other topic ends the rebuild', async () => {
    await fixture.report(0, 'newer:green')
    await expect(rebuild({ codec: codecThatKnowsAfter(Infinity) })).rejects.toThrow(/schema 9/)
  })
})

test('a comparison changes nothing', async () => {
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

describe('a rebuild that is cut off while it reads', () => {
  const indexed = { ...noteView, definition: `${noteView.definition}; CREATE INDEX by_level ON note (level)` }
  const writesByKey = { ...indexed, writesByKey: true }
  /** Cut off behind the first partition that is read. */
  async function cutOff(readModel: ReadModel = noteView, how: object = {}): Promise<void> {
    await project('a:red', 'b:green')
    await fixture.report(1, 'c:grey')
    const live = fixture.run()
    await until(async () => expect(await fixture.checkpoint(1)).toBe(1))
    await live.stop()
    const onProgress = ({ phase }: RebuildProgress): void => {
      if (phase === 'reading') throw new Error('cut off')
    }
    await expect(rebuild({ readModel, onProgress, ...how })).rejects.toThrow('cut off')
    expect(await fixture.notes()).toEqual(['a:red', 'b:green', 'c:grey'])
  }
  const readAgain = async (readModel: ReadModel = noteView): Promise<number> => {
    const decoded: string[] = []
    const codec: EventCodec = {
      ...jsonCodec,
      decode(record) {
        decoded.push(record.key)
        return jsonCodec.decode(record)
      },
    }
    const result = await rebuild({ readModel, codec })
    expect(result).toMatchObject({ records: 3, switched: true })
    expect(await fixture.notes()).toEqual(['a:red', 'b:green', 'c:grey'])
    expect(await schemas()).toEqual(['note_view'])
    return decoded.length
  }

  test('goes on behind what it had stored', async () => {
    await cutOff()
    expect(await readAgain()).toBeLessThan(3)
  })

  test('does not put rows into service that somebody changed meanwhile', async () => {
    await cutOff()
    await fixture.database.execute(`UPDATE note_view_rebuild.note SET level = 'grey' WHERE report_id = 'a'`)
    expect(await rebuild()).toMatchObject({ differences: 2, switched: false })
    expect(await fixture.notes()).toEqual(['a:red', 'b:green', 'c:grey'])
    expect(await rebuild()).toMatchObject({ differences: 0, switched: true })
  })

  test.each([
    ['another log', `UPDATE note_view_rebuild.rebuild_begun SET log = 'another'`],
    ['another definition', `UPDATE note_view_rebuild.rebuild_begun SET definition = 'another'`],
    ['a rebuild without its progress', 'DROP TABLE note_view_rebuild.rebuild_begun'],
    ['a log that was longer', `UPDATE note_view_rebuild.rebuild_place SET next = 3`],
  ])('begins anew if it finds tables of %s', async (_, change) => {
    await cutOff()
    await fixture.database.execute(change)
    expect(await readAgain()).toBe(3)
  })

  test('begins anew if it finds tables of a killed comparison, which a crash of the database empties', async () => {
    const { database } = fixture
    let drops = 0
    const transaction: Database['transaction'] = async (options, work) => {
      // Those before the comparison succeed: one for each schema.
      if (options.at === 'projector.rebuild-drop' && ++drops > 2) throw new Error('killed')
      return await database.transaction(options, work)
    }
    await cutOff(noteView, { compareOnly: true, database: { ...database, transaction } })
    expect(await readAgain()).toBe(3)
    expect(await database.query(`SELECT FROM pg_class WHERE relpersistence = 'u'`)).toEqual([])
  })

  test('is left out of a comparison, which reads everything', async () => {
    await cutOff()
    await fixture.database.execute(`UPDATE note_view_rebuild.note SET level = 'grey' WHERE report_id = 'a'`)
    expect(await rebuild({ compareOnly: true })).toMatchObject({ differences: 0, records: 3 })
  })

  test.each([
    ['at once', indexed],
    ['at its end, where writes go by the keys', writesByKey],
  ])('makes every index: %s', async (_, readModel) => {
    await cutOff(readModel)
    await readAgain(readModel)
    const indexes = await fixture.database.query(
      `SELECT indexname AS name FROM pg_indexes WHERE schemaname = 'note_view' ORDER BY indexname`,
    )
    expect(indexes).toEqual([{ name: 'by_level' }, { name: 'note_pkey' }])
  })
})

test('a record that cannot be applied ends the rebuild with its place, and the old tables stay', async () => {
  await project('a:red')
  await fixture.report(1, 'b:unthinkable')
  await expect(rebuild()).rejects.toThrow(/\[1\] offset 0: no such level/)
  expect(await fixture.notes()).toEqual(['a:red'])
})

test('a second rebuild of the same read model is refused', async () => {
  await project('a:red')
  let first: Promise<RebuildResult> | undefined
  await fixture.database.transaction({ at: 'test' }, async (transaction) => {
    // The lock makes the first rebuild wait with the comparison.
    await transaction.execute('LOCK TABLE note_view.note IN ACCESS EXCLUSIVE MODE')
    await new Promise<void>((underWay) => (first = rebuild({ onProgress: () => underWay() })))
    await expect(rebuild()).rejects.toThrow(/already under way/)
  })
  expect((await first)?.switched).toBe(true)
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

test.each([
  ['another version', 2],
  ['another definition of the same version', 1],
])('a projector cannot write into tables that %s has made meanwhile', async (_, version) => {
  const earlier = fixture.run()
  await fixture.report(0, 'a:red')
  await until(async () => expect(await fixture.notes()).toEqual(['a:red']))
  const changed = { ...noteView, version, definition: `${noteView.definition}; CREATE TABLE tally (n int8)` }
  // The projector is under load before and after the switch.
  const appending = setInterval(() => void fixture.report(1, `r${(appended += 1)}:green`), APPEND_INTERVAL_MS)
  let appended = 0
  await rebuild({ readModel: changed })
  const [inService, shown] = [await fixture.notes(), appended]
  await until(() => expect(appended).toBeGreaterThan(shown + 20))
  clearInterval(appending)
  await until(() => expect(earlier.status().error).toMatch(/made by another version/))
  expect(await fixture.notes()).toEqual(inService)
  expect((await fixture.notes()).length).toBeLessThan(1 + appended)
  fixture.run(changed)
  await until(async () => expect(await fixture.notes()).toHaveLength(1 + appended))
})
