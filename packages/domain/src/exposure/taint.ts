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

/** Parts of a transfer by the route they took; parts of different routes may be of the same value. */
export type Taint = ReadonlyMap<string, bigint>

/** Value in the order it came, each part with every route it took; an empty list of routes is of unknown origin. */
export interface Lot {
  readonly amount: bigint
  readonly routes: readonly string[]
}

/** One transfer as an address sees it: the order is that of the replay. */
export interface Movement {
  readonly id: string
  readonly incoming: boolean
  readonly amount: bigint
  /** Of incoming value: its parts in order, adding up to the amount. */
  readonly lots: readonly Lot[]
}

/** Replays the movements and gives the parts of every outgoing one, by its id. */
export function replay(
  movements: readonly Movement[],
  method: TaintMethod,
): ReadonlyMap<string, readonly Lot[]> {
  return replays[method](movements, openingLot(movements))
}

/** What an address must have had before its first known transfer: the largest shortfall, of unknown origin. */
export function openingLot(movements: readonly Movement[]): bigint {
  let balance = 0n
  let lowest = 0n
  for (const { incoming, amount } of movements) {
    balance += incoming ? amount : -amount
    if (balance < lowest) lowest = balance
  }
  return -lowest
}

type Replay = (movements: readonly Movement[], opening: bigint) => ReadonlyMap<string, readonly Lot[]>

const replays: Readonly<Record<TaintMethod, Replay>> = {
  haircut: (movements, opening) => {
    const taint = new Map<string, bigint>()
    const moved = new Map<string, readonly Lot[]>()
    let balance = opening
    for (const { id, incoming, amount, lots } of movements) {
      if (incoming) {
        for (const [route, part] of taintOf(lots)) taint.set(route, (taint.get(route) ?? 0n) + part)
        balance += amount
        continue
      }
      const parts: Lot[] = []
      for (const [route, held] of taint) {
        const part = (amount * held) / balance
        if (part === 0n) continue
        taint.set(route, held - part)
        parts.push({ amount: part, routes: [route] })
      }
      moved.set(id, parts)
      balance -= amount
    }
    return moved
  },

  fifo: (movements, opening) => {
    const queue: Lot[] = opening > 0n ? [{ amount: opening, routes: [] }] : []
    const moved = new Map<string, readonly Lot[]>()
    let head = 0
    for (const { id, incoming, amount, lots } of movements) {
      if (incoming) {
        queue.push(...lots)
        continue
      }
      const parts: Lot[] = []
      let missing = amount
      while (missing > 0n) {
        const lot = queue[head]!
        const part = lot.amount < missing ? lot.amount : missing
        parts.push({ ...lot, amount: part })
        missing -= part
        if (part === lot.amount) head += 1
        else queue[head] = { ...lot, amount: lot.amount - part }
      }
      moved.set(id, parts)
    }
    return moved
  },

  poison: (movements) => {
    const routes = new Set<string>()
    const moved = new Map<string, readonly Lot[]>()
    for (const { id, incoming, amount, lots } of movements) {
      if (incoming) for (const route of lots.flatMap((lot) => lot.routes)) routes.add(route)
      else moved.set(id, routes.size === 0 ? [] : [{ amount, routes: [...routes] }])
    }
    return moved
  },
}

/** How much of these parts took each route. */
export function taintOf(lots: readonly Lot[]): Taint {
  const taint = new Map<string, bigint>()
  for (const { amount, routes } of lots)
    for (const route of routes) taint.set(route, (taint.get(route) ?? 0n) + amount)
  return taint
}
