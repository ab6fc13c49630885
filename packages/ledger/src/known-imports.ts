/** Whether the database has the imports that the log records. Their files are not in the log: only another import brings them back. */
import type { EventData } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'
import { NOTHING_LEFT } from './segment-event.js'

export async function isSegmentKnown(
  transaction: Queryable,
  { chain, format, sha256, ledgerSeq, history }: EventData['LedgerSegmentImported'],
): Promise<boolean> {
  if (ledgerSeq === NOTHING_LEFT) return true
  const rows = await transaction.query(
    `SELECT 1 FROM ledger.segment WHERE chain = $1 AND format = $2 AND sha256 = $3 AND ledger_seq IS NOT NULL
       AND history_address IS NOT DISTINCT FROM $4 AND history_provider IS NOT DISTINCT FROM $5`,
    [chain, format, sha256, history?.address ?? null, history?.provider ?? null],
  )
  return rows.length > 0
}

export async function isPriceTableKnown(
  transaction: Queryable,
  { sha256 }: EventData['PriceTableImported'],
): Promise<boolean> {
  return (await transaction.query('SELECT 1 FROM ledger.price_import WHERE sha256 = $1', [sha256])).length > 0
}
