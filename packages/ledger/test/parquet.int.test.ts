import { writeFileSync } from 'node:fs'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { address, hash, startLedger, type LedgerInstallation } from './installation.js'

let ledger: LedgerInstallation
beforeAll(async () => {
  ledger = await startLedger()
}, 60_000)
afterAll(async () => await ledger.close())

test('a Parquet file states the movements that a CSV file states, and each counts once', async () => {
  const heading = [
    'hash',
    'from_address',
    'to_address',
    'value',
    'block_number',
    'receipt_status',
    'gas_price',
  ]
  const rows = [1, 2, 3].map((n) => [
    ...[hash(n), address(n), address(n + 1), String(10n ** 17n + BigInt(n)), String(n), '1', '1'],
  ])
  const csv = await ledger.file('transactions.csv', [heading, ...rows].map((row) => row.join()).join('\n'))
  const parquet = await ledger.file('transactions.parquet', '')
  const columnData = heading.map((name, at) => ({
    name,
    data: rows.map((row) => row[at]),
    type: 'STRING' as const,
  }))
  writeFileSync(parquet, Buffer.from(parquetWriteBuffer({ columnData })))
  const range = { format: 'ethereum-etl', completeFrom: 0, completeTo: 3 }
  expect(await ledger.imported(parquet, range)).toMatchObject({ rows: 3, added: 3, known: 0 })
  expect(await ledger.imported(csv, range)).toMatchObject({ rows: 3, added: 0, known: 3 })
  const seen = await ledger.seen()
  expect(seen).toHaveLength(3)
  expect(seen[0]).toMatchObject({ amount: '100000000000000001', kind: 'native', proven: true })
})
