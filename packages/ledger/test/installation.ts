/** A database with a ledger, a folder for files, and the queries of the tests. */
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { importWith } from '../src/import-ledger.js'
import { transferWriterIn } from '../src/store/postgres-writer.js'
import { ledgerMigrations, type LedgerImportRequest, type LedgerImportSummary } from '../src/index.js'

/** Later than everything in the files. */
export const IMPORTED_AT = '2026-11-22T00:00:00.000Z'

export interface LedgerInstallation extends TestInstallation {
  /** Imports a file; the import must not be refused. */
  imported(file: string, request?: Partial<LedgerImportRequest>): Promise<LedgerImportSummary>
  /** The transfers visible now. */
  seen(): Promise<readonly SeenTransfer[]>
}

export interface SeenTransfer {
  readonly from: string
  readonly to: string
  readonly amount: string
  readonly kind: string
  readonly proven: boolean
  readonly block: number | null
}

/** Without a writer the transfers are in Postgres. */
export async function startLedger(writerIn = transferWriterIn): Promise<LedgerInstallation> {
  const base = await openTestInstallation({ migrations: [ledgerMigrations], statementTimeoutMs: 0 })
  const { database } = base
  return {
    ...base,
    async imported(file, request = {}) {
      const result = await importWith(
        { file, format: 'csv', chain: 'ETH', importedBy: 'operator:test', ...request },
        { database, now: () => new Date(IMPORTED_AT) },
        writerIn,
      )
      if (result.status === 'refused') throw new Error(result.message)
      return result
    },
    async seen() {
      return await database.query<SeenTransfer & Record<string, unknown>>(
        `SELECT sender.address AS from, receiver.address AS to, amount, proven_segment_id IS NOT NULL AS proven, block_number AS block,
           CASE kind WHEN 'n' THEN 'native' WHEN 'i' THEN 'internal' WHEN 't' THEN 'token' ELSE 'utxo' END AS kind
         FROM ledger.transfer JOIN ledger.segment USING (segment_id)
         JOIN ledger.address sender ON sender.address_id = from_id JOIN ledger.address receiver ON receiver.address_id = to_id
         WHERE ledger_seq IS NOT NULL AND failed_segment_id IS NULL AND retired_segment_id IS NULL AND amount > 0
           AND sender.address NOT IN ('', '${address(0)}') AND receiver.address NOT IN ('', '${address(0)}')
         ORDER BY coalesce(block_number, occurred_at_s, 0), sender.address, receiver.address, amount`,
      )
    },
  }
}

const HEADING =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status,transaction_index'

export interface CsvTransfer {
  readonly block?: number | ''
  readonly time?: string
  readonly hash?: string
  readonly txIndex?: number
  readonly index?: number | ''
  readonly kind?: string
  readonly contract?: string
  readonly from?: string
  readonly to?: string
  readonly raw?: string
  readonly amount?: string
  readonly status?: string
}

export const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`
export const hash = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`

/** A file in our own layout, with one proven ether in each row. */
export function csvOf(transfers: readonly CsvTransfer[]): string {
  const rows = transfers.map((one, index) =>
    [
      'ETH',
      one.block ?? 100 + index,
      one.time ?? '2026-11-20T00:00:00Z',
      one.hash ?? hash(index + 1),
      one.index ?? '',
      one.kind ?? 'native',
      '',
      one.contract ?? '',
      one.from ?? address(1_000 + index),
      one.to ?? address(2_000),
      one.raw ?? '1000000000000000000',
      one.amount ?? '',
      '',
      'test',
      one.status ?? '1',
      one.txIndex ?? 0,
    ].join(','),
  )
  return `${[HEADING, ...rows].join('\n')}\n`
}
