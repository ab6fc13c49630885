/** Kinds of tampering with evidence, and whether an audit finds each one and names its place. */
import type { Evidence } from './evidence.js'

export type Random = () => number

export interface Found {
  readonly isFound: boolean
  /** Whether the finding names the place. */
  readonly isNamed: boolean
  /** The change and the finding, for the message of a failure. */
  readonly detail: string
}

export interface Kind {
  readonly surface: 'log' | 'views' | 'checkpoints' | 'transparency' | 'archive' | 'report and proof' | 'PDF'
  readonly name: string
  /** Approximate number per hundred trials. */
  readonly weight: number
  /** The auditor's command whose checks are run. */
  readonly command: string
  run(evidence: Evidence, random: Random): Promise<Found>
}

/** Returns the same numbers for the same seed (mulberry32, public domain). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const below = (random: Random, end: number): number => Math.floor(random() * end)

export function oneOf<Item>(random: Random, items: readonly Item[]): Item {
  return items[below(random, items.length)]!
}

/** Returns the bytes with one bit flipped. */
export function flipped(random: Random, bytes: Uint8Array): Buffer {
  const changed = Buffer.from(bytes)
  changed[below(random, changed.length)]! ^= 1 << below(random, 8)
  return changed
}
