/**
 * Examines the busiest addresses of a chain once for each state of ledger, labels, policy and prices: their examination takes longer than a
 * screen waits, and everybody screens them. One is under way at a time, so that a screen of another one does not wait for it.
 */
import { sleep, withinMs } from '@cupel/kit/concurrency'

export interface BusyWork {
  /** Begins with the busiest address, unless that was begun in this state. A newer state of the chain ends the work for an older one. */
  begin(chain: string, state: string, prepare: (address: string) => Promise<unknown>): void
  stop(): Promise<void>
}

export interface BusyWorkDeps {
  readonly addressesOf: (chain: string) => Promise<readonly string[]>
  readonly onError: (error: unknown) => void
}

/** After each address the work rests so many times as long as that took: a ledger that changes all the time takes a fifth of a thread at most. */
const REST_PER_WORK = 4
/** Work that hangs does not keep the process from ending. */
const STOP_MS = 1_000

export function createBusyWork({ addressesOf, onError }: BusyWorkDeps): BusyWork {
  const states = new Map<string, string>()
  let last: Promise<void> = Promise.resolve()
  const stopping = new AbortController()

  async function prepareEach(
    chain: string,
    state: string,
    prepare: (address: string) => Promise<unknown>,
  ): Promise<void> {
    const isOver = (): boolean => stopping.signal.aborted || states.get(chain) !== state
    if (isOver()) return
    for (const address of await addressesOf(chain)) {
      if (isOver()) return
      const sinceMs = performance.now()
      await prepare(address)
      await sleep((performance.now() - sinceMs) * REST_PER_WORK, stopping.signal)
    }
  }

  return {
    begin(chain, state, prepare) {
      if (stopping.signal.aborted || states.get(chain) === state) return
      states.set(chain, state)
      last = last.then(() => prepareEach(chain, state, prepare)).catch(onError)
    },
    async stop() {
      stopping.abort()
      await withinMs(STOP_MS, last)
    },
  }
}
