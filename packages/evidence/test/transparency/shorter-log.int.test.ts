/** A log that lost its end, or that another one replaced: it is named, refused, and taken only by an operator's signed word. */
import { topicOf } from '@cupel/contracts'
import { placesOf } from '@cupel/event-log'
import { diesAt } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  acceptShorter,
  compareTransparency,
  lostRecords,
  NO_WITNESSES,
  readAcceptedLosses,
  takeBackLeaves,
  storeOfLog,
  type TransparencyComparison,
} from '../../src/transparency/index.js'
import { type LossParts } from '../../src/transparency/operators/accept-shorter.js'
import {
  accounts,
  backUpRows,
  openTransparentLog,
  publishedEntries,
  report,
  restoreRows,
  topics,
  type TransparentLog,
} from './transparent-log.js'

const TOPIC = topicOf('AccountCreated')

let own: TransparentLog
beforeEach(async () => {
  own = await openTransparentLog()
})
afterEach(() => own.close())

const parts = async (): Promise<LossParts> => {
  const { log, codec, database } = own.installation
  const settings = { keys: own.keys, stores: [own.store], intervalMs: 100 }
  return { log, codec, database, ...settings, places: await placesOf(log, topics) }
}
const accept = async () =>
  await acceptShorter({ ...(await parts()), by: 'operator:test', reason: 'the disk was lost' })
const lost = async () => await lostRecords(await parts())

/** Of the log itself, not a copy. */
async function compare(): Promise<TransparencyComparison> {
  const { verifier } = own.keys
  const { log, codec, database } = own.installation
  const { leaves: accepted } = await readAcceptedLosses({ log, codec, database, verifier })
  const compared = await compareTransparency({
    ...{ log, codec, database, verifier, accepted, copies: [], witnesses: NO_WITNESSES },
    ...{ places: await placesOf(log, topics), store: storeOfLog(own.store, await log.identity()) },
    ...{ endsEarlier: false, checksTimes: true, maxProblems: 100, publishGraceMs: 0 },
  })
  return compared!
}

/** All faults and problems in one list. */
async function wrongs(): Promise<unknown[]> {
  const { faults, problems } = await compare()
  return [
    ...faults.map(({ detail }) => detail),
    ...problems.map(({ kind, offset, to }) => ({ kind, offset, to })),
  ]
}
const cut = (from: number) =>
  own.installation.database.execute(
    `DELETE FROM log.record WHERE record_offset >= $1 AND partition_id = (SELECT id FROM log.topic_partition WHERE topic = $2)`,
    [from, TOPIC],
  )
const tamper = (set: string, offset: number) =>
  own.installation.database.execute(
    `UPDATE log.record SET ${set} WHERE record_offset = $1 AND partition_id = (SELECT id FROM log.topic_partition WHERE topic = $2)`,
    [offset, TOPIC],
  )

test('a log that was cut is refused until that is accepted, and readers go on at its end', async () => {
  const { append, database, log } = own.installation
  await append(...accounts(151))
  await own.extend()
  expect([await wrongs(), await lost()]).toEqual([[], null])
  await database.execute(
    `INSERT INTO projection.checkpoint (group_name, topic, partition, next, log) VALUES ('g', $1, 0, 151, $2), ('h', $1, 0, 90, $2)`,
    [TOPIC, await log.identity()],
  )
  await expect(accept()).rejects.toThrow('nothing to accept')
  await cut(100)
  expect(await wrongs()).toEqual([{ kind: 'no-record', offset: 100, to: 151 }])
  expect(await lost()).toMatch(/ends at offset 100, and its records up to 151 were signed.*accept-shorter/)
  await expect(own.extend()).rejects.toThrow(/ends at offset 100, and its records up to 151 were signed/)
  const range = [{ topic: TOPIC, partition: 0, from: 100, to: 151 }]
  expect(await accept()).toMatchObject({
    lost: range,
    leaves: [{ from: 100, to: 151 }],
    reason: 'the disk was lost',
  })
  expect(
    await database.query(
      `SELECT group_name, next FROM projection.checkpoint WHERE topic = $1 ORDER BY group_name`,
      [TOPIC],
    ),
  ).toEqual([
    { group_name: 'g', next: 100 },
    { group_name: 'h', next: 90 },
    { group_name: 'projector.transparency.v1', next: 100 },
  ])
  expect([await wrongs(), await lost()]).toEqual([[], null])
  await append(...accounts(60))
  expect(await own.extend()).toMatchObject({ leaves: 60 })
  expect([await wrongs(), await lost()]).toEqual([[], null])
  await tamper(`value = value || '\\x00'::bytea`, 120)
  expect(await wrongs()).toEqual([{ kind: 'other-record', offset: 120, to: 121 }])
})

