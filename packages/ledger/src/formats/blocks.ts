/**
 * Times of blocks: `blocks.csv` of ethereum-etl, or any file with the columns number and timestamp. They give times to the transfers and
 * ranges of files without times, such as token transfers.
 */
import { secondsOf, wholeNumber } from './chain.js'
import { LedgerFileError } from './ledger-file-error.js'
import type { FileRecord, LedgerFormat, LedgerRow } from './ledger-row.js'

export const BLOCKS = 'blocks'

export const blocks: LedgerFormat = {
  covers: () => [],
  open: () => ({ read: readBlock }),
}

function readBlock(record: FileRecord): readonly LedgerRow[] {
  const { line } = record
  const height = wholeNumber(record.text('number'), 'number', line)
  const atS = secondsOf(record.text('timestamp'), line)
  if (height === null || atS === null)
    throw new LedgerFileError('no block: number or timestamp is missing', line)
  return [{ type: 'block', line, height, atS }]
}
