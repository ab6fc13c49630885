/**
 * How value passed through addresses, by the rules alone: the code walks every route separately (haircut, poison), or moves single
 * base units through queues (FIFO). On the way out, it reverses time and every transfer.
 */
import { isCertain, timeline, type Placed } from './reference-order.js'

export interface ReferenceSource {
  readonly category: string
  /** Set only for a subcategory that has its own rules. */
  readonly subcategory: string
  readonly ppm: number
  readonly designatedAt: number | null
  /** The label is one of another member of its cluster. */
  readonly cluster?: boolean
  /** The designation has ended since. */
  readonly historical?: boolean
}

/** When a designation was in force that has ended since; null: no date limits it. */
export interface ReferenceInterval {
  readonly from: number | null
  readonly to: number | null
}

/**
 * The name of a source of one transfer: while it was, or may have been, designated, another than before and after, so that `sources` says
 * under it what the address was then.
 */
export function sourceOf(
  { ended }: Pick<TaintCase, 'ended'>,
  address: string,
  { time, firstTime = time }: { readonly time: number | null; readonly firstTime?: number | null },
): string {
  const interval = ended[address]
  if (interval === undefined) return address
  const isWithin =
    time === null ||
    ((interval.from ?? -Infinity) <= time && (firstTime ?? -Infinity) < (interval.to ?? Infinity))
  return isWithin ? address + THEN : address
}
export const THEN = '!'
export const addressOfSource = (source: string): string => source.replace(THEN, '')

/** A transfer as seen in one direction: on the way out `from` and `to` are exchanged. */
export interface Step extends Placed {
  readonly amount: bigint
  readonly proven: boolean
}

export interface TaintCase {
  readonly screened: string
  /** The transfers of one asset, in the direction. */
  readonly transfers: readonly Step[]
  readonly sources: Readonly<Record<string, readonly ReferenceSource[]>>
  readonly ended: Readonly<Record<string, ReferenceInterval>>
  readonly followed: readonly string[]
  readonly method: 'haircut' | 'fifo' | 'poison'
}

export interface Part {
  /** Starts with the source. */
  readonly route: readonly string[]
  /** Rests only on proven transfers and known order. */
  readonly proven: boolean
  amount: bigint
}

interface Seen {
  readonly ordered: readonly Step[]
  readonly isCertain: boolean
}
/** Cached by the transfers of a case, then by direction and address, because a case looks them up often. */
const seen = new WeakMap<readonly Step[], Map<string, Seen>>()

/** The transfers that an address saw in the direction, and whether the order is certain. The way out is its timeline backwards. */
function seenBy({ transfers }: TaintCase, at: string, direction: 'in' | 'out'): Seen {
  const known = seen.get(transfers) ?? new Map<string, Seen>()
  seen.set(transfers, known)
  const key = `${direction} ${at}`
  const found = known.get(key) ?? seenAnew(transfers, at, direction)
  known.set(key, found)
  return found
}

function seenAnew(transfers: readonly Step[], at: string, direction: 'in' | 'out'): Seen {
  const own = transfers.filter(({ from, to }) => from === at || to === at)
  const turn = (one: Step): Step => ({ ...one, from: one.to, to: one.from })
  return {
    ordered: direction === 'in' ? timeline(own, at) : timeline(own.map(turn), at).map(turn).toReversed(),
    isCertain: isCertain(own),
  }
}

/** Parts of `last`, which leaves `last.from`, over 1 to `depth` transfers before it. */
export function partsThrough(given: TaintCase, direction: 'in' | 'out', last: Step, depth: number): Part[] {
  return given.method === 'fifo'
    ? fifoParts(given, direction, last, depth)
    : partsByRoute(given, direction, last, depth, false)
}

/** By haircut or poison. `isApart` separates value that was proven until `last`, if `last` proves nothing. */
export function partsByRoute(
  given: TaintCase,
  direction: 'in' | 'out',
  last: Step,
  depth: number,
  isApart: boolean,
): Part[] {
  const isKnown = last.proven && seenBy(given, last.from, direction).isCertain
  return routesTo(given, last.from, depth).flatMap((route) =>
    [true, false].flatMap((flag): Part[] => {
      const amount = partOfRoute(given, direction, last, route, flag, isApart)
      return amount === 0n ? [] : [{ route: [...route, last.from], proven: flag && isKnown, amount }]
    }),
  )
}

