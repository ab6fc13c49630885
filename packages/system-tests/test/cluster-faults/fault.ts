/** What the files of `kinds` give: faults that begin, last, and end. */
import type { Random } from '../../src/random.js'
import type { Installation } from './installation.js'

export interface FaultKind {
  /** `broker killed` */
  readonly name: string
  /** Why it cannot be made here; absent or null: it can. */
  hindrance?(installation: Installation): string | null
  /** Resolves when the fault is there, to what ends it. That resolves when everything outside of Cupel serves again. */
  begin(installation: Installation, random: Random): Promise<() => Promise<void>>
}

export function anyOf<T>(random: Random, items: readonly T[]): T {
  return items[random.below(items.length)]!
}
