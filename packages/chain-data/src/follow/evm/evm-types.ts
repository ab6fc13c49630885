/** A block of an EVM chain and its transactions, as far as a ledger needs them. */

export interface EvmTransaction {
  readonly hash: string
  readonly from: string
  /** Null if it creates a contract. */
  readonly to: string | null
  readonly value: bigint
  /** Coins that the chain makes for the sender: deposits from the chain below. */
  readonly minted: bigint
}

export interface EvmBlock {
  readonly chain: string
  readonly height: number
  readonly hash: string
  readonly parentHash: string
  /** Seconds since 1970. */
  readonly atS: number
  readonly gasUsed: bigint
  readonly transactions: readonly EvmTransaction[]
  readonly withdrawals: readonly { readonly to: string; readonly value: bigint }[]
  readonly hasLogs: boolean
}
