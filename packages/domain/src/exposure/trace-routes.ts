/**
 * Which routes the parts of an address's transfers took, over a bounded number of hops.
 *
 * A route is the addresses from a source to the address, in the order in which value moved towards it (`in`) or, with time
 * and direction reversed, away from it (`out`). Value that came through the screened address itself is of unknown origin.
 */
import type { TaintMethod } from './exposure-policy.js'
import { replay, type Lot, type Movement } from './taint.js'
import { compareFor, type Transfer } from './transfer.js'

export type Direction = 'in' | 'out'

/** A route as text: `+` where every transfer of it is proven, else `-`, then its addresses from the source on. */
export type Route = string

export const routeAddresses = (route: Route): readonly string[] => route.slice(1).split(' ')
export const isProvenRoute = (route: Route): boolean => route.startsWith('+')

const startRoute = (source: string, proven: boolean): Route => (proven ? '+' : '-') + source
const extendRoute = (route: Route, address: string, proven: boolean): Route =>
  `${isProvenRoute(route) && proven ? '+' : '-'}${route.slice(1)} ${address}`

export interface TraceOptions {
  readonly screened: string
  readonly direction: Direction
  readonly method: TaintMethod
  /** Every known transfer of one asset by each address that it touches. */
  readonly transfersOf: (address: string) => readonly Transfer[]
  readonly isSource: (address: string) => boolean
  /** Whether paths may be followed through the address. */
  readonly isFollowed: (address: string) => boolean
}

export interface Tracer {
  /** The parts of a transfer to (`in`) or from (`out`) the screened address that came over 2 to `hops` hops. */
  partsOf(transfer: Transfer, hops: number): readonly Lot[]
}

/** A tracer for one asset and direction; what it worked out for one transfer it remembers for the next. */
export function createTracer(options: TraceOptions): Tracer {
  const { screened, direction, method, isSource, isFollowed } = options
  const nearer = (one: Transfer): string => (direction === 'in' ? one.from : one.to)
  const farther = (one: Transfer): string => (direction === 'in' ? one.to : one.from)
  const remembered = new Map<string, ReadonlyMap<string, readonly Lot[]>>()

  /** What came into an address by a transfer, over at most `hops` hops from a source. */
  function incomingLots(transfer: Transfer, hops: number): readonly Lot[] {
    const sender = nearer(transfer)
    if (sender === screened) return [{ amount: transfer.amount, routes: [] }]
    const own = isSource(sender) ? [startRoute(sender, transfer.proven)] : []
    const parts = hops > 1 && isFollowed(sender) ? throughAddress(sender, transfer, hops - 1) : []
    return withOwnRoute(parts, own, transfer.amount)
  }

  /** In FIFO the parts are the transfer, in order; otherwise they lie over one another and over the whole. */
  function withOwnRoute(parts: readonly Lot[], own: readonly Route[], amount: bigint): readonly Lot[] {
    if (parts.length === 0) return [{ amount, routes: own }]
    if (method === 'fifo') return parts.map((lot) => ({ ...lot, routes: [...lot.routes, ...own] }))
    return own.length === 0 ? parts : [...parts, { amount, routes: own }]
  }

  /** The parts of a transfer out of an address, with the address as the last of their routes. */
  function throughAddress(address: string, transfer: Transfer, hops: number): readonly Lot[] {
    const key = `${hops} ${address}`
    let parts = remembered.get(key)
    if (parts === undefined) {
      parts = replayAddress(address, hops)
      remembered.set(key, parts)
    }
    return (parts.get(transfer.id) ?? []).map((lot) => ({
      amount: lot.amount,
      // Proven or not until here, over an unproven transfer a route is one and the same.
      routes: [...new Set(lot.routes.map((route) => extendRoute(route, address, transfer.proven)))],
    }))
  }

  function replayAddress(address: string, hops: number): ReadonlyMap<string, readonly Lot[]> {
    const movements = orderedTransfers(address).map((transfer): Movement => {
      const incoming = farther(transfer) === address
      return {
        id: transfer.id,
        incoming,
        amount: transfer.amount,
        lots: incoming ? incomingLots(transfer, hops) : [],
      }
    })
    const isTainted = movements.some(({ lots }) => lots.some(({ routes }) => routes.length > 0))
    return isTainted ? replay(movements, method) : new Map()
  }

  const orderedTransfers = (address: string): readonly Transfer[] => {
    const ordered = [...options.transfersOf(address)].sort(compareFor(address))
    return direction === 'in' ? ordered : ordered.reverse()
  }

  return {
    partsOf: (transfer, hops) =>
      isFollowed(nearer(transfer)) ? throughAddress(nearer(transfer), transfer, hops - 1) : [],
  }
}

/**
 * Transfers that stand for a route, in the order in which value moved, with the given one of the screened address: at each
 * address the nearest in time. Of a route that was traced there always is one.
 */
export function stepsOfRoute(
  route: Route,
  last: Transfer,
  { direction, transfersOf }: Pick<TraceOptions, 'direction' | 'transfersOf'>,
): readonly Transfer[] {
  const addresses = routeAddresses(route)
  const steps = [last]
  for (let index = addresses.length - 1; index > 0; index--) {
    const at = addresses[index]!
    const before = addresses[index - 1]!
    const compare = compareFor(at)
    const earlier = transfersOf(at).filter((one) =>
      direction === 'in'
        ? one.from === before && one.to === at && compare(one, steps[0]!) < 0
        : one.to === before && one.from === at && compare(one, steps[0]!) > 0,
    )
    earlier.sort(direction === 'in' ? compare : (a, b) => compare(b, a))
    const step = earlier.at(-1)
    if (step === undefined) break
    steps.unshift(step)
  }
  return direction === 'in' ? steps : steps.reverse()
}
