/** Runs a step again and again, at once when woken, and at the latest after a while. */
export interface Loop {
  wake(): void
  /** Resolves when no step runs any more. */
  stop(): Promise<void>
}

/** `step` returns how much it did: after something it is asked again at once. A step that rejects is tried again later. */
export function startLoop(options: {
  readonly step: () => Promise<number>
  readonly atLatestMs: number
  readonly onError: (error: unknown) => void
}): Loop {
  let stopping = false
  let isWoken = false
  let rouse: () => void = () => undefined

  const run = async (): Promise<void> => {
    while (!stopping) {
      isWoken = false
      let done = 0
      try {
        done = await options.step()
      } catch (error) {
        options.onError(error)
      }
      if (done === 0 && !stopping && !isWoken)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, options.atLatestMs)
          rouse = () => (clearTimeout(timer), resolve())
        })
    }
  }
  const running = run()
  return {
    wake() {
      isWoken = true
      rouse()
    },
    async stop() {
      stopping = true
      rouse()
      await running
    },
  }
}
