/** What came of an attempt. */
import type { Trace } from '@cupel/contracts'
import type { AttemptRecord } from '../index.js'

/** No attempt: the delivery can be claimed again after `waitMs`. */
export interface NotAttempted {
  readonly waitMs: number
  /** Only this delivery waits, not the others of its endpoint. */
  readonly isOnlyDelivery?: true
}

/** The outcome of an attempt, and the trace that it is part of. */
export interface Attempted extends AttemptRecord {
  readonly trace: Trace | undefined
}
