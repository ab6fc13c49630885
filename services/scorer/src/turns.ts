/**
 * How long work shares an event loop with screens that have nothing to do with it: it goes a few milliseconds at a time, one
 * piece of it between two looks at the sockets, and past its deadline it does not go on at all.
 */
import type { Pace } from '@cupel/ledger'

/** Work without a rest, at most: an answer that waits behind it is late by this. */
export const SLICE_MS = 3

/** The work is given up: nobody waits for it any more. */
export class LateError extends Error {
  override readonly name = 'LateError'
}

export interface Turns {
  /** The pace of one piece of work. Past the deadline it throws a LateError, whether the work goes on or rests. */
  until(deadlineAtMs: number): Pace
}

export interface TurnsDeps {
  /** Milliseconds that only rise. */
  readonly now?: () => number
  /** Calls back once the event loop has looked at its sockets. */
  readonly afterOthers?: (next: () => void) => void
}

export function createTurns({
  now = () => performance.now(),
  afterOthers = (next) => void setImmediate(next),
}: TurnsDeps = {}): Turns {
  const waiting: (() => void)[] = []
  /** When work began since the loop last looked at its sockets; null where none has. */
  let beganAtMs: number | null = null
  let isScheduled = false

  /** Of all that rest one goes on at a time: together they would hold the loop as long as one that never rests. */
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

  async function rest(deadlineAtMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      waiting.push(resolve)
      schedule()
    })
    if (now() >= deadlineAtMs) throw new LateError()
  }

  return {
    until: (deadlineAtMs) => () => {
      const at = now()
      if (at >= deadlineAtMs) throw new LateError()
      if (beganAtMs === null) {
        beganAtMs = at
        schedule()
      }
      return at - beganAtMs < SLICE_MS ? null : rest(deadlineAtMs)
    },
  }
}
