/**
 * Files of ethereum-etl: transactions, token_transfers, traces and receipts, identified by their columns. Receipts prove the
 * outcome of transactions in an earlier file. The documentation of ethereum-etl (schema.md) defines the columns.
 */
import type { HistoryKind } from '@cupel/domain'
import { secondsOf, tokenDecimals, wholeNumber, wholeUnits } from './chain.js'
import { LedgerFileError } from './ledger-file-error.js'
import type { FileRecord, LedgerFormat, LedgerRow, ToldTransfer } from './ledger-row.js'
import type { ChainDefinition } from './chain.js'

type Reader = (record: FileRecord, chain: ChainDefinition) => readonly LedgerRow[]

const readers: readonly {
  readonly has: string
  readonly covers: readonly HistoryKind[]
  readonly read: Reader
}[] = [
  { has: 'token_address', covers: ['token'], read: readTokenTransfer },
  { has: 'trace_type', covers: ['internal'], read: readTrace },
  { has: 'gas_price', covers: ['native'], read: readTransaction },
  { has: 'cumulative_gas_used', covers: [], read: readReceipt },
]

export const ethereumEtl: LedgerFormat = {
  covers: (fields) => readers.find(({ has }) => fields.has(has))?.covers ?? [],
  read(record, chain) {
    const reader = readers.find(({ has }) => record.has(has))
    if (reader === undefined)
      throw new LedgerFileError(
        'neither transactions, token_transfers, traces nor receipts of ethereum-etl',
        record.line,
      )
    return reader.read(record, chain)
  },
}

function readTransaction(record: FileRecord, chain: ChainDefinition): readonly LedgerRow[] {
  const status = record.text('receipt_status') || record.text('status')
  return [
    transfer(record, chain, {
      kind: 'native',
      contract: '',
      txHash: record.text('hash'),
      index: null,
      place: wholeNumber(record.text('transaction_index'), 'transaction_index', record.line),
      execution: status === '' ? 'unknown' : status === '1' ? 'proven' : 'failed',
    }),
  ]
}

/** A token event exists only if its transaction succeeded. */
function readTokenTransfer(record: FileRecord, chain: ChainDefinition): readonly LedgerRow[] {
  const contract = chain.canonical(record.text('token_address'), record.line)
  if (tokenDecimals(chain.code, contract) === undefined)
    return [{ type: 'left-out', reason: 'unknown_asset' }]
  const index = record.text('log_index')
  return [
    transfer(record, chain, {
      kind: 'token',
      contract,
      txHash: record.text('transaction_hash'),
      index,
      place: wholeNumber(index, 'log_index', record.line),
      execution: 'proven',
    }),
  ]
}

/** Calls within a transaction that move value. The outermost call is the transaction itself. */
function readTrace(record: FileRecord, chain: ChainDefinition): readonly LedgerRow[] {
  const address = record.text('trace_address')
  if (record.text('trace_type') !== 'call' && record.text('trace_type') !== 'suicide')
    return [{ type: 'left-out', reason: 'no_movement' }]
  if (['delegatecall', 'staticcall', 'callcode'].includes(record.text('call_type')))
    return [{ type: 'left-out', reason: 'no_movement' }]
  if (address === '') return [{ type: 'left-out', reason: 'transaction_itself' }]
  return [
    transfer(record, chain, {
      kind: 'internal',
      contract: '',
      txHash: record.text('transaction_hash'),
      index: address,
      place: wholeNumber(record.text('transaction_index'), 'transaction_index', record.line),
      execution: record.text('error') !== '' || record.text('status') === '0' ? 'failed' : 'proven',
    }),
  ]
}

function readReceipt(record: FileRecord): readonly LedgerRow[] {
  const status = record.text('status')
  // Receipts before the Byzantium fork have no status.
  if (status === '') return [{ type: 'left-out', reason: 'no_status' }]
  const outcome = { line: record.line, txHash: record.text('transaction_hash'), succeeded: status === '1' }
  return [{ type: 'outcome', outcome }]
}

function transfer(
  record: FileRecord,
  chain: ChainDefinition,
  rest: Pick<ToldTransfer, 'kind' | 'contract' | 'txHash' | 'index' | 'place' | 'execution'>,
): LedgerRow {
  const { line } = record
  return {
    type: 'transfer',
    transfer: {
      ...rest,
      line,
      from: chain.canonical(record.text('from_address').toLowerCase(), line),
      to: chain.canonical(record.text('to_address').toLowerCase(), line),
      amount: wholeUnits(record.text('value') || '0', line),
      blockNumber: wholeNumber(record.text('block_number'), 'block_number', line),
      occurredAtS: secondsOf(record.text('block_timestamp'), line),
    },
  }
}
