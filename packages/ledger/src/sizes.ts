/**
 * Selects the addresses that are followed: small ones with all their transfers, others with their largest ones. Counting transfers costs as much as reading them, so
 * the code avoids it: the number of rows, only from the index, is usually sufficient.
 */
import type { Queryable } from '@cupel/postgres'
import { countRows, countTransfers, readSizes } from './count-transfers.js'
import type { LedgerState, TransferCounts } from './store/transfer-store.js'

export interface SizeLimits {
  /** Maximum transfers of one address; of one with more the largest are read. */
  readonly transfers: number
  /** Maximum transfers of all addresses together. */
  readonly remaining: number
  /** An unlabelled address that exchanged at least dust with more is a hub. */
  readonly counterparties: number
}

interface Size {
  /** How many of its transfers are read. */
  readonly transfers: number
  readonly isHub: boolean
  /** It has more transfers, so only the largest ones, of at least dust, are read. */
  readonly isPart: boolean
}

/** Cache of the sizes of large addresses: many screens reach the same exchange, whose size is fixed in one state of the ledger. */
export type KnownSizes = Map<string, Size>

const MAX_KNOWN_SIZES = 10_000

export interface Fitting {
  /** The addresses that fit, in the given order, each with an upper bound of its number of transfers. */
  readonly through: ReadonlyMap<string, number>
  /** Those of them of which only the largest transfers are read. */
  readonly parts: ReadonlySet<string>
  /** The other addresses, in the given order, with the reason. */
  readonly cut: readonly { readonly address: string; readonly reason: string }[]
}

export interface FittingRequest extends LedgerState {
  readonly limits: SizeLimits
  readonly isLabelled: (address: string) => boolean
  readonly known: KnownSizes
}

/** Takes the addresses in order; each must fit into the rest of the limit that the earlier ones leave. */
export async function fittingOf(
  database: Queryable,
  addresses: readonly string[],
  request: FittingRequest,
): Promise<Fitting> {
  const { limits } = request
  const sizes = await sizesOf(database, addresses, request)
  const first = fitted(addresses, sizes, request)
  if (!first.cut.some(({ reason }) => reason === 'limit')) return first

  // The limit is reached, so the exact numbers in this state matter. An address that fits with all its rows fits in any case.
  const { chain, ledgerSeq } = request
  const exactly = async (small: readonly string[], limit: number): Promise<number> => {
    const count = await countTransfers(database, { chain, ledgerSeq, addresses: small, limit })
    let sum = 0
    for (const one of small) {
      sizes.set(one, { transfers: count(one), isHub: false, isPart: false })
      sum += count(one)
    }
    return sum
  }
  // A hub, or an address that is followed in part, was counted already; its number of transfers is that of those to read.
  const isSmall = (one: string): boolean => {
    const { transfers, isHub, isPart } = sizes.get(one)!
    return !isHub && !isPart && transfers <= smallOf(limits)
  }
  const sure = addresses.slice(
    0,
    addresses.indexOf(first.cut.find(({ reason }) => reason === 'limit')!.address),
  )
  const taken = await exactly(sure.filter(isSmall), smallOf(limits))
  const others = addresses.slice(sure.length).filter(isSmall)
  await exactly(others, Math.min(smallOf(limits), limits.remaining - taken + 1))
  return fitted(addresses, sizes, request)
}

/** The unlabelled addresses at which paths end because they are hubs, and those that have many rows in any state. */
export async function hubsAmong(
  database: Queryable,
  addresses: readonly string[],
  request: LedgerState & Pick<FittingRequest, 'limits'>,
): Promise<{ readonly hubs: ReadonlySet<string>; readonly large: ReadonlySet<string> }> {
  const hubs = new Set<string>()
  const large = new Set<string>()
  for (let start = 0; start < addresses.length; start += HUBS_PER_READ) {
    const part = addresses.slice(start, start + HUBS_PER_READ)
    const sizes = await sizesOf(database, part, { ...request, known: new Map() })
    for (const [one, { transfers, isHub, isPart }] of sizes) {
      if (isHub) hubs.add(one)
      if (isHub || isPart || transfers > smallOf(request.limits)) large.add(one)
    }
  }
  return { hubs, large }
}

