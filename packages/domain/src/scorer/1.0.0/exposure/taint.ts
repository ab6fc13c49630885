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

/** Replays the movements and returns the parts of every outgoing movement that is asked for, by its id. */
export function* replay<Route>(
  movements: readonly Movement<Route>[],
  method: TaintMethod,
): Steps<ReadonlyMap<string, readonly Lot<Route>[]>> {
  const purse = purses[method]<Route>(openingLot(movements))
  const moved = new Map<string, readonly Lot<Route>[]>()
  // A movement after the last one that is asked for changes none before it.
  const until = movements.findLastIndex(({ incoming, isAsked }) => !incoming && isAsked) + 1
  let items = 0
  for (let index = 0; index < until; index++) {
    const { id, incoming, amount, lots, isAsked } = movements[index]!
    if (incoming) purse.receive(lots, amount)
    else {
      const parts = purse.send(amount, isAsked)
      if (isAsked) moved.set(id, parts)
    }
    items += 1 + (incoming ? lots.length : purse.itemsOfLastSend())
    if (items < STEP_ITEMS) continue
    items = 0
    yield
  }
  return moved
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

/** What an address holds of one asset, by one method. */
interface Purse<Route> {
  receive(lots: readonly Lot<Route>[], amount: bigint): void
  /** Takes the amount out and returns its parts; an amount that is not asked for needs none. */
  send(amount: bigint, isAsked: boolean): readonly Lot<Route>[]
  /** Items that the last `send` went through: the measure of its work. */
  itemsOfLastSend(): number
}

const purses: Readonly<Record<TaintMethod, <Route>(opening: bigint) => Purse<Route>>> = {
  haircut: haircutPurse,
  fifo: fifoPurse,
  poison: poisonPurse,
}

/** Every outgoing part has the mixture of the whole balance. */
function haircutPurse<Route>(opening: bigint): Purse<Route> {
  const holdings: { readonly routes: readonly [Route]; amount: bigint }[] = []
  const holdingOf = new Map<Route, { amount: bigint }>()
  let balance = opening
  return {
    receive(lots, amount) {
      for (const lot of lots) {
        for (const route of lot.routes) {
          const known = holdingOf.get(route)
          if (known !== undefined) {
            known.amount += lot.amount
            continue
          }
          const holding = { routes: [route] as const, amount: lot.amount }
          holdings.push(holding)
          holdingOf.set(route, holding)
        }
      }
      balance += amount
    },
    send(amount, isAsked) {
      const parts: Lot<Route>[] = []
      for (const holding of holdings) {
        const part = (amount * holding.amount) / balance
        if (part === 0n) continue
        holding.amount -= part
        if (isAsked) parts.push({ amount: part, routes: holding.routes })
      }
      balance -= amount
      return parts
    },
    itemsOfLastSend: () => holdings.length,
  }
}

/** The value that came first leaves first. */
function fifoPurse<Route>(opening: bigint): Purse<Route> {
  const queue: Lot<Route>[] = opening > 0n ? [{ amount: opening, routes: [] }] : []
  let head = 0
  let items = 0
  return {
    receive(lots) {
      for (const lot of lots) queue.push(lot)
    },
    send(amount) {
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
      items = parts.length
      return parts
    },
    itemsOfLastSend: () => items,
  }
}

/** Once anything tainted came in, every outgoing amount is tainted whole. */
function poisonPurse<Route>(): Purse<Route> {
  const known = new Set<Route>()
  let routes: readonly Route[] = []
  let items = 0
  return {
    receive(lots) {
      for (const lot of lots) for (const route of lot.routes) known.add(route)
    },
    send(amount, isAsked) {
      items = 0
      if (!isAsked || known.size === 0) return []
      if (routes.length < known.size) {
        routes = [...known]
        items = routes.length
      }
      return [{ amount, routes }]
    },
    itemsOfLastSend: () => items,
  }
}

/** How much of these parts took each route. */
export function taintOf<Route>(lots: readonly Lot<Route>[]): Taint<Route> {
  const taint = new Map<Route, bigint>()
  for (const { amount, routes } of lots)
    for (const route of routes) taint.set(route, (taint.get(route) ?? 0n) + amount)
  return taint
}
