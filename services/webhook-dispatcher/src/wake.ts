/** A wait that ends early when there is news. */
export interface Wake {
  /** Resolves after `durationMs`, or at once where `now` was called since the last wait. */
  wait(durationMs: number): Promise<void>
  now(): void
}

export function createWake(): Wake {
  let isDue = false
  let end: () => void = () => undefined
  return {
    async wait(durationMs) {
      if (!isDue) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, durationMs)
          end = () => (clearTimeout(timer), resolve())
        })
      }
      isDue = false
    },
    now() {
      isDue = true
      end()
    },
  }
}
