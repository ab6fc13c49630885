/** Handles Ctrl-C and SIGTERM: the first signal stops in order, a second one some time later forces the end. */

export interface StopRequest {
  /** Resolves to the name of the signal. */
  readonly requested: Promise<string>
  readonly wasRequested: () => boolean
  /** Throws StoppedEarly if a signal was received; called between the steps of a start. */
  check(): void
  /** Sets what a forced end does; until then a second signal does nothing. */
  onForced(force: () => void): void
  dispose(): void
}

/** A signal arrived before the start was complete. */
export class StoppedEarly extends Error {
  override readonly name = 'StoppedEarly'
}

/** npm forwards the signal that the terminal has already sent, so a second signal within this time is the same keystroke. */
const SAME_KEYSTROKE_MS = 1_000
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function listenForStop(now: () => number = Date.now): StopRequest {
  let force: () => void = () => undefined
  let firstAt: number | null = null
  let resolveRequested: (signal: string) => void = () => undefined
  const requested = new Promise<string>((resolve) => {
    resolveRequested = resolve
  })
  const handler = (signal: NodeJS.Signals): void => {
    if (firstAt === null) {
      firstAt = now()
      resolveRequested(signal)
    } else if (now() - firstAt >= SAME_KEYSTROKE_MS) {
      force()
    }
  }
  for (const signal of SIGNALS) process.on(signal, handler)
  return {
    requested,
    wasRequested: () => firstAt !== null,
    check() {
      if (firstAt !== null) throw new StoppedEarly()
    },
    onForced(given) {
      force = given
    },
    dispose() {
      for (const signal of SIGNALS) process.off(signal, handler)
    },
  }
}
