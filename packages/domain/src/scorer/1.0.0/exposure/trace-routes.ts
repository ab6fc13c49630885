/**
 * Finds the routes of the parts of an address's transfers, over a bounded number of hops.
 *
 * A route is the addresses from a source to the address, in the order in which value moved towards it (`in`) or, with time
 * and direction reversed, away from it (`out`). Value that came through the screened address itself is of unknown origin.
 */
import type { TaintMethod } from './exposure-policy.js'
import { createRoutes, type Route } from './route.js'
import { STEP_ITEMS, type Steps } from './steps.js'
import { replay, type Lot, type Movement } from './taint.js'
import type { Timeline } from './timeline.js'
import type { Transfer } from './transfer.js'

export type Direction = 'in' | 'out'

export interface TraceOptions {
  readonly screened: string
  readonly direction: Direction
  readonly method: TaintMethod
  /** Transfers between a source and the screened address, at most. */
  readonly hops: number
  /** Every known transfer of one asset of an address that is followed, in the order in which the address saw them. */
  readonly timelineOf: (address: string) => Steps<Timeline>
  readonly isSource: (address: string) => boolean
  /** Whether a transfer of the source was while a designation of it was in force that has ended since. */
  readonly wasDesignated: (source: string, transfer: Transfer) => boolean
  /** Called where value that may have come by one of these routes was followed through transfers in unknown order. */
  readonly onUncertain: (routes: readonly Route[]) => void
  /** Whether paths may be followed through the address. */
  readonly isFollowed: (address: string) => boolean
}

export interface Tracer {
  /** The route of a transfer between a source and the screened address. */
  directRoute(source: string, transfer: Transfer): Route
  /** The parts of a transfer to (`in`) or from (`out`) the screened address that came over 2 hops or more. */
  partsOf(transfer: Transfer): Steps<readonly Lot<Route>[]>
}

/** The parts that an address passed on, by transfer, and their routes extended by the address. */
interface Passed {
  readonly parts: ReadonlyMap<string, readonly Lot<Route>[]>
  /** The order of the address's transfers is known. */
  readonly isCertain: boolean
  readonly onward: { readonly [proven in 'true' | 'false']: Map<readonly Route[], readonly Route[]> }
}

const passedOf = (parts: Passed['parts'], isCertain: boolean): Passed => ({
  parts,
  isCertain,
  onward: { true: new Map(), false: new Map() },
})

const passedNothing = passedOf(new Map(), true)

/** A tracer for one asset and direction. It keeps the results of one transfer for the next ones. */
export function createTracer(options: TraceOptions): Tracer {
  const { screened, direction, method, isSource, isFollowed } = options
  const nearer = (one: Transfer): string => (direction === 'in' ? one.from : one.to)
  const farther = (one: Transfer): string => (direction === 'in' ? one.to : one.from)
  const routes = createRoutes()
  /** By the hops still to go and the address. */
  const remembered = new Map<string, Passed>()

  const startOf = (source: string, transfer: Transfer): Route =>
    routes.start(source, transfer.proven, options.wasDesignated(source, transfer))

  /** The parts that a transfer brought to an address, over at most `hops` hops from a source. */
  function* incomingLots(transfer: Transfer, hops: number): Steps<readonly Lot<Route>[]> {
    const sender = nearer(transfer)
    if (sender === screened) return [{ amount: transfer.amount, routes: [] }]
    const own = isSource(sender) ? [startOf(sender, transfer)] : []
    const isThrough = hops > 1 && isFollowed(sender)
    const parts = isThrough ? yield* throughAddress(sender, transfer, hops - 1, null) : []
    return withOwnRoute(method, parts, own, transfer.amount)
  }

  /**
   * The parts of a transfer out of an address, with the address as the last of their routes. `receiver` is given where only
   * transfers to it are ever requested.
   */
  function* throughAddress(
    address: string,
    transfer: Transfer,
    hops: number,
    receiver: string | null,
  ): Steps<readonly Lot<Route>[]> {
    const key = `${hops} ${address}`
    let passed = remembered.get(key)
    if (passed === undefined) remembered.set(key, (passed = yield* replayAddress(address, hops, receiver)))
    const proven = transfer.proven && passed.isCertain
    return onwardLots(passed, transfer.id, proven, (route) => routes.extend(route, address, proven))
  }

  function* replayAddress(address: string, hops: number, receiver: string | null): Steps<Passed> {
    const { transfers, isCertain } = yield* options.timelineOf(address)
    const hasSource = transfers.some((one) => farther(one) === address && mayBring(nearer(one), hops))
    if (!hasSource) return passedNothing
    const movements: Movement<Route>[] = []
    let isTainted = false
    for (let index = 0; index < transfers.length; index++) {
      if (index % STEP_ITEMS === 0) yield
      const transfer = transfers[direction === 'in' ? index : transfers.length - 1 - index]!
      const incoming = farther(transfer) === address
      const lots = incoming ? yield* incomingLots(transfer, hops) : []
      if (!isCertain) for (const lot of lots) options.onUncertain(lot.routes)
      isTainted ||= lots.some((lot) => lot.routes.length > 0)
      const isAsked = receiver === null || farther(transfer) === receiver
      movements.push({ id: transfer.id, incoming, amount: transfer.amount, lots, isAsked })
    }
    if (!isTainted) return passedNothing
    return passedOf(yield* replay(movements, method), isCertain)
  }

  const mayBring = (sender: string, hops: number): boolean =>
    sender !== screened && (isSource(sender) || (hops > 1 && isFollowed(sender)))

  return {
    directRoute: startOf,
    *partsOf(transfer) {
      if (options.hops < 2 || !isFollowed(nearer(transfer))) return []
      // With this many hops to go nothing but transfers to the screened address is ever asked for.
      return yield* throughAddress(nearer(transfer), transfer, options.hops - 1, screened)
    },
  }
}

