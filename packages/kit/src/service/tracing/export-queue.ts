/**
 * Ended spans or log lines that wait for the collector: a bounded queue, sent in batches in the background. No work waits for it. Items
 * that do not arrive are counted as dropped.
 */
import { sleep } from '../../concurrency/index.js'
import type { CollectorClient } from './collector-client.js'

export type DroppedBecause = 'queue_full' | 'unreachable' | 'refused' | 'shutdown'

export interface ExportQueueOptions<T> {
  readonly client: Pick<CollectorClient, 'send'>
  readonly requestOf: (items: readonly T[]) => string
  readonly maxItems: number
  /** Maximum time that items wait for others before they are sent. */
  readonly delayMs: number
  /** Pause before the first retry; it doubles with each further one. */
  readonly retryPauseMs?: number
  readonly onExported: (items: number) => void
  readonly onDropped: (items: number, because: DroppedBecause, detail: string) => void
}

export interface ExportQueue<T> {
  /** Queues all items, or none if they do not fit. */
  add(items: readonly T[]): void
  /** Sends the waiting items, once and for a limited time, and drops the rest. */
  close(): Promise<void>
}

export const MAX_ITEMS_PER_REQUEST = 512
const RETRY_PAUSE_MS = 1_000
/** Number of retries of a batch that the collector could not take. */
export const MAX_EXPORT_RETRIES = 3
/** Time limit for the last batches at shutdown. */
export const LAST_EXPORT_TIMEOUT_MS = 3_000

export function createExportQueue<T>(options: ExportQueueOptions<T>): ExportQueue<T> {
  const { maxItems, delayMs, onDropped } = options
  let waiting: T[] = []
  let timer: NodeJS.Timeout | null = null
  let sending: Promise<void> | null = null
  const closing = new AbortController()

  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_ITEMS_PER_REQUEST)
      await sendBatch(options, batch, closing.signal)
      waiting = waiting.slice(batch.length)
    }
  }
  const send = (): void => {
    timer = null
    sending ??= sendAll().finally(() => {
      sending = null
      // Items may have arrived after the last check.
      if (waiting.length > 0) schedule(0)
    })
  }
  const schedule = (afterMs: number): void => {
    timer ??= setTimeout(send, afterMs).unref()
  }

  return {
    add(items) {
      // The spans of one trace stay together, because half a trace misleads.
      if (waiting.length + items.length > maxItems || closing.signal.aborted) {
        onDropped(items.length, closing.signal.aborted ? 'shutdown' : 'queue_full', 'no room')
        return
      }
      waiting.push(...items)
      if (sending === null) schedule(delayMs)
    },
    async close() {
      if (timer !== null) clearTimeout(timer)
      // No retries from here on.
      closing.abort()
      const limit = new AbortController()
      const ended = (async (): Promise<void> => {
        await sending
        if (!limit.signal.aborted) await sendAll()
      })()
      await Promise.race([ended, sleep(LAST_EXPORT_TIMEOUT_MS, limit.signal)])
      limit.abort()
      if (timer !== null) clearTimeout(timer)
      if (waiting.length > 0) onDropped(waiting.length, 'shutdown', 'the process ends')
      waiting = []
    },
  }
}

async function sendBatch<T>(
  { client, requestOf, retryPauseMs = RETRY_PAUSE_MS, onExported, onDropped }: ExportQueueOptions<T>,
  batch: readonly T[],
  closing: AbortSignal,
): Promise<void> {
  const body = requestOf(batch)
  for (let retries = 0; ; retries += 1) {
    const result = await client.send(body)
    if (result.kind === 'taken') {
      const rejected = Math.min(result.rejected, batch.length)
      onExported(batch.length - rejected)
      if (rejected > 0) onDropped(rejected, 'refused', 'the collector took a part')
      return
    }
    if (result.kind === 'refused') return onDropped(batch.length, 'refused', result.because)
    if (retries === MAX_EXPORT_RETRIES || closing.aborted)
      return onDropped(batch.length, 'unreachable', result.because)
    await sleep(retryPauseMs * 2 ** retries, closing)
  }
}
