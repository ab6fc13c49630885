/** The interface of every adapter: the state of one address, every field checked. */
import type { ChainCode } from '@cupel/domain'
import type { ProviderHttp } from './provider-http.js'

/** The state of an address from one provider. A value that the provider does not offer is null, never a guess. */
export interface AccountState {
  /** Decimal height of the block of the state; if `blockHash` is null, the lowest possible height. */
  readonly height: string | null
  /** Set only if the state is of exactly this block. */
  readonly blockHash: string | null
  /** Decimal base units of the native asset. */
  readonly balanceBaseUnits: string | null
  readonly txCount: number | null
  /** `total`: all that involve the address; `outgoing`: those it signed. */
  readonly txCountKind: 'total' | 'outgoing' | null
  /** Whether the address has code. A delegation of an account (EIP-7702) is not code. */
  readonly isContract: boolean | null
  /** Tokens of the asset table that the address holds. */
  readonly tokens: readonly TokenAmount[]
}

export interface TokenAmount {
  readonly asset: string
  readonly amountBaseUnits: string
  readonly decimals: number
}

/** A token an adapter asks for: a row of the asset table. */
export interface KnownToken {
  readonly symbol: string
  /** Canonical address of its contract, or mint. */
  readonly contract: string
  readonly decimals: number
}

export interface ChainProvider {
  readonly chain: ChainCode
  /** A short description of the state request, for the record; without address, URL and secrets. */
  readonly stateRequest: string
  /** `address` is canonical. Throws ProviderError. */
  accountState(address: string, http: ProviderHttp): Promise<AccountState>
}
