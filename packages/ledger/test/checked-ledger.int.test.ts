/** The rows of segments and price tables are compared with the log at a cost that does not grow, and what nobody stated is named. */
import type { Queryable } from '@cupel/postgres'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { compareLedger, createLedgerCheck, importPrices } from '../src/index.js'
import { startLedger, type LedgerInstallation } from './installation.js'

const HEADING =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status'
const [FROM, TO] = [
  '0x1111111111111111111111111111111111111111',
  '0x2222222222222222222222222222222222222222',
]
const SEGMENTS = 9
/** The sender and the receiver of the transfers of all segments. */
const ADDRESSES = 2
const SLICE_ROWS = 2

let installation: LedgerInstallation
beforeAll(async () => {
  installation = await startLedger()
  for (let block = 1; block <= SEGMENTS; block += 1) {
    const row = `ETH,${block},2026-11-20T00:00:00Z,0x${String(block).padStart(64, '0')},,native,ETH,,${FROM},${TO},1000000000000000000,1,,test,1`
    await installation.imported(await installation.file(`${block}.csv`, `${HEADING}\n${row}\n`))
  }
  for (const [name, usd] of [
    ['a', '1'],
    ['b', '2'],
  ] as const) {
    const file = await installation.file(`${name}.csv`, `day,asset,usd\n2026-11-20,ETH,${usd}\n`)
    expect(await importPrices({ file, importedBy: 'test' }, installation)).toMatchObject({
      status: 'imported',
    })
  }
  await installation.relay()
  await installation.database.execute('CREATE SCHEMA kept')
  for (const table of TABLES)
    await installation.database.execute(`CREATE TABLE kept.${table} AS SELECT * FROM ledger.${table}`)
})
afterEach(async () => {
  for (const table of TABLES) {
    await installation.database.execute(`DELETE FROM ledger.${table}`)
    await installation.database.execute(
      `INSERT INTO ledger.${table} OVERRIDING SYSTEM VALUE SELECT * FROM kept.${table}`,
    )
  }
})
afterAll(() => installation.close())

const TABLES = ['segment', 'transfer', 'price_import', 'price'] as const

/** The statements of the first look, and of later ones. */
const HASHING: readonly (string | undefined)[] = ['ledger.hashes', 'ledger.current']

