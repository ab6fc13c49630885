/**
 * Converts transactions that providers report into transfers that count for exposure. The ids equal those of the ledger, so that a transfer
 * in both counts once. A provider reports only the newest transactions: they are never a whole history, and no share may be computed from
 * them.
 */
import { uncountedReason, type Transfer } from '../scorer/index.js'
import { sha256Hex } from '../scorer/index.js'
import type { ChainTransaction, Movement, OwnedAmount, SpentAndCreated } from './chain-transaction.js'

/** Digits of a SHA-256, as in the ledger. */
const ID_HEX_DIGITS = 32
/** A transaction with more edges gives no useful information about who paid whom. */
const MAX_EDGES = 10_000

/** The counted transfers, each once, in the order of the transactions. */
export function countedTransfers(
  chain: string,
  transactions: readonly ChainTransaction[],
): readonly Transfer[] {
  const counted = new Map<string, Transfer>()
  const repeats = new Map<string, number>()
  for (const transaction of transactions) {
    const transfers =
      transaction.outputs === null
        ? transaction.movements.map((movement) => movedTransfer(chain, transaction, movement, repeats))
        : outputTransfers(chain, transaction, transaction.outputs)
    for (const transfer of transfers) {
      if (uncountedReason(chain, transfer) === null && !counted.has(transfer.id))
        counted.set(transfer.id, transfer)
    }
  }
  return [...counted.values()]
}

function movedTransfer(
  chain: string,
  transaction: ChainTransaction,
  movement: Movement,
  repeats: Map<string, number>,
): Transfer {
  const { kind, contract, from, to, position } = movement
  const { txHash, blockNumber, occurredAtS, proven } = transaction
  const amount = BigInt(movement.amountBaseUnits)
  const content = [chain, txHash, kind, contract, from, to, amount.toString(), blockNumber, occurredAtS]
  const index = indexOf(transaction, movement)
  const id = index === null ? repeatedId(idOf(content), repeats) : idOf([chain, txHash, kind, index])
  const moved = { id, txHash, kind, contract, from, to, amount, blockNumber, occurredAtS, position, proven }
  return { ...moved, index: null, coinJoin: false }
}

/** The index that identifies a movement within its transaction and kind; null if there is none. */
function indexOf({ movements }: ChainTransaction, { kind, position }: Movement): string | null {
  const isOnlyNative = kind === 'native' && movements.filter((other) => other.kind === 'native').length === 1
  if (isOnlyNative) return '0'
  return position === null ? null : String(position)
}

/** Equal movements of one transaction without an index get an ordinal: the first, the second, … */
function repeatedId(content: string, repeats: Map<string, number>): string {
  const ordinal = repeats.get(content) ?? 0
  repeats.set(content, ordinal + 1)
  return ordinal === 0 ? content : idOf([content, ordinal])
}

/** An output belongs to no single input: each input pays each output by its part, in_i · out_j / Σ in. Change is not an edge. */
function outputTransfers(
  chain: string,
  { txHash, blockNumber, occurredAtS, proven }: ChainTransaction,
  { spent, created }: SpentAndCreated,
): readonly Transfer[] {
  const inputs = byOwner(spent)
  const outputs = byOwner(created)
  const total = spent.reduce((sum, { amountBaseUnits }) => sum + BigInt(amountBaseUnits), 0n)
  if (total === 0n || inputs.size * outputs.size > MAX_EDGES) return []
  const transfers: Transfer[] = []
  for (const [from, given] of inputs) {
    for (const [to, received] of outputs) {
      if (inputs.has(to)) continue
      const id = idOf([chain, txHash, 'utxo', `${from} ${to}`])
      const amount = (given * received) / total
      const edge = { kind: 'utxo', contract: '', from, to, amount, index: null, position: null }
      transfers.push({ id, txHash, ...edge, blockNumber, occurredAtS, proven, coinJoin: false })
    }
  }
  return transfers
}

function byOwner(amounts: readonly OwnedAmount[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { owner, amountBaseUnits } of amounts)
    sums.set(owner, (sums.get(owner) ?? 0n) + BigInt(amountBaseUnits))
  return sums
}

const idOf = (parts: readonly (string | number | null)[]): string =>
  sha256Hex(JSON.stringify(parts)).slice(0, ID_HEX_DIGITS)
