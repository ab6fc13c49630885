/** Deliveries as their account sees them: lists them with every attempt, sends one or a range again, sends a test message. */
import { deliveryStatuses, type DeliveryStatus, type PayloadKind, type WebhookType } from '@cupel/domain'
import { asFields, asTimes, mergedRanges, timeText, type Database, type Queryable } from '@cupel/postgres'
import { tenantScope } from '@cupel/projections'
import { insertTests } from './endpoint-tests.js'
import { ownRow, type Owner } from './endpoints.js'

export interface WebhookAttempt {
  readonly number: number
  /** UTC, RFC 3339 with milliseconds. */
  readonly at: string
  /** Null if there was no answer. */
  readonly statusCode: number | null
  /** Why there was no answer; null if there was one. */
  readonly error: string | null
  readonly durationMs: number
  readonly responseExcerpt: string | null
  /** The header webhook-signature as sent; null for e-mail. */
  readonly signature: string | null
}

/** Identifies the delivery, its subject and its endpoint. */
export interface DeliveryFields extends Owner {
  readonly deliveryId: string
  readonly webhookId: string
  readonly endpointId: string
  readonly type: WebhookType
  readonly jobId: string | null
}

/** DeliveryFields of `webhooks.delivery d`. */
export const DELIVERY_FIELDS = asFields(
  'd.delivery_id, d.webhook_id, d.endpoint_id, d.account_id, d.livemode, d.type, d.job_id',
)

export interface WebhookDelivery extends DeliveryFields {
  readonly payload: PayloadKind
  readonly status: DeliveryStatus
  /** Null if no attempt is planned. */
  readonly nextAttemptAt: string | null
  readonly createdAt: string
  /** Oldest first. */
  readonly attempts: readonly WebhookAttempt[]
}

/** Position in a list: the last item of the previous page. */
export interface DeliveryCursor {
  readonly createdAt: string
  readonly deliveryId: string
}

export interface DeliveryPage {
  readonly items: readonly WebhookDelivery[]
  /** Null at the end of the list. */
  readonly next: DeliveryCursor | null
}

export type RedeliverResult<T> =
  | ({ readonly ok: true } & T)
  | { readonly ok: false; readonly code: 'unknown_endpoint' | 'unknown_delivery' | 'endpoint_disabled' }

/** How long an ended delivery is kept; it is listed and can be sent again until then. */
export const KEEP_DELIVERIES_MS = 30 * 24 * 3_600_000

type OfEndpoint = Owner & { readonly endpointId: string }

/** Newest first. New deliveries do not shift the pages. */
export async function listDeliveries(
  database: Queryable,
  query: OfEndpoint & { status?: DeliveryStatus | undefined; pageSize: number; after: DeliveryCursor | null },
): Promise<DeliveryPage> {
  const { endpointId, accountId, livemode, status, pageSize, after } = query
  const values: unknown[] = [endpointId, accountId, livemode, pageSize + 1]
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const before =
    after === null
      ? ''
      : `AND (created_at, delivery_id) < (${parameter(after.createdAt)}::timestamptz, ${parameter(after.deliveryId)})`
  const ranges = (status === undefined ? deliveryStatuses : [status]).map(
    (one) =>
      `SELECT * FROM webhooks.delivery
       WHERE endpoint_id = $1 AND account_id = $2 AND livemode = $3 AND status = ${parameter(one)} ${before}`,
  )
  const newest = mergedRanges(ranges, ['created_at', 'delivery_id'], '$4')
  const rows = await database.query<WebhookDelivery>(
    {
      text: `SELECT ${COLUMNS} FROM ${newest} AS d ORDER BY d.created_at DESC, d.delivery_id DESC`,
      scope: tenantScope(query),
    },
    values,
  )
  const items = rows.slice(0, query.pageSize).map((row) => ownRow(row, query))
  const last = items.at(-1)
  const next =
    rows.length > query.pageSize && last !== undefined
      ? { createdAt: last.createdAt, deliveryId: last.deliveryId }
      : null
  return { items, next }
}

export type OneDelivery = OfEndpoint & { readonly deliveryId: string }

/** In a transaction, which cannot take a scope. */
async function getOwnDelivery(transaction: Queryable, order: OneDelivery): Promise<WebhookDelivery | null> {
  const [row] = await transaction.query<WebhookDelivery>({ text: ONE_DELIVERY }, [
    ...[order.deliveryId, order.endpointId, order.accountId, order.livemode],
  ])
  return row === undefined ? null : ownRow(row, order)
}

/**
 * Sends a delivery again in any state, with the same webhook id and body and a new schedule. While the endpoint is not proven the
 * delivery is held.
 */
export async function redeliver(
  database: Database,
  order: OfEndpoint & { deliveryId: string },
): Promise<RedeliverResult<{ delivery: WebhookDelivery }>> {
  return await database.transaction({ at: 'webhooks.redeliver' }, async (transaction) => {
    const refusal = await refusalOf(transaction, order)
    if (refusal !== null) return refusal
    const again = await transaction.execute(
      `UPDATE webhooks.delivery d SET ${AGAIN}
       AND d.delivery_id = $1 AND d.endpoint_id = $2 AND d.account_id = $3 AND d.livemode = $4`,
      [order.deliveryId, order.endpointId, order.accountId, order.livemode],
    )
    const delivery = again === 0 ? null : await getOwnDelivery(transaction, order)
    return delivery === null ? { ok: false, code: 'unknown_delivery' } : { ok: true, delivery }
  })
}

