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
  /** Where the reading of a later state goes on. */
  readonly read: ReadSoFar
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
/** The largest number of an address. */
const LAST_NUMBER = 2 ** 31 - 1
/** Spans of missing numbers that are nearer to one another are one: what lies between is read again. */
const NEAR = PAGE_ADDRESSES
/** With more spans all addresses are read again. */
const MOST_SPANS = 100

/** By number, each with the key that others may have too. The key is looked up for each address: no plan may read all keys. */
const PAGE = {
  name: 'ledger.filter-address',
  text: `SELECT a.address_id AS number, a.chain, a.address,
           (SELECT o.owner_key FROM ledger.owner_address o WHERE o.chain = a.chain AND o.address = a.address) AS key
         FROM ledger.address a WHERE a.address_id BETWEEN $1 AND $2 ORDER BY a.address_id LIMIT ${PAGE_ADDRESSES}`,
}

interface AddressRow extends Record<string, unknown> {
  readonly number: number
  readonly chain: string
  readonly address: string
  readonly key: string | null
}

interface Span {
  readonly from: number
  readonly to: number
}

/** What was read. A later reading adds to the bits, which makes no earlier filter wrong. */
interface ReadSoFar {
  readonly bits: ReturnType<typeof createFilterBits>
  readonly addresses: number
  /** The row with the largest number; null before the first one. */
  readonly last: AddressRow | null
  /** Numbers below that without a row: of rows that were not committed then, or never will be. */
  readonly missing: readonly Span[]
}

export interface FilterOptions {
  /** The state to read; all its transfers are committed. */
  readonly ledgerSeq: number
  /** Called after each page; may wait to let other queries run. If it resolves to false, the read ends. */
  readonly afterPage: (pageMs: number) => Promise<boolean>
  readonly maxAddresses?: number
  /** Of an earlier state: only what came since is read. */
  readonly before?: AddressFilter | null
}

/**
 * Reads all addresses of the ledger and the keys that several may have, of any state, into a filter; null if `afterPage` ended the read. Addresses are never deleted, so
 * concurrent additions are harmless.
 */
export async function readAddressFilter(
  database: Queryable,
  { ledgerSeq, afterPage, maxAddresses = MAX_FILTERED_ADDRESSES, before = null }: FilterOptions,
): Promise<AddressFilter | 'too many' | null> {
  const from = await continued(database, before)
  const { bits } = from
  let { addresses, last } = from
  const missing: Span[] = []
  for (const span of [...from.missing, { from: (last?.number ?? 0) + 1, to: LAST_NUMBER }]) {
    for (let next = span.from; next <= span.to;) {
      const since = performance.now()
      const page = await database.query<AddressRow>(PAGE, [next, span.to])
      for (const row of page) {
        if (row.number > next) missing.push({ from: next, to: row.number - 1 })
        next = row.number + 1
        if (row.number > (last?.number ?? 0)) last = row
        // A key may be an address too; count it once.
        if (!bits.add(row.chain, row.address)) addresses += 1
        if (row.key !== null && !bits.add(row.chain, row.key)) addresses += 1
      }
      if (addresses > maxAddresses) return 'too many'
      if (page.length < PAGE_ADDRESSES) {
        if (span.to < LAST_NUMBER && next <= span.to) missing.push({ from: next, to: span.to })
        break
      }
      if (!(await afterPage(performance.now() - since))) return null
    }
  }
  const mayHold = (chain: string, address: string): boolean =>
    bits.mayHold(chain, address) ||
    bits.mayHold(chain, sharedKey(address, chain) ?? address) ||
    (chain === 'SOL' && tokenAccountsOf(address).some((account) => bits.mayHold(chain, account)))
  return { ledgerSeq, mayHold, read: { bits, addresses, last, missing: joined(missing) } }
}

const nothingRead = (): ReadSoFar => ({ bits: createFilterBits(), addresses: 0, last: null, missing: [] })

/** Where a reading goes on. A database that was restored gives numbers a second time: then it begins again. */
async function continued(database: Queryable, before: AddressFilter | null): Promise<ReadSoFar> {
  if (before === null || before.read.missing.length > MOST_SPANS) return nothingRead()
  const { last } = before.read
  if (last === null) return before.read
  const [row] = await database.query<AddressRow>(PAGE, [last.number, last.number])
  return row?.chain === last.chain && row.address === last.address ? before.read : nothingRead()
}

function joined(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = []
  for (const span of spans) {
    const known = all.at(-1)
    if (known !== undefined && span.from - known.to < NEAR) all[all.length - 1] = { ...known, to: span.to }
    else all.push(span)
  }
  return all
}
