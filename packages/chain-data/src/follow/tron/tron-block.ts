/** The transfers of a block of TRON as rows of the ledger's own layout. Everything that the node says of the block must agree. */
import { tronFailures } from '../../index.js'
import { bareHash, fieldsOf, listOf, textOf, unitsOf, wholeOf, type Fields } from '../answer-values.js'
import { FollowError } from '../follow-error.js'
import { tokenMovement } from '../token-log.js'
import { rowsOf, type Rows, type Status } from '../transfer-rows.js'
import { writeContract, type TradedPair } from './contracts.js'
import { writeInternal } from './internals.js'
import { tronAddress, type TronTransaction } from './tron-values.js'

export interface TronBlock {
  readonly height: number
  readonly hash: string
  readonly parentHash: string
  /** Milliseconds since 1970; 0 for the first block, which has no time. */
  readonly atMs: number
  readonly transactions: readonly TronTransaction[]
}

const MS_PER_S = 1_000
const HEIGHT_DIGITS = 16

const contradiction = (message: string): FollowError => new FollowError('node_contradicts', message)

/** The newest block has whatever height it says. */
export function tronBlock(told: unknown, asked: number | 'newest'): TronBlock {
  const at = asked === 'newest' ? 'the newest block' : `block ${asked}`
  const block = fieldsOf(told, at)
  const header = fieldsOf(
    fieldsOf(block['block_header'], `the header of ${at}`)['raw_data'],
    `the header of ${at}`,
  )
  const hash = bareHash(block['blockID'], `the hash of ${at}`)
  // A member that is 0 is left out.
  const height = wholeOf(header['number'] ?? 0, `the height of ${at}`)
  if (asked !== 'newest' && height !== asked)
    throw contradiction(`the node answers block ${height} for ${asked}`)
  if (Number.parseInt(hash.slice(0, HEIGHT_DIGITS), 16) !== height)
    throw contradiction(`the hash of ${at} is that of another height`)
  const atMs = wholeOf(header['timestamp'] ?? 0, `the time of ${at}`)
  if (height > 0 && atMs === 0) throw contradiction(`${at} has no time`)
  return {
    ...{ height, hash, atMs },
    parentHash: bareHash(header['parentHash'], `the parent of ${at}`),
    transactions: listOf(block['transactions'] ?? [], `the transactions of ${at}`).map((one, index) =>
      transactionOf(one, `transaction ${index} of ${at}`),
    ),
  }
}

function transactionOf(told: unknown, place: string): TronTransaction {
  const transaction = fieldsOf(told, place)
  const { contract } = fieldsOf(transaction['raw_data'], `the contents of ${place}`)
  const contracts = listOf(contract, `the contract of ${place}`)
  if (contracts.length !== 1)
    throw new FollowError('unknown_meaning', `${place} has ${contracts.length} contracts`)
  const { type, parameter } = fieldsOf(contracts[0], `the contract of ${place}`)
  return {
    id: bareHash(transaction['txID'], `the hash of ${place}`),
    status: statusOf(transaction['ret'], place),
    type: textOf(type, `the type of ${place}`),
    value: fieldsOf(fieldsOf(parameter, `the contract of ${place}`)['value'], `the contract of ${place}`),
  }
}

/** The oldest blocks tell no outcome. */
function statusOf(told: unknown, place: string): Status {
  const [result] = listOf(told ?? [], `the outcome of ${place}`)
  const word = result === undefined ? undefined : fieldsOf(result, `the outcome of ${place}`)['contractRet']
  if (word === undefined || word === 'DEFAULT') return ''
  if (word === 'SUCCESS') return '1'
  if (tronFailures.includes(word as string)) return '0'
  throw new FollowError('unknown_meaning', `the outcome of ${place} is not a known word`)
}

/** What the node kept of the execution of a transaction. */
export interface TronOutcome {
  readonly info: Fields
  readonly logs: readonly Fields[]
  readonly internals: readonly Fields[]
}

function outcomesOf(told: unknown, block: TronBlock): ReadonlyMap<string, TronOutcome> {
  const { height, atMs, transactions } = block
  const list = listOf(told, `the outcomes of block ${height}`)
  if (list.length === 0 && transactions.length > 0)
    throw new FollowError('pruned', `the node has not kept what the transactions of block ${height} did`)
  const outcomes = new Map<string, TronOutcome>()
  for (const [index, one] of list.entries()) {
    const place = `outcome ${index} of block ${height}`
    const info = fieldsOf(one, place)
    if (info['blockNumber'] !== height || info['blockTimeStamp'] !== atMs)
      throw contradiction(`${place} is of another block`)
    outcomes.set(bareHash(info['id'], `the transaction of ${place}`), {
      info,
      logs: listOf(info['log'] ?? [], `the logs of ${place}`).map((log) =>
        fieldsOf(log, `a log of ${place}`),
      ),
      internals: listOf(info['internal_transactions'] ?? [], `the calls of ${place}`).map((call) =>
        fieldsOf(call, `a call of ${place}`),
      ),
    })
  }
  if (outcomes.size !== list.length || list.length !== transactions.length)
    throw contradiction(
      `block ${height} has ${transactions.length} transactions, and the node tells the outcomes of ${outcomes.size}`,
    )
  return outcomes
}

