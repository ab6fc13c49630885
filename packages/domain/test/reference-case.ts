/** The input of an exposure calculation, and the helpers that its parts share. */
import type { Placed } from './reference-order.js'
import type { ReferenceSource, Step, TaintCase } from './reference-taint.js'

export interface ReferenceTransfer extends Placed {
  readonly amount: bigint
  readonly proven: boolean
  readonly asset: string
  /** The UTC day of its time. */
  readonly day: string | null
  readonly coinJoin: boolean
}

export interface ReferenceAsset {
  /** For value, totals and dust, assets of one group are one asset. */
  readonly group: string
  /** Number of the group's base units in one base unit of the asset. */
  readonly scale: bigint
  readonly decimals: number
}

export interface ReferenceCase {
  readonly screened: string
  readonly transfers: readonly ReferenceTransfer[]
  /** Transfers that were read for the screened address itself. */
  readonly ownIds: readonly string[]
  /** Assets by name; any other asset counts for nothing. */
  readonly assets: Readonly<Record<string, ReferenceAsset>>
  readonly sources: Readonly<Record<string, readonly ReferenceSource[]>>
  readonly clean: readonly string[]
  readonly followed: readonly string[]
  /** Unlabelled addresses with too many counterparties to be followed. */
  readonly hubs: readonly string[]
  readonly hops: number
  readonly method: 'haircut' | 'fifo' | 'poison'
  /** The gaps of the declared ranges. */
  readonly undeclared: readonly string[]
  /** The product did not read every transfer of the screened address. */
  readonly truncated: boolean
  /** The screened address is a clean service. */
  readonly isCleanService: boolean
  /** In base units of each group. */
  readonly dust: Readonly<Record<string, bigint>>
  readonly weights: Readonly<Record<string, number>>
  /** Millionths of a dollar for one whole unit; null if there is no price. */
  readonly priceOf: (asset: string, day: string) => bigint | null
}

/** The part of an amount that each counterparty has. */
export interface ReferenceShare {
  amount: bigint
  microUsd: bigint | null
  readonly transfers: Set<string>
}

/** A part of one own transfer, in base units of its group. */
export interface Found {
  readonly category: string
  readonly subcategory: string
  readonly relation: 'direct' | 'indirect'
  readonly source: string
  readonly ppm: number
  readonly designatedAt: number | null
  readonly amount: bigint
  readonly microUsd: bigint | null
  readonly proven: boolean
  readonly of: ReferenceTransfer
}

export const scaled = ({ assets }: ReferenceCase, { asset, amount }: ReferenceTransfer): bigint =>
  amount * assets[asset]!.scale

export const counts = ({ assets }: ReferenceCase, one: ReferenceTransfer): boolean =>
  one.asset in assets && one.amount > 0n && one.from !== one.to && one.from !== 'z' && one.to !== 'z'

/** The case of one asset and direction, with the transfer in it; null if the counterparty is not followed. */
export function taintOf(
  given: ReferenceCase,
  one: ReferenceTransfer,
  direction: 'in' | 'out',
): (TaintCase & { readonly last: Step }) | null {
  const other = direction === 'in' ? one.from : one.to
  if (given.hops < 2 || !given.followed.includes(other)) return null
  const transfers = stepsOf(given, one.asset, direction)
  return { ...given, transfers, last: transfers.find(({ id }) => id === one.id)! }
}

const directed = new WeakMap<ReferenceCase, Map<string, readonly Step[]>>()

export function stepsOf(given: ReferenceCase, asset: string, direction: 'in' | 'out'): readonly Step[] {
  const known = directed.get(given) ?? new Map<string, readonly Step[]>()
  directed.set(given, known)
  const key = `${direction} ${asset}`
  const steps =
    known.get(key) ??
    given.transfers
      .filter((one) => counts(given, one) && one.asset === asset)
      .map((one): Step => (direction === 'in' ? one : { ...one, from: one.to, to: one.from }))
  known.set(key, steps)
  return steps
}

/** Millionths of a dollar on the day of the transfer, rounded down; null if there is no price. */
export function valueOf(
  given: ReferenceCase,
  { asset, day }: ReferenceTransfer,
  amount: bigint,
): bigint | null {
  const price = day === null ? null : given.priceOf(asset, day)
  return price === null ? null : (amount * price) / 10n ** BigInt(given.assets[asset]!.decimals)
}

export const sumOrNull = (a: bigint | null, b: bigint | null): bigint | null =>
  a === null || b === null ? null : a + b

export function sharesOf(
  parts: readonly Pick<Found, 'source' | 'amount' | 'microUsd' | 'of'>[],
): ReadonlyMap<string, ReferenceShare> {
  const shares = new Map<string, ReferenceShare>()
  for (const { source, amount, microUsd, of } of parts) {
    const share = shares.get(source) ?? { amount: 0n, microUsd: 0n, transfers: new Set<string>() }
    share.amount += amount
    share.microUsd = sumOrNull(share.microUsd, microUsd)
    share.transfers.add(of.id)
    shares.set(source, share)
  }
  return shares
}
