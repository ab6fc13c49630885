/** Claims: a sender takes due deliveries for the time of a lease, with the data it needs to send them. */
import { asFields, type Queryable } from '@cupel/postgres'
import { DELIVERY_FIELDS, type DeliveryFields } from './deliveries.js'
import type { SecretBox } from './secret-box.js'

export interface ClaimedDelivery extends DeliveryFields {
  /** Number of this claim. An outcome with an older number is recorded but changes nothing. */
  readonly claim: number
  /** Attempts of the current schedule. */
  readonly attempts: number
  readonly bodyId: string
  readonly bodyBytes: number
  /** The trace that it continues; null if none was made. */
  readonly traceparent: string | null
  readonly url: string
  /** Whether the receiver at this URL proved itself, or the recipient of e-mail confirmed. */
  readonly isProven: boolean
  /** Newest first. */
  readonly secrets: readonly string[]
}

export interface ClaimOrder {
  /** Endpoints from which up to `placesPerTrusted` deliveries are claimed; one from every other endpoint. */
  readonly trusted: readonly string[]
  readonly placesPerTrusted: number
  /** Endpoints from which nothing is claimed. */
  readonly closed: readonly string[]
  readonly limit: number
  readonly leaseMs: number
}

export interface Claims {
  readonly claimed: readonly ClaimedDelivery[]
  /**
   * Milliseconds until a delivery of an endpoint that is not closed falls due, if none is claimed; null if none will. A claim of another
   * sender falls due when its lease ends.
   */
  readonly nextDueInMs: number | null
}

/**
 * Finds endpoints with due deliveries by skipping through the index, so that an endpoint with ten thousand deliveries costs no
 * more than an endpoint with one, and no endpoint delays another. An endpoint that is not proven gets only test messages, even
 * if a process of an earlier release made other deliveries pending.
 */
const CLAIM = {
  name: 'webhooks.claim',
  text: `WITH RECURSIVE waiting (endpoint_id) AS (
      (SELECT endpoint_id FROM webhooks.delivery WHERE status = 'pending' AND body_id IS NOT NULL
       ORDER BY endpoint_id LIMIT 1)
      UNION ALL
      SELECT (SELECT d.endpoint_id FROM webhooks.delivery d
              WHERE d.status = 'pending' AND d.body_id IS NOT NULL AND d.endpoint_id > w.endpoint_id
              ORDER BY d.endpoint_id LIMIT 1)
      FROM waiting w WHERE w.endpoint_id IS NOT NULL
    ), open AS (
      SELECT endpoint_id, e.proven_at IS NOT NULL AS is_proven FROM waiting JOIN webhooks.endpoint e USING (endpoint_id)
      WHERE endpoint_id <> ALL($3::text[])
    ), trusted AS MATERIALIZED (
      SELECT d.delivery_id, d.due_at FROM open CROSS JOIN LATERAL (
        SELECT delivery_id, due_at FROM webhooks.delivery
        WHERE endpoint_id = open.endpoint_id AND status = 'pending' AND body_id IS NOT NULL AND due_at <= now()
          AND (open.is_proven OR type = 'endpoint.test')
        ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED) d
      WHERE open.endpoint_id = ANY($1::text[])
    ), other AS MATERIALIZED (
      SELECT d.delivery_id, d.due_at FROM open CROSS JOIN LATERAL (
        SELECT delivery_id, due_at FROM webhooks.delivery
        WHERE endpoint_id = open.endpoint_id AND status = 'pending' AND body_id IS NOT NULL AND due_at <= now()
          AND (open.is_proven OR type = 'endpoint.test')
        ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED) d
      WHERE open.endpoint_id <> ALL($1::text[])
    ), chosen AS (
      SELECT delivery_id FROM (SELECT * FROM trusted UNION ALL SELECT * FROM other) c ORDER BY due_at LIMIT $4
    ), claimed AS (
      UPDATE webhooks.delivery d
      SET due_at = now() + make_interval(secs => $5::float8 / 1000), claim = d.claim + 1
      FROM chosen c, webhooks.endpoint e, webhooks.body b
      WHERE d.delivery_id = c.delivery_id AND e.endpoint_id = d.endpoint_id AND b.body_id = d.body_id
      RETURNING ${DELIVERY_FIELDS}, ${asFields('d.claim, d.attempts, d.body_id, d.traceparent, e.url')},
        e.proven_at IS NOT NULL AS "isProven", octet_length(b.body) AS "bodyBytes",
        array_remove(ARRAY[e.sealed_secret, CASE WHEN e.previous_secret_expires_at > now() THEN e.sealed_previous_secret END], NULL)
          AS secrets
    ), next AS (
      SELECT extract(epoch FROM min(d.due_at) - clock_timestamp())::float8 * 1000 AS "nextDueInMs"
      FROM open CROSS JOIN LATERAL (
        SELECT due_at FROM webhooks.delivery
        WHERE endpoint_id = open.endpoint_id AND status = 'pending' AND body_id IS NOT NULL AND due_at > now()
        ORDER BY due_at LIMIT 1) d
      WHERE NOT EXISTS (SELECT FROM chosen)
    )
    SELECT claimed.*, next."nextDueInMs" FROM next LEFT JOIN claimed ON true`,
}

