/** The identity of a transfer: equal for two rows that describe the same one. */
import { createHash } from 'node:crypto'
import { LedgerFileError } from './formats/ledger-file-error.js'
import type { ToldTransfer } from './formats/ledger-row.js'

/** Rows without a hash are identified by their content; a file with more such rows must be split. */
const MAX_ROWS_WITHOUT_HASH = 2_000_000
/** 16 bytes of a SHA-256, which makes an accidental collision impossible for any ledger. */
const ID_HEX_DIGITS = 32

/**
 * Ids of the transfers of a file, 32 hex digits. The id is a hash of (chain, transaction, kind, index) if the file has them, so
 * that a block in two files gives the same ids; otherwise of the content of the row and its number among equal rows.
 */
export function createIdentities(chain: string): (transfer: ToldTransfer) => string {
  const ordinals = new Map<string, number>()
  return (transfer) => {
    const { txHash, kind, index } = transfer
    // A transaction has one native transfer; its token transfers differ by their index.
    if (txHash !== '' && (index !== null || kind === 'native'))
      return idOf([chain, txHash, kind, index ?? ''])
    const content = idOf([
      chain,
      txHash,
      kind,
      transfer.contract,
      transfer.from,
      transfer.to,
      transfer.amount.toString(),
      transfer.blockNumber,
      transfer.occurredAtS,
    ])
    const ordinal = ordinals.get(content) ?? 0
    if (ordinals.size >= MAX_ROWS_WITHOUT_HASH)
      throw new LedgerFileError(
        `more than ${MAX_ROWS_WITHOUT_HASH} rows without a transaction hash and index: split the file`,
        transfer.line,
      )
    ordinals.set(content, ordinal + 1)
    return ordinal === 0 ? content : idOf([content, ordinal])
  }
}

/** The id of the native transfer of a transaction, for the receipt of that transaction. */
export const nativeTransferId = (chain: string, txHash: string): string => idOf([chain, txHash, 'native', ''])

function idOf(parts: readonly (string | number | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, ID_HEX_DIGITS)
}
