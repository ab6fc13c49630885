/**
 * Times of blocks: `blocks.csv` of ethereum-etl, or any file with the columns number (cryo: block_number) and timestamp. They give times to the transfers and
 * ranges of files without times, such as token transfers.
 */
import { secondsOf, wholeNumber, type ChainDefinition } from './chain.js'
import { UnreadableRowError } from './ledger-file-error.js'
import type { FileRecord, LedgerFormat, LedgerRow } from './ledger-row.js'

export const BLOCKS = 'blocks'

export const blocks: LedgerFormat = {
  covers: () => [],
  knows: ({ has }) => (has('number') || has('block_number')) && has('timestamp'),
  open: (chain) => ({ read: (record) => readBlock(record, chain) }),
}

function readBlock(record: FileRecord, chain: ChainDefinition): readonly LedgerRow[] {
  const { line } = record
  const height = wholeNumber(record.text('number') || record.text('block_number'), 'number', line)
  if (height === 0 && record.text('timestamp') === '0') return [{ type: 'left-out', reason: 'no_time' }]
  const atS = secondsOf(record.text('timestamp'), line, chain)
  if (height === null || atS === null)
    throw new UnreadableRowError('no block: number or timestamp is missing', line)
  return [{ type: 'block', line, height, atS }]
}
