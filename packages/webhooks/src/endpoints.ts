/**
 * Webhook endpoints of an account, at most ten in each environment. A secret is shown once. Until the receiver has accepted a test
 * message, deliveries of jobs are held.
 */
import { randomBytes } from 'node:crypto'
import type { ApiCall } from '@cupel/contracts'
import type { DisabledReason, PayloadKind, WebhookType } from '@cupel/domain'
import { asFields, asTimes, timeText, type Queryable } from '@cupel/postgres'
import { outboxType, tenantScope } from '@cupel/projections'
import { FIRST_TEST_DELAY_MS, insertTests } from './endpoint-tests.js'
import type { EndpointRefusal, EndpointStore, Owner } from './endpoint-store.js'
import { originOf, webhookEvent, writeWebhookEvents } from './events.js'
import { recipientOf } from './mailto.js'
import { changeFault, judgeReceiver, takenRecipient } from './receivers.js'
import { newWebhookSecret } from './signing/signature.js'

export type { EndpointRefusal, EndpointStore, Owner } from './endpoint-store.js'

export interface WebhookEndpoint extends Owner {
  readonly endpointId: string
  readonly url: string
  readonly payload: PayloadKind
  /** Types of the messages that it gets; null for all. It gets test messages in any case. */
  readonly events: readonly WebhookType[] | null
  readonly status: 'enabled' | 'disabled'
  readonly disabledReason: DisabledReason | null
  /** When the receiver accepted a test message at this URL or the recipient of e-mail confirmed, UTC, RFC 3339 with milliseconds; null until then. */
  readonly provenAt: string | null
  /** Until then messages are also signed with the previous secret; null if there is no rotation. */
  readonly previousSecretExpiresAt: string | null
  /** UTC, RFC 3339 with milliseconds. */
  readonly createdAt: string
}

export type EndpointResult<T> = ({ readonly ok: true } & T) | EndpointRefusal

/** The maker of a change, for the log: a key id, or an operator with a reason. */
export interface Actor {
  readonly by: string
  readonly reason?: string | undefined
  /** The call of the API that makes the change; the event records it. */
  readonly call?: ApiCall | undefined
}

export const MAX_ENDPOINTS = 10
const ENDPOINT_ID_BYTES = 10
const SOURCE = 'cupel/webhooks'

/** What an account sets of an endpoint. Null for `events`: all. */
interface EndpointSettings {
  readonly payload?: PayloadKind | undefined
  readonly events?: readonly WebhookType[] | null | undefined
}

/**
 * Creates an endpoint, with the test message that proves it, or asks a recipient of e-mail for its confirmation. Only this result contains the
 * secret, which e-mail does not have.
 */
export async function createEndpoint(
  store: EndpointStore,
  order: Owner & Actor & EndpointSettings & { url: string },
): Promise<EndpointResult<{ endpoint: WebhookEndpoint; secret: string | null }>> {
  const receiver = await judgeReceiver(store, order)
  if (!receiver.ok) return receiver
  const endpointId = `we_${randomBytes(ENDPOINT_ID_BYTES).toString('hex')}`
  const secret = receiver.payload === 'email' ? null : newWebhookSecret()
  return await store.database.transaction({ at: 'webhooks.change' }, async (transaction) => {
    await lockTenant(transaction, order)
    const taken = await takenRecipient(transaction, order, { ...receiver, endpointId })
    if (taken !== null) return taken
    const [counted] = await transaction.query<{ count: number }>(
      'SELECT count(*) AS count FROM webhooks.endpoint WHERE account_id = $1 AND livemode = $2',
      [order.accountId, order.livemode],
    )
    if ((counted?.count ?? 0) >= MAX_ENDPOINTS) return { ok: false, code: 'too_many_endpoints' }
    // By the database clock, rounded as shown: a page continues after the time in its cursor.
    const [row] = await transaction.query<WebhookEndpoint>(
      `INSERT INTO webhooks.endpoint AS e (endpoint_id, account_id, livemode, url, payload, events, status, sealed_secret, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, 'enabled', $7, date_trunc('milliseconds', clock_timestamp())) RETURNING ${ENDPOINT_COLUMNS}`,
      [
        endpointId,
        order.accountId,
        order.livemode,
        receiver.url,
        receiver.payload,
        order.events ?? null,
        secret === null ? null : store.secrets.seal(endpointId, secret),
      ],
    )
    const endpoint = row!
    const created = {
      ...statedOf(endpoint),
      createdAt: endpoint.createdAt,
      createdBy: order.by,
      reason: order.reason ?? '',
      call: order.call ?? null,
    }
    await insertTests(transaction, [endpointId], FIRST_TEST_DELAY_MS)
    await writeWebhookEvents(
      transaction,
      [webhookEvent(outboxType('WebhookEndpointCreated'), created)],
      SOURCE,
    )
    return { ok: true, endpoint, secret }
  })
}

