/**
 * Which addresses a ledger may hold, in a few megabytes of memory, so that most screens need not ask it. A Bloom filter: it
 * never says that an address is absent which is there, and rarely the other way round. Source: Bloom (1970), "Space/time
 * trade-offs in hash coding with allowable errors"; two hashes for all bits: Kirsch, Mitzenmacher (2006).
 */
import type { Queryable } from '@cupel/postgres'

/** 4 MiB. */
const FILTER_BITS = 2 ** 25
const UNUSED_HASH_BITS = 7
/** Bits of one address; with ten bits of the filter for each address, about one of a hundred strangers has them all. */
const BITS_PER_ADDRESS = 7
/** A ledger with more addresses is asked about every one. */
export const MAX_FILTERED_ADDRESSES = 3_000_000

export interface AddressFilter {
  /** State of the ledger by which everything of it is in. What came later may be in too. */
  readonly ledgerSeq: number
  /** False only where the ledger has no transfer of the address in that state or an earlier one. */
  mayHold(chain: string, address: string): boolean
}

/** An empty filter, to which addresses are added. */
export function createFilterBits() {
  const bytes = new Uint8Array(FILTER_BITS / 8)

  /** Whether the filter has every bit of the address; those missing are set where it is to be added. */
  function hasBits(chain: string, address: string, isAdded: boolean): boolean {
    const hashes = hashesOf(`${chain} ${address}`)
    let place = hashes[0]
    // An odd step reaches every bit.
    const step = hashes[1] | 1
    let hasAll = true
    for (let index = 0; index < BITS_PER_ADDRESS; index++) {
      const bit = place >>> UNUSED_HASH_BITS
      const mask = 1 << (bit & 7)
      if ((bytes[bit >> 3]! & mask) === 0) {
        hasAll = false
        if (!isAdded) break
        bytes[bit >> 3]! |= mask
      }
      place = (place + step) | 0
    }
    return hasAll
  }

  return {
    /** Whether it may have been there before. */
    add: (chain: string, address: string): boolean => hasBits(chain, address, true),
    mayHold: (chain: string, address: string): boolean => hasBits(chain, address, false),
  }
}

/** FNV-1a over the text, and over it again from another beginning, both well mixed (MurmurHash3's finaliser). */
function hashesOf(text: string): [number, number] {
  let first = 0x811c9dc5
  let second = 0x9747b28c
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    first = Math.imul(first ^ code, 0x01000193)
    second = Math.imul(second ^ code, 0x85ebca6b)
  }
  return [mixed(first), mixed(second)]
}

function mixed(hash: number): number {
  let value = hash
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return value ^ (value >>> 16)
}

/** Addresses of one page: a few milliseconds for the database and for whoever reads it. */
const PAGE_ADDRESSES = 1_000

type Side = 'from_address' | 'to_address'

/** Each address once, by leaping through the index from one to the next: the transfers of an exchange are not passed. */
const pageOf = (side: Side) => ({
  name: `ledger.addresses-${side}`,
  text: `
    WITH RECURSIVE found AS (
      (SELECT chain, ${side} AS address FROM ledger.transfer
       WHERE (chain, ${side}) > ($1, $2) ORDER BY chain, ${side} LIMIT 1)
      UNION ALL
      SELECT next.chain, next.address FROM found CROSS JOIN LATERAL (
        SELECT chain, ${side} AS address FROM ledger.transfer
        WHERE (chain, ${side}) > (found.chain, found.address) ORDER BY chain, ${side} LIMIT 1) next)
    SELECT chain, address FROM found LIMIT ${PAGE_ADDRESSES}`,
})
const PAGES = [pageOf('from_address'), pageOf('to_address')]

export interface FilterOptions {
  /** The state to read: what it holds is committed. */
  readonly ledgerSeq: number
  /** Called after each page; what it waits for leaves the database to others. False ends the reading. */
  readonly afterPage: (pageMs: number) => Promise<boolean>
  readonly maxAddresses?: number
}

/**
 * Reads every address of the ledger, in whatever state its transfers are, into a filter; null where the reading was ended.
 * Transfers are never deleted, so what is added meanwhile does no harm.
 */
export async function readAddressFilter(
  database: Queryable,
  { ledgerSeq, afterPage, maxAddresses = MAX_FILTERED_ADDRESSES }: FilterOptions,
): Promise<AddressFilter | 'too many' | null> {
  const bits = createFilterBits()
  let addresses = 0
  for (const statement of PAGES) {
    for (let last = ['', '']; ;) {
      const since = performance.now()
      const page = await database.query<{ chain: string; address: string }>(statement, last)
      for (const { chain, address } of page) {
        // Most addresses send and receive, and count once.
        if (!bits.add(chain, address)) addresses += 1
      }
      if (addresses > maxAddresses) return 'too many'
      if (page.length < PAGE_ADDRESSES) break
      const { chain, address } = page.at(-1)!
      last = [chain, address]
      if (!(await afterPage(performance.now() - since))) return null
    }
  }
  return { ledgerSeq, mayHold: bits.mayHold }
}
