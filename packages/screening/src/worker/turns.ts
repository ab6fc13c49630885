/**
 * Lets long work share the event loop with other screens. Work runs for a few milliseconds at a time, one piece between two
 * rounds of I/O, and it ends at its deadline.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Pace } from '@cupel/ledger'

/** Longest work without a rest. It can delay an answer by this time. */
export const SLICE_MS = 3

/** A rest of work for which no caller waits, while others do: it takes a tenth of the thread from them. */
export const YIELD_MS = 27

/** The work is past its deadline and is given up. */
export class LateError extends Error {
  override readonly name = 'LateError'
}

export interface Turns {
  /**
   * The pace of one piece of work. Past the deadline it throws a LateError, also during a rest. Its rests are long while `yields` says that work
   * for which a caller waits is under way.
   */
  until(deadlineAtMs: number, yields?: () => boolean): Pace
}

export interface TurnsDeps {
  /** Milliseconds that only rise. */
  readonly now?: () => number
  /** Calls back after the next round of I/O. */
  readonly afterOthers?: (next: () => void) => void
  readonly pause?: (durationMs: number) => Promise<unknown>
}

export function createTurns({
  now = () => performance.now(),
  afterOthers = (next) => void setImmediate(next),
  pause = (durationMs) => wait(durationMs),
}: TurnsDeps = {}): Turns {
  const waiting: (() => void)[] = []
  /** When work began since the last round of I/O; null where none has. */
  let beganAtMs: number | null = null
  let isScheduled = false

  /** Resumes one piece of resting work at a time: together they would hold the loop as long as work without a rest. */
  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    afterOthers(() => {
      isScheduled = false
      beganAtMs = null
      waiting.shift()?.()
      if (waiting.length > 0) schedule()
    })
  }

  async function rest(deadlineAtMs: number, yields: () => boolean): Promise<void> {
    if (yields()) await pause(YIELD_MS)
    await new Promise<void>((resolve) => {
      waiting.push(resolve)
      schedule()
    })
    if (now() >= deadlineAtMs) throw new LateError()
  }

  return {
    until:
      (deadlineAtMs, yields = never) =>
      () => {
        const at = now()
        if (at >= deadlineAtMs) throw new LateError()
        if (beganAtMs === null) {
          beganAtMs = at
          schedule()
        }
        return at - beganAtMs < SLICE_MS ? null : rest(deadlineAtMs, yields)
      },
  }
}

const never = (): boolean => false