/** All endpoints of an account in one environment, oldest first. */
export async function listEndpoints(database: Queryable, owner: Owner): Promise<WebhookEndpoint[]> {
  const rows = await database.query<WebhookEndpoint>(
    {
      text: `SELECT ${ENDPOINT_COLUMNS} FROM webhooks.endpoint e WHERE account_id = $1 AND livemode = $2 ORDER BY created_at, endpoint_id`,
      scope: tenantScope(owner),
    },
    [owner.accountId, owner.livemode],
  )
  return rows.map((row) => ownRow(row, owner))
}

export async function getEndpoint(
  database: Queryable,
  order: Owner & { endpointId: string },
): Promise<WebhookEndpoint | null> {
  const [row] = await database.query<WebhookEndpoint>(
    {
      text: `SELECT ${ENDPOINT_COLUMNS} FROM webhooks.endpoint e WHERE endpoint_id = $1 AND account_id = $2 AND livemode = $3`,
      scope: tenantScope(order),
    },
    [order.endpointId, order.accountId, order.livemode],
  )
  return row === undefined ? null : ownRow(row, order)
}

/** The endpoint with its owner, for operators; null if there is none. */
export async function findEndpoint(database: Queryable, endpointId: string): Promise<WebhookEndpoint | null> {
  const [row] = await database.query<WebhookEndpoint>(
    `SELECT ${ENDPOINT_COLUMNS} FROM webhooks.endpoint e WHERE endpoint_id = $1`,
    [endpointId],
  )
  return row ?? null
}

/** Calls of one tenant that make or move a receiver take turns. */
async function lockTenant(transaction: Queryable, { accountId, livemode }: Owner): Promise<void> {
  await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
    `cupel.webhook-endpoints ${accountId} ${livemode}`,
  ])
}

/** Changes the given fields. Disabling holds pending deliveries; enabling releases them. A new URL must prove itself. */
export async function changeEndpoint(
  store: EndpointStore,
  order: Owner &
    Actor &
    EndpointSettings & {
      endpointId: string
      url?: string | undefined
      status?: 'enabled' | 'disabled' | undefined
    },
): Promise<EndpointResult<{ endpoint: WebhookEndpoint }>> {
  const { database } = store
  const { endpointId } = order
  // Check the owner first: only the owner may learn how a host name resolves.
  const present = await getEndpoint(database, order)
  if (present === null) return { ok: false, code: 'unknown_endpoint' }
  const fault = changeFault(present.url, order)
  if (fault !== null) return fault
  const receiver = order.url === undefined ? null : await judgeReceiver(store, { ...order, url: order.url })
  if (receiver?.ok === false) return receiver
  const url = receiver?.url ?? null
  return await database.transaction({ at: 'webhooks.change' }, async (transaction) => {
    if (url !== null) {
      await lockTenant(transaction, order)
      const taken = await takenRecipient(transaction, order, { url, endpointId })
      if (taken !== null) return taken
    }
    const [row] = await transaction.query<WebhookEndpoint>(
      `UPDATE webhooks.endpoint e SET
         url = coalesce($4, url), payload = coalesce($5, payload), status = coalesce($6, status),
         events = CASE WHEN $7 THEN $8::text[] ELSE events END,
         proven_at = CASE WHEN coalesce($4, url) = url THEN proven_at END,
         disabled_reason = CASE coalesce($6, status) WHEN 'enabled' THEN NULL ELSE coalesce(disabled_reason, 'paused') END
       WHERE endpoint_id = $1 AND account_id = $2 AND livemode = $3 RETURNING ${ENDPOINT_COLUMNS}`,
      [
        ...[endpointId, order.accountId, order.livemode, url, order.payload ?? null, order.status ?? null],
        ...[order.events !== undefined, order.events ?? null],
      ],
    )
    if (row === undefined) return { ok: false, code: 'unknown_endpoint' }
    const endpoint = ownRow(row, order)
    await moveDeliveries(transaction, endpoint, order)
    await appendChanged(transaction, endpoint, order)
    return { ok: true, endpoint }
  })
}

