/** Events of watches, written in the transaction of the change. All of one account and environment keep their order. */
import { topicOf, type EventData } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'
import { writeOutboxBatch, type OutboxEvent, type OutboxType } from '@cupel/projections'

type WatchEventType = 'WatchesCreated' | 'WatchRemoved' | 'ReportChanged' | 'WatchFailed' | 'WatchesDigested'

export interface WatchEvent<T extends WatchEventType = WatchEventType> {
  readonly type: OutboxType<T>
  /** Derived from the change, so that a repeat has the same id. */
  readonly id: string
  readonly subject: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly time: string
  readonly data: EventData[T]
}

const SOURCE = 'cupel/watches'

export async function writeWatchEvents(transaction: Queryable, events: readonly WatchEvent[]): Promise<void> {
  await writeOutboxBatch(
    transaction,
    events.map(({ type, id, subject, time, data }) => {
      const causationId = ('call' in data ? data.call?.requestId : undefined) ?? id
      const envelope = { id, source: SOURCE, time, subject, correlationId: subject, causationId }
      return {
        event: { type, data, envelope } as unknown as OutboxEvent,
        target: { topic: topicOf(type, data.livemode), key: data.accountId },
      }
    }),
  )
}
