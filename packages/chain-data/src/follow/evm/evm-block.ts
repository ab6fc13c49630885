/** The transfers of one block as rows of the ledger's own layout. Everything that the node says of the block must agree. */
import {
  fieldsOf,
  hexAddress,
  hexHash,
  hexNumber,
  hexUnits,
  listOf,
  textOf,
  type Fields,
} from '../answer-values.js'
import { FollowError } from '../follow-error.js'
import { rowsOf, type Rows, type Status } from '../transfer-rows.js'
import { tokenMovement } from '../token-log.js'
import type { CallsOfBlock } from './calls.js'
import type { EvmBlock, EvmTransaction } from './evm-types.js'

/** Transactions that move value from their sender to their receiver: EIP-2718, 2930, 1559, 4844, 7702. */
const TYPES: ReadonlySet<number> = new Set([0, 1, 2, 3, 4])
/** Deposits of the OP stack: their `mint` is issued to the sender. */
const DEPOSIT = 0x7e
const HAS_DEPOSITS: ReadonlySet<string> = new Set(['OP', 'BASE'])
const WEI_OF_GWEI = 10n ** 9n

const contradiction = (message: string): FollowError => new FollowError('node_contradicts', message)

export function blockOf(told: unknown, height: number, chain: string): EvmBlock {
  const at = `block ${height}`
  const block = fieldsOf(told, at)
  const number = hexNumber(block['number'], `the height of ${at}`)
  if (number !== height) throw contradiction(`the node answers block ${number} for ${height}`)
  const hash = hexHash(block['hash'], `the hash of ${at}`)
  return {
    chain,
    height,
    hash,
    parentHash: hexHash(block['parentHash'], `the parent of ${at}`),
    atS: hexNumber(block['timestamp'], `the time of ${at}`),
    gasUsed: hexUnits(block['gasUsed'], `the gas of ${at}`),
    transactions: listOf(block['transactions'], `the transactions of ${at}`).map((one, index) =>
      transactionOf(one, { at, hash, index, chain }),
    ),
    withdrawals: listOf(block['withdrawals'] ?? [], `the withdrawals of ${at}`).map((one) => {
      const { address, amount } = fieldsOf(one, `a withdrawal of ${at}`)
      return {
        to: hexAddress(address, `the receiver of a withdrawal of ${at}`),
        value: hexUnits(amount, `the amount of a withdrawal of ${at}`) * WEI_OF_GWEI,
      }
    }),
    hasLogs: /[1-9a-f]/i.test(textOf(block['logsBloom'], `the bloom of ${at}`).slice(2)),
  }
}

function transactionOf(
  told: unknown,
  {
    at,
    hash: blockHash,
    index,
    chain,
  }: { readonly at: string; readonly hash: string; readonly index: number; readonly chain: string },
): EvmTransaction {
  const place = `transaction ${index} of ${at}`
  const transaction = fieldsOf(told, place)
  const type = transaction['type'] === undefined ? 0 : hexNumber(transaction['type'], `the type of ${place}`)
  const isDeposit = type === DEPOSIT && HAS_DEPOSITS.has(chain)
  if (!TYPES.has(type) && !isDeposit)
    throw new FollowError(
      'unknown_meaning',
      `the type 0x${type.toString(16)} of ${place} is not known on ${chain}`,
    )
  if (hexHash(transaction['blockHash'], `the block of ${place}`) !== blockHash)
    throw contradiction(`${place} says that it is in another block`)
  if (hexNumber(transaction['transactionIndex'], `the index of ${place}`) !== index)
    throw contradiction(`${place} says that it has another index`)
  const { to, mint } = transaction
  return {
    hash: hexHash(transaction['hash'], `the hash of ${place}`),
    from: hexAddress(transaction['from'], `the sender of ${place}`),
    to: to === null || to === undefined ? null : hexAddress(to, `the receiver of ${place}`),
    value: hexUnits(transaction['value'], `the value of ${place}`),
    minted: !isDeposit || mint === undefined || mint === null ? 0n : hexUnits(mint, `the mint of ${place}`),
  }
}

interface Receipt {
  readonly status: Status
  readonly gasUsed: bigint
  readonly contract: string | null
  readonly logs: readonly unknown[]
}

function receiptOf(told: unknown, index: number, block: EvmBlock): Receipt {
  const place = `receipt ${index} of block ${block.height}`
  const receipt = fieldsOf(told, place)
  checkPlace(receipt, place, { block, index })
  const { contractAddress } = receipt
  return {
    status: statusOf(receipt, place),
    gasUsed: hexUnits(receipt['gasUsed'], `the gas of ${place}`),
    contract:
      contractAddress === null || contractAddress === undefined
        ? null
        : hexAddress(contractAddress, `the contract of ${place}`),
    logs: listOf(receipt['logs'], `the logs of ${place}`),
  }
}