const HUBS_PER_READ = 500

function fitted(
  addresses: readonly string[],
  sizes: ReadonlyMap<string, Size>,
  { limits, isLabelled }: FittingRequest,
): Fitting {
  const through = new Map<string, number>()
  const parts = new Set<string>()
  const cut: { address: string; reason: string }[] = []
  let remaining = limits.remaining
  for (const address of addresses) {
    const { transfers, isHub, isPart } = sizes.get(address)!
    if (isHub && !isLabelled(address)) cut.push({ address, reason: 'hub' })
    else if (transfers > remaining) cut.push({ address, reason: 'limit' })
    else {
      remaining -= transfers
      through.set(address, transfers)
      if (isPart) parts.add(address)
    }
  }
  return { through, parts, cut }
}

/** An address with up to this number of transfers is followed and is no hub: it has no more counterparties than transfers. */
const smallOf = (limits: SizeLimits): number => Math.min(limits.transfers, limits.counterparties)

/** For small addresses the number of rows, for large ones what is counted. */
async function sizesOf(
  database: Queryable,
  addresses: readonly string[],
  { chain, ledgerSeq, limits, known }: Omit<FittingRequest, 'isLabelled'>,
): Promise<Map<string, Size>> {
  const keyOf = (one: string): string =>
    `${ledgerSeq} ${chain} ${limits.transfers} ${limits.counterparties} ${one}`
  const sizes = new Map<string, Size>()
  for (const one of addresses) {
    const size = known.get(keyOf(one))
    if (size !== undefined) sizes.set(one, size)
  }
  const state = { chain, ledgerSeq }
  const unknown = addresses.filter((one) => !sizes.has(one))
  const rows = await countRows(database, { ...state, addresses: unknown, limit: smallOf(limits) + 1 })
  for (const one of unknown) sizes.set(one, { transfers: rows(one), isHub: false, isPart: false })
  const large = unknown.filter((one) => rows(one) > smallOf(limits))
  if (large.length === 0) return sizes
  for (const [one, size] of await countedSizes(database, large, { ...state, limits })) {
    sizes.set(one, size)
    remember(known, keyOf(one), size)
  }
  return sizes
}

/** How many transfers of each side are counted first, in units of the limits: a hub is large by a small part of its transfers. */
const FIRST_COUNTED = 4

async function countedSizes(
  database: Queryable,
  addresses: readonly string[],
  { limits, ...state }: LedgerState & Pick<FittingRequest, 'limits'>,
): Promise<ReadonlyMap<string, Size>> {
  const most = FIRST_COUNTED * Math.max(limits.transfers, limits.counterparties)
  const least = await readSizes(database, { ...state, addresses, most })
  const isSure = ({ transfers, worth, counterparties }: TransferCounts): boolean =>
    transfers < most ||
    (counterparties > limits.counterparties && Math.min(worth, transfers - 1) >= limits.transfers)
  const others = addresses.filter((one) => !isSure(least.get(one)!))
  const whole = await readSizes(database, { ...state, addresses: others })
  return new Map(
    addresses.map((one) => {
      const { transfers, worth, counterparties } = whole.get(one) ?? least.get(one)!
      const isPart = transfers > limits.transfers
      const read = isPart ? Math.min(worth, limits.transfers) : transfers
      return [one, { transfers: read, isHub: counterparties > limits.counterparties, isPart }]
    }),
  )
}

function remember(known: KnownSizes, key: string, size: Size): void {
  const [oldest] = known.keys()
  if (oldest !== undefined && known.size >= MAX_KNOWN_SIZES) known.delete(oldest)
  known.set(key, size)
}
