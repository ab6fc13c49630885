/** Waits for a condition by polling. Only a hang takes longer than the limit, so that no test fails because it is slow. */
import { setTimeout as pause } from 'node:timers/promises'

/** Less than the time limit of a test (vitest.config.ts), so that a failure names its condition. */
export const PATIENCE_MS = 150_000
const POLL_MS = 20

/** Calls `look` until it no longer throws and returns its value; throws its last error after PATIENCE_MS. */
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
