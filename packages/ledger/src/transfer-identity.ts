/** The identity of a transfer: equal for two rows that describe the same transfer. */
import { hash } from 'node:crypto'
import type { ChainDefinition } from './formats/chain.js'
import type { ToldTransfer } from './formats/ledger-row.js'
import { writeFingerprint } from './fingerprint.js'
import { createNewestValues } from './newest-values.js'
import { createWordTable, writeHex } from './word-table.js'

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
  const isFirstOrSame = createNatives()
  return (transfer) => {
    const { txHash, kind, index, from, to } = transfer
    const isWhole = from !== '' && to !== ''
    if (txHash !== '' && kind === 'native' && family === 'evm' && isWhole) {
      const id = nativeTransferId(code, txHash)
      // A source may call value native that calls within the transaction moved: it must not be lost.
      if (isFirstOrSame(id, transfer)) return id
    }
    const transaction = transactionOf(transfer)
    const content = contentOf(code, transfer, transaction)
    // Without a transaction an index says nothing: equal rows are numbered.
    const number = numberOf(content, transaction === null ? null : index)
    return number === 0 ? content : idOf([content, number])
  }
}

/** Whether the first row of a native transfer with this id moves the same; the first one does. */
function createNatives(): (id: string, transfer: ToldTransfer) => boolean {
  const natives = createWordTable({ keyWords: 4, valueWords: 2, most: REMEMBERED_MOVEMENTS })
  const told = new Int32Array(2)
  return (id, { contract, from, to, amount }) => {
    writeHex(id, 0, natives.key)
    writeFingerprint([contract, from, to, amount.toString()], told)
    if (natives.find()) return natives.value[0] === told[0] && natives.value[1] === told[1]
    natives.value.set(told)
    natives.add()
    return true
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
  const memory = createNewestValues<(string | null)[]>(REMEMBERED_MOVEMENTS)
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

/**
 * The id of the native transfer of a transaction, for the receipt of that transaction. Neither a code of a chain nor a hash has a character that
 * JSON escapes.
 */
export const nativeTransferId = (chain: string, txHash: string): string =>
  idOfText(`["${chain}","${txHash}","native"]`)

const idOf = (parts: readonly (string | number | null)[]): string => idOfText(JSON.stringify(parts))

const idOfText = (text: string): string => hash('sha256', text, 'hex').slice(0, ID_HEX_DIGITS)
