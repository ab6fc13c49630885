/** A partition that a subscription reads, and its progress. */
import type { LogRecord } from '../port.js'
import type { FetchTarget } from './fetcher.js'
import type { Assignment } from './membership.js'

export interface Part extends Assignment {
  readonly topic: string
  /** Rises whenever the position is loaded again; work of an earlier epoch is ignored. */
  epoch: number
  readonly target: FetchTarget
  state: 'loading' | 'reading' | 'revoked'
  /** Records that wait for the handler; they cover the offsets from `bufferFrom` to `bufferTo`. */
  buffer: readonly LogRecord[]
  bufferFrom: number
  bufferTo: number
  /** Approximate size of the buffer. */
  bufferBytes: number
  endOffset: number
  /** Offset up to which everything was handled. */
  next: number
  handling: Promise<void> | null
  /** Failures since the last success. */
  failures: number
  /** First offset of a rejected batch that is still to be handled. */
  rejectedAt: number | null
  /** How often Kafka refused an offset that lies within the log. */
  doubts: number
}

/** A partition whose place in the log must be loaded first. */
export function newPart(assignment: Assignment, target: FetchTarget): Part {
  return {
    ...assignment,
    topic: target.topic,
    epoch: 0,
    target,
    state: 'loading',
    buffer: [],
    bufferFrom: 0,
    bufferTo: 0,
    bufferBytes: 0,
    endOffset: 0,
    next: 0,
    handling: null,
    failures: 0,
    rejectedAt: null,
    doubts: 0,
  }
}
