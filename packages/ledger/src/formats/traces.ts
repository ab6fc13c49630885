/**
 * Traces of ethereum-etl: the calls within transactions. Calls, creations and self-destructions move value; calls that borrow code do not.
 * A failed call reverts all calls within it, but their own traces do not show that.
 */
import { ISSUANCE } from '@cupel/domain'
import { foldedHash, outcomeOf, wholeNumber, type ChainDefinition } from './chain.js'
import { etlTransfer } from './etl-transfer.js'
import { LedgerFileError, UnreadableRowError } from './ledger-file-error.js'
import type { FileRecord, LedgerRow, RecordReader, ToldTransfer } from './ledger-row.js'
import { placeOfCall } from './trace-place.js'

/** Failed calls are kept in memory; a file with more must be split. */
const MAX_FAILED_CALLS = 2_000_000
/** Calls that run code on the caller's own account. */
const BORROWED_CODE: ReadonlySet<string> = new Set(['delegatecall', 'staticcall', 'callcode'])
const MOVEMENTS: ReadonlySet<string> = new Set([
  'call',
  'create',
  'create2',
  'suicide',
  'selfdestruct',
  'daofork',
])
/** Newly created value. */
const ISSUED_TYPES: ReadonlySet<string> = new Set(['reward', 'genesis'])

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
      const transaction = transactionOf(record, chain)
      if (transaction === '') return
      const calls = failed.get(transaction) ?? new Set()
      failed.set(transaction, calls.add(traceAddress(record).join()))
      failedCalls += 1
      if (failedCalls > MAX_FAILED_CALLS)
        throw new LedgerFileError(`more than ${MAX_FAILED_CALLS} failed calls: split the file`, record.line)
    },
    read(record) {
      const meaning = meaningOf(record)
      if (meaning === 'borrowed code') return [{ type: 'left-out', reason: 'no_movement' }]
      if (meaning === 'issuance') return issued(record, chain)
      const transaction = transactionOf(record, chain)
      if (transaction === '')
        throw new UnreadableRowError('a call without a transaction: neither a hash nor a place', record.line)
      const txHash = foldedHash(record.text('transaction_hash'), chain, record.line)
      const address = traceAddress(record)
      const execution = hasFailed(transaction, address) ? 'failed' : ownOutcome(record)
      // The outermost call is the transaction itself, whose value is in the file of transactions.
      if (address.length === 0) return outermost(txHash, execution)
      const told = { txHash, index: address.join(), execution }
      return [{ type: 'transfer', transfer: callTransfer(record, chain, { ...told, address }) }]
    },
  }
}

/** The transaction of a call: its hash, else its block and its index there, which geth states. Empty if neither is stated. */
function transactionOf(record: FileRecord, chain: ChainDefinition): string {
  const txHash = foldedHash(record.text('transaction_hash'), chain, record.line)
  if (txHash !== '') return txHash
  const block = wholeNumber(record.text('block_number'), 'block_number', record.line)
  const index = wholeNumber(record.text('transaction_index'), 'transaction_index', record.line)
  return block === null || index === null ? '' : `${block} ${index}`
}

function meaningOf(record: FileRecord): 'movement' | 'borrowed code' | 'issuance' {
  const type = record.text('trace_type').toLowerCase()
  const call = record.text('call_type').toLowerCase()
  if (ISSUED_TYPES.has(type)) return 'issuance'
  if (BORROWED_CODE.has(type) || (MOVEMENTS.has(type) && BORROWED_CODE.has(call))) return 'borrowed code'
  // A column of types that geth writes may name the creation twice.
  if (MOVEMENTS.has(type) && (call === '' || MOVEMENTS.has(call))) return 'movement'
  throw new UnreadableRowError(
    `the trace type ${type.slice(0, 40)} ${call.slice(0, 40)} is unknown`,
    record.line,
  )
}

/** A reward has no payer: the chain issues it. */
function issued(record: FileRecord, chain: ChainDefinition): readonly LedgerRow[] {
  if (record.text('from_address') !== '') throw new UnreadableRowError('a reward with a payer', record.line)
  const told = { txHash: '', index: null, execution: 'proven', address: [] } as const
  return [{ type: 'transfer', transfer: { ...callTransfer(record, chain, told), from: ISSUANCE } }]
}

function outermost(txHash: string, execution: ToldTransfer['execution']): readonly LedgerRow[] {
  if (execution === 'unknown' || txHash === '') return [{ type: 'left-out', reason: 'transaction_itself' }]
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

/** Words in the errors of execution clients. */
const ERROR =
  /revert|out.?of|gas|bad|invalid|insufficient|exceed|underflow|overflow|limit|depth|collision|fail|fault|violation|protect|bounds|mutable|static|jump|stack|opcode|instruction|nonce|error|halt|abort/i

/** A text that begins so denies an error. */
const DENIAL = /^\W*(?:no|none|nil|null|without|ok|success\w*)\b/i

/**
 * The outcome that the trace itself states. Traces of geth have no status and no hash: a call without an error succeeded, unless a call
 * around it failed. Of other traces without a status it is unknown whether the transaction succeeded. Another word than an error,
 * and an error of a call that succeeded, leave open what happened.
 */
function ownOutcome(record: FileRecord): ToldTransfer['execution'] {
  const told = outcomeOf(record.text('status'), record.line)
  const error = record.text('error')
  if (error !== '') {
    if (told !== 'proven' && ERROR.test(error) && !DENIAL.test(error)) return 'failed'
    const against = told === 'proven' ? 'the status states success' : 'no client gives this error'
    throw new UnreadableRowError(`the error is ${error.slice(0, 40)}, and ${against}`, record.line)
  }
  const isOfGeth = record.has('error') && record.text('transaction_hash') === ''
  return told === 'unknown' && isOfGeth ? 'proven' : told
}

/** The indexes of the calls around a call and of the call itself; empty for the outermost one. Written `0,2` or `[0, 2]`. */
function traceAddress(record: FileRecord): readonly number[] {
  const text = record.text('trace_address').replace(/[[\]\s]/g, '')
  if (text === '') return []
  if (!/^\d{1,9}(?:,\d{1,9})*$/.test(text))
    throw new UnreadableRowError(`trace_address is not a list of numbers: ${text.slice(0, 40)}`, record.line)
  return text.split(',').map(Number)
}
