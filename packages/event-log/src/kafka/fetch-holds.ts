/** Pauses failed targets until they work again. */
import { pauseMs } from '../retry-pause.js'

export interface Holds<T> {
  /** Begins a pause; true if it is the first one since it worked. */
  hold(each: T): boolean
  /** It works again. */
  release(each: T): void
  isHeld(each: T): boolean
  /** Whether it failed and has not worked since. */
  wasRefused(each: T): boolean
  /** How many have failed and not worked since. */
  size(): number
}

export function createHolds<T>(): Holds<T> {
  const held = new Map<T, { failures: number; until: number }>()
  return {
    hold(each) {
      const failures = (held.get(each)?.failures ?? 0) + 1
      held.set(each, { failures, until: Date.now() + pauseMs(failures) })
      return failures === 1
    },
    release: (each) => void held.delete(each),
    isHeld: (each) => (held.get(each)?.until ?? 0) > Date.now(),
    wasRefused: (each) => held.has(each),
    size: () => held.size,
  }
}
