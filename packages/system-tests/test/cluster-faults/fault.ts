/** The type that the files of `kinds` export: faults that begin, last, and end. */
import type { Random } from '../../src/random.js'
import type { Installation } from './installation.js'

export interface FaultKind {
  /** For example `broker killed`. */
  readonly name: string
  /** The reason why this fault cannot be made here; absent or null if it can. */
  hindrance?(installation: Installation): string | null
  /** Resolves when the fault is in effect, to a function that ends it. That resolves when everything outside of Cupel serves again. */
  begin(installation: Installation, random: Random): Promise<() => Promise<void>>
}

export function anyOf<T>(random: Random, items: readonly T[]): T {
  return items[random.below(items.length)]!
}
