/**
 * Traces of ethereum-etl: the calls within transactions. Calls, creations and self-destructions move value; calls that borrow code do not.
 * A failed call reverts all calls within it, but their own traces do not show that.
 */
import { foldedHash, type ChainDefinition } from './chain.js'
import { etlTransfer } from './etl-transfer.js'
import { LedgerFileError } from './ledger-file-error.js'
import type { FileRecord, LedgerRow, RecordReader, ToldTransfer } from './ledger-row.js'
import { placeOfCall } from './trace-place.js'

/** Failed calls are kept in memory; a file with more must be split. */
const MAX_FAILED_CALLS = 2_000_000
/** Calls that run code on the caller's own account. */
const BORROWED_CODE: ReadonlySet<string> = new Set(['delegatecall', 'staticcall', 'callcode'])
const MOVEMENTS: ReadonlySet<string> = new Set(['call', 'create', 'suicide', 'selfdestruct', 'daofork'])
/** Newly created value. */
const ISSUANCE: ReadonlySet<string> = new Set(['reward', 'genesis'])

export function createTraceReader(chain: ChainDefinition): Required<RecordReader> {
  /** Addresses of the failed calls of each transaction. */
  const failed = new Map<string, Set<string>>()
  let failedCalls = 0

  function hasFailed(txHash: string, address: readonly number[]): boolean {
    const calls = failed.get(txHash)
    if (calls === undefined) return false
    for (let depth = 0; depth <= address.length; depth++)
      if (calls.has(address.slice(0, depth).join())) return true
    return false
  }

  return {
    survey(record) {
      if (ownOutcome(record) !== 'failed') return
      const txHash = foldedHash(record.text('transaction_hash'), chain)
      if (txHash === '') return
      const calls = failed.get(txHash) ?? new Set()
      failed.set(txHash, calls.add(traceAddress(record).join()))
      failedCalls += 1
      if (failedCalls > MAX_FAILED_CALLS)
        throw new LedgerFileError(`more than ${MAX_FAILED_CALLS} failed calls: split the file`, record.line)
    },
    read(record) {
      if (!movesValue(record)) return [{ type: 'left-out', reason: 'no_movement' }]
      const txHash = foldedHash(record.text('transaction_hash'), chain)
      const address = traceAddress(record)
      if (ISSUANCE.has(record.text('trace_type').toLowerCase())) return issued(record, chain)
      const execution = hasFailed(txHash, address) ? 'failed' : ownOutcome(record)
      // The outermost call is the transaction itself, whose value is in the file of transactions.
      if (address.length === 0 && txHash !== '') return outermost(txHash, execution)
      const told = { txHash, index: txHash === '' ? null : address.join(), execution }
      return [{ type: 'transfer', transfer: callTransfer(record, chain, { ...told, address }) }]
    },
  }
}

function movesValue(record: FileRecord): boolean {
  const type = record.text('trace_type').toLowerCase()
  if (ISSUANCE.has(type)) return true
  return MOVEMENTS.has(type) && !BORROWED_CODE.has(record.text('call_type').toLowerCase())
}

/** A reward has no payer, but its receiver owns it. */
function issued(record: FileRecord, chain: ChainDefinition): readonly LedgerRow[] {
  const told = { txHash: '', index: null, execution: 'proven', address: [] } as const
  const transfer = { ...callTransfer(record, chain, told), from: '' }
  return [
    { type: 'left-out', reason: 'issuance' },
    ...(transfer.to === '' || transfer.amount === 0n ? [] : [{ type: 'balance' as const, transfer }]),
  ]
}

function outermost(txHash: string, execution: ToldTransfer['execution']): readonly LedgerRow[] {
  if (execution === 'unknown') return [{ type: 'left-out', reason: 'transaction_itself' }]
  return [{ type: 'outcome', outcome: { txHash, succeeded: execution === 'proven' } }]
}

function callTransfer(
  record: FileRecord,
  chain: ChainDefinition,
  {
    address,
    ...rest
  }: Pick<ToldTransfer, 'txHash' | 'index' | 'execution'> & { readonly address: readonly number[] },
): ToldTransfer {
  const place = placeOfCall(address)
  return etlTransfer(record, chain, { ...rest, kind: 'internal', contract: '', place })
}

/** The outcome that the trace itself states. Without a status it is unknown whether the transaction succeeded. */
function ownOutcome(record: FileRecord): ToldTransfer['execution'] {
  const status = record.text('status')
  if (record.text('error') !== '' || status === '0') return 'failed'
  return status === '1' ? 'proven' : 'unknown'
}

/** The indexes of the calls around a call and of the call itself; empty for the outermost one. Written `0,2` or `[0, 2]`. */
function traceAddress(record: FileRecord): readonly number[] {
  const text = record.text('trace_address').replace(/[[\]\s]/g, '')
  if (text === '') return []
  if (!/^\d{1,9}(?:,\d{1,9})*$/.test(text))
    throw new LedgerFileError(`trace_address is not a list of numbers: ${text.slice(0, 40)}`, record.line)
  return text.split(',').map(Number)
}
