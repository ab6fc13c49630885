/** Work in a thread of its own that may wait. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Of a scale from -20 to 19: calls of the process go first where both want the processor. */
const PRIORITY = 10

/** Linux has priorities of threads; elsewhere the calling thread keeps the one of the process. */
export function standBack(): void {
  try {
    const [, thread] = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self'))!
    setPriority(Number(thread), PRIORITY)
  } catch {
    // Priorities make nothing right or wrong.
  }
}
