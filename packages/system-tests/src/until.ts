/** Waits until a condition holds; the error of the last attempt explains a failure. */
import { setTimeout as pause } from 'node:timers/promises'

const POLL_MS = 50

export async function until<T>(
  what: string,
  timeoutMs: number,
  attempt: () => Promise<T | null | undefined | false>,
): Promise<T> {
  const endAt = Date.now() + timeoutMs
  let last: unknown = null
  for (;;) {
    try {
      const value = await attempt()
      if (value !== null && value !== undefined && value !== false) return value
    } catch (error) {
      last = error
    }
    if (Date.now() >= endAt) throw new Error(`${what} did not happen within ${timeoutMs} ms`, { cause: last })
    await pause(POLL_MS)
  }
}