/** The parts of a transfer with their routes as they go on; a list of routes is extended once. */
function onwardLots(
  { parts, onward }: Passed,
  transferId: string,
  proven: boolean,
  extend: (route: Route) => Route,
): readonly Lot<Route>[] {
  const lots = parts.get(transferId)
  if (lots === undefined) return []
  const known = onward[proven ? 'true' : 'false']
  return lots.map(({ amount, routes: before }) => {
    let after = known.get(before)
    if (after === undefined) known.set(before, (after = [...new Set(before.map(extend))]))
    return { amount, routes: after }
  })
}

/** In FIFO the parts follow one another and add up to the transfer; otherwise each part may cover the same value. */
function withOwnRoute(
  method: TaintMethod,
  parts: readonly Lot<Route>[],
  own: readonly Route[],
  amount: bigint,
): readonly Lot<Route>[] {
  if (parts.length === 0) return [{ amount, routes: own }]
  if (method === 'fifo') return parts.map((lot) => ({ ...lot, routes: [...lot.routes, ...own] }))
  return own.length === 0 ? parts : [...parts, { amount, routes: own }]
}

/**
 * Transfers that stand for a route, in the order in which value moved, with the given one of the screened address: at each
 * address the nearest in time. Of a route that was traced there always is one.
 * @param transfersOf of one asset, in the order in which an address saw them
 */
export function stepsOfRoute(
  { sourceAddress, between }: Route,
  last: Transfer,
  direction: Direction,
  transfersOf: (address: string) => readonly Transfer[],
): readonly Transfer[] {
  const steps = [last]
  for (let index = between.length - 1; index >= 0; index--) {
    const at = between[index]!
    const before = between[index - 1] ?? sourceAddress
    const step = nearestBefore(transfersOf(at), steps.at(-1)!, { at, before, direction })
    if (step === undefined) break
    steps.push(step)
  }
  return direction === 'in' ? steps.reverse() : steps
}

/** The last transfer from `before` to `at` that came before the given one; of outgoing value the first one after it, from `at` on. */
function nearestBefore(
  ordered: readonly Transfer[],
  given: Transfer,
  { at, before, direction }: { readonly at: string; readonly before: string; readonly direction: Direction },
): Transfer | undefined {
  const place = ordered.findIndex(({ id }) => id === given.id)
  if (direction === 'in') {
    for (let index = place - 1; index >= 0; index--) {
      const one = ordered[index]!
      if (one.from === before && one.to === at) return one
    }
    return undefined
  }
  for (let index = place + 1; index < ordered.length; index++) {
    const one = ordered[index]!
    if (one.to === before && one.from === at) return one
  }
  return undefined
}
