/** A small seeded generator (mulberry32): a printed seed repeats a run. */
export interface Random {
  /** 0 ≤ x < 1. */
  next(): number
  below(limit: number): number
  pick<T>(items: readonly [T, ...T[]]): T
  hex(length: number): string
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    next,
    below,
    pick: (items) => items[below(items.length)]!,
    hex: (length) => Array.from({ length }, () => below(16).toString(16)).join(''),
  }
}
