/** Outcomes of attempts on their way to the database: those of the same moment travel in one transaction, none is dropped. */
import type { Logger } from '@cupel/contracts'
import type { AttemptRecord } from '@cupel/webhooks'

export interface RecordQueue {
  /** Resolves when the attempt is recorded, or when the queue was told to give up. Never rejects. */
  add(record: AttemptRecord): Promise<void>
  /** Null while all is well, else why the last try failed. */
  error(): string | null
  /** What cannot be written now is given up: its delivery is sent again, with the same id and body. */
  giveUp(): void
}

const MAX_BATCH = 256
const RETRY_PAUSE_MS = 200

export function createRecordQueue(options: {
  readonly record: (records: readonly AttemptRecord[]) => Promise<void>
  readonly logger: Logger
}): RecordQueue {
  let queue: { readonly record: AttemptRecord; readonly done: () => void }[] = []
  let isFlushing = false
  let isGivingUp = false
  let error: string | null = null

  return {
    add: (record) =>
      new Promise((resolve) => {
        queue.push({ record, done: resolve })
        void flush()
      }),
    error: () => error,
    giveUp: () => void (isGivingUp = true),
  }

  async function flush(): Promise<void> {
    if (isFlushing) return
    isFlushing = true
    while (queue.length > 0) {
      const batch = takeBatch()
      while (!(await write(batch.map(({ record }) => record))) && !isGivingUp)
        await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS))
      for (const { done } of batch) done()
    }
    isFlushing = false
  }

  /** Each delivery once: a second attempt of it is recorded after the first. */
  function takeBatch(): typeof queue {
    const ids = new Set<string>()
    const batch: typeof queue = []
    const rest: typeof queue = []
    for (const entry of queue) {
      const { deliveryId } = entry.record.delivery
      const fits = batch.length < MAX_BATCH && !ids.has(deliveryId)
      ids.add(deliveryId)
      ;(fits ? batch : rest).push(entry)
    }
    queue = rest
    return batch
  }

  async function write(records: readonly AttemptRecord[]): Promise<boolean> {
    try {
      await options.record(records)
      error = null
      return true
    } catch (caught) {
      const reason = caught instanceof Error ? caught.message : String(caught)
      // An outage is one line, not one per try.
      if (reason !== error) options.logger.warn({ err: caught }, `Attempts wait to be recorded: ${reason}`)
      error = reason
      return false
    }
  }
}
