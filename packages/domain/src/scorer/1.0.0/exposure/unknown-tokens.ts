/** What an address moved in tokens outside the asset table, which do not count. */
import type { Direction } from './trace-routes.js'

export interface UnknownTokens {
  readonly direction: Direction
  /** Canonical address of the token's contract. */
  readonly contract: string
  readonly counterparty: string
  /** In the token's base units. */
  readonly amount: bigint
  readonly transfers: number
}
