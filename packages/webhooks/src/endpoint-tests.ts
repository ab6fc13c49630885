/** Test messages: an account sends them to try a receiver, and they prove that a receiver wants messages (docs/adr/0112). */
import { requestedEventId } from '@cupel/contracts'
import { testWebhookBody, type PayloadKind } from '@cupel/domain'
import { asFields, type Database, type Queryable } from '@cupel/postgres'
import { webhookIdOf } from './webhook-id.js'

/** Delay of the automatic test message to a new endpoint or URL, so that its owner can store the secret first. */
export const FIRST_TEST_DELAY_MS = 1_000
/** An unproven endpoint whose test messages have all ended gets another one when the last one is this old. */
export const PROOF_INTERVAL_MS = 24 * 3_600_000
/** The same for an endpoint of an account for which a job has ended since its last test message. */
export const AWAITED_PROOF_INTERVAL_MS = 60_000

/** Creates a test message for each of these endpoints, due after `delayMs`. Returns the ids of the deliveries. */
export async function insertTests(
  transaction: Queryable,
  endpointIds: readonly string[],
  delayMs = 0,
): Promise<string[]> {
  const deliveryIds = endpointIds.map(() => requestedEventId())
  const found = new Map(
    (
      await transaction.query<{ endpointId: string; payload: PayloadKind; isProven: boolean }>(
        `SELECT ${asFields('endpoint_id, payload')}, proven_at IS NOT NULL AS "isProven" FROM webhooks.endpoint WHERE endpoint_id = ANY ($1::text[])`,
        [endpointIds],
      )
    ).map((row) => [row.endpointId, row]),
  )
  const at = new Date().toISOString()
  await transaction.execute(
    'INSERT INTO webhooks.body (body_id, body) SELECT * FROM unnest($1::text[], $2::text[])',
    [
      deliveryIds,
      endpointIds.map((endpointId) => {
        const { payload = 'full', isProven = false } = found.get(endpointId) ?? {}
        return testWebhookBody(endpointId, at, payload, isProven)
      }),
    ],
  )
  await transaction.execute(
    `INSERT INTO webhooks.delivery (delivery_id, webhook_id, endpoint_id, account_id, livemode, type, payload, body_id,
       status, next_attempt_at, due_at, created_at)
     SELECT t.delivery_id, t.webhook_id, endpoint_id, e.account_id, e.livemode, 'endpoint.test', e.payload, t.delivery_id,
       'pending', at, at, date_trunc('milliseconds', clock_timestamp())
     FROM unnest($1::text[], $2::text[], $3::text[]) AS t (delivery_id, webhook_id, endpoint_id)
     JOIN webhooks.endpoint e USING (endpoint_id), (SELECT now() + make_interval(secs => $4::float8 / 1000)) AS due (at)`,
    [deliveryIds, deliveryIds.map(webhookIdOf), endpointIds, delayMs],
  )
  return deliveryIds
}

/**
 * Sends a test message to at most `limit` enabled endpoints that are not proven: those whose test messages have ended, and
 * those for which a job has ended since the last one. A recipient of e-mail is asked only once by itself. Returns their number. Several processes may call it at once.
 */
export async function testUnproven(database: Database, limit: number): Promise<number> {
  return await database.transaction({ at: 'webhooks.change' }, async (transaction) => {
    const unproven = await transaction.query<{ endpointId: string }>(
      `SELECT e.endpoint_id AS "endpointId" FROM webhooks.endpoint e
       LEFT JOIN LATERAL (
         SELECT max(created_at) FILTER (WHERE type = 'endpoint.test') AS tested_at,
           max(created_at) FILTER (WHERE type <> 'endpoint.test') AS job_at,
           coalesce(bool_or(type = 'endpoint.test' AND status = 'pending'), false) AS is_asked
         FROM webhooks.delivery d WHERE d.endpoint_id = e.endpoint_id) d ON true
       WHERE e.proven_at IS NULL AND e.status = 'enabled' AND e.payload <> 'email' AND (d.tested_at IS NULL
         OR NOT d.is_asked AND d.tested_at < now() - make_interval(secs => $1::float8 / 1000)
         OR d.job_at > d.tested_at AND d.tested_at < now() - make_interval(secs => $2::float8 / 1000))
       ORDER BY e.endpoint_id LIMIT $3 FOR UPDATE OF e SKIP LOCKED`,
      [PROOF_INTERVAL_MS, AWAITED_PROOF_INTERVAL_MS, limit],
    )
    await insertTests(
      transaction,
      unproven.map(({ endpointId }) => endpointId),
    )
    return unproven.length
  })
}
