/**
 * The order of transfers, as docs/exposure.md defines it: known, at one place, or unknown. A timeline takes one transfer after
 * the other and each time compares all that remain.
 */

export interface Placed {
  readonly id: string
  readonly hash: string
  readonly from: string
  readonly to: string
  /** Null if unknown, like the fields below. */
  readonly block: number | null
  readonly index: number | null
  readonly position: number | null
  readonly time: number | null
}

/** Below 0 if `a` comes first, 0 at one place, null if the order is unknown. */
export function relation(a: Placed, b: Placed): number | null {
  const isOneTransaction = a.hash !== '' && a.hash === b.hash
  if (a.block !== null && b.block !== null) {
    if (a.block !== b.block) return a.block - b.block
    const bothPlaced = a.position !== null && b.position !== null
    if (a.index !== null && b.index !== null) {
      if (a.index !== b.index) return a.index - b.index
      return bothPlaced ? a.position! - b.position! : 0
    }
    if (bothPlaced) return a.position! - b.position!
    return isOneTransaction ? 0 : null
  }
  if (a.time === null || b.time === null) return null
  if (a.time !== b.time) return a.time - b.time
  return isOneTransaction ? 0 : null
}

/** Whether every pair is in known order or at one place. */
export const isCertain = (transfers: readonly Placed[]): boolean =>
  transfers.every((a, index) => transfers.slice(index + 1).every((b) => relation(a, b) !== null))

/** The transfers in the order in which the address saw them. */
export function timeline<T extends Placed>(transfers: readonly T[], at: string): readonly T[] {
  const left = transfers.filter(({ from, to }) => from === at || to === at)
  const taken: T[] = []
  while (left.length > 0) {
    const free = freeOf(left)
    const rank = (one: T): number => (one.to === at ? 0 : one.block !== null || one.time !== null ? 1 : 2)
    const next = [...free].sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1))[0]!
    taken.push(next)
    left.splice(left.indexOf(next), 1)
  }
  return taken
}

/** Transfers with no known predecessor. If times contradict blocks, the transfers of the lowest block. */
function freeOf<T extends Placed>(left: readonly T[]): readonly T[] {
  const free = left.filter((one) => left.every((other) => !((relation(other, one) ?? 0) < 0)))
  if (free.length > 0) return free
  const blocks = left.flatMap(({ block }) => (block === null ? [] : [block]))
  return blocks.length === 0 ? left : left.filter(({ block }) => block === Math.min(...blocks))
}
