/** Records outcomes of attempts: rows, states and events of many attempts in one transaction. */
import type { AttemptDecision } from '@cupel/domain'
import { asFields, asTimes, type Database } from '@cupel/postgres'
import { outboxType } from '@cupel/projections'
import { disableGoneEndpoints, lockEndpoints, proveEndpoints } from './endpoints.js'
import { webhookEvent, writeWebhookEvents, type TypedEvent } from './events.js'
import type { ClaimedDelivery } from './claims.js'
import { recipientOf } from './mailto.js'

export interface AttemptRecord {
  readonly delivery: ClaimedDelivery
  /** UTC, RFC 3339 with milliseconds. */
  readonly attemptedAt: string
  readonly statusCode: number | null
  readonly error: string | null
  readonly durationMs: number
  readonly responseExcerpt: string | null
  /** The header webhook-signature as sent; null for e-mail. */
  readonly signature: string | null
  readonly decision: AttemptDecision
}

const SOURCE = 'cupel/webhook-dispatcher'

/**
 * An acceptance counts under any claim, because the receiver has the message. Every other outcome counts only under its own
 * claim and does not change a delivery that was held or ended in the meantime. Pass each delivery at most once per call.
 */
const RECORD = {
  name: 'webhooks.record-attempts',
  text: `WITH given AS (
      SELECT * FROM unnest($1::text[], $2::int8[], $3::timestamptz[], $4::int4[], $5::text[], $6::int4[], $7::text[], $8::text[], $9::float8[], $10::text[])
        AS g (delivery_id, claim, attempted_at, status_code, error, duration_ms, response_excerpt, decision, delay_ms, signature)
    ), locked AS MATERIALIZED (
      -- Lock in a fixed order, so that concurrent recorders cannot deadlock.
      SELECT d.delivery_id FROM webhooks.delivery d JOIN given USING (delivery_id) ORDER BY d.delivery_id FOR UPDATE OF d
    ), decided AS (
      SELECT g.*, CASE
          WHEN g.decision = 'delivered' THEN 'delivered'
          WHEN d.claim <> g.claim OR d.status <> 'pending' THEN d.status
          WHEN g.decision = 'retry' THEN 'pending'
          WHEN g.decision = 'gone' THEN 'held'
          ELSE g.decision END AS new_status,
        d.status AS old_status, d.claim = g.claim AS is_holder
      FROM given g JOIN locked USING (delivery_id) JOIN webhooks.delivery d USING (delivery_id)
    ), moved AS (
      UPDATE webhooks.delivery d SET
        attempts_total = d.attempts_total + 1,
        attempts = CASE WHEN n.is_holder THEN d.attempts + 1 ELSE d.attempts END,
        status = n.new_status,
        next_attempt_at = CASE
          WHEN n.new_status <> 'pending' THEN NULL
          WHEN n.is_holder AND n.decision = 'retry' THEN now() + make_interval(secs => n.delay_ms / 1000)
          ELSE d.next_attempt_at END,
        due_at = CASE WHEN n.is_holder AND n.new_status = 'pending' AND n.decision = 'retry'
          THEN now() + make_interval(secs => n.delay_ms / 1000) ELSE d.due_at END,
        ended_at = CASE WHEN n.new_status IN ('delivered', 'exhausted') THEN coalesce(d.ended_at, now()) END
      FROM decided n WHERE d.delivery_id = n.delivery_id
      RETURNING d.delivery_id, d.attempts_total, d.status, d.next_attempt_at, n.old_status, n.attempted_at, n.status_code,
        n.error, n.duration_ms, n.response_excerpt, n.signature
    ), noted AS (
      INSERT INTO webhooks.attempt (delivery_id, number, attempted_at, status_code, error, duration_ms, response_excerpt, signature)
      SELECT delivery_id, attempts_total, attempted_at, status_code, error, duration_ms, response_excerpt, signature FROM moved
    )
    SELECT ${asFields('delivery_id, status, old_status')}, attempts_total AS attempt, ${asTimes('next_attempt_at')} FROM moved`,
}

/** Records attempts; ignores those of deleted deliveries. A test message that was accepted proves its endpoint, but no recipient of e-mail. */
export async function recordAttempts(database: Database, records: readonly AttemptRecord[]): Promise<void> {
  if (records.length === 0) return
  const gone = records.filter(({ decision }) => decision.kind === 'gone').map(receiverOf)
  const proving = records
    .filter(
      ({ decision, delivery }) =>
        decision.kind === 'delivered' &&
        delivery.type === 'endpoint.test' &&
        recipientOf(delivery.url) === null,
    )
    .map(receiverOf)
  await database.transaction({ at: 'webhooks.attempted' }, async (transaction) => {
    await lockEndpoints(
      transaction,
      [...gone, ...proving].map(({ endpointId }) => endpointId),
    )
    const rows = await transaction.query<RecordedAttempt>(RECORD, [
      records.map(({ delivery }) => delivery.deliveryId),
      records.map(({ delivery }) => delivery.claim),
      records.map(({ attemptedAt }) => attemptedAt),
      records.map(({ statusCode }) => statusCode),
      records.map(({ error }) => error),
      records.map(({ durationMs }) => durationMs),
      records.map(({ responseExcerpt }) => responseExcerpt),
      records.map(({ decision }) => decision.kind),
      records.map(({ decision }) => (decision.kind === 'retry' ? decision.delayMs : null)),
      records.map(({ signature }) => signature),
    ])
    const byId = new Map(records.map((record) => [record.delivery.deliveryId, record]))
    const events = rows.flatMap((row) => eventsOf(byId.get(row.deliveryId)!, row))
    await writeWebhookEvents(transaction, events, SOURCE)
    await disableGoneEndpoints(transaction, gone, SOURCE)
    await proveEndpoints(transaction, proving, SOURCE)
  })
}

function receiverOf({ delivery: { endpointId, url } }: AttemptRecord): { endpointId: string; url: string } {
  return { endpointId, url }
}

interface RecordedAttempt {
  readonly deliveryId: string
  readonly attempt: number
  readonly status: string
  readonly oldStatus: string
  readonly nextAttemptAt: string | null
}

function eventsOf(
  record: AttemptRecord,
  { attempt, status, oldStatus, nextAttemptAt }: RecordedAttempt,
): TypedEvent[] {
  const { deliveryId, webhookId, endpointId, accountId, livemode, type, jobId } = record.delivery
  const { attemptedAt, statusCode, error, durationMs } = record
  const about = { deliveryId, webhookId, endpointId, accountId, livemode, type, jobId }
  const told = { attempt, statusCode, error, durationMs, nextAttemptAt, attemptedAt }
  const events = [webhookEvent(outboxType('WebhookAttempted'), { ...about, ...told })]
  if (status === oldStatus) return events
  const endedAt = new Date(Date.parse(attemptedAt) + durationMs).toISOString()
  if (status === 'delivered')
    events.push(
      webhookEvent(outboxType('WebhookDelivered'), { ...about, attempts: attempt, deliveredAt: endedAt }),
    )
  if (status === 'exhausted')
    events.push(
      webhookEvent(outboxType('WebhookExhausted'), { ...about, attempts: attempt, exhaustedAt: endedAt }),
    )
  return events
}
