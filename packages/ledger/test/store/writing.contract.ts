/** What every store of transfers keeps of imports: what a segment brings counts once and with its segment, whatever died meanwhile. */
import type { Database } from '@cupel/postgres'
import { diesAt } from '@cupel/testkit/installation'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LedgerImportRequest } from '../../src/index.js'
import { added, NO_ROWS, sumsOf, sumsText, type RowSums } from '../../src/row-sums.js'
import type { StoredRow, TransferReader } from '../../src/store/transfer-store.js'
import { address, csvOf, hash, type CsvTransfer, type LedgerInstallation } from '../installation.js'

export interface WriterUnderTest {
  readonly ledger: LedgerInstallation
  readonly transfers: TransferReader
  /** Imports with connections of its own, which may end at any time. */
  importWith(request: LedgerImportRequest, database: Database): Promise<unknown>
  /** The sums of all rows, of both sides if the store has two. */
  sums(): Promise<readonly RowSums[]>
  /** Another amount in the row of the hash that the address sent: what an intruder does. */
  alter(row: { readonly txHash: string; readonly from: string }): Promise<void>
}

/** Three batches. */
const TRANSFERS = 12_000
const TIMEOUT_MS = 120_000
const RECEIVER = address(2_000)
const RECEIPTS = 'transaction_hash,cumulative_gas_used,status'

