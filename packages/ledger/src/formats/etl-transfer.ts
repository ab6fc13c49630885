/** Columns that all files of ethereum-etl share. */
import { secondsOf, wholeNumber, wholeUnits, type ChainDefinition } from './chain.js'
import type { FileRecord, ToldTransfer } from './ledger-row.js'

/** A transfer with the columns that all files of ethereum-etl share. */
export function etlTransfer(
  record: FileRecord,
  chain: ChainDefinition,
  rest: Pick<ToldTransfer, 'kind' | 'contract' | 'txHash' | 'index' | 'place' | 'execution'>,
): ToldTransfer {
  const { line } = record
  return {
    ...rest,
    line,
    from: chain.canonical(record.text('from_address').toLowerCase(), line),
    to: chain.canonical(record.text('to_address').toLowerCase(), line),
    amount: wholeUnits(record.text('value') || '0', line),
    blockNumber: wholeNumber(record.text('block_number'), 'block_number', line),
    occurredAtS: secondsOf(record.text('block_timestamp'), line),
    txIndex: wholeNumber(record.text('transaction_index'), 'transaction_index', line),
  }
}
