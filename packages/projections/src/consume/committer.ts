/** Persists the outcomes of a batch, and moves the consumer's checkpoint over the batch. */
import type { Logger } from '@cupel/contracts'
import type { Checkpoint, LogBatch, LogIdentity, LogRecord, Place } from '@cupel/event-log'

/** The offset at which reading of a partition resumes; `undefined`: after the batch. */
export type Resumption = { readonly resumeAt: number } | undefined

export interface Committer<O> {
  /** The next offset to read of a partition that was just assigned, or that is read again. */
  load(place: Place): Promise<Checkpoint>
  /** Undefined if another batch may be read; otherwise a promise that resolves as soon as it may. */
  room?(): Promise<void> | undefined
  /**
   * Resolves when the next batch of the partition may be read. Rejects if this batch must be read again.
   * The checkpoint moves over the batch only after its dead letters, if any, were acknowledged.
   */
  commit(batch: OutcomeBatch<O>, deadLetters: Promise<unknown> | null): Promise<Resumption>
  /** Finishes the pending work, after the subscription has stopped. */
  stop?(): Promise<void>
}

/** The outcomes of a batch. The checkpoint moves from `firstOffset` to `nextOffset`. */
export interface OutcomeBatch<O> extends Pick<LogBatch, 'firstOffset' | 'nextOffset' | 'records'>, Place {
  /** Whether `nextOffset` was the end of the partition when the batch was read. */
  readonly atEnd: boolean
  /** The outcome of each of `records`, in their order. */
  readonly outcomes: readonly O[]
  readonly records: readonly LogRecord[]
}

export interface CommitterContext {
  readonly group: string
  /** The log that is read. */
  readonly identity: LogIdentity
  readonly endOffset: (topic: string, partition: number) => Promise<number>
  readonly logger: Logger
  /** Reads the partition again from its checkpoint. */
  readonly restart: (place: Place) => void
}

export type OpenCommitter<O> = (context: CommitterContext) => Committer<O>