/** Deletes an endpoint and its deliveries. */
export async function deleteEndpoint(
  { database }: Pick<EndpointStore, 'database'>,
  order: Owner & Actor & { endpointId: string },
): Promise<EndpointResult<object>> {
  return await database.transaction({ at: 'webhooks.change' }, async (transaction) => {
    const deleted = await transaction.execute(
      'DELETE FROM webhooks.endpoint WHERE endpoint_id = $1 AND account_id = $2 AND livemode = $3',
      [order.endpointId, order.accountId, order.livemode],
    )
    if (deleted === 0) return { ok: false, code: 'unknown_endpoint' }
    const { endpointId, accountId, livemode } = order
    const data = {
      endpointId,
      accountId,
      livemode,
      deletedAt: new Date().toISOString(),
      deletedBy: order.by,
      reason: order.reason ?? '',
      call: order.call ?? null,
    }
    await writeWebhookEvents(transaction, [webhookEvent(outboxType('WebhookEndpointDeleted'), data)], SOURCE)
    return { ok: true }
  })
}

/** Disables endpoints whose current URL answered 410, and holds their deliveries. */
export async function disableGoneEndpoints(
  transaction: Queryable,
  gone: readonly { readonly endpointId: string; readonly url: string }[],
  by: string,
): Promise<void> {
  if (gone.length === 0) return
  const endpoints = await transaction.query<WebhookEndpoint>(
    `UPDATE webhooks.endpoint e SET status = 'disabled', disabled_reason = 'gone'
     FROM (SELECT DISTINCT endpoint_id, url FROM unnest($1::text[], $2::text[]) AS g (endpoint_id, url)) g
     WHERE e.endpoint_id = g.endpoint_id AND e.url = g.url AND e.status = 'enabled' RETURNING ${ENDPOINT_COLUMNS}`,
    [gone.map(({ endpointId }) => endpointId), gone.map(({ url }) => url)],
  )
  await holdDeliveries(
    transaction,
    endpoints.map(({ endpointId }) => endpointId),
  )
  for (const endpoint of endpoints) await appendChanged(transaction, endpoint, { by })
}

/**
 * Sets `provenAt` of endpoints whose current URL accepted a test message, and releases their held deliveries. Endpoints that are
 * already proven keep their time.
 */
export async function proveEndpoints(
  transaction: Queryable,
  accepted: readonly { readonly endpointId: string; readonly url: string }[],
  by: string,
): Promise<void> {
  if (accepted.length === 0) return
  const endpoints = await transaction.query<WebhookEndpoint>(
    `UPDATE webhooks.endpoint e SET proven_at = date_trunc('milliseconds', clock_timestamp())
     FROM (SELECT DISTINCT endpoint_id, url FROM unnest($1::text[], $2::text[]) AS a (endpoint_id, url)) a
     WHERE e.endpoint_id = a.endpoint_id AND e.url = a.url AND e.proven_at IS NULL RETURNING ${ENDPOINT_COLUMNS}`,
    [accepted.map(({ endpointId }) => endpointId), accepted.map(({ url }) => url)],
  )
  for (const endpoint of endpoints) {
    if (endpoint.status === 'enabled') await releaseDeliveries(transaction, endpoint)
    await appendChanged(transaction, endpoint, { by })
  }
}

/**
 * Locks endpoints in a fixed order. A change of an endpoint together with its deliveries locks the endpoint first, so that no
 * two of them wait for each other.
 */
export async function lockEndpoints(transaction: Queryable, endpointIds: readonly string[]): Promise<void> {
  if (endpointIds.length === 0) return
  await transaction.query(
    'SELECT 1 FROM webhooks.endpoint WHERE endpoint_id = ANY($1::text[]) ORDER BY endpoint_id FOR UPDATE',
    [endpointIds],
  )
}

