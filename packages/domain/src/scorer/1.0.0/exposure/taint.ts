/**
 * How value is followed through one address: its transfers of one asset are replayed in order, and each transfer that
 * leaves takes some of what came in with it.
 *
 * Haircut: every outgoing part has the mixture of the whole balance. FIFO: what came first leaves first. Poison: whatever
 * leaves after anything tainted came in is tainted whole. Haircut and FIFO conserve value. All in base units: the part that
 * moves is rounded down, the rest stays. Sources: Möser, Böhme, Breuker (FC 2014) for haircut and poison; Anderson,
 * Shumailov, Ahmed (2018), "Bitcoin Redux", for FIFO.
 */
import type { TaintMethod } from './exposure-policy.js'
import { STEP_ITEMS, type Steps } from './steps.js'

/** Parts of a transfer by the route they took; parts of different routes may be of the same value. */
export type Taint<Route> = ReadonlyMap<Route, bigint>

/** Value in the order it came, each part with every route it took; an empty list of routes is of unknown origin. */
export interface Lot<Route> {
  readonly amount: bigint
  readonly routes: readonly Route[]
}

/** One transfer as an address sees it: the order is that of the replay. */
export interface Movement<Route> {
  readonly id: string
  readonly incoming: boolean
  readonly amount: bigint
  /** Of incoming value: its parts in order, adding up to the amount. */
  readonly lots: readonly Lot<Route>[]
  /** Of outgoing value: whether its parts are asked for. The others only take their share. */
  readonly isAsked: boolean
}

/** Replays the movements and gives the parts of every outgoing one that is asked for, by its id. */
export function* replay<Route>(
  movements: readonly Movement<Route>[],
  method: TaintMethod,
): Steps<ReadonlyMap<string, readonly Lot<Route>[]>> {
  const opening = openingLot(movements)
  // What comes after the last that is asked for changes none before it.
  const until = movements.findLastIndex(({ incoming, isAsked }) => !incoming && isAsked) + 1
  return yield* replays[method](movements.slice(0, until), opening)
}

/** What an address must have had before its first known transfer: the largest shortfall, of unknown origin. */
export function openingLot(movements: readonly Pick<Movement<unknown>, 'incoming' | 'amount'>[]): bigint {
  let balance = 0n
  let lowest = 0n
  for (const { incoming, amount } of movements) {
    balance += incoming ? amount : -amount
    if (balance < lowest) lowest = balance
  }
  return -lowest
}

type Replay = <Route>(
  movements: readonly Movement<Route>[],
  opening: bigint,
) => Steps<ReadonlyMap<string, readonly Lot<Route>[]>>

interface Holding<Route> {
  readonly routes: readonly [Route]
  amount: bigint
}

const replays: Readonly<Record<TaintMethod, Replay>> = {
  *haircut<Route>(movements: readonly Movement<Route>[], opening: bigint) {
    const holdings: Holding<Route>[] = []
    const holdingOf = new Map<Route, Holding<Route>>()
    const moved = new Map<string, readonly Lot<Route>[]>()
    let balance = opening
    let items = 0
    for (const { id, incoming, amount, lots, isAsked } of movements) {
      items += 1 + (incoming ? lots.length : holdings.length)
      if (items >= STEP_ITEMS) {
        items = 0
        yield
      }
      if (incoming) {
        for (const lot of lots) {
          for (const route of lot.routes) {
            const known = holdingOf.get(route)
            if (known !== undefined) {
              known.amount += lot.amount
              continue
            }
            const holding: Holding<Route> = { routes: [route], amount: lot.amount }
            holdings.push(holding)
            holdingOf.set(route, holding)
          }
        }
        balance += amount
        continue
      }
      const parts: Lot<Route>[] = []
      for (const holding of holdings) {
        const part = (amount * holding.amount) / balance
        if (part === 0n) continue
        holding.amount -= part
        if (isAsked) parts.push({ amount: part, routes: holding.routes })
      }
      if (isAsked) moved.set(id, parts)
      balance -= amount
    }
    return moved
  },

  *fifo<Route>(movements: readonly Movement<Route>[], opening: bigint) {
    const queue: Lot<Route>[] = opening > 0n ? [{ amount: opening, routes: [] }] : []
    const moved = new Map<string, readonly Lot<Route>[]>()
    let head = 0
    let items = 0
    for (const { id, incoming, amount, lots, isAsked } of movements) {
      items += 1 + lots.length
      if (items >= STEP_ITEMS) {
        items = 0
        yield
      }
      if (incoming) {
        for (const lot of lots) queue.push(lot)
        continue
      }
      const parts: Lot<Route>[] = []
      let missing = amount
      while (missing > 0n) {
        const lot = queue[head]!
        const part = lot.amount < missing ? lot.amount : missing
        parts.push({ amount: part, routes: lot.routes })
        missing -= part
        if (part === lot.amount) head += 1
        else queue[head] = { amount: lot.amount - part, routes: lot.routes }
      }
      items += parts.length
      if (isAsked) moved.set(id, parts)
    }
    return moved
  },

  *poison<Route>(movements: readonly Movement<Route>[]) {
    const known = new Set<Route>()
    let routes: readonly Route[] = []
    const moved = new Map<string, readonly Lot<Route>[]>()
    let items = 0
    for (const { id, incoming, amount, lots, isAsked } of movements) {
      items += 1 + lots.length
      if (items >= STEP_ITEMS) {
        items = 0
        yield
      }
      if (incoming) for (const lot of lots) for (const route of lot.routes) known.add(route)
      else if (isAsked) {
        if (routes.length < known.size) {
          routes = [...known]
          items += routes.length
        }
        moved.set(id, routes.length === 0 ? [] : [{ amount, routes }])
      }
    }
    return moved
  },
}

/** How much of these parts took each route. */
export function taintOf<Route>(lots: readonly Lot<Route>[]): Taint<Route> {
  const taint = new Map<Route, bigint>()
  for (const { amount, routes } of lots)
    for (const route of routes) taint.set(route, (taint.get(route) ?? 0n) + amount)
  return taint
}