/** Every sequence of addresses, source first, over which value can reach `at` in at most `depth` transfers. */
function routesTo(given: TaintCase, at: string, depth: number): string[][] {
  const senders = [...new Set(given.transfers.filter(({ to }) => to === at).map(({ from }) => from))]
  return senders
    .filter((sender) => sender !== given.screened)
    .flatMap((sender) => [
      ...[sender, sender + THEN]
        .filter((name) => (given.sources[name] ?? []).length > 0)
        .map((name) => [name]),
      ...(depth > 1 && given.followed.includes(sender)
        ? routesTo(given, sender, depth - 1).map((route) => [...route, sender])
        : []),
    ])
}

/** The part of `last` that came by the route only over proven transfers, or over at least one unproven transfer. */
function partOfRoute(
  given: TaintCase,
  direction: 'in' | 'out',
  last: Step,
  route: readonly string[],
  proven: boolean,
  isApart = false,
): bigint {
  const at = last.from
  const sender = route.at(-1)!
  const { ordered, isCertain: inKnownOrder } = seenBy(given, at, direction)
  let balance = 0n
  let least = 0n
  for (const one of ordered) {
    balance += one.to === at ? one.amount : -one.amount
    if (balance < least) least = balance
  }
  balance = -least
  const held = new Map([
    [true, 0n],
    [false, 0n],
  ])
  for (const one of ordered) {
    if (one.to === at) {
      balance += one.amount
      if (one.from !== addressOfSource(sender)) continue
      if (route.length === 1 && sourceOf(given, one.from, one) !== sender) continue
      for (const flag of [true, false]) {
        const arrived =
          route.length === 1
            ? one.proven === flag
              ? one.amount
              : 0n
            : partOfRoute(given, direction, one, route.slice(0, -1), flag)
        held.set(flag, held.get(flag)! + arrived)
      }
      continue
    }
    const parts = new Map<boolean, bigint>()
    for (const flag of [true, false]) {
      const has = held.get(flag)!
      const part = given.method === 'poison' ? (has > 0n ? one.amount : 0n) : (one.amount * has) / balance
      if (given.method === 'haircut') held.set(flag, has - part)
      parts.set(flag, part)
    }
    balance -= one.amount
    if (one.id !== last.id) continue
    if (isApart || (one.proven && inKnownOrder)) return parts.get(proven)!
    if (proven) return 0n
    const [a, b] = [parts.get(true)!, parts.get(false)!]
    return given.method === 'poison' ? (a > b ? a : b) : a + b
  }
  throw new Error('The transfer does not touch its address')
}

/** Single base units, each with the routes it has taken. */
function fifoParts(given: TaintCase, direction: 'in' | 'out', last: Step, depth: number): Part[] {
  const parts = new Map<string, Part>()
  for (const unit of fifoUnits(given, direction, last, depth)) {
    for (const { route, proven } of unit) {
      const key = `${proven} ${route.join(' ')}`
      const part = parts.get(key) ?? {
        route: [...route, last.from],
        proven,
        amount: 0n,
      }
      part.amount += 1n
      parts.set(key, part)
    }
  }
  return [...parts.values()]
}

export type Unit = readonly { readonly route: readonly string[]; readonly proven: boolean }[]

export function fifoUnits(
  given: TaintCase,
  direction: 'in' | 'out',
  last: Step,
  depth: number,
): readonly Unit[] {
  const at = last.from
  const { ordered, isCertain: inKnownOrder } = seenBy(given, at, direction)
  let balance = 0n
  let least = 0n
  for (const one of ordered) {
    balance += one.to === at ? one.amount : -one.amount
    if (balance < least) least = balance
  }
  const queue: Unit[] = Array.from({ length: Number(-least) }, () => [])
  for (const one of ordered) {
    if (one.to !== at) {
      const spent = queue.splice(0, Number(one.amount))
      if (one.id === last.id)
        return inKnownOrder && last.proven
          ? spent
          : spent.map((unit) => unit.map(({ route }) => ({ route, proven: false })))
      continue
    }
    const isKnown = one.from !== given.screened
    const source = sourceOf(given, one.from, one)
    const isSource = isKnown && (given.sources[source] ?? []).length > 0
    const before =
      isKnown && depth > 1 && given.followed.includes(one.from)
        ? fifoUnits(given, direction, one, depth - 1)
        : Array.from({ length: Number(one.amount) }, (): Unit => [])
    for (const unit of before)
      queue.push([
        ...unit.map(({ route, proven }) => ({ route: [...route, one.from], proven: proven && one.proven })),
        ...(isSource ? [{ route: [source], proven: one.proven }] : []),
      ])
  }
  throw new Error('The transfer does not touch its address')
}