test('records that replaced the lost ones get leaves of their own once the loss is accepted', async () => {
  const { append } = own.installation
  await append(...accounts(151))
  await own.extend()
  await cut(100)
  await append(...accounts(80))
  expect(await wrongs()).toEqual([{ kind: 'other-record', offset: 100, to: 151 }])
  expect(await lost()).toMatch(/The record 150 of .* is not the one that was signed/)
  await accept()
  expect(await own.extend()).toMatchObject({ leaves: 80 })
  expect([await wrongs(), await lost()]).toEqual([[], null])
})

test('an acceptance counts only as the log’s key signed it', async () => {
  const { append, database } = own.installation
  await append(...accounts(20))
  await own.extend()
  await cut(10)
  await accept()
  expect(await wrongs()).toEqual([])
  // Whoever has the database says that an earlier loss was accepted too.
  await database.execute(
    `UPDATE projection.outbox SET event = jsonb_set(event::jsonb, '{data,leaves}', '[{"from": 5, "to": 20}]')::json`,
  )
  await cut(5)
  expect(await wrongs()).toContainEqual({ kind: 'no-record', offset: 5, to: 20 })
})

test('behind an older database and an older log a loss is accepted, and one history goes on', async () => {
  const { append, database } = own.installation
  await append(...accounts(100))
  await own.extend()
  await backUpRows(own)
  await append(...accounts(51), report('0000000000000001'))
  await own.extend()
  await restoreRows(own)
  await database.execute('DELETE FROM log.record WHERE record_offset >= 100')
  expect(await lost()).toContain('an older database was restored')
  expect(await accept()).toMatchObject({ leaves: [{ from: 101, to: 152 }] })
  expect(await wrongs()).toEqual([])
  await append(...accounts(5))
  expect(await own.extend()).toMatchObject({ leaves: 5 })
  expect([await wrongs(), await lost()]).toEqual([[], null])
})

test('a changed record before agreeing ones is never accepted', async () => {
  await own.installation.append(...accounts(300))
  await own.extend()
  await tamper(`value = value || '\\x00'::bytea`, 7)
  await expect(accept()).rejects.toThrow(/Records 7 to 7 .* that is not a missing end/)
})

test('a time that was moved by a microsecond is named', async () => {
  await own.installation.append(...accounts(30))
  await own.extend()
  await tamper(`appended_at = appended_at + interval '1 microsecond'`, 9)
  expect(await wrongs()).toEqual([{ kind: 'other-time', offset: 9, to: 10 }])
})

test('an inserted record, and a removed one, are named', async () => {
  const { append, database } = own.installation
  await append(...accounts(30))
  await own.extend()
  await database.execute(
    `INSERT INTO log.record SELECT partition_id, 30, appended_at, key, headers, value FROM log.record WHERE record_offset = 3
     AND partition_id = (SELECT id FROM log.topic_partition WHERE topic = $1)`,
    [TOPIC],
  )
  await database.execute('DELETE FROM log.record WHERE record_offset = 12')
  await database.execute(`UPDATE projection.checkpoint SET next = 31 WHERE next = 30`)
  expect(await wrongs()).toEqual([
    { kind: 'no-record', offset: 12, to: 13 },
    { kind: 'no-leaf', offset: 30, to: 31 },
  ])
})

test.each([
  [
    'the row of the tree',
    ['SET session_replication_role = replica', 'DELETE FROM transparency.log'],
    /^The database has no transparency log, and .* holds one of 3 leaves/,
  ],
  [
    'the place of a leaf',
    ['UPDATE transparency.leaf SET place = NULL, record_offset = NULL WHERE index = 1'],
    new RegExp(
      `^The row of leaf 1 in the database names no place of the log, and its record is ${TOPIC}/0 at 1`,
    ),
  ],
  [
    'a place in the tree',
    [
      'ALTER TABLE transparency.leaf DROP CONSTRAINT leaf_index_check',
      'INSERT INTO transparency.leaf SELECT number, -1, entry, place, record_offset FROM transparency.leaf WHERE index = 1',
    ],
    /^The database has a row outside of its tree: leaf -1/,
  ],
  [
    'a partition of their own',
    [
      'ALTER TABLE transparency.place DROP CONSTRAINT place_number_topic_partition_key',
      'INSERT INTO transparency.place SELECT number, 99, topic, partition FROM transparency.place WHERE last = 2',
    ],
    new RegExp(`^The database has a row outside of its tree: a second place of ${TOPIC}/0`),
  ],
])('rows that lack %s are named', async (_what, statements, sentence) => {
  const { append, database } = own.installation
  await append(...accounts(3))
  await own.extend()
  await database.withConnection(async (connection) => {
    for (const statement of statements) await connection.execute(statement)
    await connection.execute('RESET session_replication_role')
  })
  expect(await wrongs()).toEqual([expect.stringMatching(sentence)])
})

