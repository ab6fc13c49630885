/** Writes log lines of the level debug for a while, without a restart. SIGUSR2 starts it, and a second SIGUSR2 ends it early. */
import type { ServiceLogger } from './logger.js'

/** Started by a person on the machine or in the container: anyone who may signal a process may read its log anyway. */
export const DEBUG_SIGNAL = 'SIGUSR2'

export interface DebugOnSignal {
  dispose(): void
}

/** Without this handler the signal ends the process. */
export function debugOnSignal(logger: ServiceLogger, durationMs: number): DebugOnSignal {
  const usual = logger.level
  let timer: NodeJS.Timeout | null = null
  const end = (why: string): void => {
    if (timer === null) return
    clearTimeout(timer)
    timer = null
    logger.warn({ level: usual }, `The level of the log is as usual again: ${why}`)
    logger.level = usual
  }
  const onSignal = (): void => {
    if (timer !== null) return end('a second signal')
    timer = setTimeout(() => end('the time is over'), durationMs).unref()
    logger.level = 'debug'
    // Logged at a level that is always written, so that the growth of the log can be explained.
    logger.warn({ level: 'debug', durationMs }, 'The log has debug lines now, as a signal asked')
  }
  process.on(DEBUG_SIGNAL, onSignal)
  return {
    dispose() {
      process.off(DEBUG_SIGNAL, onSignal)
      if (timer !== null) clearTimeout(timer)
    },
  }
}
