/**
 * Notes late screens as pending, so that their ids can be handed out and their screenings go on. A note that could not be stored is
 * retried until it is stored, because its id was already handed out as the id of a screen that may have been accepted.
 */
import { LATE, startLoop, withinMs } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import type { ScreenInWait } from './pending-table.js'

export interface LateNotes {
  /** Whether the note is stored. Never rejects. */
  note(screens: readonly ScreenInWait[]): Promise<boolean>
  stop(): Promise<void>
}

export interface LateNotesOptions {
  readonly store: (screens: readonly ScreenInWait[]) => Promise<void>
  readonly logger: Logger
}

/** Time a note may take before its caller is answered without it. */
const NOTE_TIMEOUT_MS = 1_000
const RETRY_INTERVAL_MS = 1_000
/** Notes kept for a retry; beyond this number the oldest are given up. */
const MAX_KEPT = 10_000
/** Notes tried again by one statement. */
const RETRY_BATCH = 500

export function createLateNotes({ store, logger }: LateNotesOptions): LateNotes {
  let kept: ScreenInWait[] = []
  const tryToStore = async (screens: readonly ScreenInWait[]): Promise<boolean> => {
    try {
      if ((await withinMs(NOTE_TIMEOUT_MS, store(screens))) === LATE)
        throw new Error(`Not stored within ${NOTE_TIMEOUT_MS} ms`)
    } catch (error) {
      logger.error({ err: error, screens: screens.length }, 'Late screens could not be noted as pending yet')
      return false
    }
    for (const screen of screens) screen.isAccepted = true
    return true
  }
  const loop = startLoop({
    async step() {
      if (kept.length === 0) return undefined
      const batch = kept.slice(0, RETRY_BATCH)
      if (!(await tryToStore(batch))) return undefined
      const stored = new Set(batch)
      kept = kept.filter((screen) => !stored.has(screen))
      return 0
    },
    restMs: RETRY_INTERVAL_MS,
    firstAfterMs: RETRY_INTERVAL_MS,
    onError: (error) => logger.error({ err: error }, 'Notes of late screens could not be tried again'),
  })
  return {
    async note(screens) {
      const isStored = await tryToStore(screens)
      if (!isStored) kept = [...kept, ...screens].slice(-MAX_KEPT)
      return isStored
    },
    async stop() {
      await loop.stop()
      if (kept.length > 0) await tryToStore(kept)
    },
  }
}