test('every record is compared with its leaf, from nothing but the published files', async () => {
  const { append, log, codec } = own.installation
  await append(...accounts(300), report('0000000000000001'))
  await own.extend()
  await append(...accounts(300))
  await own.extend()
  const files = async (endsEarlier: boolean) =>
    (await compareTransparency({
      ...{ log, codec, database: null, verifier: own.keys.verifier, accepted: [], copies: [] },
      ...{ witnesses: NO_WITNESSES, places: await placesOf(log, topics), maxLeaves: 256 },
      ...{ store: storeOfLog(own.store, await log.identity()), endsEarlier },
      ...{ checksTimes: true, maxProblems: 100, publishGraceMs: 0 },
    }))!
  expect(await files(false)).toMatchObject({ leaves: 601, records: 601, problemCount: 0 })
  await tamper(`value = value || '\\x00'::bytea`, 500)
  const { problems, faults } = await files(false)
  // By its MAC the record is one of another producer, which has no leaf.
  expect(problems).toEqual([])
  expect(faults).toMatchObject([
    { detail: expect.stringContaining('is of a record that the log does not have') as string },
  ])
  await cut(500)
  expect(await files(true)).toMatchObject({ records: 501, problemCount: 0 })
})

test('killed while it accepts, the next command accepts, and nothing is half done', async () => {
  await own.installation.append(...accounts(20))
  await own.extend()
  await cut(10)
  const killed = (point: string): Promise<void> =>
    diesAt(own.installation.connectionString, point, async ({ log, codec, database }) => {
      const settings = { keys: own.keys, stores: [own.store], intervalMs: 100 }
      const order = { by: 'operator:test', reason: 'the disk was lost' }
      const places = await placesOf(log, topics)
      await acceptShorter({ log, codec, database, ...settings, ...order, places })
    })
  await killed('before:transparency.accept:1')
  expect(await wrongs()).toEqual([{ kind: 'no-record', offset: 10, to: 20 }])
  await killed('after:transparency.accept:1')
  expect(await wrongs()).toEqual([])
  await expect(accept()).rejects.toThrow('nothing to accept')
})

test('a leaf names nothing of its record, and equal records have leaves of which nobody can tell that they are', async () => {
  await own.installation.append(report('0000000000000001'), report('0000000000000001'))
  await own.extend()
  const [one, other] = (await publishedEntries(own, 2)).map((entry) => entry.toString())
  for (const entry of [one!, other!])
    expect(entry).toMatch(/^\["cupel-leaf-1","[\w+/]{43}=","[\w+/]{43}=","[\w+/]{43}="\]$/)
  const hashes = [one!, other!].flatMap((entry) => (JSON.parse(entry) as string[]).slice(1))
  expect(new Set(hashes).size).toBe(6)
})

test('a leaf whose record the log lost is taken back without a place, and the next one comes after it', async () => {
  const { append, database } = own.installation
  await append(...accounts(10))
  await own.extend()
  await backUpRows(own)
  await append(...accounts(5))
  await own.extend()
  await restoreRows(own)
  await database.execute('DELETE FROM log.record WHERE record_offset >= 12')
  const takeBack = await database.transaction({ at: 'transparency.sign' }, async (transaction) =>
    takeBackLeaves(transaction, await own.parts()),
  )
  expect(takeBack).toEqual({ leaves: 5, lost: 3 })
  expect(
    await database.query('SELECT index FROM transparency.leaf WHERE place IS NULL ORDER BY index'),
  ).toEqual([{ index: 12 }, { index: 13 }, { index: 14 }])
  await append(...accounts(1))
  expect(await own.extend()).toEqual({ leaves: 1, hasMore: false })
})
