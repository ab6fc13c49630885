/** Finds readers that hang: they neither succeed nor fail. */

/** Every wait within a reader has a limit far below this, so a silent reader hangs for good. */
export const SILENCE_LIMIT_MS = 60_000
const LOOK_INTERVAL_MS = 5_000

/** Calls `onSilent` once when the reader was not active for the limit; returns a function that ends the watch. */
export function watchSilence(lastActiveAt: () => number, onSilent: () => void): () => void {
  let silentLooks = 0
  const timer = setInterval(() => {
    // Two checks in a row, because the first check after a pause of the whole process finds every reader silent.
    silentLooks = Date.now() - lastActiveAt() < SILENCE_LIMIT_MS ? 0 : silentLooks + 1
    if (silentLooks < 2) return
    clearInterval(timer)
    onSilent()
  }, LOOK_INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}