/** Counts the rows that a look reads of segments and price tables. */
function counting(database: Queryable, counted: { rows: number }): Queryable {
  return {
    ...database,
    async query(statement, values) {
      if (typeof statement !== 'string' && HASHING.includes(statement.name)) {
        const each = statement.text.replace(/^[\s\S]*?FROM \(/, 'SELECT count(*)::int8 AS rows FROM (')
        const text = each.replace(/GROUP BY slice\s*$/, '')
        const [found] = await database.query<{ rows: number }>(text, values)
        counted.rows = found!.rows
      }
      return await database.query(statement, values)
    },
  }
}

test('a look without a change reads one slice and the newest rows, however many segments there are', async () => {
  const counted = { rows: 0 }
  const { log, codec, database } = installation
  const check = createLedgerCheck(
    { log, codec, database: counting(database, counted) },
    { sliceRows: SLICE_ROWS },
  )
  expect(await check()).toEqual({
    ...{ ledgerSeq: SEGMENTS, pricesSha256: expect.any(String) as string },
    ...{
      fault: null,
      unstated: null,
      replacements: 0,
      rowSums: expect.arrayContaining([BigInt(SEGMENTS + ADDRESSES)]) as bigint[],
    },
  })
  expect(counted.rows).toBe(SEGMENTS + 2)
  for (let look = 0; look < SEGMENTS; look += 1) {
    await check()
    // A slice has segments and price tables.
    expect(counted.rows).toBeLessThanOrEqual(4 * SLICE_ROWS)
  }
})

test.each([
  [
    'the first segment, altered',
    'UPDATE ledger.segment SET complete_to = 7 WHERE ledger_seq = 1',
    'segment 1',
  ],
  ['a segment between, deleted', 'DELETE FROM ledger.segment WHERE ledger_seq = 5', 'lacks segment 5'],
  [
    'a segment between, hidden',
    'UPDATE ledger.segment SET ledger_seq = -5 WHERE ledger_seq = 5',
    'segment 5',
  ],
  [
    'the last segment, altered',
    `UPDATE ledger.segment SET chain = 'BSC' WHERE ledger_seq = ${SEGMENTS}`,
    'chain',
  ],
  [
    'an earlier price table',
    `UPDATE ledger.price_import SET imported_at = 'x' WHERE price_seq = 1`,
    'table 1',
  ],
])('%s, is found by a check that runs before every slice had two turns', async (_, statement, words) => {
  const check = createLedgerCheck(installation, { sliceRows: SLICE_ROWS })
  await check()
  await installation.database.execute(statement)
  const faults = []
  for (let look = 0; look <= SEGMENTS / SLICE_ROWS + 1; look += 1) faults.push((await check()).fault)
  expect(faults).toContainEqual(expect.stringContaining(words))
  // It does not go away before the rows are right.
  expect(faults.at(-1)).not.toBeNull()
})

test('callers at once share a look, so that no event of the log counts twice', async () => {
  const check = createLedgerCheck(installation)
  const states = await Promise.all([check(), check(), check()])
  expect(states.map(({ fault, ledgerSeq }) => [fault, ledgerSeq])).toEqual(
    Array.from({ length: 3 }, () => [null, SEGMENTS]),
  )
})

test('a look finds its segments and tables of prices by their numbers', async () => {
  const plans: string[] = []
  await installation.database.transaction({ at: 'test' }, async (transaction) => {
    // A table of nine rows is read whole otherwise.
    await transaction.execute('SET LOCAL enable_seqscan = off')
    const query: Queryable['query'] = async (statement, values) => {
      if (typeof statement !== 'string' && HASHING.includes(statement.name)) {
        const plan = await transaction.query(`EXPLAIN ${statement.text}`, values)
        plans.push(plan.map((row) => String(row['QUERY PLAN'])).join('\n'))
      }
      return await transaction.query(statement, values)
    }
    const database = { ...transaction, query }
    const check = createLedgerCheck({ ...installation, database }, { sliceRows: SLICE_ROWS })
    await check()
    await check()
  })
  expect(plans).toHaveLength(2)
  for (const plan of plans)
    for (const number of ['ledger_seq', 'price_seq'])
      expect(plan).toMatch(new RegExp(String.raw`Index Cond: \(+${number} >=`))
})

const forged = `INSERT INTO ledger.segment (ledger_seq, chain, format, file_name, sha256, covers, complete_from, complete_to,
     replaces, asset_table_version, published_at, imported_by)
   VALUES (${SEGMENTS + 1}, 'ETH', 'csv', 'forged.csv', 'x', '{native,internal,token}', 0, 9, false, '1',
     '2026-11-21T00:00:00.000Z', 'x')`

test.each([
  [
    'a segment of which no event tells',
    forged,
    /segment 10 \(forged\.csv\), which no event of the log states/,
  ],
  ['an altered segment', 'UPDATE ledger.segment SET complete_to = 7 WHERE ledger_seq = 3', /segment 3 with/],
  ['an altered price', 'UPDATE ledger.price SET micro_usd = 1', /prices of the table/],
  ['deleted prices', 'DELETE FROM ledger.price', /lacks the prices/],
])('an untouched ledger is what the log states, and one with %s is not', async (_, statement, words) => {
  expect(await compareLedger(installation)).toEqual([])
  await installation.database.execute(statement)
  expect(await compareLedger(installation)).toContainEqual(expect.stringMatching(words))
})

test('a segment whose event waits in the outbox is what the log will state', async () => {
  const row = `ETH,99,2026-11-20T00:00:00Z,0x${'9'.padStart(64, '0')}9,,native,ETH,,${FROM},${TO},1,0,,test,1`
  const file = await installation.file(
    '99.csv',
    `${HEADING}\n${row.replace(/0x\d+,/, `0x${'99'.padStart(64, '0')},`)}\n`,
  )
  await installation.database.transaction({ at: 'test' }, async (holding) => {
    // The relay takes turns with whoever has this lock.
    await holding.query(`SELECT pg_advisory_xact_lock(hashtextextended('cupel.outbox-relay', 0))`)
    await installation.imported(file)
    expect(await compareLedger(installation)).toEqual([])
    expect(await createLedgerCheck(installation)()).toMatchObject({
      ...{ ledgerSeq: SEGMENTS, fault: null },
      unstated: expect.stringContaining('99.csv') as string,
    })
  })
  await installation.relay()
  expect(await createLedgerCheck(installation)()).toMatchObject({ ledgerSeq: SEGMENTS + 1, unstated: null })
})
