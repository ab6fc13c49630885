import type { Database } from '@cupel/postgres'
import { openTestDatabase, type OpenTestDatabase } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventLogMigrations } from '../migrations.js'
import { readPage } from './record-pages.js'
import { writeRecords, type PlacedRecord, type WrittenRecords } from './write-records.js'

let opened: OpenTestDatabase
let database: Database
let partitions: number[]
beforeEach(async () => {
  opened = await openTestDatabase([eventLogMigrations])
  ;({ database } = opened)
  const rows = await database.query<{ id: number }>(
    `INSERT INTO log.topic_partition (topic, partition) SELECT 't', generate_series(0, 2) RETURNING id`,
  )
  partitions = rows.map((row) => row.id)
})
afterEach(() => opened.close())

const record = (partitionId: number, key = 'k', value = Buffer.from('v')): PlacedRecord => ({
  partitionId,
  key,
  value,
  headers: { ce_type: 'T' },
})

test('records of several partitions take the next offsets of each, in the order given', async () => {
  const [a, b] = partitions as [number, number]
  await writeRecords(database, [record(b, 'b0')])
  const { firstOffsets, timestampMs } = await writeRecords(database, [
    record(b, 'b1'),
    record(a, 'a0', Buffer.alloc(0)),
    record(b, 'b2'),
    record(a, ''),
  ])
  expect(firstOffsets).toEqual(
    new Map([
      [b, 1],
      [a, 0],
    ]),
  )
  expect(
    await database.query(
      `SELECT partition_id, record_offset, key, headers, convert_from(value, 'UTF8') AS value
       FROM log.record ORDER BY 1, 2`,
    ),
  ).toEqual([
    { partition_id: a, record_offset: 0, key: 'a0', headers: { ce_type: 'T' }, value: '' },
    { partition_id: a, record_offset: 1, key: '', headers: { ce_type: 'T' }, value: 'v' },
    { partition_id: b, record_offset: 0, key: 'b0', headers: { ce_type: 'T' }, value: 'v' },
    { partition_id: b, record_offset: 1, key: 'b1', headers: { ce_type: 'T' }, value: 'v' },
    { partition_id: b, record_offset: 2, key: 'b2', headers: { ce_type: 'T' }, value: 'v' },
  ])
  const limits = { records: 1, bytes: 1 }
  const [stored] = await readPage(database, { id: a, topic: 't', partition: 0 }, 0, 1, limits)
  expect(stored!.timestampMs).toBe(timestampMs)
})

test('a write is flushed to disk also where the server is set not to wait for it', async () => {
  const settings = await database.transaction({ at: 'test' }, async (transaction) => {
    await transaction.execute('SET LOCAL synchronous_commit = off')
    await writeRecords(transaction, [record(partitions[0]!)])
    return await transaction.query('SHOW synchronous_commit')
  })
  expect(settings).toEqual([{ synchronous_commit: 'on' }])
})

test('writers that touch the same partitions in opposite orders do not lock each other out', async () => {
  const [a, b, c] = partitions as [number, number, number]
  const orders = [
    [a, b, c],
    [c, b, a],
    [b, c, a],
    [c, a, b],
  ]
  const writes = Array.from({ length: 80 }, (_, index) =>
    writeRecords(
      database,
      orders[index % orders.length]!.map((partition) => record(partition)),
    ),
  )
  await Promise.all(writes)
  expect(
    await database.query(
      `SELECT count(*) AS count, min(record_offset) AS first, max(record_offset) AS last
       FROM log.record GROUP BY partition_id`,
    ),
  ).toEqual(partitions.map(() => ({ count: 80, first: 0, last: 79 })))
})

test('a writer waits for one that has not committed, and goes on behind it or instead of it', async () => {
  const [a] = partitions as [number]
  for (const outcome of ['commit', 'roll back']) {
    const before = Number(
      (await database.query<{ end: number }>('SELECT log.end_offset($1) AS end', [a]))[0]!.end,
    )
    let waiting: Promise<WrittenRecords | null> = Promise.resolve(null)
    const first = database.transaction({ at: 'test' }, async (transaction) => {
      expect((await writeRecords(transaction, [record(a)])).firstOffsets).toEqual(new Map([[a, before]]))
      waiting = writeRecords(database, [record(a)])
      await untilBlocked()
      if (outcome === 'roll back') throw new Error(outcome)
    })
    await first.catch((error: unknown) => expect(error).toEqual(new Error('roll back')))
    expect((await waiting)!.firstOffsets).toEqual(new Map([[a, outcome === 'commit' ? before + 1 : before]]))
  }
})

test('a stricter isolation is refused: its snapshot would be older than the lock', async () => {
  const write = database.transaction({ at: 'test', isolation: 'repeatable read' }, (transaction) =>
    writeRecords(transaction, [record(partitions[0]!)]),
  )
  await expect(write).rejects.toThrow(/read committed/)
})

test('a single record takes the next offset of its partition, also if every earlier record was deleted', async () => {
  const [a] = partitions as [number]
  const write = async (key: string) =>
    (await writeRecords(database, [record(a, key, Buffer.from([0, 255]))])).firstOffsets
  expect([await write('é'), await write('')]).toEqual([new Map([[a, 0]]), new Map([[a, 1]])])
  await database.query(`SELECT log.delete_before('t', 0, 2)`)
  expect(await write('after')).toEqual(new Map([[a, 2]]))
  expect(await database.query('SELECT key, headers, value FROM log.record')).toEqual([
    { key: 'after', headers: { ce_type: 'T' }, value: Buffer.from([0, 255]) },
  ])
  await expect(writeRecords(database, [record(999)])).rejects.toThrow(/does not exist/)
})

test('a partition that does not exist is refused, and nothing of the write is left', async () => {
  await expect(writeRecords(database, [record(partitions[0]!), record(999)])).rejects.toThrow(
    /does not exist/,
  )
  expect(await database.query('SELECT * FROM log.record')).toEqual([])
})

async function untilBlocked(): Promise<void> {
  for (;;) {
    const [row] = await database.query<{ blocked: number }>(
      `SELECT count(*) AS blocked FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%log.append%'`,
    )
    if (row!.blocked > 0) return
  }
}
