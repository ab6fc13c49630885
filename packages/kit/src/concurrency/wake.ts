/** A wait that `wake` can end early. For one waiter at a time. */
export interface Wake {
  /** Resolves after `durationMs`, or as soon as `wake` is called. Resolves at once if it was called since the last wait. */
  wait(durationMs: number): Promise<void>
  wake(): void
}

export function createWake(): Wake {
  let isWoken = false
  let end: () => void = () => undefined
  return {
    async wait(durationMs) {
      if (!isWoken)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, durationMs)
          end = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      isWoken = false
    },
    wake() {
      isWoken = true
      end()
    },
  }
}
