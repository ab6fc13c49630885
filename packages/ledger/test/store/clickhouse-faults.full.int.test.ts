import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { importWith } from '../../src/import-ledger.js'
import { added, readRowSums, sumsText } from '../../src/row-sums.js'
import { openClickHouse } from '../../src/store/clickhouse/client.js'
import {
  createTransferTables,
  missingTables,
  neighboursIn,
  readSideSums,
  readStoreState,
  requireRuns,
  rowsToSum,
  transfersIn,
  transferWriterIn,
} from '../../src/store/clickhouse/index.js'
import { address, csvOf, hash } from '../installation.js'
import { openOnClickHouse } from './clickhouse-under-test.js'
import { missingChdb, startChdb, type Chdb } from './start-chdb.js'

describe.skipIf(missingChdb !== undefined)(`ClickHouse${missingChdb ?? ''}`, () => {
  let chdb: Chdb
  let store: Awaited<ReturnType<typeof openOnClickHouse>>
  beforeAll(async () => void (chdb = await startChdb()), 60_000)
  afterAll(async () => await chdb.close())
  beforeEach(async () => void (store = await openOnClickHouse(chdb)), 60_000)
  afterEach(async () => await store.ledger.close())

  const two = csvOf([1, 2].map((n) => ({ hash: hash(n), from: address(n), block: n })))
  const imported = async (name: string, content: string) =>
    await store.ledger.imported(await store.ledger.file(name, content))
  const received = async (ledgerSeq: number): Promise<number> => {
    const asked = { chain: 'ETH', ledgerSeq, addresses: [address(2_000)], owners: [0] }
    return (await store.transfers.allRows(asked)).length
  }
  async function found(): Promise<string> {
    const { database } = store.ledger
    const { received: sums } = (await readSideSums(store.clickHouse, await rowsToSum(database)))!
    return sumsText(added((await readRowSums(database))!, sums))
  }

  test('the sums find who says in Postgres that a writing does not count', async () => {
    await imported('two.csv', two)
    const before = await found()
    expect(await received(1)).toBe(2)
    await store.ledger.database.execute('UPDATE ledger.store_run SET counted_writes = 0')
    expect(await received(1)).toBe(0)
    expect(await found()).not.toBe(before)
  })

  test('what a Postgres lost that was restored from an older backup never counts, and no number of a run is given again', async () => {
    await imported('two.csv', two)
    const { database } = store.ledger
    await database.execute('TRUNCATE ledger.segment, ledger.store_run')
    await imported('one.csv', csvOf([{ hash: hash(3), from: address(3), block: 3 }]))
    expect(
      await database.query('SELECT run, counted_writes AS counted FROM ledger.store_run ORDER BY run'),
    ).toEqual([
      { run: 1, counted: 0 },
      { run: 2, counted: null },
    ])
    expect(await received(1)).toBe(1)
    const { received: sums } = (await readSideSums(store.clickHouse, await rowsToSum(database)))!
    expect(sums[0]).toBe(1n)
  })

  test('a Postgres that lost too many imports takes no further one', async () => {
    await store.clickHouse.run('INSERT INTO begun VALUES (20000, generateUUIDv4())')
    await expect(imported('two.csv', two)).rejects.toThrow(/20000 imports that Postgres does not know/)
  })

  test('another ClickHouse than that of the imports answers nothing, and takes no import', async () => {
    await imported('two.csv', two)
    const { database } = store.ledger
    const other = openClickHouse({ url: chdb.newDatabase(), timeoutMs: 60_000 })
    await createTransferTables(other)
    // Another installation wrote to it, whose runs have the same numbers.
    await other.run('INSERT INTO begun VALUES (1, generateUUIDv4())')
    const lacks = /lacks what imports of this ledger wrote/
    const asked = { chain: 'ETH', ledgerSeq: 1, addresses: [address(2_000)], owners: [0] }
    const reader = transfersIn(database, other)
    await expect(reader.allRows(asked)).rejects.toThrow(lacks)
    await expect(reader.countRows({ ...asked, limit: 5 })).rejects.toThrow(lacks)
    await expect(requireRuns(database, other)).rejects.toThrow(lacks)
    await requireRuns(database, store.clickHouse)
    await expect(readSideSums(other, await rowsToSum(database))).rejects.toThrow(lacks)
    await expect(neighboursIn(database, other).neighbours({ ...asked, most: 5 })).rejects.toThrow(lacks)
    const file = await store.ledger.file('one.csv', csvOf([{ hash: hash(3), from: address(3), block: 3 }]))
    const request = { file, format: 'csv', chain: 'ETH', importedBy: 'operator:test' }
    await expect(importWith(request, { database }, (own) => transferWriterIn(own, other))).rejects.toThrow(
      lacks,
    )
    await other.close()
  })

  test('an address with two numbers is a fault, and not an address without transfers', async () => {
    await imported('two.csv', two)
    const second = `INSERT INTO ledger.address (chain, address) VALUES ('ETH', $1)`
    await store.ledger.database.execute(second, [address(2_000)])
    await expect(received(1)).rejects.toThrow(/more than one row/)
  })

  test('an acknowledged insert is on the disk of the server', async () => {
    const durable = `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine_full LIKE '%fsync_after_insert = 1%' ORDER BY name`
    expect(await store.clickHouse.rows(durable)).toEqual([['begun'], ['by_height'], ['by_id'], ['side']])
  })

  test('a user whose profile takes part of an answer for all of it gets an error', async () => {
    const { host } = new URL(chdb.newDatabase().replace('clickhouse:', 'http:'))
    await fetch(`http://${host}/?timeout_overflow_mode=break`, { method: 'POST', body: 'SELECT 1' })
    const mode = `SELECT value FROM system.settings WHERE name = 'timeout_overflow_mode'`
    expect(await store.clickHouse.rows(mode)).toEqual([['throw']])
  })

  test('a call without the hash of its transaction refuses its file, and shows nothing of it', async () => {
    const call = { kind: 'internal', hash: '', txIndex: 0, from: address(1), block: 1 }
    const file = await store.ledger.file('calls.csv', csvOf([{ hash: hash(2), from: address(2) }, call]))
    const request = { file, format: 'csv', chain: 'ETH', importedBy: 'operator:test' }
    const result = await importWith(request, { database: store.ledger.database }, store.writer)
    expect(result).toMatchObject({
      status: 'refused',
      message: expect.stringMatching(/without the hash/) as string,
    })
    expect(await received(1)).toBe(0)
  })

  test('the state names missing tables, and whoever asks without them', async () => {
    expect(await missingTables(store.clickHouse)).toEqual([])
    expect(await readStoreState(store.clickHouse)).toMatchObject({
      missing: [],
      version: expect.stringMatching(/^\d+\.\d+/) as string,
    })
    await store.clickHouse.run('DROP TABLE begun')
    expect(await readStoreState(store.clickHouse)).toMatchObject({ missing: ['begun'] })
    await expect(store.clickHouse.rows('SELECT run FROM begun')).rejects.toThrow(
      /ClickHouse did not answer: .*begun/s,
    )
  })
})
