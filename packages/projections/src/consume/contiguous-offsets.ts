/** Ranges of offsets that are done in any order, and the offset up to which they are done without a gap. */
export interface ContiguousOffsets {
  /** Every offset below this one is done. */
  readonly next: () => number
  /** Marks `from` ≤ offset < `to` as done. Ranges may repeat and overlap. */
  add(from: number, to: number): void
}

export function contiguousOffsets(start: number): ContiguousOffsets {
  let next = start
  // Done ranges beyond the first gap, by first offset. They are few, because work finishes roughly in order.
  const beyond = new Map<number, number>()

  return {
    next: () => next,
    add(from, to) {
      if (to <= next) return
      if (from > next) {
        beyond.set(from, Math.max(to, beyond.get(from) ?? to))
        return
      }
      next = to
      while (absorb()) continue
    },
  }

  function absorb(): boolean {
    for (const [from, to] of beyond) {
      if (from > next) continue
      beyond.delete(from)
      next = Math.max(next, to)
      return true
    }
    return false
  }
}