export function transferWriterContract(name: string, open: () => Promise<WriterUnderTest>): void {
  describe(name, () => {
    let store: WriterUnderTest
    beforeEach(async () => {
      store = await open()
    }, 60_000)
    afterEach(async () => await store.ledger.close())

    let files = 0
    const imported = async (content: string, request: Partial<LedgerImportRequest> = {}) =>
      await store.ledger.imported(await store.ledger.file(`${(files += 1)}.csv`, content), request)
    const rowsOf = async (one: string, ledgerSeq: number): Promise<readonly StoredRow[]> =>
      await store.transfers.allRows({ chain: 'ETH', ledgerSeq, addresses: [one], owners: [0] })
    const received = async (ledgerSeq: number): Promise<number> => (await rowsOf(RECEIVER, ledgerSeq)).length

    /** What the segments say that they changed. */
    async function stated(): Promise<string> {
      const rows = await store.ledger.database.query<{ sums: string }>(
        `SELECT array_to_string(row_sums, ',') AS sums FROM ledger.segment`,
      )
      return sumsText(rows.reduce((sums, row) => added(sums, sumsOf(row.sums)), NO_ROWS))
    }
    async function expectStatedRows(): Promise<void> {
      for (const sums of await store.sums()) expect(sumsText(sums)).toBe(await stated())
    }

    const many = csvOf(
      Array.from({ length: TRANSFERS }, (_, n) => ({
        hash: hash(n + 1),
        from: address(5_000 + n),
        block: n,
      })),
    )
    const killedImporting = async (file: string, failpoint: string): Promise<void> => {
      const request = { file, format: 'csv', chain: 'ETH', importedBy: 'operator:child' }
      await diesAt(store.ledger.connectionString, failpoint, async ({ database }) => {
        await store.importWith(request, database)
      })
    }

    test.each([
      'before:ledger.segment:1',
      'after:ledger.segment:1',
      'before:ledger.batch:1',
      'after:ledger.batch:1',
      'before:ledger.batch:3',
      'before:ledger.publish:1',
    ])(
      'an import that dies at %s shows nothing, and goes on without counting anything twice',
      async (failpoint) => {
        const file = await store.ledger.file('killed.csv', many)
        await killedImporting(file, failpoint)
        expect(await received(1)).toBe(0)
        await expectStatedRows()
        expect(await store.ledger.imported(file)).toMatchObject({ rows: TRANSFERS, ledgerSeq: 1 })
        expect(await received(1)).toBe(TRANSFERS)
        await expectStatedRows()
      },
      TIMEOUT_MS,
    )

    test(
      'what a dead import left is told by the next file, and once more by its own',
      async () => {
        const killed = await store.ledger.file('killed.csv', many)
        await killedImporting(killed, 'after:ledger.batch:2')
        await imported(`${many}\n`)
        expect(await received(1)).toBe(TRANSFERS)
        await expectStatedRows()
        expect(await store.ledger.imported(killed)).toMatchObject({ status: 'imported', ledgerSeq: 2 })
        expect(await received(2)).toBe(TRANSFERS)
        await expectStatedRows()
      },
      TIMEOUT_MS,
    )

    test('a file that tells known transfers again adds none of them', async () => {
      const rows = [{ hash: hash(1) }, { hash: hash(2) }] as const
      await imported(csvOf(rows))
      const again = await imported(csvOf([...rows, { hash: hash(3) }]))
      expect(again).toMatchObject({ added: 1, known: 2 })
      expect([await received(1), await received(2)]).toEqual([2, 3])
      await expectStatedRows()
    })

    test('receipts prove transfers and call others failed, from their state on', async () => {
      const untold: CsvTransfer = { status: '' }
      await imported(csvOf([1, 2, 3].map((n) => ({ ...untold, hash: hash(n), from: address(n), block: n }))))
      const receipts = `${RECEIPTS}\n${hash(1)},1,1\n${hash(2)},1,0\n`
      await imported(receipts, { format: 'ethereum-etl' })
      const proven = async (n: number, ledgerSeq: number) =>
        (await rowsOf(address(n), ledgerSeq)).map((row) => row[10])
      expect(await Promise.all([1, 2, 3].map((n) => proven(n, 1)))).toEqual([['f'], ['f'], ['f']])
      expect(await Promise.all([1, 2, 3].map((n) => proven(n, 2)))).toEqual([['t'], [], ['f']])
      await expectStatedRows()
    })

    test('receipts that contradict a proof are told, and it stands', async () => {
      await imported(csvOf([{ hash: hash(1), from: address(1) }]))
      await imported(`${RECEIPTS}\n${hash(1)},1,0\n`, { format: 'ethereum-etl' })
      expect((await rowsOf(address(1), 2)).map((row) => row[10])).toEqual(['t'])
      const [, second] = await store.ledger.database.query<{ counts: object }>(
        'SELECT counts FROM ledger.segment ORDER BY segment_id',
      )
      expect(second!.counts).toMatchObject({ contradicted: 1 })
    })

    test('a transfer without a time has that of its block, from the state of the blocks on', async () => {
      await imported(csvOf([{ hash: hash(1), block: 77, time: '' }]))
      const atS = Date.parse('2026-10-01T00:00:00Z') / 1_000
      expect(await imported(`number,timestamp\n77,${atS}\n`, { format: 'blocks' })).toMatchObject({
        timed: 1,
      })
      const times = async (ledgerSeq: number) => (await rowsOf(RECEIVER, ledgerSeq)).map((row) => row[7])
      expect([await times(1), await times(2)]).toEqual([[''], [String(atS)]])
      const bundles = async (ledgerSeq: number) =>
        await store.transfers.bundles({ chain: 'ETH', ledgerSeq, addresses: [RECEIVER], beyond: 0 })
      expect(await bundles(1)).toMatchObject([{ firstAtS: null, lastAtS: null }])
      expect(await bundles(2)).toMatchObject([{ firstAtS: String(atS), lastAtS: String(atS) }])
    })

    test('a range that is replaced keeps what both files tell, with the new block', async () => {
      const pay = (n: number, block: number): CsvTransfer => ({ hash: hash(n), from: address(n), block })
      const range = { completeFrom: 10, completeTo: 20, covers: ['native'] as const }
      await imported(csvOf([pay(1, 10), pay(2, 12)]), range)
      await imported(csvOf([pay(2, 13)]), { ...range, replace: true })
      await expectStatedRows()
      expect(await rowsOf(address(1), 2)).toEqual([])
      expect((await rowsOf(address(2), 2)).map((row) => row[6])).toEqual(['13'])
      await imported(csvOf([pay(1, 11), pay(2, 13)]), { ...range, replace: true })
      expect((await rowsOf(address(1), 3)).map((row) => row[6])).toEqual(['11'])
      await expectStatedRows()
    })

    test('a transaction that a reorganisation moved to a later block counts again once a file tells it there', async () => {
      const pay = (block: number): CsvTransfer => ({ hash: hash(1), from: address(1), block })
      const range = { completeFrom: 10, completeTo: 20, covers: ['native'] as const }
      await imported(csvOf([pay(20), { hash: hash(2), from: address(2), block: 11 }]), range)
      await imported(csvOf([{ hash: hash(2), from: address(2), block: 11 }]), { ...range, replace: true })
      expect(await rowsOf(address(1), 2)).toEqual([])
      // A file of the block that was replaced does not bring it back.
      await imported(csvOf([pay(20)]))
      expect(await rowsOf(address(1), 3)).toEqual([])
      await imported(csvOf([pay(21)]), { completeFrom: 21, completeTo: 30, covers: ['native'] })
      expect((await rowsOf(address(1), 4)).map((row) => row[6])).toEqual(['21'])
      await expectStatedRows()
    })

    const movedFrom20 = {
      range: { completeFrom: 10, completeTo: 20, covers: ['native'] as const },
      other: { hash: hash(2), from: address(2), block: 11 },
      pay: (block: number | '', status = '1'): CsvTransfer => ({
        hash: hash(1),
        from: address(1),
        block,
        status,
      }),
    }
    const payments = async (ledgerSeq: number) => (await rowsOf(address(1), ledgerSeq)).map((row) => row[6])

    test.each([
      { to: 21, later: { completeFrom: 21, completeTo: 30 } },
      { to: 9, later: { completeFrom: 0, completeTo: 9 } },
    ])(
      'a transaction that a reorganisation moved to block $to counts there, if that block was imported before the old one is replaced',
      async ({ to, later }) => {
        const { range, other, pay } = movedFrom20
        await imported(csvOf([{ ...pay(20), txIndex: 3 }, other]), range)
        const time = '2026-11-20T01:00:00Z'
        await imported(csvOf([{ ...pay(to, ''), txIndex: 4, time }]), { ...later, covers: ['native'] })
        expect([await payments(1), await payments(2)]).toEqual([['20'], ['20']])
        expect(await imported(csvOf([other]), { ...range, replace: true })).toMatchObject({ retired: 0 })
        expect((await rowsOf(address(1), 3)).map((row) => [...row.slice(6, 9), row[10]])).toEqual([
          [String(to), String(Date.parse(time) / 1_000), '4', 't'],
        ])
        await expectStatedRows()
        expect(
          await imported(csvOf([other]), { ...later, replace: true, covers: ['native'] }).catch(String),
        ).toMatch(/outside the range/)
        expect(await imported(csvOf([]), { ...later, replace: true, covers: ['native'] })).toMatchObject({
          retired: 1,
        })
        expect(await payments(4)).toEqual([])
        await expectStatedRows()
      },
    )

    test('a payment that fails in its new block does not move there', async () => {
      const { range, other, pay } = movedFrom20
      await imported(csvOf([pay(20), other]), range)
      await imported(csvOf([pay(21, '0')]))
      await imported(csvOf([other]), { ...range, replace: true })
      expect([await payments(2), await payments(3)]).toEqual([['20'], []])
      await expectStatedRows()
    })

    test('a transaction does not move to a block that only a dead import tells', async () => {
      const { range, other, pay } = movedFrom20
      await imported(csvOf([pay(20), other]), range)
      await killedImporting(
        await store.ledger.file('killed.csv', csvOf([pay(21)])),
        'before:ledger.publish:1',
      )
      await imported(csvOf([other]), { ...range, replace: true })
      expect([await payments(1), await payments(2)]).toEqual([['20'], []])
      await expectStatedRows()
    })

    test('a transfer that is told again counts from that state on, once its import is whole', async () => {
      const { range, other, pay } = movedFrom20
      await imported(csvOf([pay(20), other]), range)
      await imported(csvOf([other]), { ...range, replace: true })
      await killedImporting(
        await store.ledger.file('killed.csv', csvOf([pay(21)])),
        'before:ledger.publish:1',
      )
      // A store may say the new block of an earlier state too.
      expect([(await payments(1)).length, await payments(2)]).toEqual([1, []])
      expect(await imported(csvOf([pay(20)]))).toMatchObject({ known: 0, leftOut: { retired: 1 } })
      expect(await payments(3)).toEqual([])
      await imported(csvOf([pay(21), other]))
      expect([await payments(2), await payments(3), await payments(4)]).toEqual([[], [], ['21']])
      await expectStatedRows()
    })

    test('a transfer that two reorganisations retired is absent between each of them and the file that tells it again', async () => {
      const { range, other, pay } = movedFrom20
      const later = { completeFrom: 21, completeTo: 30, covers: ['native'] as const, replace: true }
      await imported(csvOf([pay(20), other]), range)
      await imported(csvOf([other]), { ...range, replace: true })
      await imported(csvOf([pay(21)]))
      await imported(csvOf([]), later)
      await imported(csvOf([pay(22)]))
      const counted = await Promise.all([1, 2, 3, 4, 5].map(async (state) => (await payments(state)).length))
      expect(counted).toEqual([1, 0, 1, 0, 1])
      expect(await payments(5)).toEqual(['22'])
      await expectStatedRows()
    })

    test('a block that a later reorganisation replaced brings no transfer back', async () => {
      const { range, other, pay } = movedFrom20
      const later = { completeFrom: 21, completeTo: 30, covers: ['native'] as const, replace: true }
      await imported(csvOf([pay(20), other]), range)
      await imported(csvOf([pay(25)]))
      expect(await imported(csvOf([]), later)).toMatchObject({ retired: 0 })
      expect(await payments(3)).toEqual(['20'])
      expect(await imported(csvOf([other]), { ...range, replace: true })).toMatchObject({ retired: 1 })
      expect(await payments(4)).toEqual([])
      await expectStatedRows()
    })

    test('a file that replaces the same blocks of another chain leaves what this chain tells in them', async () => {
      const { range, other, pay } = movedFrom20
      const later = { completeFrom: 21, completeTo: 30, covers: ['native'] as const, replace: true }
      await imported(csvOf([pay(20), other]), range)
      await imported(csvOf([pay(25)]))
      await imported(csvOf([]), { ...later, chain: 'BSC' })
      expect(await imported(csvOf([other]), { ...range, replace: true })).toMatchObject({ retired: 0 })
      expect(await payments(4)).toEqual(['25'])
      await expectStatedRows()
    })

    test.each([
      { kind: 'native', covers: 'native', status: '' },
      { kind: 'internal', covers: 'internal', status: '1' },
    ] as const)(
      'a $kind payment that fails in another block still counts in its own, and no more once that is replaced',
      async ({ kind, covers, status }) => {
        const { range, other, pay } = movedFrom20
        await imported(csvOf([{ ...pay(20, status), kind }, other]), { ...range, covers: [covers] })
        await imported(csvOf([{ ...pay(21, '0'), kind }]))
        expect(await payments(2)).toEqual(['20'])
        await imported(csvOf([{ ...other, kind }]), { ...range, covers: [covers], replace: true })
        expect(await payments(3)).toEqual([])
        await expectStatedRows()
      },
    )

    test('a call that failed in its block counts in another one, if that was told before its own is replaced', async () => {
      const { range, other, pay } = movedFrom20
      const call = { kind: 'internal' }
      await imported(csvOf([{ ...pay(20, '0'), ...call }]), { ...range, covers: ['internal'] })
      await imported(csvOf([{ ...pay(21), ...call }]))
      expect(await payments(1)).toEqual([])
      await imported(csvOf([{ ...other, ...call }]), { ...range, covers: ['internal'], replace: true })
      expect(await payments(3)).toEqual(['21'])
      expect([await payments(1), await payments(2)]).toEqual([[], []])
      await expectStatedRows()
    })

    test.each([20, ''] as const)(
      'a file names a retired transfer that it tells in block "%s", and leaves it out',
      async (block) => {
        const { range, other, pay } = movedFrom20
        await imported(csvOf([pay(20), other]), range)
        await imported(csvOf([other]), { ...range, replace: true })
        expect(await imported(csvOf([pay(block), other]))).toMatchObject({
          added: 0,
          known: 1,
          leftOut: { retired: 1 },
        })
        expect(await imported(csvOf([pay(21), other]))).toMatchObject({ known: 2, leftOut: {} })
      },
    )

    test('a moved transaction that a dead import told before its old block was replaced counts once that import goes on', async () => {
      const pay = (block: number): CsvTransfer => ({ hash: hash(1), from: address(1), block })
      const range = { completeFrom: 10, completeTo: 20, covers: ['native'] as const }
      const other: CsvTransfer = { hash: hash(2), from: address(2), block: 11 }
      await imported(csvOf([pay(20), other]), range)
      const killed = await store.ledger.file('killed.csv', csvOf([pay(21)]))
      await killedImporting(killed, 'before:ledger.publish:1')
      await imported(csvOf([other]), { ...range, replace: true })
      expect(await rowsOf(address(1), 2)).toEqual([])
      await store.ledger.imported(killed)
      expect((await rowsOf(address(1), 3)).map((row) => row[6])).toEqual(['21'])
      await expectStatedRows()
    })

    test.each(['1', ''])(
      'a call that failed in the block that was replaced counts in its new one: status "%s"',
      async (status) => {
        const call = (block: number, told: string): CsvTransfer => ({
          ...{ hash: hash(1), from: address(1), block, kind: 'internal', status: told },
        })
        const range = { completeFrom: 10, completeTo: 20, covers: ['internal'] as const }
        const other: CsvTransfer = { ...call(11, '1'), hash: hash(2), from: address(2) }
        await imported(csvOf([call(20, '0'), other]), range)
        await imported(csvOf([other]), { ...range, replace: true })
        await imported(csvOf([call(21, status)]))
        expect((await rowsOf(address(1), 3)).map((row) => row[6])).toEqual(['21'])
        await expectStatedRows()
      },
    )

    test('a payment that fails in its new block counts no more', async () => {
      const pay = (block: number, status: string): CsvTransfer => ({
        ...{ hash: hash(1), from: address(1), block, status },
      })
      const range = { completeFrom: 10, completeTo: 20, covers: ['native'] as const }
      const other: CsvTransfer = { hash: hash(2), from: address(2), block: 11 }
      await imported(csvOf([pay(20, '1'), other]), range)
      await imported(csvOf([other]), { ...range, replace: true })
      await imported(csvOf([pay(21, '0')]))
      expect(await rowsOf(address(1), 3)).toEqual([])
    })

    test('an amount that somebody altered is found', async () => {
      await imported(csvOf([1, 2, 3].map((n) => ({ hash: hash(n), from: address(n) }))))
      await expectStatedRows()
      await store.alter({ txHash: hash(2), from: address(2) })
      const sums = (await store.sums()).map(sumsText)
      expect(sums.some((one) => one !== sums[0]) || sums[0] !== (await stated())).toBe(true)
    })
  })
}
