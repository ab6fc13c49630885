/** However many histories the ledger has, nothing that concerns other addresses reads their segments one by one. */
import { compiledDefaultPolicy } from '@cupel/domain'
import type { Database, Queryable } from '@cupel/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  currentLedger,
  declaredRanges,
  examineAddress,
  hasHistories,
  heightsDeclaredFor,
  importLedger,
  ledgerChains,
} from '../src/index.js'
import { address, csvOf, startLedger, type LedgerInstallation } from './installation.js'

const HISTORIES = 3_000
/** Reads from which on Postgres keeps one plan for all values. */
const READS = 8
/** Segments that one read may scan. */
const FEW = 50
const ALL = ['native', 'internal', 'token'] as const

let ledger: LedgerInstallation
beforeAll(async () => {
  ledger = await startLedger()
  await ledger.imported(
    await ledger.file('all.csv', csvOf([{ from: address(1), to: address(2), block: 90 }])),
    { completeFrom: 0, completeTo: 100, covers: ALL },
  )
  await ledger.database.execute(
    `INSERT INTO ledger.segment (ledger_seq, chain, format, file_name, sha256, covers, complete_from, complete_to, replaces,
       asset_table_version, published_at, imported_by, history_address, history_provider, history_height, history_hash,
       history_at_s, history_incomplete)
     SELECT n + 1, 'ETH', 'csv', n || '.jsonl', n, '{native,internal,token}', 0, 100, false, '1', '2026-11-21T00:00:00.000Z', 'test',
       '0x' || lpad(to_hex(n), 40, '5'), 'explorer', 100, '', 1795000000, '{}' FROM generate_series(1, ${HISTORIES}) n`,
  )
}, 60_000)
afterAll(async () => await ledger.close())

/** Segments that the transaction read without an index so far. */
async function scanned(transaction: Queryable): Promise<number> {
  const [row] = await transaction.query<{ rows: number }>(
    `SELECT seq_tup_read AS rows FROM pg_stat_xact_user_tables WHERE schemaname = 'ledger' AND relname = 'segment'`,
  )
  return row!.rows
}

const state = { chain: 'ETH', ledgerSeq: HISTORIES + 1 }

const reads: Readonly<Record<string, (transaction: Queryable) => Promise<unknown>>> = {
  'the declared ranges': (transaction) => declaredRanges(transaction, state),
  'the heights that are declared': (transaction) => heightsDeclaredFor(transaction, 'ETH', ALL),
  'the chains': ledgerChains,
  'whether there are histories': (transaction) => hasHistories(transaction, state),
  'the examination of an address': (transaction) =>
    examineAddress(transaction, {
      ...{ ...state, address: address(1), policy: compiledDefaultPolicy, labelSets: [] },
      ...{ generatedAt: '2026-11-21T00:00:00.000Z', labelsOf: async () => new Map() },
    }),
}

describe.each([
  ['before Postgres took statistics', null],
  ['with statistics of the segments', 'ANALYZE ledger.segment'],
])('%s', (_, analyse) => {
  beforeAll(async () => {
    if (analyse !== null) await ledger.database.execute(analyse)
  })

  test.each(Object.keys(reads))('%s', async (name) => {
    await ledger.database.transaction({ at: 'test' }, async (transaction) => {
      for (let read = 0; read < READS; read += 1) await reads[name]!(transaction)
      expect(await scanned(transaction)).toBeLessThan(FEW)
    })
  })

  test('the import of the next history', async () => {
    const { database } = ledger
    const counts: number[] = []
    const counting: Database = {
      ...database,
      transaction: (options, work) =>
        database.transaction(options, async (transaction) => {
          const result = await work(transaction)
          counts.push(await scanned(transaction))
          return result
        }),
    }
    const { ledgerSeq } = await currentLedger(database)
    const file = await ledger.file(
      'next.csv',
      csvOf([{ from: address(1), to: address(3), block: ledgerSeq }]),
    )
    const told = {
      address: address(3),
      provider: 'explorer',
      height: ledgerSeq,
      hash: '',
      atS: 1_795_000_000,
    }
    const result = await importLedger(
      {
        ...{ file, format: 'csv', chain: 'ETH', importedBy: 'test', completeFrom: 0, completeTo: ledgerSeq },
        ...{ covers: ALL, history: { ...told, incomplete: [] } },
      },
      { database: counting },
    )
    expect(result).toMatchObject({ status: 'imported', ledgerSeq: ledgerSeq + 1 })
    expect(counts.length).toBeGreaterThan(2)
    expect(Math.max(...counts)).toBeLessThan(FEW)
  })
})
