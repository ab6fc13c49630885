/** The identity of a transfer: equal for two rows that describe the same transfer. */
import { hash } from 'node:crypto'
import type { ChainDefinition } from './formats/chain.js'
import type { ToldTransfer } from './formats/ledger-row.js'

/** Movements that are kept in memory: the equal ones of a transaction must lie within this many of one another in the file. */
const REMEMBERED_MOVEMENTS = 1_000_000
/** 16 bytes of a SHA-256, which makes an accidental collision impossible for any ledger. */
const ID_HEX_DIGITS = 32

/**
 * Ids of the transfers of a file, 32 hex digits. A movement is (chain, transaction, kind, from, to, asset, amount), whatever file or format
 * states it. Equal movements of one file are numbered, so that over all files they count as often as the one file that states most of them.
 * The index only tells rows of one file apart. On EVM chains the transaction itself moves value once, so it is its own id; a row that lost
 * an address does not take the id from a row that has it.
 */
export function createIdentities({
  code,
  family,
}: Pick<ChainDefinition, 'code' | 'family'>): (transfer: ToldTransfer) => string {
  const numberOf = createNumbers()
  const natives = createMemory<string>()
  const toldOfNative = (id: string, told: string): string => natives.get(id) ?? natives.put(id, told)
  return (transfer) => {
    const { txHash, kind, index, from, to, contract, amount } = transfer
    const isWhole = from !== '' && to !== ''
    if (txHash !== '' && kind === 'native' && family === 'evm' && isWhole) {
      const id = nativeTransferId(code, txHash)
      // A source may call value native that calls within the transaction moved: it must not be lost.
      const told = hash('sha256', `${contract} ${from} ${to} ${amount}`, 'base64')
      if (toldOfNative(id, told) === told) return id
    }
    const transaction = transactionOf(transfer)
    const content = contentOf(code, transfer, transaction)
    // Without a transaction an index says nothing: equal rows are numbered.
    const number = numberOf(content, transaction === null ? null : index)
    return number === 0 ? content : idOf([content, number])
  }
}

/**
 * The transaction of a transfer; null if nothing identifies it. Traces of geth have no hash: block and index identify it, until a file
 * tells the hash of the transaction at that place (see `nameCalls`).
 */
function transactionOf(transfer: ToldTransfer): readonly (string | number)[] | null {
  const { txHash, blockNumber, txIndex } = transfer
  if (txHash !== '') return [txHash]
  return isNamelessCall(transfer) ? [blockNumber!, txIndex!] : null
}

/** A call of which only the place of its transaction is known. */
const isNamelessCall = ({
  kind,
  txHash,
  blockNumber,
  txIndex,
}: Pick<ToldTransfer, 'kind' | 'txHash' | 'blockNumber' | 'txIndex'>): boolean =>
  kind === 'internal' && txHash === '' && blockNumber !== null && txIndex !== null

/**
 * The number of a row among equal movements: rows with different indexes are different, a row without one is another each time, and the
 * first row without an index may be the first with one.
 */
function createNumbers(): (content: string, index: string | null) => number {
  const memory = createMemory<(string | null)[]>()
  return (content, index) => {
    const known = memory.get(content)
    if (known === undefined) {
      memory.put(content, [index])
      return 0
    }
    const alike = known.filter((one) => (one === null) === (index === null))
    const place = index === null ? -1 : alike.indexOf(index)
    if (place >= 0) return place
    known.push(index)
    return alike.length
  }
}

/** Values by key: the newest half is kept whole, then the half before it. */
function createMemory<Value>() {
  let recent = new Map<string, Value>()
  let before = new Map<string, Value>()
  return {
    get: (key: string): Value | undefined => recent.get(key) ?? before.get(key),
    put(key: string, value: Value): Value {
      if (recent.size >= REMEMBERED_MOVEMENTS / 2) {
        before = recent
        recent = new Map()
      }
      recent.set(key, value)
      return value
    },
  }
}

const contentOf = (
  chain: string,
  { kind, contract, from, to, amount, txHash, blockNumber, occurredAtS }: ToldTransfer,
  transaction: readonly (string | number)[] | null,
): string =>
  idOf([
    ...[chain, kind, contract, from, to, amount.toString()],
    ...(transaction ?? [txHash, blockNumber, occurredAtS]),
  ])

/**
 * SQL: the id of the call with this number (from 0) among the equal ones of a transaction whose hash is known by now.
 * @param parts chain, kind, contract, sender, receiver and amount
 */
export const namedCallId = (parts: readonly string[], txHash: string, number: string): string => {
  const idOfText = (text: string): string =>
    `left(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), ${ID_HEX_DIGITS})`
  // The parts need no escapes in JSON: they are addresses, numbers and words.
  const content = idOfText(`'["' || concat_ws('","', ${[...parts, txHash].join(', ')}) || '"]'`)
  return `(CASE ${number} WHEN 0 THEN ${content} ELSE ${idOfText(`'["' || ${content} || '",' || ${number} || ']'`)} END)::uuid`
}

/** The id of the native transfer of a transaction, for the receipt of that transaction. */
export const nativeTransferId = (chain: string, txHash: string): string => idOf([chain, txHash, 'native'])

function idOf(parts: readonly (string | number | null)[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, ID_HEX_DIGITS)
}
