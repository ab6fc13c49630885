/** An import whose file a thread reads is the import of that file. */
import { diesAt } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compareLedger, importLedger } from '../src/index.js'
import { address, csvOf, hash, IMPORTED_AT, startLedger, type LedgerInstallation } from './installation.js'

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

const importIn = (
  { database }: Pick<LedgerInstallation, 'database'>,
  file: string,
  threadFromBytes: number,
): ReturnType<typeof importLedger> =>
  importLedger(
    { file, format: 'csv', chain: 'ETH', importedBy: 'operator:test' },
    { database, now: () => new Date(IMPORTED_AT), threadFromBytes },
  )

/** The numbers of addresses are those of their order, so the sums are those of the rows. */
const sumsOf = async ({ database }: LedgerInstallation): Promise<unknown> =>
  await database.query(
    'SELECT rows_done, counts, first_height, last_height, row_sums::text FROM ledger.segment',
  )

test(
  'its rows are those that its importer would read',
  async () => {
    const other = await startLedger()
    try {
      const file = await ledger.file('transfers.csv', transfers)
      expect(await importIn(ledger, file, 0)).toMatchObject({ status: 'imported', added: TRANSFERS })
      expect(await importIn(other, file, Infinity)).toMatchObject({ status: 'imported', added: TRANSFERS })
      expect(await sumsOf(ledger)).toEqual(await sumsOf(other))
      await ledger.relay()
      expect(await compareLedger(ledger)).toEqual([])
    } finally {
      await other.close()
    }
  },
  TIMEOUT_MS,
)

test.each(['before:ledger.batch:1', 'after:ledger.batch:2', 'before:ledger.publish:1'])(
  'one that is killed at %s shows nothing, and goes on where it was',
  async (failpoint) => {
    const file = await ledger.file('killed.csv', transfers)
    await diesAt(ledger.connectionString, failpoint, async (life) => void (await importIn(life, file, 0)))
    expect(await ledger.seen()).toEqual([])
    const resumed = await importIn(ledger, file, 0)
    expect(resumed).toMatchObject({ status: 'imported', rows: TRANSFERS, added: TRANSFERS, ledgerSeq: 1 })
    if (failpoint === 'after:ledger.batch:2') expect(resumed).toMatchObject({ resumedAt: 10_000 })
    expect(await ledger.seen()).toHaveLength(TRANSFERS)
    await ledger.relay()
    expect(await compareLedger(ledger)).toEqual([])
  },
  TIMEOUT_MS,
)

test(
  'one of a file that is refused has stored nothing more once it ends',
  async () => {
    const file = await ledger.file('cut.csv', `${transfers}ETH,1\n`)
    expect(await importIn(ledger, file, 0)).toMatchObject({ status: 'refused', line: TRANSFERS + 2 })
    const { total, idle } = ledger.database.poolSize
    expect(total - idle).toBe(0)
  },
  TIMEOUT_MS,
)
