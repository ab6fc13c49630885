/**
 * Divides work that nobody waits for into short pieces with pauses between them. A call that the process serves meanwhile needs several turns
 * of the event loop. Without pauses each of them waits for a piece, with pauses one or none does.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { sleep } from './sleep.js'

export interface Pauses {
  /** Called between two parts of the work: undefined if the work may go on at once, otherwise a promise that resolves after the pause. */
  next(): Promise<unknown> | undefined
}

export interface PausesOptions {
  /** How many times as long as its piece a pause is; with 0 a pause is one turn of the event loop. */
  readonly factor: number
  /** Once the pauses have taken this long, each of the others is one turn of the event loop, so that much work still ends soon. */
  readonly totalMs: number
  /** Ends the current pause and shortens all others. */
  readonly signal?: AbortSignal
  /** In place of a timer. */
  readonly rest?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** A piece ends after this. */
const PIECE_MS = 2
/** The longest pause, because a piece that waited for the database did not work all the time. */
const MAX_PAUSE_MS = 25

export function createPauses({ factor, totalMs, signal = never, rest = sleep }: PausesOptions): Pauses {
  let beganMs = performance.now()
  let leftMs = totalMs

  async function pause(ms: number): Promise<void> {
    if (ms >= 1 && !signal.aborted) await rest(ms, signal)
    else await turn()
    beganMs = performance.now()
  }

  return {
    next() {
      const tookMs = performance.now() - beganMs
      if (tookMs < PIECE_MS) return undefined
      const ms = Math.min(tookMs * factor, MAX_PAUSE_MS, leftMs)
      leftMs -= ms
      return pause(ms)
    },
  }
}

/** For work with a process of its own: other tasks get turns of the event loop, and no time is lost. */
export const turnsOnly = (): Pauses => createPauses({ factor: 0, totalMs: 0 })

const never = new AbortController().signal
