/** Transactions as providers of chain data report them, before any of them is counted. */

/** A transaction that moved value to or from an address, as a provider reports it. */
export interface ChainTransaction {
  /** Lowercase where the chain writes hashes in hex. */
  readonly txHash: string
  /** Null while it is in no block. */
  readonly blockNumber: number | null
  /** Seconds since 1970. */
  readonly occurredAtS: number | null
  /** Whether its execution is known to have succeeded. */
  readonly proven: boolean
  /** Movements between accounts; empty on chains that spend outputs. */
  readonly movements: readonly Movement[]
  /** Outputs spent and created; null on chains with accounts. */
  readonly outputs: SpentAndCreated | null
}

export interface Movement {
  readonly kind: 'native' | 'internal' | 'token'
  /** Canonical contract of the token; empty for the native asset. */
  readonly contract: string
  readonly from: string
  readonly to: string
  readonly amountBaseUnits: string
  /** Place within the block, if the provider states it. */
  readonly position: number | null
}

export interface SpentAndCreated {
  readonly spent: readonly OwnedAmount[]
  readonly created: readonly OwnedAmount[]
}

/** The owner is empty if an output has no address. */
export interface OwnedAmount {
  readonly owner: string
  readonly amountBaseUnits: string
}
