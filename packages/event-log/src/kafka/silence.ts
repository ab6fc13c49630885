/** Notices a reader that neither succeeds nor fails any more. */

/** Every wait within a reader has a limit far below this: silence means that something hangs for good. */
export const SILENCE_LIMIT_MS = 60_000
const LOOK_INTERVAL_MS = 5_000

/** Calls `onSilent` once when nothing was heard for the limit; returns what ends the watch. */
export function watchSilence(lastActiveAt: () => number, onSilent: () => void): () => void {
  let silentLooks = 0
  const timer = setInterval(() => {
    // Twice, because a process that stood still itself looks silent at first.
    silentLooks = Date.now() - lastActiveAt() < SILENCE_LIMIT_MS ? 0 : silentLooks + 1
    if (silentLooks < 2) return
    clearInterval(timer)
    onSilent()
  }, LOOK_INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}
