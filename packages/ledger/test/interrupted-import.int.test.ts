import { diesAt } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compareLedger, currentLedger, importLedger, importPrices } from '../src/index.js'
import { address, csvOf, hash, startLedger, type LedgerInstallation } from './installation.js'

/** Three batches. */
const TRANSFERS = 12_000
const TIMEOUT_MS = 120_000

let ledger: LedgerInstallation
beforeEach(async () => {
  ledger = await startLedger()
}, 60_000)
afterEach(async () => await ledger.close())

const transfers = csvOf(
  Array.from({ length: TRANSFERS }, (_, n) => ({ hash: hash(n + 1), from: address(5_000 + n), block: n })),
)

test.each([
  'before:ledger.segment:1',
  'after:ledger.segment:1',
  'before:ledger.batch:1',
  'after:ledger.batch:1',
  'before:ledger.batch:3',
  'after:ledger.batch:2',
  'before:ledger.publish:1',
])(
  'an import that is killed at %s shows nothing, and goes on where it was',
  async (failpoint) => {
    const file = await ledger.file('killed.csv', transfers)
    await killedImporting(file, failpoint)
    expect(await ledger.seen()).toEqual([])
    expect((await currentLedger(ledger.database)).ledgerSeq).toBe(0)
    const summary = await ledger.imported(file)
    expect(summary).toMatchObject({ status: 'imported', rows: TRANSFERS, added: TRANSFERS, ledgerSeq: 1 })
    if (failpoint === 'after:ledger.batch:2') expect(summary.resumedAt).toBe(10_000)
    expect(await ledger.seen()).toHaveLength(TRANSFERS)
  },
  TIMEOUT_MS,
)

test(
  'an import that is killed after its publication is whole, and its event is kept',
  async () => {
    const file = await ledger.file('published.csv', transfers)
    await killedImporting(file, 'after:ledger.publish:1')
    expect(await ledger.seen()).toHaveLength(TRANSFERS)
    expect(await ledger.imported(file)).toMatchObject({ status: 'already-imported', ledgerSeq: 1 })
    expect(await ledger.database.query('SELECT 1 FROM projection.outbox')).toHaveLength(1)
  },
  TIMEOUT_MS,
)

test(
  'what a killed import left unseen is taken over by the next file that tells it',
  async () => {
    const killed = await ledger.file('killed.csv', transfers)
    await killedImporting(killed, 'after:ledger.batch:2')
    await ledger.imported(await ledger.file('other.csv', `${transfers}\n`))
    expect(await ledger.seen()).toHaveLength(TRANSFERS)
    expect(await ledger.imported(killed)).toMatchObject({ status: 'imported', ledgerSeq: 2 })
    expect(await ledger.seen()).toHaveLength(TRANSFERS)
  },
  TIMEOUT_MS,
)

test(
  'two imports of one file at once are one',
  async () => {
    const file = await ledger.file('twice.csv', transfers)
    const results = await Promise.all([ledger.imported(file), ledger.imported(file)])
    expect(results.map(({ status }) => status).sort()).toEqual(['already-imported', 'imported'])
    expect(await ledger.seen()).toHaveLength(TRANSFERS)
  },
  TIMEOUT_MS,
)

test(
  'the first file is stored without indexes, and no state is seen without them, whichever import gets there',
  async () => {
    const small = csvOf([{ hash: hash(1), from: address(1) }])
    const indexes = async (): Promise<number> =>
      (
        await ledger.database.query(
          `SELECT 1 FROM pg_indexes WHERE schemaname = 'ledger' AND indexname IN ('transfer_id', 'transfer_from', 'transfer_to')`,
        )
      ).length
    expect(await indexes()).toBe(3)
    const file = await ledger.file('killed.csv', transfers)
    await killedImporting(file, 'after:ledger.batch:1')
    expect(await indexes()).toBe(0)
    const other = await ledger.file('other.csv', small.replaceAll('ETH', 'BSC'))
    await ledger.imported(other, { chain: 'BSC' })
    expect(await indexes()).toBe(3)
    await ledger.imported(file)
    expect(await indexes()).toBe(3)
  },
  TIMEOUT_MS,
)

