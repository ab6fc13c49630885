/** Runs the shutdown in named phases, one after the other. After the time limit the process ends anyway. */
import type { Logger } from '@cupel/contracts'

export interface Shutdown {
  /** Registers a phase. Phases run in reverse order of registration, so that the last one opened closes first. */
  phase(name: string, run: () => Promise<void>): void
  /** Runs the phases once; further calls return the same promise. Resolves to the exit code. */
  run(reason: string): Promise<number>
}

export function createShutdown(options: { logger: Logger; timeoutMs: number }): Shutdown {
  const phases: { name: string; run: () => Promise<void> }[] = []
  let running: Promise<number> | null = null

  const runAll = async (reason: string): Promise<number> => {
    options.logger.info({ reason }, 'Shutting down')
    let exitCode = 0
    for (const { name, run } of [...phases].reverse()) {
      try {
        await run()
      } catch (error) {
        exitCode = 1
        options.logger.error({ phase: name, err: error }, 'A shutdown phase failed')
      }
    }
    return exitCode
  }
  const limited = async (reason: string): Promise<number> => {
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<number>((resolve) => {
      timer = setTimeout(() => {
        options.logger.error({ timeoutMs: options.timeoutMs }, 'Shutdown took too long and was cut short')
        resolve(1)
      }, options.timeoutMs)
    })
    const exitCode = await Promise.race([runAll(reason), limit])
    clearTimeout(timer)
    return exitCode
  }
  return {
    phase: (name, run) => void phases.push({ name, run }),
    run: (reason) => (running ??= limited(reason)),
  }
}
