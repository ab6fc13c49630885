/** The identity of a transfer: equal for two rows that describe the same transfer. */
import { createHash } from 'node:crypto'
import type { ChainDefinition } from './formats/chain.js'
import { LedgerFileError } from './formats/ledger-file-error.js'
import type { ToldTransfer } from './formats/ledger-row.js'

/** Rows without a hash are identified by their content; a file with more such rows must be split. */
const MAX_ROWS_WITHOUT_HASH = 2_000_000
const ABSENT_INDEX = '0'
/** 16 bytes of a SHA-256, which makes an accidental collision impossible for any ledger. */
const ID_HEX_DIGITS = 32

/**
 * Ids of the transfers of a file, 32 hex digits. The id is a hash of (chain, transaction, kind, index) if the file has them, so that a
 * block in two files gives the same ids. An absent index of a native transfer is 0; if a transaction has several native transfers without
 * an index, only the first gets it. Other rows are identified by their content and their number among equal rows.
 */
export function createIdentities({
  code,
  family,
}: Pick<ChainDefinition, 'code' | 'family'>): (transfer: ToldTransfer) => string {
  const ordinals = createOrdinals()
  /** Content of the native transfers without an index, by id. On EVM chains a transaction has at most one. */
  const natives = new Map<string, string>()
  return (transfer) => {
    const { txHash, kind, index, blockNumber, txIndex } = transfer
    const isNative = kind === 'native'
    // Traces of geth have no hash: block and index identify the transaction.
    if (kind === 'internal' && index !== null && blockNumber !== null && txIndex !== null)
      return idOf([
        ...[code, blockNumber, txIndex, kind, index],
        ...[transfer.from, transfer.to, transfer.amount.toString()],
      ])
    if (txHash !== '' && index !== null) return idOf([code, txHash, kind, index])
    const isOnly = isNative && family === 'evm'
    if (txHash !== '' && isOnly) return nativeTransferId(code, txHash)
    const content = contentOf(code, transfer)
    if (txHash === '' || !isNative) return ordinals(content, transfer.line)
    const id = nativeTransferId(code, txHash)
    const first = natives.get(id) ?? content
    checkRows(natives.size, transfer.line)
    natives.set(id, first)
    return first === content ? id : ordinals(content, transfer.line)
  }
}

/** Distinguishes equal contents: the first has its own id, the next ones have others. */
function createOrdinals(): (content: string, line: number) => string {
  const ordinals = new Map<string, number>()
  return (content, line) => {
    const ordinal = ordinals.get(content) ?? 0
    checkRows(ordinals.size, line)
    ordinals.set(content, ordinal + 1)
    return ordinal === 0 ? content : idOf([content, ordinal])
  }
}

function checkRows(rows: number, line: number): void {
  if (rows >= MAX_ROWS_WITHOUT_HASH)
    throw new LedgerFileError(
      `more than ${MAX_ROWS_WITHOUT_HASH} rows without a transaction hash and index: split the file`,
      line,
    )
}

const contentOf = (chain: string, transfer: ToldTransfer): string =>
  idOf([
    chain,
    transfer.txHash,
    transfer.kind,
    transfer.contract,
    transfer.from,
    transfer.to,
    transfer.amount.toString(),
    transfer.blockNumber,
    transfer.occurredAtS,
  ])

/** The id of the native transfer of a transaction, for the receipt of that transaction. */
export const nativeTransferId = (chain: string, txHash: string): string =>
  idOf([chain, txHash, 'native', ABSENT_INDEX])

function idOf(parts: readonly (string | number | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, ID_HEX_DIGITS)
}