/** After a change: holds and releases deliveries, and asks an unproven endpoint to prove itself. */
async function moveDeliveries(
  transaction: Queryable,
  endpoint: WebhookEndpoint,
  change: { readonly url?: string | undefined; readonly status?: 'enabled' | 'disabled' | undefined },
): Promise<void> {
  const { endpointId, status, provenAt } = endpoint
  if (change.status === 'disabled') await holdDeliveries(transaction, [endpointId])
  else if (provenAt === null) await holdJobDeliveries(transaction, endpointId)
  const tests = change.status === 'enabled' ? await releaseDeliveries(transaction, endpoint) : 0
  const isAsked = change.url !== undefined || (change.status === 'enabled' && tests === 0)
  if (status === 'enabled' && provenAt === null && isAsked) await insertTests(transaction, [endpointId])
}

async function holdDeliveries(transaction: Queryable, endpointIds: readonly string[]): Promise<void> {
  await transaction.execute(
    `UPDATE webhooks.delivery SET status = 'held', next_attempt_at = NULL
     WHERE endpoint_id = ANY($1::text[]) AND status = 'pending'`,
    [endpointIds],
  )
}

/** Holds all deliveries except test messages. */
async function holdJobDeliveries(transaction: Queryable, endpointId: string): Promise<void> {
  await transaction.execute(
    `UPDATE webhooks.delivery SET status = 'held', next_attempt_at = NULL
     WHERE endpoint_id = $1 AND status = 'pending' AND type <> 'endpoint.test'`,
    [endpointId],
  )
}

/**
 * Held deliveries restart their schedule, because the time on hold is not the fault of the receiver. For an unproven endpoint only
 * the test messages are released. Returns the number of test messages.
 */
export async function releaseDeliveries(
  transaction: Queryable,
  { endpointId, provenAt }: Pick<WebhookEndpoint, 'endpointId' | 'provenAt'>,
): Promise<number> {
  const released = await transaction.query<{ type: string }>(
    `UPDATE webhooks.delivery SET status = 'pending', attempts = 0, due_at = now(), next_attempt_at = now(), claim = claim + 1
     WHERE endpoint_id = $1 AND status = 'held' AND ($2 OR type = 'endpoint.test') RETURNING type`,
    [endpointId, provenAt !== null],
  )
  return released.filter(({ type }) => type === 'endpoint.test').length
}

/** What events state of an endpoint. */
function statedOf({ endpointId, accountId, livemode, url, payload, events, status }: WebhookEndpoint) {
  return {
    ...{ endpointId, accountId, livemode, payload, status, events: events === null ? null : [...events] },
    ...{ origin: originOf(url), recipient: recipientOf(url) ?? '' },
  }
}

export async function appendChanged(
  transaction: Queryable,
  endpoint: WebhookEndpoint,
  { by, reason, call }: Actor,
): Promise<void> {
  const { disabledReason, provenAt, previousSecretExpiresAt } = endpoint
  const changed = {
    ...{ ...statedOf(endpoint), disabledReason, provenAt, previousSecretExpiresAt },
    changedAt: new Date().toISOString(),
    changedBy: by,
    reason: reason ?? '',
    call: call ?? null,
  }
  await writeWebhookEvents(transaction, [webhookEvent(outboxType('WebhookEndpointChanged'), changed)], SOURCE)
}

/** Columns of `webhooks.endpoint e` as a WebhookEndpoint. */
export const ENDPOINT_COLUMNS = `${asFields('e.endpoint_id, e.account_id, e.livemode, e.url, e.payload, e.events, e.status, e.disabled_reason')},
  CASE WHEN e.previous_secret_expires_at > now() THEN ${timeText('e.previous_secret_expires_at')} END
    AS "previousSecretExpiresAt", ${asTimes('e.proven_at, e.created_at')}`

/** The second wall between tenants, as in the read models: rejects a row of another tenant (docs/adr/0150). */
export function ownRow<R extends Owner>(row: R, owner: Owner): R {
  if (row.accountId !== owner.accountId || row.livemode !== owner.livemode)
    throw new Error('A query of the webhook tables returned a row of another tenant')
  return row
}