test(
  'a transfer that the first file tells again in a later batch counts once, whatever came between',
  async () => {
    const [heading, first, ...others] = transfers.trimEnd().split('\n')
    const again = [heading, first, ...others, first, others.at(-1), ''].join('\n')
    const summary = await ledger.imported(await ledger.file('again.csv', again))
    expect(summary).toMatchObject({ rows: TRANSFERS + 2, added: TRANSFERS, known: 2 })
    expect(await ledger.seen()).toHaveLength(TRANSFERS)
    await ledger.relay()
    expect(await compareLedger(ledger)).toEqual([])
  },
  TIMEOUT_MS,
)

test.each([
  ['stores', 1],
  ['publishes', 3],
])(
  'an import whose stored rows were lost or taken over meanwhile %s nothing more',
  async (_what, batches) => {
    const file = await ledger.file('taken.csv', transfers)
    let stored = 0
    const database: typeof ledger.database = {
      ...ledger.database,
      async transaction(options, work) {
        const result = await ledger.database.transaction(options, work)
        // As another import of the chain does where the lock of this one ended with its connection.
        if (options.at === 'ledger.batch' && (stored += 1) === batches)
          await ledger.database.execute(`UPDATE ledger.segment SET rows_done = 0, counts = '{}'`)
        return result
      },
    }
    const request = { file, format: 'csv', chain: 'ETH', importedBy: 'operator:test' }
    await expect(importLedger(request, { database })).rejects.toThrow('import the file again')
    expect(stored).toBe(batches)
    expect((await currentLedger(ledger.database)).ledgerSeq).toBe(0)
    expect(await ledger.imported(file)).toMatchObject({ status: 'imported', rows: TRANSFERS, ledgerSeq: 1 })
    expect(await ledger.seen()).toHaveLength(TRANSFERS)
    await ledger.relay()
    expect(await compareLedger(ledger)).toEqual([])
  },
  TIMEOUT_MS,
)

test(
  'an import of a file that is refused has stored nothing more once it ends',
  async () => {
    const file = await ledger.file('cut.csv', `${transfers}ETH,1\n`)
    const refused = await importLedger(
      { file, format: 'csv', chain: 'ETH', importedBy: 'operator:test' },
      { database: ledger.database },
    )
    expect(refused).toMatchObject({ status: 'refused', line: TRANSFERS + 2 })
    const { total, idle } = ledger.database.poolSize
    expect(total - idle).toBe(0)
  },
  TIMEOUT_MS,
)

test.each([
  ['before:ledger.prices:1', 0, 'imported'],
  ['after:ledger.prices:1', 1, 'already-imported'],
] as const)(
  'an import of prices that is killed at %s is in force with its event, or not at all',
  async (failpoint, events, status) => {
    const file = await ledger.file('prices.csv', 'day,asset,usd\n2026-11-20,ETH,3012.55\n')
    await killedImporting(file, failpoint, 'prices')
    const outbox = (): Promise<unknown[]> => ledger.database.query('SELECT 1 FROM projection.outbox')
    expect(await outbox()).toHaveLength(events)
    expect((await currentLedger(ledger.database)).pricesSha256 === null).toBe(events === 0)
    const repeated = await importPrices({ file, importedBy: 'operator:test' }, { database: ledger.database })
    expect(repeated).toMatchObject({ status, priceSeq: 1 })
    expect(await outbox()).toHaveLength(1)
  },
  TIMEOUT_MS,
)

function killedImporting(
  file: string,
  failpoint: string,
  kind: 'transfers' | 'prices' = 'transfers',
): Promise<void> {
  const importedBy = 'operator:child'
  return diesAt(ledger.connectionString, failpoint, async ({ database }) => {
    if (kind === 'prices') await importPrices({ file, importedBy }, { database })
    else await importLedger({ file, format: 'csv', chain: 'ETH', importedBy }, { database })
  })
}
