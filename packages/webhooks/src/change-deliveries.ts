/** Deliveries of changed reports, made with their body in the transaction of the consumer's checkpoint: nothing else is to be read. */
import { decidedEventId } from '@cupel/contracts'
import { changeWebhookBody, type ChangedReport } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import type { Owner } from './endpoints.js'
import { lockAddressees } from './new-deliveries.js'
import { webhookIdOf } from './webhook-id.js'

/** A change, from its event. */
export interface ReportChange extends Owner, ChangedReport {
  /** Of the event: a repeat has the same one, and so has each of its deliveries. */
  readonly eventId: string
  /** Of the trace that its deliveries continue. */
  readonly traceparent?: string | undefined
}

/** Creates one delivery for each endpoint of the account of each change, held if the endpoint is disabled or not proven. Safe to repeat. */
export async function insertChangeDeliveries(
  transaction: Queryable,
  changes: readonly ReportChange[],
): Promise<number> {
  if (changes.length === 0) return 0
  const rows = await lockAddressees(
    transaction,
    changes.map(({ accountId, livemode, changedAt }) => ({ accountId, livemode, at: changedAt })),
  )
  const made = rows.map((row) => {
    const change = changes[row.place - 1]!
    return { ...row, change, deliveryId: decidedEventId('WebhookDelivery', change.eventId, row.endpointId) }
  })
  const told = [...new Set(made.map(({ change }) => change))]
  await transaction.execute(
    'INSERT INTO webhooks.body (body_id, body) SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING',
    [told.map(bodyIdOf), told.map(changeWebhookBody)],
  )
  return await transaction.execute(
    `INSERT INTO webhooks.delivery (delivery_id, webhook_id, endpoint_id, account_id, livemode, type, payload, body_id, status,
       next_attempt_at, due_at, created_at, traceparent)
     SELECT d.delivery_id, d.webhook_id, d.endpoint_id, d.account_id, d.livemode, 'report.changed', d.payload, d.body_id, d.status,
       CASE d.status WHEN 'pending' THEN now() END, now(), date_trunc('milliseconds', clock_timestamp()), d.traceparent
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bool[], $6::text[], $7::text[], $8::text[], $9::text[])
       AS d (delivery_id, webhook_id, endpoint_id, account_id, livemode, payload, body_id, status, traceparent)
     ON CONFLICT DO NOTHING`,
    [
      made.map(({ deliveryId }) => deliveryId),
      made.map(({ deliveryId }) => webhookIdOf(deliveryId)),
      made.map(({ endpointId }) => endpointId),
      made.map(({ change }) => change.accountId),
      made.map(({ change }) => change.livemode),
      made.map(({ payload }) => payload),
      made.map(({ change }) => bodyIdOf(change)),
      made.map(({ status }) => status),
      made.map(({ change }) => change.traceparent ?? null),
    ],
  )
}

function bodyIdOf({ eventId }: ReportChange): string {
  return decidedEventId('WebhookBody', eventId)
}
