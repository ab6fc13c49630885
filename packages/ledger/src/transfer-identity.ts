/** What makes two rows one transfer. */
import { createHash } from 'node:crypto'
import { LedgerFileError } from './formats/ledger-file-error.js'
import type { ToldTransfer } from './formats/ledger-row.js'

/** Rows without a hash that are counted apart by what they say; beyond this the file must be split. */
const MAX_ROWS_WITHOUT_HASH = 2_000_000
/** Of a SHA-256: 16 bytes make an accident impossible at any size of a ledger. */
const ID_HEX_DIGITS = 32

/**
 * Ids of a file's transfers, 32 hex digits. By (chain, transaction, kind, index) where the file knows them, so that two
 * copies of a block from different files are one; else by what the row says and the how-manieth of its like it is.
 */
export function createIdentities(chain: string): (transfer: ToldTransfer) => string {
  const ordinals = new Map<string, number>()
  return (transfer) => {
    const { txHash, kind, index } = transfer
    // A transaction has one native transfer; its token transfers are told apart by their index alone.
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

/** The native transfer of a transaction, which a receipt speaks of. */
export const nativeTransferId = (chain: string, txHash: string): string => idOf([chain, txHash, 'native', ''])

function idOf(parts: readonly (string | number | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, ID_HEX_DIGITS)
}
