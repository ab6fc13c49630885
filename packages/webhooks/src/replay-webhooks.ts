/** Applies the log's records of endpoints and deliveries to a database that was restored from a backup. */
import type { EventData } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'
import { outboxType } from '@cupel/projections'
import { DELIVERY_FIELDS, type DeliveryFields } from './deliveries.js'
import { originOf, webhookEvent, writeWebhookEvents } from './events.js'
import { MAILTO } from './mailto.js'

const SOURCE = 'cupel/cli'

/**
 * Whether the endpoint exists, or is made again: a recipient of e-mail, whose sealed address the log holds. It has to confirm again, unless a later
 * event states that it did. A missing URL cannot be made again: the log holds neither it nor its secret.
 */
export async function replayEndpointCreation(
  transaction: Queryable,
  endpoint: EventData['WebhookEndpointCreated'],
): Promise<'known' | 'made' | 'lost'> {
  if (await isEndpointKnown(transaction, endpoint)) return 'known'
  const { endpointId, accountId, livemode, recipient, events, status, createdAt } = endpoint
  if (recipient === '') return 'lost'
  const made = await transaction.execute(
    `INSERT INTO webhooks.endpoint (endpoint_id, account_id, livemode, url, payload, events, status, created_at)
     VALUES ($1, $2, $3, $4, 'email', $5, $6, $7::timestamptz) ON CONFLICT DO NOTHING`,
    [endpointId, accountId, livemode, MAILTO + recipient, events, status, createdAt],
  )
  return made > 0 ? 'made' : 'lost'
}

/** Whether the endpoint exists. */
async function isEndpointKnown(
  transaction: Queryable,
  { endpointId }: { readonly endpointId: string },
): Promise<boolean> {
  const rows = await transaction.query('SELECT 1 FROM webhooks.endpoint WHERE endpoint_id = $1', [endpointId])
  return rows.length > 0
}

export type ReplayedChange = 'known' | 'changed' | 'other-origin'

/**
 * Makes the endpoint what the log states: enabled or disabled, its payload and events, whether it proved itself, and the address of e-mail. `other-origin`: the log names an
 * origin that the database does not have. The endpoint is disabled then, because the log holds no URL and nothing may be sent to the former one.
 */
export async function replayEndpointChange(
  transaction: Queryable,
  change: EventData['WebhookEndpointChanged'],
): Promise<ReplayedChange> {
  const { endpointId, origin, recipient, status, disabledReason, payload, events, provenAt } = change
  const [present] = await transaction.query<{ url: string; status: string }>(
    'SELECT url, status FROM webhooks.endpoint WHERE endpoint_id = $1 FOR UPDATE',
    [endpointId],
  )
  if (present === undefined) return 'known'
  const isOther = originOf(present.url) !== origin
  const wanted = isOther ? 'disabled' : status
  await transaction.execute(
    `UPDATE webhooks.endpoint SET status = $2, disabled_reason = $3, payload = $4, proven_at = $5::timestamptz, events = $6::text[],
       url = coalesce($7, url)
     WHERE endpoint_id = $1`,
    [
      ...[endpointId, wanted, wanted === 'disabled' ? (disabledReason ?? 'paused') : null],
      ...[payload, isOther ? null : provenAt, events, recipient === '' ? null : MAILTO + recipient],
    ],
  )
  if (isOther) return 'other-origin'
  return present.status === wanted ? 'known' : 'changed'
}

/** Deletes the endpoint with its deliveries; resolves to whether it was there. */
export async function replayEndpointDeletion(
  transaction: Queryable,
  { endpointId }: EventData['WebhookEndpointDeleted'],
): Promise<boolean> {
  const deleted = await transaction.execute('DELETE FROM webhooks.endpoint WHERE endpoint_id = $1', [
    endpointId,
  ])
  return deleted > 0
}

export interface DeliveryEnd {
  readonly deliveryId: string
  readonly status: 'delivered' | 'exhausted'
  readonly attempts: number
  readonly endedAt: string
}

/** Ends the delivery as in the log; resolves to whether the database held it as open. */
export async function replayDeliveryEnd(
  transaction: Queryable,
  { deliveryId, status, attempts, endedAt }: DeliveryEnd,
): Promise<boolean> {
  const ended = await transaction.execute(
    `UPDATE webhooks.delivery SET status = $2, attempts_total = greatest(attempts_total, $3), next_attempt_at = NULL,
       ended_at = $4, claim = claim + 1
     WHERE delivery_id = $1 AND status <> $2 AND status <> 'delivered'`,
    [deliveryId, status, attempts, endedAt],
  )
  return ended > 0
}

/**
 * Ends every delivery without an end in the database or the log. It is not known whether the receiver has it, and it is sent again
 * only on request. Resolves to their number.
 */
export async function endUnsettledDeliveries(transaction: Queryable): Promise<number> {
  const rows = await transaction.query<DeliveryFields & { readonly attempts: number }>(
    `UPDATE webhooks.delivery d SET status = 'exhausted', next_attempt_at = NULL, ended_at = now(), claim = claim + 1
     WHERE status IN ('pending', 'held')
     RETURNING ${DELIVERY_FIELDS}, attempts_total AS attempts`,
  )
  const exhaustedAt = new Date().toISOString()
  const events = rows.map((row) => webhookEvent(outboxType('WebhookExhausted'), { ...row, exhaustedAt }))
  await writeWebhookEvents(transaction, events, SOURCE)
  return rows.length
}

/** Removes the bodies that no delivery has: an erased account has no endpoints, and so no deliveries. */
export async function forgetBodies(transaction: Queryable): Promise<void> {
  await transaction.execute(
    'DELETE FROM webhooks.body b WHERE NOT EXISTS (SELECT FROM webhooks.delivery d WHERE d.body_id = b.body_id)',
  )
}