type ClaimRow = { readonly nextDueInMs: number | null } & (
  | { readonly deliveryId: null }
  | (Omit<ClaimedDelivery, 'secrets'> & { readonly secrets: readonly Buffer[] })
)

/** Claims due deliveries, oldest first, within the limits of the order. Renew their leases until their outcomes are recorded. */
export async function claimDeliveries(
  database: Queryable,
  secrets: SecretBox,
  order: ClaimOrder,
): Promise<Claims> {
  const { trusted, placesPerTrusted, closed, limit, leaseMs } = order
  const rows = await database.query<ClaimRow>(CLAIM, [trusted, placesPerTrusted, closed, limit, leaseMs])
  const claimed = rows.flatMap((row) =>
    row.deliveryId === null
      ? []
      : [{ ...row, secrets: row.secrets.map((sealed) => secrets.open(row.endpointId, sealed)) }],
  )
  return { claimed, nextDueInMs: rows[0]?.nextDueInMs ?? null }
}

type Claim = Pick<ClaimedDelivery, 'deliveryId' | 'claim'>

/** Extends claims by `leaseMs`. A lost claim stays lost. */
export async function renewClaims(
  database: Queryable,
  claims: readonly Claim[],
  leaseMs: number,
): Promise<void> {
  await moveClaims(database, claims, leaseMs, 0)
}

/** Returns claims of deliveries that were not sent. They can be claimed again after `waitMs`. */
export async function releaseClaims(
  database: Queryable,
  claims: readonly Claim[],
  waitMs = 0,
): Promise<void> {
  await moveClaims(database, claims, waitMs, 1)
}

async function moveClaims(
  database: Queryable,
  claims: readonly Claim[],
  leaseMs: number,
  claimStep: number,
): Promise<void> {
  if (claims.length === 0) return
  await database.execute(
    {
      name: 'webhooks.move-claims',
      text: `UPDATE webhooks.delivery d SET due_at = now() + make_interval(secs => $3::float8 / 1000), claim = d.claim + $4::int4
             FROM unnest($1::text[], $2::int8[]) AS c (delivery_id, claim)
             WHERE d.delivery_id = c.delivery_id AND d.claim = c.claim AND d.status = 'pending'`,
    },
    [claims.map(({ deliveryId }) => deliveryId), claims.map(({ claim }) => claim), leaseMs, claimStep],
  )
}

/** The account whose deliveries have this body; null if none has. */
export async function accountOfBody(database: Queryable, bodyId: string): Promise<string | null> {
  const [row] = await database.query<{ accountId: string }>(
    {
      name: 'webhooks.account-of-body',
      text: 'SELECT account_id AS "accountId" FROM webhooks.delivery WHERE body_id = $1 LIMIT 1',
    },
    [bodyId],
  )
  return row?.accountId ?? null
}

export async function loadBody(database: Queryable, bodyId: string): Promise<string | null> {
  const [row] = await database.query<{ body: string }>(
    { name: 'webhooks.load-body', text: 'SELECT body FROM webhooks.body WHERE body_id = $1' },
    [bodyId],
  )
  return row?.body ?? null
}
