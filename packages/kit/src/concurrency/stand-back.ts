/** Lowers the priority of work that may wait, in a thread of its own. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** On a scale from -20 to 19: the calls of the process get the processor first. */
const PRIORITY = 10

/** Linux has thread priorities; elsewhere the calling thread keeps the one of the process. */
export function standBack(): void {
  try {
    const [, thread] = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self'))!
    setPriority(Number(thread), PRIORITY)
  } catch {
    // Results do not depend on priorities.
  }
}
