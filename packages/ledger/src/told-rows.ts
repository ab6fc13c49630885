/**
 * Rows that an import stores as they are: as Postgres writes a row, for the sums, and from that as lines for COPY. The importer adds them up
 * itself: it takes a tenth of the time that the trigger of the table needs.
 */
import { hash } from 'node:crypto'
import type { Queryable } from '@cupel/postgres'
import type { KeptTransfer } from './formats/ledger-row.js'
import { createRowBytes, type RowBytes } from './row-bytes.js'
import type { RowSums } from './row-sums.js'
import { hashDigits } from './stored-values.js'

/** What is inserted from here on in the transaction is summed up by the importer; see `ledger.note_rows`. */
export const tellOwnRows = (transaction: Queryable): Promise<number> =>
  transaction.execute(`SET LOCAL cupel.ledger_told = 'on'`)

/** The sums of rows, each as `ledger.told_row` writes it. At most a million rows. */
export function sumsOfRows(rows: readonly string[]): RowSums {
  const sums = createSums()
  for (const row of rows) sums.add(row)
  return sums.all()
}

export function createSums(): { add(row: string): void; all(): RowSums } {
  // Halves of numbers stay exact without big integers.
  const high = [0, 0, 0, 0]
  const low = [0, 0, 0, 0]
  let rows = 0
  return {
    add(row) {
      // A text of bytes takes a third of the time that a buffer takes.
      const digest = hash('sha256', row, 'binary')
      for (let part = 0; part < high.length; part += 1) {
        high[part]! += wordAt(digest, 8 * part)
        low[part]! += wordAt(digest, 8 * part + 4) >>> 0
      }
      rows += 1
    },
    all: () => [BigInt(rows), ...high.map((sum, part) => (BigInt(sum) << 32n) + BigInt(low[part]!))],
  }
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

export interface ToldRows {
  /** The row of a transfer that has none yet; `id` has 32 hex digits. */
  add(id: string, transfer: KeptTransfer, ends: NumberedEnds): void
  readonly count: () => number
  /** The rows as lines for `COPY_TRANSFERS`. */
  lines(): Buffer
  sums(): RowSums
}

/** Bytes of the row of a native transfer. */
const BYTES_OF_ROW = 256
const [COMMA, DASH, LINE_FEED] = [0x2c, 0x2d, 0x0a]
const HASH_BEGINS = String.raw`,"\\x`
const ENDS_OF_UUID = [8, 12, 16, 20, 32]

/** The rows of one segment; so many are expected. */
export function createToldRows(segmentId: number, expected: number): ToldRows {
  const sums = createSums()
  const bytes = createRowBytes(BYTES_OF_ROW * expected)
  let rows = 0
  return {
    add(id, transfer, ends) {
      const start = bytes.length()
      writeRow(bytes, transfer, { ...ends, id, segmentId })
      sums.add(ROW_BEGINS + bytes.textFrom(start))
      // The row leaves out its last columns that are null.
      if (transfer.toNet === undefined) bytes.text(transfer.fromNet === undefined ? ',,' : ',')
      bytes.byte(LINE_FEED)
      rows += 1
    },
    count: () => rows,
    lines: () => bytes.all(),
    sums: sums.all,
  }
}

/** As `ledger.told_row` writes it, but for its beginning. */
function writeRow(
  bytes: RowBytes,
  { place, blockNumber, occurredAtS, txIndex, kind, execution, amount, txHash, fromNet, toNet }: KeptTransfer,
  { id, segmentId, from, to, contract }: NumberedEnds & { readonly id: string; readonly segmentId: number },
): void {
  const next = (value: number | null): void => {
    bytes.byte(COMMA)
    bytes.number(value)
  }
  bytes.number(place)
  next(from)
  next(to)
  next(segmentId)
  next(execution === 'proven' ? segmentId : null)
  next(execution === 'failed' ? segmentId : null)
  // Two columns are null in a new row.
  bytes.text(',,')
  next(blockNumber)
  next(occurredAtS)
  next(txIndex)
  next(contract)
  bytes.byte(COMMA)
  bytes.text(kind, 0, 1)
  bytes.byte(COMMA)
  writeUuid(bytes, id)
  bytes.byte(COMMA)
  bytes.text(amount.toString())
  bytes.text(HASH_BEGINS)
  bytes.text(hashDigits(txHash))
  bytes.text('"')
  if (toNet !== undefined) bytes.text(`,${fromNet ?? ''},${toNet}`)
  else if (fromNet !== undefined) bytes.text(`,${fromNet}`)
}

function writeUuid(bytes: RowBytes, id: string): void {
  let from = 0
  for (const to of ENDS_OF_UUID) {
    if (from > 0) bytes.byte(DASH)
    bytes.text(id, from, to)
    from = to
  }
}
