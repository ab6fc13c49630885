/** Runs a step repeatedly, one at a time: at once when woken, and otherwise after a rest. */
import { createWake } from './wake.js'

export interface Loop {
  /**
   * Runs a step as soon as possible. After a wake during a step, another step follows at once. Only the rest after a failed step is not
   * shortened: a wake does not make failing work succeed.
   */
  wake(): void
  /** Ends the rest, aborts the step's signal and begins no further step. Resolves when no step runs any more; never rejects. */
  stop(): Promise<void>
}

export interface LoopOptions {
  /** Resolves to the rest in milliseconds before the next step: 0 for none, `undefined` for `restMs`. */
  readonly step: (signal: AbortSignal) => Promise<number | undefined | void>
  readonly restMs: number
  /** The rest before the first step; 0 by default, then the first step begins before `startLoop` returns. */
  readonly firstAfterMs?: number
  /**
   * A step rejected; `failures` counts the rejections in a row. The loop continues after the returned number of milliseconds, or after
   * `restMs`. Not called for a step that rejects after `stop`. Must not throw.
   */
  readonly onError: (error: unknown, failures: number) => number | undefined | void
}

/** Loops that rest this long or longer end their rests together: a process that is awake for one of them runs the others as well. */
const SHARED_FROM_MS = 500
/** A timer may fire this much before the shared moment that it was set to. */
const EARLY_MS = 2

/** At most as long as `restMs`, and until a moment that loops with such rests share: the second rest at the latest ends there. */
function togetherMs(restMs: number): number {
  if (restMs < SHARED_FROM_MS) return restMs
  const untilMs = restMs - (performance.now() % restMs)
  if (untilMs >= restMs / 2) return untilMs
  return untilMs <= EARLY_MS ? untilMs + restMs : restMs * 0.75
}

export function startLoop({ step, restMs, firstAfterMs = 0, onError }: LoopOptions): Loop {
  const stopping = new AbortController()
  const { signal } = stopping
  const rest = createWake()
  /** Woken only by `stop`. */
  const restAfterFailure = createWake()
  let failures = 0

  async function run(): Promise<void> {
    if (firstAfterMs > 0) await rest.wait(firstAfterMs)
    while (!signal.aborted) {
      try {
        const waitMs = (await step(signal)) ?? togetherMs(restMs)
        failures = 0
        if (waitMs > 0 && !signal.aborted) await rest.wait(waitMs)
      } catch (error) {
        if (signal.aborted) return
        failures += 1
        await restAfterFailure.wait(onError(error, failures) ?? restMs)
      }
    }
  }

  const running = run()
  return {
    wake: () => rest.wake(),
    async stop() {
      stopping.abort()
      rest.wake()
      restAfterFailure.wake()
      await running
    },
  }
}
