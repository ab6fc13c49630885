/**
 * Files of ethereum-etl: transactions, token_transfers, traces and receipts, identified by their columns. Receipts, and the
 * outermost traces, prove the outcome of transactions in an earlier file. The documentation of ethereum-etl (schema.md) defines
 * the columns.
 */
import { createdContract, type HistoryKind } from '@cupel/domain'
import { foldedHash, outcomeOf, wholeNumber, type ChainDefinition } from './chain.js'
import { etlTransfer } from './etl-transfer.js'
import { LedgerFileError, UnreadableRowError } from './ledger-file-error.js'
import type { FileRecord, LedgerFormat, LedgerRow, RecordReader, ToldTransfer } from './ledger-row.js'
import { createTraceReader } from './traces.js'

type Read = (record: FileRecord, chain: ChainDefinition) => readonly LedgerRow[]

const readers: readonly {
  readonly has: string
  /** The other columns without which a row has no meaning. */
  readonly needs: readonly string[]
  readonly covers: readonly HistoryKind[]
  readonly read: Read
}[] = [
  {
    has: 'token_address',
    needs: ['from_address', 'to_address', 'value', 'transaction_hash'],
    covers: ['token'],
    read: readTokenTransfer,
  },
  {
    has: 'gas_price',
    needs: ['hash', 'from_address', 'to_address', 'value'],
    covers: ['native'],
    read: readTransaction,
  },
  {
    has: 'cumulative_gas_used',
    needs: ['transaction_hash', 'status'],
    covers: [],
    read: readReceipt,
  },
]

const TRACE = 'trace_type'
const TRACE_NEEDS = ['from_address', 'to_address', 'value', 'trace_address']

export const ethereumEtl: LedgerFormat = {
  knows: ({ has }) =>
    has(TRACE)
      ? TRACE_NEEDS.every((name) => has(name))
      : readers.some((one) => has(one.has) && one.needs.every((name) => has(name))),
  covers: (fields) =>
    fields.has(TRACE) ? ['internal'] : (readers.find(({ has }) => fields.has(has))?.covers ?? []),
  isSurveyed: (fields) => fields.has(TRACE),
  open: openReader,
}

function openReader(chain: ChainDefinition): RecordReader {
  const traces = createTraceReader(chain)
  return {
    survey: traces.survey,
    read(record) {
      if (record.has(TRACE)) return traces.read(record)
      const reader = readers.find(({ has }) => record.has(has))
      if (reader === undefined)
        throw new LedgerFileError(
          'neither transactions, token_transfers, traces nor receipts of ethereum-etl',
          record.line,
        )
      return reader.read(record, chain)
    },
  }
}

function readTransaction(record: FileRecord, chain: ChainDefinition): readonly LedgerRow[] {
  const status = record.text('receipt_status') || record.text('status')
  const told = etlTransfer(record, chain, {
    kind: 'native',
    contract: '',
    txHash: foldedHash(record.text('hash'), chain, record.line),
    index: null,
    place: 0,
    execution: outcomeOf(status, record.line),
  })
  const isCreation = told.to === '' && told.amount > 0n && told.execution !== 'failed'
  return [{ type: 'transfer', transfer: isCreation ? { ...told, to: createdBy(record, told, chain) } : told }]
}

/** At least one byte of code. */
const CODE = /^0x(?:[0-9a-f]{2})+$/i

/**
 * A transaction without a receiver creates a contract, which receives its value. Without the address of the contract or the code that
 * creates it, a receiver may be missing.
 */
function createdBy(record: FileRecord, { from, line }: ToldTransfer, chain: ChainDefinition): string {
  const told = record.text('receipt_contract_address').toLowerCase()
  if (told !== '') return chain.canonical(told, line)
  const nonce = wholeNumber(record.text('nonce'), 'nonce', line)
  if (nonce === null || !CODE.test(record.text('input')))
    throw new UnreadableRowError(
      'a payment without a receiver, without the address of a created contract, and without a nonce and the input that creates it',
      line,
    )
  return createdContract(from, nonce)
}

/** A token event exists only if its transaction succeeded. */
function readTokenTransfer(record: FileRecord, chain: ChainDefinition): readonly LedgerRow[] {
  const contract = chain.canonical(record.text('token_address').toLowerCase(), record.line)
  if (contract === '') throw new UnreadableRowError('a token without a contract', record.line)
  const place = wholeNumber(record.text('log_index'), 'log_index', record.line)
  return [
    {
      type: 'transfer',
      transfer: etlTransfer(record, chain, {
        kind: 'token',
        contract,
        txHash: foldedHash(record.text('transaction_hash'), chain, record.line),
        index: place === null ? null : String(place),
        place,
        execution: 'proven',
      }),
    },
  ]
}

function readReceipt(record: FileRecord, chain: ChainDefinition): readonly LedgerRow[] {
  const outcome = outcomeOf(record.text('status'), record.line)
  // Receipts before the Byzantium fork have no status.
  if (outcome === 'unknown') return [{ type: 'left-out', reason: 'no_status' }]
  const txHash = foldedHash(record.text('transaction_hash'), chain, record.line)
  if (txHash === '') throw new UnreadableRowError('a receipt without a transaction', record.line)
  return [{ type: 'outcome', outcome: { txHash, succeeded: outcome === 'proven' } }]
}
