/** Records outcomes of attempts: those that end in the same moment in one transaction. Each is tried until it is recorded. */
import { createBatcher, sleep } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import { createTrouble } from '@cupel/projections'
import type { AttemptRecord } from '../index.js'

export interface RecordQueue {
  /**
   * Resolves when the attempt is recorded, or when the queue was told to give up. Never rejects. Each delivery may have only one
   * attempt under way.
   */
  add(record: AttemptRecord): Promise<void>
  /** Null while all is well, else why the last try failed. */
  error(): string | null
  /** Tries each waiting record at most once more. A delivery without its record is sent again, with the same id and body. */
  giveUp(): void
}

const MAX_BATCH = 256
const RETRY_PAUSE_MS = 200

export function createRecordQueue(options: {
  readonly record: (records: readonly AttemptRecord[]) => Promise<void>
  readonly logger: Logger
}): RecordQueue {
  const trouble = createTrouble()
  const givingUp = new AbortController()

  async function recordAll(records: readonly AttemptRecord[]): Promise<readonly undefined[]> {
    while (!(await tryOnce(records)) && !givingUp.signal.aborted) await sleep(RETRY_PAUSE_MS, givingUp.signal)
    return records.map(() => undefined)
  }

  async function tryOnce(records: readonly AttemptRecord[]): Promise<boolean> {
    try {
      await options.record(records)
      trouble.over('recording')
      return true
    } catch (error) {
      if (trouble.failed('recording', error))
        options.logger.warn({ err: error }, `Attempts wait to be recorded: ${String(error)}`)
      return false
    }
  }

  const batcher = createBatcher<AttemptRecord, undefined>({ run: recordAll, maxBatchItems: MAX_BATCH })
  return {
    add: (record) => batcher.add(record),
    error: () => trouble.reason(),
    giveUp: () => givingUp.abort(),
  }
}
