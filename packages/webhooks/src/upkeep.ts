/** Ends deliveries that are overdue and deletes old ones. */
import type { Database, Queryable } from '@cupel/postgres'
import { outboxType } from '@cupel/projections'
import { DELIVERY_FIELDS, KEEP_DELIVERIES_MS, type DeliveryFields } from './deliveries.js'
import { webhookEvent, writeWebhookEvents } from './events.js'

/**
 * Ten attempts with the longest possible delays take less time. After this time a delivery ends, even if breaks of its endpoint
 * prevented the tenth attempt.
 */
const GIVE_UP_AFTER_MS = 10 * 24 * 3_600_000
const SOURCE = 'cupel/webhook-dispatcher'

/** Ends at most `limit` overdue deliveries; returns their number. */
export async function exhaustOverdue(database: Database, limit: number): Promise<number> {
  return await database.transaction({ at: 'webhooks.attempted' }, async (transaction) => {
    const rows = await transaction.query<DeliveryFields & { readonly attempts: number }>(
      `UPDATE webhooks.delivery d SET status = 'exhausted', next_attempt_at = NULL, ended_at = now() WHERE delivery_id IN (
         SELECT delivery_id FROM webhooks.delivery
         WHERE status = 'pending' AND attempts > 0 AND due_at < now() - make_interval(secs => $1::float8 / 1000)
         ORDER BY delivery_id LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING ${DELIVERY_FIELDS}, attempts_total AS attempts`,
      [GIVE_UP_AFTER_MS, limit],
    )
    const exhaustedAt = new Date().toISOString()
    const events = rows.map((row) => webhookEvent(outboxType('WebhookExhausted'), { ...row, exhaustedAt }))
    await writeWebhookEvents(transaction, events, SOURCE)
    return rows.length
  })
}

/** Deletes at most `limit` ended deliveries that are past their retention time; returns their number. */
export async function forgetOldDeliveries(database: Queryable, limit: number): Promise<number> {
  const forgotten = await database.execute(
    `DELETE FROM webhooks.delivery WHERE delivery_id IN (
       SELECT delivery_id FROM webhooks.delivery
       WHERE created_at < now() - make_interval(secs => $1::float8 / 1000) AND status <> 'pending'
       ORDER BY created_at LIMIT $2)`,
    [KEEP_DELIVERIES_MS, limit],
  )
  await database.execute(
    `DELETE FROM webhooks.body WHERE body_id IN (
       SELECT body_id FROM webhooks.body b WHERE created_at < now() - make_interval(secs => $1::float8 / 1000)
         AND NOT EXISTS (SELECT 1 FROM webhooks.delivery d WHERE d.body_id = b.body_id) LIMIT $2)`,
    [KEEP_DELIVERIES_MS, limit],
  )
  return forgotten
}

export interface DeliveryBacklog {
  readonly pending: number
  readonly held: number
  /** Age of the oldest delivery that is pending or held; 0 if there is none. */
  readonly oldestAgeMs: number
}

export async function deliveryBacklog(database: Queryable): Promise<DeliveryBacklog> {
  const [row] = await database.query<DeliveryBacklog>({
    name: 'webhooks.backlog',
    text: `SELECT count(*) FILTER (WHERE status = 'pending') AS pending, count(*) FILTER (WHERE status = 'held') AS held,
             coalesce((extract(epoch FROM now() - min(created_at)) * 1000)::int8, 0) AS "oldestAgeMs"
           FROM webhooks.delivery WHERE status IN ('pending', 'held')`,
  })
  return row!
}
