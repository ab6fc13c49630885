/**
 * Rows that an import stores as they are: as lines for COPY, and as Postgres writes a row, for the sums. The importer adds them up itself: it
 * takes a tenth of the time that the trigger of the table needs.
 */
import { hash } from 'node:crypto'
import type { Queryable } from '@cupel/postgres'
import type { ToldTransfer } from './formats/ledger-row.js'
import type { RowSums } from './row-sums.js'
import { hashDigits } from './stored-values.js'

/** What is inserted from here on in the transaction is summed up by the importer; see `ledger.note_rows`. */
export const tellOwnRows = (transaction: Queryable): Promise<number> =>
  transaction.execute(`SET LOCAL cupel.ledger_told = 'on'`)

/** The sums of rows of a table, each as `ledger.told_row` writes it, without the name. At most a million rows. */
export function sumsOfRows(table: string, rows: readonly string[]): RowSums {
  // Halves of numbers stay exact without big integers.
  const high = [0, 0, 0, 0]
  const low = [0, 0, 0, 0]
  for (const row of rows) {
    const digest = hash('sha256', table + row, 'buffer')
    for (let part = 0; part < high.length; part += 1) {
      high[part]! += digest.readInt32BE(8 * part)
      low[part]! += digest.readUInt32BE(8 * part + 4)
    }
  }
  return [BigInt(rows.length), ...high.map((sum, part) => (BigInt(sum) << 32n) + BigInt(low[part]!))]
}

/** A text within a row, as Postgres writes it. */
export const rowText = (text: string): string =>
  text === '' || /["\\(), \t\n\v\f\r]/.test(text) ? `"${text.replace(/["\\]/g, '$&$&')}"` : text

/** The numbers that a row of a transfer has in place of texts. */
export interface NumberedEnds {
  readonly from: number
  readonly to: number
  /** Null for the native asset. */
  readonly contract: number | null
}

export const COPY_TRANSFERS = `
  COPY ledger.transfer (place, from_id, to_id, segment_id, proven_segment_id, failed_segment_id, block_number, occurred_at_s, tx_index,
    contract_id, kind, transfer_id, amount, tx_hash, from_net, to_net) FROM STDIN (FORMAT csv)`

/** A line for `COPY_TRANSFERS`, and the row that it becomes, without its end. */
export function toldRow(
  id: string,
  transfer: ToldTransfer,
  { segmentId, from, to, contract }: NumberedEnds & { readonly segmentId: number },
): { readonly line: string; readonly row: string } {
  const { place, blockNumber, occurredAtS, txIndex, execution, fromNet, toNet } = transfer
  const proven = execution === 'proven' ? segmentId : ''
  const failed = execution === 'failed' ? segmentId : ''
  const ends = `${place ?? ''},${from},${to},${segmentId},${proven},${failed}`
  const uuid = `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`
  const rest =
    `,${blockNumber ?? ''},${occurredAtS ?? ''},${txIndex ?? ''},${contract ?? ''},${transfer.kind[0]},${uuid},` +
    transfer.amount.toString()
  const digits = hashDigits(transfer.txHash)
  const nets =
    toNet === undefined ? (fromNet === undefined ? '' : `,${fromNet}`) : `,${fromNet ?? ''},${toNet}`
  return {
    line: `${ends}${rest},\\x${digits},${fromNet ?? ''},${toNet ?? ''}`,
    // In the order of the table, with the two columns that are null in a new row.
    row: `(${ends},,${rest},"\\\\x${digits}"${nets}`,
  }
}
