/**
 * Rows that an import stores as they are: as Postgres writes a row, for the sums, and from that as lines for COPY. The importer adds them up
 * itself: it takes a tenth of the time that the trigger of the table needs.
 */
import { hash } from 'node:crypto'
import type { Queryable } from '@cupel/postgres'
import type { ToldTransfer } from './formats/ledger-row.js'
import type { RowSums } from './row-sums.js'
import { hashDigits } from './stored-values.js'

/** What is inserted from here on in the transaction is summed up by the importer; see `ledger.note_rows`. */
export const tellOwnRows = (transaction: Queryable): Promise<number> =>
  transaction.execute(`SET LOCAL cupel.ledger_told = 'on'`)

/** The sums of rows, each as `ledger.told_row` writes it. At most a million rows. */
export function sumsOfRows(rows: readonly string[]): RowSums {
  // Halves of numbers stay exact without big integers.
  const high = [0, 0, 0, 0]
  const low = [0, 0, 0, 0]
  for (const row of rows) {
    // A text of bytes takes a third of the time that a buffer takes.
    const digest = hash('sha256', row, 'binary')
    for (let part = 0; part < high.length; part += 1) {
      high[part]! += wordAt(digest, 8 * part)
      low[part]! += wordAt(digest, 8 * part + 4) >>> 0
    }
  }
  return [BigInt(rows.length), ...high.map((sum, part) => (BigInt(sum) << 32n) + BigInt(low[part]!))]
}

/** 32 bits with a sign, most significant byte first. */
const wordAt = (bytes: string, at: number): number =>
  (bytes.charCodeAt(at) << 24) |
  (bytes.charCodeAt(at + 1) << 16) |
  (bytes.charCodeAt(at + 2) << 8) |
  bytes.charCodeAt(at + 3)

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

/** The columns of the table in their order, so that a line is the row itself. */
export const COPY_TRANSFERS = String.raw`
  COPY ledger.transfer (place, from_id, to_id, segment_id, proven_segment_id, failed_segment_id, retired_segment_id, seen_segment_id,
    block_number, occurred_at_s, tx_index, contract_id, kind, transfer_id, amount, tx_hash, from_net, to_net)
  FROM STDIN (FORMAT csv, ESCAPE '\')`

const ROW_BEGINS = 'transfer('

/** The row of a transfer as `ledger.told_row` writes it. */
export function toldRow(
  id: string,
  transfer: ToldTransfer,
  { segmentId, from, to, contract }: NumberedEnds & { readonly segmentId: number },
): string {
  const { place, blockNumber, occurredAtS, txIndex, execution, amount, fromNet, toNet } = transfer
  const proven = execution === 'proven' ? segmentId : ''
  const failed = execution === 'failed' ? segmentId : ''
  const uuid = `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`
  const nets =
    toNet === undefined ? (fromNet === undefined ? '' : `,${fromNet}`) : `,${fromNet ?? ''},${toNet}`
  // Two columns are null in a new row.
  return (
    `${ROW_BEGINS}${place ?? ''},${from},${to},${segmentId},${proven},${failed},,,${blockNumber ?? ''},${occurredAtS ?? ''},` +
    `${txIndex ?? ''},${contract ?? ''},${transfer.kind[0]},${uuid},${amount},"\\\\x${hashDigits(transfer.txHash)}"${nets}`
  )
}

/** A line for `COPY_TRANSFERS` from the row of a transfer: a row leaves out its last columns that are null. */
export const lineOf = (row: string, { fromNet, toNet }: ToldTransfer): string =>
  row.slice(ROW_BEGINS.length) + (toNet === undefined ? (fromNet === undefined ? ',,' : ',') : '')
