/**
 * The order of transfers (docs/exposure.md defines it), and the timeline of an address: the order in which they are replayed. A
 * missing block or time is unknown, never first or last.
 */
import { STEP_ITEMS, type Steps } from './steps.js'
import { compareIds, type Transfer } from './transfer.js'

export interface Timeline {
  readonly transfers: readonly Transfer[]
  /** Every two of the transfers are in known order or at one place. */
  readonly isCertain: boolean
}

/** Below 0 where `a` is known to come before `b`, above 0 after it, 0 at one place, null where the order is unknown. */
export function orderOf(a: Transfer, b: Transfer): number | null {
  if (a.blockNumber !== null && b.blockNumber !== null)
    return a.blockNumber - b.blockNumber || orderInBlock(a, b)
  if (a.occurredAtS === null || b.occurredAtS === null) return null
  return a.occurredAtS - b.occurredAtS || (isOneTransaction(a, b) ? 0 : null)
}

function orderInBlock(a: Transfer, b: Transfer): number | null {
  const byPosition = a.position === null || b.position === null ? null : a.position - b.position
  if (a.index !== null && b.index !== null) return a.index - b.index || (byPosition ?? 0)
  return byPosition ?? (isOneTransaction(a, b) ? 0 : null)
}

const isOneTransaction = (a: Transfer, b: Transfer): boolean => a.txHash !== '' && a.txHash === b.txHash

/** The timeline of an address from its transfers of one asset, in any order. */
export function* timelineOf(address: string, given: readonly Transfer[]): Steps<Timeline> {
  const rank = (one: Transfer): number =>
    one.to === address ? 0 : one.blockNumber === null && one.occurredAtS === null ? 2 : 1
  const compareRanks = (a: Transfer, b: Transfer): number => rank(a) - rank(b) || compareIds(a, b)
  // One kind of key for all makes a plain sort right; only a mixture needs every pair.
  const key = keyOf(given)
  if (key === null) return yield* linearised([...given].sort(compareRanks))
  const sorted = [...given].sort((a, b) => key(a)! - key(b)! || compareInBlock(a, b) || compareRanks(a, b))
  yield
  const transfers: Transfer[] = []
  let isCertain = true
  for (let start = 0, end; start < sorted.length; start = end) {
    end = start + 1
    while (end < sorted.length && key(sorted[end]!) === key(sorted[start]!)) end += 1
    if (end - start === 1) {
      transfers.push(sorted[start]!)
      continue
    }
    const group = sorted.slice(start, end)
    const part = isUniform(group)
      ? { transfers: group, isCertain: isKnownThroughout(group) }
      : yield* linearised(group.sort(compareRanks))
    for (const one of part.transfers) transfers.push(one)
    isCertain &&= part.isCertain
  }
  return { transfers, isCertain }
}

/** The block where all have one; the time where none has a block and all have a time; else null. */
function keyOf(given: readonly Transfer[]): ((one: Transfer) => number | null) | null {
  if (given.every((one) => one.blockNumber !== null)) return (one) => one.blockNumber
  const onlyTimes = given.every((one) => one.blockNumber === null && one.occurredAtS !== null)
  return onlyTimes ? (one) => one.occurredAtS : null
}

/** Places of transfers without a block mean nothing. */
function compareInBlock(a: Transfer, b: Transfer): number {
  if (a.blockNumber === null) return 0
  return (a.index ?? -1) - (b.index ?? -1) || (a.position ?? -1) - (b.position ?? -1)
}

/** Whether the same places are known of all. */
function isUniform(group: readonly Transfer[]): boolean {
  const [first] = group
  return (
    first!.blockNumber === null ||
    group.every(
      (one) =>
        (one.index === null) === (first!.index === null) &&
        (one.position === null) === (first!.position === null),
    )
  )
}

/** Of transfers of one block or time of which the same is known: whether their order is. */
function isKnownThroughout([first, ...rest]: readonly Transfer[]): boolean {
  return rest.every((one) => orderOf(first!, one) !== null)
}

/**
 * Takes the next transfer until none is left: of those that no remaining one is known to precede, the first in the given order.
 * Where each has one before it, because times contradict blocks, those of the lowest block are free.
 */
function* linearised(given: readonly Transfer[]): Steps<Timeline> {
  const waitsFor = given.map(() => 0)
  let isCertain = true
  let items = 0
  for (let a = 0; a < given.length; a++) {
    for (let b = a + 1; b < given.length; b++) {
      const order = orderOf(given[a]!, given[b]!)
      if (order === null) isCertain = false
      else if (order < 0) waitsFor[b]! += 1
      else if (order > 0) waitsFor[a]! += 1
    }
    items += given.length - a
    if (items < STEP_ITEMS) continue
    items = 0
    yield
  }
  const remaining = given.map((_, index) => index)
  const transfers: Transfer[] = []
  while (remaining.length > 0) {
    const free = remaining.findIndex((index) => waitsFor[index] === 0)
    const [taken] = remaining.splice(free === -1 ? firstOfLowestBlock(given, remaining) : free, 1)
    const next = given[taken!]!
    transfers.push(next)
    for (const index of remaining) if ((orderOf(next, given[index]!) ?? 0) < 0) waitsFor[index]! -= 1
    items += remaining.length
    if (items < STEP_ITEMS) continue
    items = 0
    yield
  }
  return { transfers, isCertain }
}

/** Place in `remaining`; the first of all where none has a block. */
function firstOfLowestBlock(given: readonly Transfer[], remaining: readonly number[]): number {
  const blockOf = (place: number): number => given[remaining[place]!]!.blockNumber ?? Infinity
  let best = 0
  for (let place = 1; place < remaining.length; place++) if (blockOf(place) < blockOf(best)) best = place
  return best
}
