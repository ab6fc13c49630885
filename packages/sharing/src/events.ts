/** Events of share links, written in the transaction of the change. They contain no token and no digest. */
import { decidedEventId, topicOf, type EventData } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'
import { writeOutbox, type OutboxEvent, type OutboxType } from '@cupel/projections'

type ShareEvent = 'ReportShareCreated' | 'ReportShareRevoked' | 'ReportShareOpened'

const SOURCE = 'cupel/sharing'

/** `occurrence`: the number of the event, if a link has several of this type. */
export async function writeShareEvent<T extends ShareEvent>(
  transaction: Queryable,
  type: OutboxType<T>,
  data: EventData[T],
  { time, occurrence = 0 }: { time: string; occurrence?: number },
): Promise<void> {
  const { shareId, reportId, livemode } = data
  const id = decidedEventId(type, shareId, String(occurrence))
  const envelope = {
    ...{ id, source: SOURCE, time, subject: shareId },
    ...{ correlationId: reportId, causationId: data.call?.requestId ?? id },
  }
  const event = { type, data, envelope } as unknown as OutboxEvent
  await writeOutbox(transaction, event, { topic: topicOf(type, livemode), key: reportId })
}
