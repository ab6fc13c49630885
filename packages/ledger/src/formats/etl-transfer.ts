/** Columns that all files of ethereum-etl share. */
import { secondsOf, tokenDecimals, wholeNumber, wholeUnits, type ChainDefinition } from './chain.js'
import type { FileRecord, ToldTransfer } from './ledger-row.js'

/** The block of genesis has the time 0 in some files, which is no time. */
function timeOf(record: FileRecord, chain: ChainDefinition): number | null {
  const text = record.text('block_timestamp')
  const isGenesis = record.text('block_number') === '0' && (text === '0' || text.startsWith('1970-01-01'))
  return isGenesis ? null : secondsOf(text, record.line, chain)
}

/** A transfer with the columns that all files of ethereum-etl share. */
export function etlTransfer(
  record: FileRecord,
  chain: ChainDefinition,
  rest: Pick<ToldTransfer, 'kind' | 'contract' | 'txHash' | 'index' | 'place' | 'execution'>,
): ToldTransfer {
  const { line } = record
  const decimals = rest.contract === '' ? chain.decimals : tokenDecimals(chain.code, rest.contract)
  return {
    ...rest,
    line,
    from: chain.canonical(record.text('from_address').toLowerCase(), line),
    to: chain.canonical(record.text('to_address').toLowerCase(), line),
    amount: wholeUnits(record.text('value'), line, { code: chain.code, decimals: decimals ?? 0 }),
    blockNumber: wholeNumber(record.text('block_number'), 'block_number', line),
    occurredAtS: timeOf(record, chain),
    txIndex: wholeNumber(record.text('transaction_index'), 'transaction_index', line),
  }
}