/** Receipts before the Byzantium fork have a state root instead of a status. */
function statusOf({ status, root }: Fields, place: string): Status {
  if (status === '0x1') return '1'
  if (status === '0x0') return '0'
  if ((status === undefined || status === null) && typeof root === 'string') return ''
  throw new FollowError('unknown_meaning', `the status of ${place} is neither success nor failure`)
}

function checkPlace(
  told: Fields,
  place: string,
  { block, index }: { readonly block: EvmBlock; readonly index: number },
): void {
  if (hexHash(told['blockHash'], `the block of ${place}`) !== block.hash)
    throw contradiction(`${place} is of another block`)
  if (hexHash(told['transactionHash'], `the transaction of ${place}`) !== block.transactions[index]?.hash)
    throw contradiction(`${place} is of another transaction`)
}

function receiptsOf(told: readonly unknown[], block: EvmBlock): readonly Receipt[] {
  const { transactions, height, gasUsed } = block
  if (told.length !== transactions.length)
    throw contradiction(`block ${height} has ${transactions.length} transactions and ${told.length} receipts`)
  const receipts = told.map((one, index) => receiptOf(one, index, block))
  const sum = receipts.reduce((left, right) => left + right.gasUsed, 0n)
  if (sum !== gasUsed) throw contradiction(`block ${height} used ${gasUsed} gas, and its receipts ${sum}`)
  if (block.hasLogs !== receipts.some(({ logs }) => logs.length > 0))
    throw contradiction(
      block.hasLogs
        ? `block ${height} has logs, and its receipts have none`
        : `block ${height} has no logs, and its receipts have some`,
    )
  return receipts
}

export function textOfBlock(block: EvmBlock, toldReceipts: readonly unknown[], calls: CallsOfBlock): string {
  const receipts = receiptsOf(toldReceipts, block)
  const rows: string[] = []
  let logIndex = 0
  for (const [index, transaction] of block.transactions.entries()) {
    const { status, contract, logs } = receipts[index]!
    const write = rowsOf(rows, block, { hash: transaction.hash, index })
    if (transaction.minted > 0n) rowsOf(rows, block).issued(transaction.from, transaction.minted)
    checkOutcome(block, index, { status, calls })
    const told = status === '' && calls.roots !== null ? (calls.roots[index]!.hasFailed ? '0' : '1') : status
    const to = transaction.to ?? contract
    if (transaction.value > 0n && to === null && told !== '0')
      throw contradiction(
        `transaction ${index} of block ${block.height} creates a contract without an address`,
      )
    if (transaction.value > 0n && to !== null) write.moved('native', { ...transaction, to }, told)
    for (const log of logs) {
      writeTransfer(log, { block, index, logIndex, write })
      logIndex += 1
    }
    let call = 0
    for (const one of calls.calls[index] ?? [])
      write.moved('internal', one, one.hasFailed || told === '0' ? '0' : '1', String(call++))
  }
  const issued = rowsOf(rows, block)
  for (const { to, value } of [...calls.issued, ...block.withdrawals]) issued.issued(to, value)
  return rows.join('')
}

/** The receipt and the outermost call tell the same outcome. */
function checkOutcome(
  { height, transactions }: EvmBlock,
  index: number,
  { status, calls }: { readonly status: Status; readonly calls: CallsOfBlock },
): void {
  if (calls.roots === null) return
  const [root, transaction] = [calls.roots[index]!, transactions[index]!]
  if (status === '1' && root.hasFailed)
    throw contradiction(
      `the receipt of transaction ${index} of block ${height} tells success, and its call an error`,
    )
  if (root.from !== transaction.from || root.value !== transaction.value)
    throw contradiction(
      `the outermost call of transaction ${index} of block ${height} is not the transaction`,
    )
}

function writeTransfer(
  told: unknown,
  {
    block,
    index,
    logIndex,
    write,
  }: { readonly block: EvmBlock; readonly index: number; readonly logIndex: number; readonly write: Rows },
): void {
  const place = `log ${logIndex} of block ${block.height}`
  const log = fieldsOf(told, place)
  if (hexNumber(log['logIndex'], `the index of ${place}`) !== logIndex)
    throw contradiction(`a log before ${place} is missing`)
  checkPlace(log, place, { block, index })
  const moved = tokenMovement(log, place)
  if (moved === null) return
  write.token(
    { from: `0x${moved.from}`, to: `0x${moved.to}`, value: moved.value },
    hexAddress(log['address'], `the contract of ${place}`),
    logIndex,
  )
}
