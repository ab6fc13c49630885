/** Log lines of the level debug for a while, without a restart: SIGUSR2 begins it, and a second one ends it before its time. */
import type { ServiceLogger } from './logger.js'

/** A person asks for it, on the machine or in the container: whoever may signal a process may read its log anyway. */
export const DEBUG_SIGNAL = 'SIGUSR2'

export interface DebugOnSignal {
  dispose(): void
}

/** Without it the signal ends the process. */
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
    // At a level that is always written: somebody has to be able to tell why the log grew.
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
