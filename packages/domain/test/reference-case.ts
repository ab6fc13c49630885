/** The input of an exposure calculation, and the helpers that its parts share. */
import type { Placed } from './reference-order.js'
import {
  addressOfSource,
  type ReferenceInterval,
  type ReferenceSource,
  type Step,
  type TaintCase,
} from './reference-taint.js'

export interface ReferenceTransfer extends Placed {
  readonly amount: bigint
  readonly proven: boolean
  readonly asset: string
  /** The UTC day of its time. */
  readonly day: string | null
  readonly coinJoin: boolean
  /** Of transfers that are added up: how many, and the time of the first. */
  readonly bundle?: { readonly transfers: number; readonly firstTime: number | null }
}

/** What moved in a token that no table knows. */
export interface ReferenceToken {
  readonly direction: 'in' | 'out'
  readonly contract: string
  readonly counterparty: string
  readonly amount: bigint
  readonly transfers: number
}

export interface ReferenceAsset {
  /** For value, totals and dust, assets of one group are one asset. */
  readonly group: string
  /** Number of the group's base units in one base unit of the asset. */
  readonly scale: bigint
  readonly decimals: number
  /** It is a wrapped coin, and is followed and counted as the asset with this name. */
  readonly wraps?: string
}

export interface ReferenceCase {
  readonly screened: string
  readonly transfers: readonly ReferenceTransfer[]
  /** Further transfers of the screened address, added up: no path is followed through them. */
  readonly bundles: readonly ReferenceTransfer[]
  readonly unknownTokens: readonly ReferenceToken[]
  /** Transfers that were read for the screened address itself. */
  readonly ownIds: readonly string[]
  /** Assets by name; any other asset counts for nothing. */
  readonly assets: Readonly<Record<string, ReferenceAsset>>
  /** Of addresses, of addresses while they were designated (see `sourceOf`), and of contracts by the name of the asset. */
  readonly sources: Readonly<Record<string, readonly ReferenceSource[]>>
  readonly ended: Readonly<Record<string, ReferenceInterval>>
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
  readonly transfers: Set<ReferenceTransfer>
}

/** A part of one own transfer, in base units of its group. */
export interface Found {
  readonly category: string
  readonly subcategory: string
  readonly relation: 'direct' | 'indirect'
  readonly source: string
  readonly ppm: number
  readonly designatedAt: number | null
  readonly cluster?: boolean
  readonly historical?: boolean
  readonly amount: bigint
  readonly microUsd: bigint | null
  readonly proven: boolean
  readonly of: ReferenceTransfer
}

export const scaled = ({ assets }: ReferenceCase, { asset, amount }: ReferenceTransfer): bigint =>
  amount * assets[asset]!.scale

export const counts = ({ assets }: ReferenceCase, one: ReferenceTransfer): boolean =>
  one.asset in assets &&
  one.amount > 0n &&
  one.from !== one.to &&
  ![one.from, one.to].includes('z') &&
  !isWrap(one)

/** Coins that go to the contract of the wrapped coin, or come from it: the owner stays the same. */
export const isWrap = ({ asset, from, to }: ReferenceTransfer): boolean =>
  asset === '' && [from, to].includes(WRAPPER)
export const WRAPPER = 'w'

/** The asset as which a transfer is followed. */
export const followedAs = ({ assets }: ReferenceCase, { asset }: ReferenceTransfer): string =>
  assets[asset]?.wraps ?? asset

export const isOwnOf = ({ ownIds, bundles }: ReferenceCase, one: ReferenceTransfer): boolean =>
  ownIds.includes(one.id) || bundles.includes(one)

export const numberOf = (transfers: ReadonlySet<ReferenceTransfer>): number =>
  [...transfers].reduce((sum, { bundle }) => sum + (bundle?.transfers ?? 1), 0)

/** The case of one asset and direction, with the transfer in it; null if the counterparty is not followed. */
export function taintOf(
  given: ReferenceCase,
  one: ReferenceTransfer,
  direction: 'in' | 'out',
): (TaintCase & { readonly last: Step }) | null {
  const other = direction === 'in' ? one.from : one.to
  if (given.hops < 2 || !given.followed.includes(other) || given.bundles.includes(one)) return null
  const transfers = stepsOf(given, followedAs(given, one), direction)
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
      .filter((one) => counts(given, one) && followedAs(given, one) === asset)
      .map((one): Step => (direction === 'in' ? one : { ...one, from: one.to, to: one.from }))
  known.set(key, steps)
  return steps
}

/** Millionths of a dollar on the day of the transfer, rounded down; null if there is no price. */
export function valueOf(given: ReferenceCase, transfer: ReferenceTransfer, amount: bigint): bigint | null {
  const { day } = transfer
  const asset = followedAs(given, transfer)
  const price = day === null ? null : given.priceOf(asset, day)
  return price === null ? null : (amount * price) / 10n ** BigInt(given.assets[asset]!.decimals)
}

export const sumOrNull = (a: bigint | null, b: bigint | null): bigint | null =>
  a === null || b === null ? null : a + b

export function sharesOf(
  parts: readonly Pick<Found, 'source' | 'amount' | 'microUsd' | 'of'>[],
): ReadonlyMap<string, ReferenceShare> {
  const shares = new Map<string, ReferenceShare>()
  for (const { source: name, amount, microUsd, of } of parts) {
    const source = addressOfSource(name)
    const share = shares.get(source) ?? { amount: 0n, microUsd: 0n, transfers: new Set<ReferenceTransfer>() }
    share.amount += amount
    share.microUsd = sumOrNull(share.microUsd, microUsd)
    share.transfers.add(of)
    shares.set(source, share)
  }
  return shares
}
