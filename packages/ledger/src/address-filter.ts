/**
 * An in-memory filter that identifies addresses missing from the ledger, so that most screens need no query. It is a Bloom filter of a few
 * megabytes: it never reports a present address as absent, and rarely an absent one as present. Sources: Bloom (1970), "Space/time
 * trade-offs in hash coding with allowable errors"; two hashes for all bits: Kirsch, Mitzenmacher (2006).
 */
import { sharedKey, tokenAccountsOf } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'

/** 4 MiB. */
const FILTER_BITS = 2 ** 25
const UNUSED_HASH_BITS = 7
/** Bits per address. With ten bits of the filter per stored address, about 1 % of absent addresses are reported as present. */
const BITS_PER_ADDRESS = 7
/** For a ledger with more addresses there is no filter, and every address is queried. */
export const MAX_FILTERED_ADDRESSES = 3_000_000

export interface AddressFilter {
  /** The filter contains every address of this state of the ledger, and perhaps of later states. */
  readonly ledgerSeq: number
  /** False only if the ledger has no transfer of the address, or of another one of its key, in that state or an earlier one. */
  mayHold(chain: string, address: string): boolean
}

/** An empty filter to add addresses to. */
export function createFilterBits() {
  const bytes = new Uint8Array(FILTER_BITS / 8)

  /** Whether every bit of the address is set. With `isAdded` sets the missing bits. */
  function hasBits(chain: string, address: string, isAdded: boolean): boolean {
    const hashes = hashesOf(`${chain} ${address}`)
    let place = hashes[0]
    // An odd step visits every bit before it repeats.
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
    /** Adds an address; returns whether it may have been present before. */
    add: (chain: string, address: string): boolean => hasBits(chain, address, true),
    mayHold: (chain: string, address: string): boolean => hasBits(chain, address, false),
  }
}

/** Two FNV-1a hashes of the text with different seeds, each mixed by the finaliser of MurmurHash3. */
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

/** Addresses per page: a few milliseconds of work for the database and for this process. */
const PAGE_ADDRESSES = 1_000

const PAGES = [
  {
    name: 'ledger.filter-address',
    text: `SELECT chain, address AS text FROM ledger.address
           WHERE (chain, address) > ($1, $2) ORDER BY chain, address LIMIT ${PAGE_ADDRESSES}`,
  },
  {
    // Each key once: the query jumps in the index from one to the next and skips the rows in between.
    name: 'ledger.filter-owner_key',
    text: `
    WITH RECURSIVE found AS (
      (SELECT chain, owner_key AS text FROM ledger.owner_address
       WHERE (chain, owner_key) > ($1, $2) ORDER BY chain, owner_key LIMIT 1)
      UNION ALL
      SELECT next.chain, next.text FROM found CROSS JOIN LATERAL (
        SELECT chain, owner_key AS text FROM ledger.owner_address
        WHERE (chain, owner_key) > (found.chain, found.text) ORDER BY chain, owner_key LIMIT 1) next)
    SELECT chain, text FROM found LIMIT ${PAGE_ADDRESSES}`,
  },
]

export interface FilterOptions {
  /** The state to read; all its transfers are committed. */
  readonly ledgerSeq: number
  /** Called after each page; may wait to let other queries run. If it resolves to false, the read ends. */
  readonly afterPage: (pageMs: number) => Promise<boolean>
  readonly maxAddresses?: number
}

/**
 * Reads all addresses of the ledger and the keys that several may have, of any state, into a filter; null if `afterPage` ended the read. Transfers are never deleted, so
 * concurrent additions are harmless.
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
      const page = await database.query<{ chain: string; text: string }>(statement, last)
      for (const { chain, text } of page) {
        // A key may be an address too; count it once.
        if (!bits.add(chain, text)) addresses += 1
      }
      if (addresses > maxAddresses) return 'too many'
      if (page.length < PAGE_ADDRESSES) break
      const { chain, text } = page.at(-1)!
      last = [chain, text]
      if (!(await afterPage(performance.now() - since))) return null
    }
  }
  const mayHold = (chain: string, address: string): boolean =>
    bits.mayHold(chain, address) ||
    bits.mayHold(chain, sharedKey(address, chain) ?? address) ||
    (chain === 'SOL' && tokenAccountsOf(address).some((account) => bits.mayHold(chain, account)))
  return { ledgerSeq, mayHold }
}
