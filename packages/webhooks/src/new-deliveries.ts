/** Deliveries of ended jobs: created in the transaction of the consumer's checkpoint; their body is added once the results can be read. */
import { decidedEventId } from '@cupel/contracts'
import type { DeliveryStatus, JobWebhookType, PayloadKind, WebhookType } from '@cupel/domain'
import { asFields, type Database, type Queryable } from '@cupel/postgres'
import type { Owner } from './endpoints.js'
import { webhookIdOf } from './webhook-id.js'

/** A job that ended, from its event. */
export interface JobEnd extends Owner {
  readonly jobId: string
  readonly type: JobWebhookType
  /** UTC, RFC 3339 with milliseconds. */
  readonly endedAt: string
  /** The trace that its deliveries continue. */
  readonly traceparent?: string | undefined
}

/**
 * An endpoint receives the jobs that ended after it was created. The two times come from different clocks; a webhook too many is
 * better than one too few.
 */
const CLOCK_GRACE_MS = 300_000

/** An endpoint that a message goes to. */
export interface Addressee {
  /** Index of the message among the given ones, from 1. */
  readonly place: number
  readonly endpointId: string
  readonly payload: PayloadKind
  readonly status: DeliveryStatus
}

/** Types that a person gets only if the endpoint names them: an account may screen many transfers a second. */
const FOR_PROGRAMS: readonly WebhookType[] = ['transfer.screened']

/**
 * The endpoints of the accounts that get messages of this type. Nothing is kept for a recipient of e-mail who has not confirmed. The lock orders this with a change of status or proof: either the change also holds these
 * deliveries, or they are created held.
 */
export async function lockAddressees(
  transaction: Queryable,
  messages: readonly (Owner & { readonly at: string; readonly type: WebhookType })[],
): Promise<Addressee[]> {
  return await transaction.query<Addressee>(
    `SELECT j.place::int4 AS place, ${asFields('e.endpoint_id')}, e.payload,
       CASE WHEN e.status = 'enabled' AND e.proven_at IS NOT NULL THEN 'pending' ELSE 'held' END AS status
     FROM unnest($1::text[], $2::bool[], $3::timestamptz[], $5::text[]) WITH ORDINALITY AS j (account_id, livemode, ended_at, type, place)
     JOIN webhooks.endpoint e ON e.account_id = j.account_id AND e.livemode = j.livemode
       AND e.created_at <= j.ended_at + make_interval(secs => $4::float8 / 1000)
       AND (j.type = ANY (e.events) OR e.events IS NULL AND (j.type <> ALL ($6::text[]) OR e.payload NOT IN ('slack', 'email')))
       AND (e.payload <> 'email' OR e.proven_at IS NOT NULL)
     ORDER BY e.endpoint_id, j.place FOR SHARE OF e`,
    [
      messages.map(({ accountId }) => accountId),
      messages.map(({ livemode }) => livemode),
      messages.map(({ at }) => at),
      CLOCK_GRACE_MS,
      messages.map(({ type }) => type),
      FOR_PROGRAMS,
    ],
  )
}

/** Creates one delivery for each endpoint of the account of each job, held if the endpoint is disabled or not proven. Safe to repeat. */
export async function insertDeliveries(transaction: Queryable, ends: readonly JobEnd[]): Promise<number> {
  if (ends.length === 0) return 0
  const rows = await lockAddressees(
    transaction,
    ends.map(({ accountId, livemode, endedAt, type }) => ({ accountId, livemode, at: endedAt, type })),
  )
  const made = rows.map((row) => {
    const end = ends[row.place - 1]!
    return { ...row, end, deliveryId: decidedEventId('WebhookDelivery', end.jobId, row.endpointId) }
  })
  return await transaction.execute(
    `INSERT INTO webhooks.delivery (delivery_id, webhook_id, endpoint_id, account_id, livemode, type, job_id, payload, status,
       next_attempt_at, due_at, created_at, traceparent)
     SELECT d.delivery_id, d.webhook_id, d.endpoint_id, d.account_id, d.livemode, d.type, d.job_id, d.payload, d.status,
       CASE d.status WHEN 'pending' THEN now() END, now(), date_trunc('milliseconds', clock_timestamp()), d.traceparent
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bool[], $6::text[], $7::text[], $8::text[], $9::text[],
       $10::text[])
       AS d (delivery_id, webhook_id, endpoint_id, account_id, livemode, type, job_id, payload, status, traceparent)
     ON CONFLICT DO NOTHING`,
    [
      made.map(({ deliveryId }) => deliveryId),
      made.map(({ deliveryId }) => webhookIdOf(deliveryId)),
      made.map(({ endpointId }) => endpointId),
      made.map(({ end }) => end.accountId),
      made.map(({ end }) => end.livemode),
      made.map(({ end }) => end.type),
      made.map(({ end }) => end.jobId),
      made.map(({ payload }) => payload),
      made.map(({ status }) => status),
      made.map(({ end }) => end.traceparent ?? null),
    ],
  )
}

/** A body that deliveries are waiting for. */
export interface MissingBody extends Owner {
  readonly jobId: string
  readonly type: JobWebhookType
  readonly payload: PayloadKind
}

/**
 * One body of each account in turn, its oldest first; the order of accounts is random in each call. An account that ends a
 * thousand jobs at once thus delays no other account. The same holds for fifty accounts that end twenty jobs each.
 */
export async function listMissingBodies(database: Queryable, limit: number): Promise<MissingBody[]> {
  return await database.query<MissingBody>(
    {
      name: 'webhooks.list-missing-bodies',
      text: `SELECT ${asFields('job_id, account_id, livemode, type, payload')} FROM webhooks.delivery WHERE body_id IS NULL
             GROUP BY job_id, account_id, livemode, type, payload
             ORDER BY row_number() OVER (PARTITION BY account_id, livemode ORDER BY min(created_at), job_id), random()
             LIMIT $1`,
    },
    [limit],
  )
}

/** Stores a body unless another process stored it first, and makes the waiting deliveries due. */
export async function storeBody(database: Database, missing: MissingBody, body: string): Promise<void> {
  const bodyId = decidedEventId('WebhookBody', missing.jobId, missing.type, missing.payload)
  await database.transaction({ at: 'webhooks.body' }, async (transaction) => {
    await transaction.execute(
      'INSERT INTO webhooks.body (body_id, body) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [bodyId, body],
    )
    await transaction.execute(
      `UPDATE webhooks.delivery SET body_id = $1, due_at = now()
       WHERE job_id = $2 AND type = $3 AND payload = $4 AND body_id IS NULL`,
      [bodyId, missing.jobId, missing.type, missing.payload],
    )
  })
}
