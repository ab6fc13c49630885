/** Restarts a child that ends unexpectedly: at once the first time, then after growing pauses. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child, ChildExit } from './child-process.js'

export interface SupervisedOptions {
  readonly name: string
  /** Starts the child; resolves when it serves. A rejection counts as an end. */
  readonly start: () => Promise<Child>
  /** The child ended unexpectedly or could not be started; it is started again after `pauseMs`. */
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
/** A child that ran for this long counts as healthy, and its next end as the first one. */
const STEADY_MS = 30_000

/** Supervises an already started child. */
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
        // The supervisor was stopped meanwhile: the child must not outlive it.
        if (stopping.signal.aborted) await child.stop()
        else options.onRestarted()
      } catch (error) {
        options.onEnded({ reason: error instanceof Error ? error.message : String(error), pauseMs })
      }
    }
  }
}

const REASON_CHARACTERS = 300

/** Why a child ended: its exit code or signal, and its last error. */
export function describeExit(exit: ChildExit, child: Pick<Child, 'output'>): string {
  // A killed process logs no last error.
  if (exit.signal !== null) return `signal ${exit.signal}`
  const complaint = lastComplaint(child.output())
  return complaint === null ? `exit code ${exit.code}` : `exit code ${exit.code}: ${complaint}`
}

/** The last error among JSON log lines, otherwise the last line. */
function lastComplaint(output: string): string | null {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const error = lines.map(readErrorLine).findLast((text) => text !== null)
  const complaint = error ?? lines.at(-1)?.trim() ?? null
  return complaint === null ? null : complaint.slice(0, REASON_CHARACTERS)
}

/** Level of an error in pino's numbering. */
const ERROR_LEVEL = 50

function readErrorLine(line: string): string | null {
  if (!line.startsWith('{')) return null
  try {
    const { level, msg, err } = JSON.parse(line) as {
      level?: number
      msg?: string
      err?: { message?: string }
    }
    if (level === undefined || level < ERROR_LEVEL || msg === undefined) return null
    return err?.message === undefined ? msg : `${msg}: ${err.message}`
  } catch {
    // Not a log line, or a line that the end of the process cut off.
    return null
  }
}
