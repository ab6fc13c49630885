/** Keeps a child running: one that ends unasked is started again, at once the first time, then after growing pauses. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child, ChildExit } from './child-process.js'

export interface SupervisedOptions {
  readonly name: string
  /** Starts the child; resolves when it serves. A rejection counts as an end. */
  readonly start: () => Promise<Child>
  /** The child ended unasked, or could not be started; it is tried again after `pauseMs`. */
  readonly onEnded: (event: { readonly reason: string; readonly pauseMs: number }) => void
  readonly onRestarted: () => void
}

export interface Supervised {
  readonly name: string
  /** null between an end and the next start. */
  readonly child: () => Child | null
  stop(): Promise<void>
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
/** After this long a child counts as healthy and its next end as the first one. */
const STEADY_MS = 30_000

/** Watches over a child that has been started already. */
export function supervise(first: Child, options: SupervisedOptions): Supervised {
  let child: Child | null = first
  const stopping = new AbortController()
  const watching = watch()
  return {
    name: options.name,
    child: () => child,
    async stop() {
      stopping.abort()
      await child?.stop()
      await watching
    },
  }

  async function watch(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS
    while (!stopping.signal.aborted) {
      if (child !== null) {
        const startedAt = Date.now()
        const reason = describeExit(await child.exited, child)
        child = null
        if (stopping.signal.aborted) return
        if (Date.now() - startedAt > STEADY_MS) pauseMs = FIRST_PAUSE_MS
        options.onEnded({ reason, pauseMs })
      }
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      if (stopping.signal.aborted) return
      try {
        child = await options.start()
        // Stopped while it was starting: it must not outlive its supervisor.
        if (stopping.signal.aborted) await child.stop()
        else options.onRestarted()
      } catch (error) {
        options.onEnded({ reason: error instanceof Error ? error.message : String(error), pauseMs })
      }
    }
  }
}

const REASON_CHARACTERS = 300

/** Why a child ended: its exit code or signal, and the last thing it said. */
export function describeExit(exit: ChildExit, child: Pick<Child, 'output'>): string {
  const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`
  const last = child.output().trimEnd().split('\n').at(-1)?.trim() ?? ''
  return last === '' ? how : `${how}; its last words: ${last.slice(0, REASON_CHARACTERS)}`
}