/**
 * Sends again the deliveries created in a range of time, by default those that the receiver missed: exhausted or still held.
 * Returns their number.
 */
export async function redeliverRange(
  database: Database,
  order: OfEndpoint & {
    since: string
    until?: string | undefined
    statuses?: readonly DeliveryStatus[] | undefined
  },
): Promise<RedeliverResult<{ count: number }>> {
  return await database.transaction({ at: 'webhooks.redeliver' }, async (transaction) => {
    const refusal = await refusalOf(transaction, order)
    if (refusal !== null) return refusal
    const count = await transaction.execute(
      `UPDATE webhooks.delivery d SET ${AGAIN}
         AND d.endpoint_id = $1 AND d.account_id = $2 AND d.livemode = $3 AND d.status = ANY($4::text[])
         AND d.created_at >= $5::timestamptz AND ($6::timestamptz IS NULL OR d.created_at < $6::timestamptz)`,
      [
        order.endpointId,
        order.accountId,
        order.livemode,
        order.statuses ?? MISSED,
        order.since,
        order.until ?? null,
      ],
    )
    return { ok: true, count }
  })
}

const MISSED: readonly DeliveryStatus[] = ['exhausted', 'held']
/** A sender that is sending it now loses its claim: the outcome of that attempt is recorded but changes nothing. */
const AGAIN = `status = CASE WHEN e.proven_at IS NOT NULL OR d.type = 'endpoint.test' THEN 'pending' ELSE 'held' END,
  next_attempt_at = CASE WHEN e.proven_at IS NOT NULL OR d.type = 'endpoint.test' THEN now() END,
  attempts = 0, due_at = now(), ended_at = NULL, claim = d.claim + 1 FROM webhooks.endpoint e
  WHERE e.endpoint_id = d.endpoint_id`

/**
 * A test message to one endpoint, delivered, retried and listed like every other delivery. It proves the endpoint if it is accepted. One that
 * waits for a recipient of e-mail is not sent twice.
 */
export async function sendTest(
  database: Database,
  order: OfEndpoint,
): Promise<RedeliverResult<{ delivery: WebhookDelivery }>> {
  return await database.transaction({ at: 'webhooks.redeliver' }, async (transaction) => {
    const refusal = await refusalOf(transaction, order)
    if (refusal !== null) return refusal
    const waiting = await waitingTest(transaction, order)
    const [deliveryId = ''] =
      waiting === null ? await insertTests(transaction, [order.endpointId]) : [waiting]
    const delivery = await getOwnDelivery(transaction, { ...order, deliveryId })
    if (delivery === null) throw new Error('A new delivery disappeared in its own transaction')
    return { ok: true, delivery }
  })
}

async function waitingTest(transaction: Queryable, { endpointId }: OfEndpoint): Promise<string | null> {
  const [row] = await transaction.query<{ deliveryId: string }>(
    `SELECT delivery_id AS "deliveryId" FROM webhooks.delivery
     WHERE endpoint_id = $1 AND payload = 'email' AND type = 'endpoint.test' AND status = 'pending' LIMIT 1`,
    [endpointId],
  )
  return row?.deliveryId ?? null
}

/** Locks the endpoint until the transaction ends, so that it cannot be disabled meanwhile. */
async function refusalOf(
  transaction: Queryable,
  { endpointId, accountId, livemode }: OfEndpoint,
): Promise<{ ok: false; code: 'unknown_endpoint' | 'endpoint_disabled' } | null> {
  const [row] = await transaction.query<{ status: string }>(
    'SELECT status FROM webhooks.endpoint WHERE endpoint_id = $1 AND account_id = $2 AND livemode = $3 FOR SHARE',
    [endpointId, accountId, livemode],
  )
  if (row === undefined) return { ok: false, code: 'unknown_endpoint' }
  return row.status === 'enabled' ? null : { ok: false, code: 'endpoint_disabled' }
}

/** One statement, so that a delivery and its attempts come from one snapshot. */
const COLUMNS = `${DELIVERY_FIELDS}, payload, status, ${asTimes('next_attempt_at, created_at')}, (
    SELECT coalesce(json_agg(json_build_object('number', a.number, 'at', ${timeText('a.attempted_at')},
      'statusCode', a.status_code, 'error', a.error, 'durationMs', a.duration_ms,
      'responseExcerpt', a.response_excerpt, 'signature', a.signature) ORDER BY a.number), '[]')
    FROM webhooks.attempt a WHERE a.delivery_id = d.delivery_id) AS attempts`

export const ONE_DELIVERY = `SELECT ${COLUMNS} FROM webhooks.delivery d
  WHERE delivery_id = $1 AND endpoint_id = $2 AND account_id = $3 AND livemode = $4`