export interface TronReading {
  /** Whether the range is to be declared for internal transfers. */
  readonly needsInternals: boolean
  readonly pairOf: TradedPair
}

export async function textOfTronBlock(
  block: TronBlock,
  toldOutcomes: unknown,
  reading: TronReading,
): Promise<string> {
  if (block.height === 0) return textOfGenesis(block)
  const outcomes = outcomesOf(toldOutcomes, block)
  const rows: string[] = []
  let logIndex = 0
  for (const [index, transaction] of block.transactions.entries()) {
    const place = `transaction ${index} of block ${block.height}`
    const outcome = outcomes.get(transaction.id)
    if (outcome === undefined) throw contradiction(`the node tells no outcome of ${place}`)
    const status = agreedStatus(transaction, outcome, place)
    const write = rowsOf(rows, rowPlace(block), { hash: transaction.id, index })
    await writeContract(transaction, { place, status, info: outcome.info, write, pairOf: reading.pairOf })
    if (status === '0' && outcome.logs.length > 0) throw contradiction(`${place} failed, and has logs`)
    if (reading.needsInternals) checkInternals(transaction, outcome, place)
    for (const log of outcome.logs)
      writeLog(log, { place: `log ${logIndex} of block ${block.height}`, logIndex: logIndex++, write })
    for (const [number, call] of outcome.internals.entries())
      writeInternal(call, { place: `call ${number} of ${place}`, number, hasFailed: status === '0', write })
  }
  return rows.join('')
}

const rowPlace = ({ height, atMs }: TronBlock) => ({
  ...{ chain: 'TRX', height, atS: atMs === 0 ? null : Math.floor(atMs / MS_PER_S) },
})

/** What the first block allocates: nobody pays it. One account begins below zero, where it burns what it gets. */
function textOfGenesis(block: TronBlock): string {
  const rows: string[] = []
  for (const [index, { type, value }] of block.transactions.entries()) {
    const place = `transaction ${index} of block 0`
    if (type !== 'TransferContract')
      throw new FollowError('unknown_meaning', `the type ${type} of ${place} is not known there`)
    const told = value['amount']
    if (typeof told === 'string' && /^-\d{1,19}$/.test(told)) continue
    rowsOf(rows, rowPlace(block)).issued(
      tronAddress(value['to_address'], `the receiver of ${place}`),
      unitsOf(told ?? 0, `the amount of ${place}`),
    )
  }
  return rows.join('')
}

/** The block and the node's own execution tell the same outcome. */
function agreedStatus({ status }: TronTransaction, { info }: TronOutcome, place: string): Status {
  const { result } = info
  if (result !== undefined && result !== 'SUCESS' && result !== 'FAILED')
    throw new FollowError('unknown_meaning', `the result of ${place} is not a known word`)
  const hasFailed = result === 'FAILED'
  if (status !== '' && hasFailed !== (status === '0'))
    throw contradiction(`block and outcome of ${place} do not tell the same`)
  return hasFailed ? '0' : status
}

/** A contract that was not called itself has told something: there was a call. */
function checkInternals(
  { value }: TronTransaction,
  { info, logs, internals }: TronOutcome,
  place: string,
): void {
  if (internals.length > 0) return
  const called = value['contract_address'] ?? info['contract_address']
  const others = logs.some(({ address }) => withPrefix(address) !== called)
  if (others)
    throw new FollowError(
      'pruned',
      `the node has not kept the internal transactions of ${place}; it needs vm.saveInternalTx from the first block on, or follow with --traces none`,
    )
}

/** Logs have addresses without the byte of the chain. */
const withPrefix = (address: unknown): string => {
  const text = typeof address === 'string' ? address.toLowerCase() : ''
  return text.length === 40 ? `41${text}` : text
}

function writeLog(
  log: Fields,
  { place, logIndex, write }: { readonly place: string; readonly logIndex: number; readonly write: Rows },
): void {
  const moved = tokenMovement(log, place)
  if (moved === null) return
  write.token(
    { from: `41${moved.from}`, to: `41${moved.to}`, value: moved.value },
    tronAddress(withPrefix(log['address']), `the contract of ${place}`),
    logIndex,
  )
}
