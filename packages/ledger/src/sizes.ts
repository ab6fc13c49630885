/** How many transfers addresses have, so that nobody is read who is too large to be followed. */
import type { Queryable } from '@cupel/postgres'
import { countCounterparties, countTransfers, type LedgerState } from './read-transfers.js'

export interface Size {
  /** Counted up to one beyond the larger of both limits. */
  readonly transfers: number
  /** It has more counterparties than the limit, among as many of its transfers in each direction as are counted. */
  readonly isHub: boolean
}

export interface SizeLimits {
  readonly transfers: number
  readonly counterparties: number
}

/** Sizes of large addresses, remembered: half of all screens pass by the same exchange, and in one state it has one size. */
export type KnownSizes = Map<string, Size>

const MAX_KNOWN_SIZES = 10_000

/** The size of every address, by address. */
export async function sizesOf(
  database: Queryable,
  addresses: readonly string[],
  { chain, ledgerSeq, limits, known }: LedgerState & { limits: SizeLimits; known: KnownSizes },
): Promise<ReadonlyMap<string, Size>> {
  const limit = Math.max(limits.transfers, limits.counterparties) + 1
  const state = { chain, ledgerSeq, limit }
  const keyOf = (one: string): string => `${ledgerSeq} ${chain} ${limit} ${limits.counterparties} ${one}`
  const sizes = new Map<string, Size>()
  const unknown: string[] = []
  for (const one of addresses) {
    const size = known.get(keyOf(one))
    if (size === undefined) unknown.push(one)
    else sizes.set(one, size)
  }
  const transfers = await countTransfers(database, { ...state, addresses: unknown })
  // Nobody has more counterparties than transfers.
  const large = unknown.filter((one) => (transfers.get(one) ?? 0) > limits.counterparties)
  const counterparties = await countCounterparties(database, { ...state, addresses: large })
  for (const one of unknown)
    sizes.set(one, {
      transfers: transfers.get(one) ?? 0,
      isHub: (counterparties.get(one) ?? 0) > limits.counterparties,
    })
  for (const one of large) remember(known, keyOf(one), sizes.get(one)!)
  return sizes
}

function remember(known: KnownSizes, key: string, size: Size): void {
  if (known.size >= MAX_KNOWN_SIZES)
    for (const [oldest] of known) {
      known.delete(oldest)
      break
    }
  known.set(key, size)
}
