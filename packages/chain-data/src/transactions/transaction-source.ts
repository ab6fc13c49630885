/** The interface of every adapter that reads one transaction and says whether it has a stated transfer. */
import type { ChainCode, Movement } from '@cupel/domain'
import type { ProviderHttp } from '../provider-http.js'

/** A transfer of a transaction, as its sender or receiver states it. */
export interface StatedMovement {
  /** As the ledger writes it. */
  readonly txHash: string
  /** Canonical, as the receiver. */
  readonly from: string
  readonly to: string
  /** Canonical contract of a token; empty for the native asset. */
  readonly contract: string
  /** Base units. */
  readonly amount: bigint
}

/**
 * What a provider says. `seen`: the transaction has exactly this transfer, in a block that is unlikely to be replaced. `contradicted`: it has all
 * its transfers told, and not this one. `failed`: it moved nothing. `unconfirmed`: it has no block, or one that may still be replaced.
 * `other_senders`: others pay in it too, so the sender did not pay by itself. `not_found`: the provider does not have it.
 */
export type TransactionWord =
  | 'seen'
  | 'contradicted'
  | 'failed'
  | 'unconfirmed'
  | 'other_senders'
  | 'not_found'

/** What an address asks a transaction: which transfers of its own it has. */
export interface AskedMovements {
  /** As the ledger writes it. */
  readonly txHash: string
  /** Canonical. */
  readonly own: string
  readonly direction: 'incoming' | 'outgoing'
  /** Canonical contract of the one asset that matters; empty for the native one, null if any may be meant. */
  readonly contract: string | null
}

/** The movements of the address in the direction, above zero, if the transaction has a block that is unlikely to be replaced. */
export type ToldMovements =
  | { readonly word: 'seen' | 'other_senders'; readonly movements: readonly Movement[] }
  | { readonly word: 'failed' | 'unconfirmed' | 'not_found' }

export interface TransactionSource {
  /** Name of the configuration. */
  readonly provider: string
  readonly chain: ChainCode
  /** Throws ProviderError: an answer whose meaning is not certain says nothing. */
  confirm(stated: StatedMovement, http: ProviderHttp): Promise<TransactionWord>
  /** Every transfer that can be meant, or none of them: throws ProviderError if the provider does not tell them all. */
  tell(asked: AskedMovements, http: ProviderHttp): Promise<ToldMovements>
}
