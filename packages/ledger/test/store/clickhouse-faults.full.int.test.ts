import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { importWith } from '../../src/import-ledger.js'
import { added, readRowSums, sumsText } from '../../src/row-sums.js'
import { missingTables, readSideSums, readStoreState, rowsToSum } from '../../src/store/clickhouse/index.js'
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

  test('a Postgres that was restored from an older backup gives no number of a run again', async () => {
    await imported('two.csv', two)
    const { database } = store.ledger
    await database.execute('TRUNCATE ledger.segment, ledger.store_run')
    await imported('one.csv', csvOf([{ hash: hash(3), from: address(3), block: 3 }]))
    expect(await database.query('SELECT run FROM ledger.store_run')).toEqual([{ run: 2 }])
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
