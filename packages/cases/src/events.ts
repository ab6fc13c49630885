/** Events of a case, written in the transaction of their entry. */
import { decidedEventId, topicOf, type EventData } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'
import { writeOutbox, type OutboxEvent, type OutboxType } from '@cupel/projections'

type CaseEvent =
  | 'ReportNoteAdded'
  | 'DispositionProposed'
  | 'DispositionProposalDeclined'
  | 'DispositionChanged'

const SOURCE = 'cupel/cases'

export async function writeCaseEvent<T extends CaseEvent>(
  transaction: Queryable,
  type: OutboxType<T>,
  data: EventData[T],
  time: string,
): Promise<void> {
  const { reportId, livemode, version } = data
  const id = decidedEventId('case-entry', reportId, String(version))
  const envelope = {
    ...{ id, source: SOURCE, time, subject: reportId },
    ...{ correlationId: reportId, causationId: data.call?.requestId ?? id },
  }
  const event = { type, data, envelope } as unknown as OutboxEvent
  await writeOutbox(transaction, event, { topic: topicOf(type, livemode), key: reportId })
}
