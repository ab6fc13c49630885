/** Events of endpoints and deliveries, written in the transaction of the change. They contain no secret and no path of a URL. */
import { requestedEventId, topicOf, type EventData } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'
import { writeOutboxBatch, type OutboxEvent, type OutboxType } from '@cupel/projections'
import { MAILTO, recipientOf } from './mailto.js'

type WebhookEvent = Extract<keyof EventData, `Webhook${string}`>

export interface TypedEvent<T extends WebhookEvent = WebhookEvent> {
  readonly type: OutboxType<T>
  readonly data: EventData[T]
}

export function webhookEvent<T extends WebhookEvent>(type: OutboxType<T>, data: EventData[T]): TypedEvent {
  return { type, data } as unknown as TypedEvent
}

export async function writeWebhookEvents(
  transaction: Queryable,
  events: readonly TypedEvent[],
  source: string,
): Promise<void> {
  const time = new Date().toISOString()
  await writeOutboxBatch(
    transaction,
    events.map(({ type, data }) => {
      const id = requestedEventId()
      const subject = 'deliveryId' in data ? data.deliveryId : data.endpointId
      const cause = 'jobId' in data && data.jobId !== null ? data.jobId : id
      const envelope = { id, source, time, subject, correlationId: cause, causationId: cause }
      const event = { type, data, envelope } as unknown as OutboxEvent
      return { event, target: { topic: topicOf(type, data.livemode), key: data.endpointId } }
    }),
  )
}

/** Scheme, host and port; the rest of a URL often contains a token. Only the scheme of an address of e-mail. */
export function originOf(url: string): string {
  return recipientOf(url) === null ? new URL(url).origin : MAILTO
}
