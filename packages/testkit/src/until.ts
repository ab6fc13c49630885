/** Waits by asking again. How long anything took is never what a test fails on: only what hangs exceeds the patience. */
import { setTimeout as pause } from 'node:timers/promises'

export const PATIENCE_MS = 60_000
const POLL_MS = 20

/** What `look` returns once it no longer throws; the error of the last look once the patience is at its end. */
export async function until<T>(look: () => T | Promise<T>, pollMs = POLL_MS): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await look()
    } catch (error) {
      if (performance.now() >= giveUpAt) throw error
    }
    await pause(pollMs)
  }
}
