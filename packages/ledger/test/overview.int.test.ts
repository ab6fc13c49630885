/** The ledger at a glance, and the list of its imports. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { importLockOf } from '../src/import-lock.js'
import { listImports, readLedgerOverview } from '../src/index.js'
import { csvOf, IMPORTED_AT, startLedger, type LedgerInstallation } from './installation.js'

let ledger: LedgerInstallation
beforeEach(async () => {
  ledger = await startLedger()
}, 60_000)
afterEach(async () => await ledger.close())

const overview = () =>
  readLedgerOverview(ledger.database, { nowS: Date.parse(IMPORTED_AT) / 1_000, maxAgeHours: 72 })
const imports = async (chain?: string) =>
  await listImports(ledger.database, {
    before: null,
    pageSize: 10,
    ...(chain === undefined ? {} : { chain }),
  })
const file = (name: string, blocks: readonly number[]) =>
  ledger.file(name, csvOf(blocks.map((block) => ({ block }))))
const range = { completeFrom: 0, completeTo: 200, covers: ['native', 'token'] } as const
/** A file whose import died after some rows. */
const interrupt = (name: string, rows: number) =>
  ledger.database.execute(
    `INSERT INTO ledger.segment (chain, format, file_name, sha256, covers, replaces, asset_table_version, rows_done, imported_by)
     VALUES ('ETH', 'csv', $1, $1, '{}', false, '1.0.0', $2, 'operator:test')`,
    [name, rows],
  )

test('an empty ledger has no chain', async () => {
  expect(await overview()).toEqual({
    ...{ ledgerSeq: 0, chains: [], providers: [], readings: { reading: 0, read: 0, failed: 0 } },
  })
})

test('each chain has its files, its declared kinds, and what they lack', async () => {
  await ledger.imported(await file('a.csv', [100, 120]), range)
  await interrupt('b.csv', 7)
  await ledger.database.execute(
    `UPDATE ledger.segment SET asset_table_version = '0.9.0' WHERE file_name = 'a.csv'`,
  )
  expect(await overview()).toMatchObject({
    ledgerSeq: 1,
    chains: [
      {
        ...{ chain: 'ETH', imports: 1, openImports: 1, outdatedImports: 1, transfers: 2, lastHeight: 120 },
        importedAt: IMPORTED_AT,
        kinds: [
          { kind: 'native', faults: [], gaps: [], ranges: [{ fromHeight: 0, toHeight: 200 }] },
          { kind: 'internal', faults: ['undeclared'] },
          { kind: 'token', faults: [] },
        ],
      },
    ],
  })
})

test('calls to providers count on their day only, and readings of the last day by how they ended or that nobody reads on', async () => {
  await ledger.database.execute(
    `INSERT INTO ledger.history_call VALUES ('a', (now() AT TIME ZONE 'UTC')::date, 12, now()), ('b', '2026-01-01', 900, now())`,
  )
  await ledger.database.execute(
    `INSERT INTO ledger.history_progress (account_id, chain, address, state, reason, provider, pages, waiting, told_at)
     SELECT 'acc', 'ETH', state, state, '', 'a', 1, 0, now() FROM unnest('{reading,read,failed,splendid}'::text[]) AS state`,
  )
  // Its process has died, and nobody has forgotten the old ones yet.
  await ledger.database.execute(
    `INSERT INTO ledger.history_progress (account_id, chain, address, state, reason, provider, pages, waiting, told_at)
     SELECT 'acc', 'ETH', state || at, state, '', 'a', 1, 0, now() - at::interval
     FROM unnest('{reading,read}'::text[]) AS state, unnest('{1 minute,25 hours}'::text[]) AS at`,
  )
  expect(await overview()).toMatchObject({
    providers: [
      { provider: 'a', callsToday: 12 },
      { provider: 'b', callsToday: 0, day: '2026-01-01' },
    ],
    readings: { reading: 1, read: 2, failed: 3 },
  })
})

test('an import that is not complete runs only where it holds the lock of its chain', async () => {
  await ledger.imported(await file('a.csv', [100]), range)
  await interrupt('b.csv', 7)
  const stateOf = async (name: string) =>
    (await imports()).items.find(({ fileName }) => fileName === name)?.state
  expect(await stateOf('b.csv')).toBe('interrupted')
  await ledger.database.withConnection(async (connection) => {
    await connection.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [importLockOf('BTC')])
    expect(await stateOf('b.csv')).toBe('interrupted')
    await connection.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [importLockOf('ETH')])
    expect(await stateOf('b.csv')).toBe('importing')
    expect(await stateOf('a.csv')).toBe('imported')
    // Which of two runs is not certain: none is shown as running.
    await interrupt('c.csv', 3)
    expect([await stateOf('b.csv'), await stateOf('c.csv')]).toEqual(['interrupted', 'interrupted'])
    await ledger.database.execute(`UPDATE ledger.segment SET rows_done = 0 WHERE file_name = 'b.csv'`)
    expect([await stateOf('b.csv'), await stateOf('c.csv')]).toEqual(['interrupted', 'importing'])
    await connection.query('SELECT pg_advisory_unlock_all()')
  })
})

test('imports are listed newest first in pages, without the histories of single addresses', async () => {
  for (const [index, name] of ['a.csv', 'b.csv', 'c.csv'].entries())
    await ledger.imported(await file(name, [100 + index]))
  await ledger.database.execute(`UPDATE ledger.segment SET history_address = '0xa' WHERE file_name = 'b.csv'`)
  const first = await listImports(ledger.database, { before: null, pageSize: 1 })
  expect(first.items.map(({ fileName }) => fileName)).toEqual(['c.csv'])
  const second = await listImports(ledger.database, { before: first.next, pageSize: 1 })
  expect(second).toMatchObject({ items: [{ fileName: 'a.csv' }], next: null })
  expect(second.items[0]!.startedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect((await imports('BTC')).items).toEqual([])
})
