/**
 * Recipients of e-mail are endpoints whose URL is `mailto:` with the sealed address. They get nothing but one message until they confirm by
 * its link, and each later message has a link that ends them. No link needs a key.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { ApiCall } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'
import { outboxType } from '@cupel/projections'
import { DELIVERY_FIELDS, type DeliveryFields } from './deliveries.js'
import {
  appendChanged,
  findEndpoint,
  lockEndpoints,
  releaseDeliveries,
  type WebhookEndpoint,
} from './endpoints.js'
import { webhookEvent, writeWebhookEvents } from './events.js'

export type MailPurpose = 'confirm' | 'unsubscribe'

type Linked = Pick<WebhookEndpoint, 'endpointId' | 'url'>

export interface MailLinks {
  /** `nowMs`: from when the seven days of a confirmation count. */
  tokenOf(purpose: MailPurpose, endpoint: Linked, nowMs: number): string
  /** Null if the token was not made for this endpoint with its present address, or its time has passed. */
  purposeOf(token: string, endpoint: Linked, nowMs: number): MailPurpose | null
}

export const MAIL_TOKEN = /^([cu])-([0-9a-f]{20})-([0-9]{1,10})-([A-Za-z0-9_-]{43})$/
const CONFIRM_WITHIN_S = 7 * 24 * 3_600
const SECOND_MS = 1_000
const KEY_BYTES = 32
const LETTERS: Readonly<Record<MailPurpose, string>> = { confirm: 'c', unsubscribe: 'u' }

/** `installationKey`: the key of the secrets of webhooks. A restored installation has the same one, so that links of before still work. */
export function createMailLinks(installationKey: Uint8Array): MailLinks {
  const key = Buffer.from(hkdfSync('sha256', installationKey, '', 'cupel e-mail links', KEY_BYTES))
  const macOf = (letter: string, { endpointId, url }: Linked, until: string): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([letter, endpointId, url, until]))
      .digest('base64url')
  return {
    tokenOf(purpose, endpoint, nowMs) {
      const letter = LETTERS[purpose]
      // Unsubscribing never expires.
      const until = purpose === 'confirm' ? String(Math.floor(nowMs / SECOND_MS) + CONFIRM_WITHIN_S) : '0'
      return `${letter}-${endpoint.endpointId.slice('we_'.length)}-${until}-${macOf(letter, endpoint, until)}`
    },
    purposeOf(token, endpoint, nowMs) {
      const [, letter = '', id, until = '', mac = ''] = MAIL_TOKEN.exec(token) ?? []
      if (`we_${id}` !== endpoint.endpointId) return null
      // As text: another spelling of the same bytes is another link.
      const [given, own] = [Buffer.from(mac), Buffer.from(macOf(letter, endpoint, until))]
      if (given.length !== own.length || !timingSafeEqual(given, own)) return null
      if (letter === 'u') return 'unsubscribe'
      return Number(until) * SECOND_MS > nowMs ? 'confirm' : null
    },
  }
}

export interface OpenedLink {
  readonly purpose: MailPurpose
  readonly endpoint: WebhookEndpoint
}

/** What the link leads to; null if it opens nothing. */
export async function findMailLink(
  database: Queryable,
  links: MailLinks,
  token: string,
): Promise<OpenedLink | null> {
  const id = MAIL_TOKEN.exec(token)?.[2]
  if (id === undefined) return null
  const endpoint = await findEndpoint(database, `we_${id}`)
  if (endpoint?.payload !== 'email') return null
  const purpose = links.purposeOf(token, endpoint, Date.now())
  return purpose === null ? null : { purpose, endpoint }
}

/** Who made a change by a link, in its event. */
const RECIPIENT = 'recipient'

/**
 * Confirms the recipient; a repeat changes nothing. Resolves to false for a recipient that was paused or unsubscribed meanwhile: an old
 * message cannot bring it back.
 */
export async function confirmRecipient(
  database: Database,
  { endpointId, url }: Linked,
  call: ApiCall,
): Promise<boolean> {
  return await database.transaction({ at: 'webhooks.change' }, async (transaction) => {
    await lockEndpoints(transaction, [endpointId])
    const present = await findEndpoint(transaction, endpointId)
    if (present === null || present.url !== url || present.status !== 'enabled') return false
    if (present.provenAt !== null) return true
    await transaction.execute(
      `UPDATE webhooks.endpoint SET proven_at = date_trunc('milliseconds', clock_timestamp()) WHERE endpoint_id = $1`,
      [endpointId],
    )
    await releaseDeliveries(transaction, { endpointId, provenAt: 'now' })
    await appendPresent(transaction, endpointId, call)
    return true
  })
}

/**
 * Ends all messages to the recipient, those that wait too. To get messages again it has to confirm again. A repeat changes nothing, nor does the
 * link of an address that the endpoint does not have any more.
 */
export async function unsubscribeRecipient(
  database: Database,
  { endpointId, url }: Linked,
  call: ApiCall,
): Promise<void> {
  await database.transaction({ at: 'webhooks.change' }, async (transaction) => {
    await lockEndpoints(transaction, [endpointId])
    const changed = await transaction.execute(
      `UPDATE webhooks.endpoint SET status = 'disabled', disabled_reason = 'unsubscribed', proven_at = NULL
       WHERE endpoint_id = $1 AND url = $2 AND disabled_reason IS DISTINCT FROM 'unsubscribed'`,
      [endpointId, url],
    )
    if (changed === 0) return
    const ended = await transaction.query<DeliveryFields & { readonly attempts: number }>(
      `UPDATE webhooks.delivery d SET status = 'exhausted', next_attempt_at = NULL, ended_at = now(), claim = claim + 1
       WHERE endpoint_id = $1 AND status IN ('pending', 'held')
       RETURNING ${DELIVERY_FIELDS}, attempts_total AS attempts`,
      [endpointId],
    )
    const exhaustedAt = new Date().toISOString()
    await writeWebhookEvents(
      transaction,
      ended.map((row) => webhookEvent(outboxType('WebhookExhausted'), { ...row, exhaustedAt })),
      'cupel/webhooks',
    )
    await appendPresent(transaction, endpointId, call)
  })
}

async function appendPresent(transaction: Queryable, endpointId: string, call: ApiCall): Promise<void> {
  const endpoint = await findEndpoint(transaction, endpointId)
  if (endpoint !== null) await appendChanged(transaction, endpoint, { by: RECIPIENT, call })
}

/** What operators are told of e-mail. */
export interface MailState {
  readonly recipients: number
  readonly unconfirmed: number
  /** Messages of the last day that were given up or refused for good. */
  readonly givenUp: number
  /** Messages that wait although an attempt failed. */
  readonly failing: number
}

export async function readMailState(database: Queryable): Promise<MailState> {
  const [row] = await database.query<MailState & Record<string, unknown>>(
    `SELECT (SELECT count(*)::int4 FROM webhooks.endpoint WHERE payload = 'email') AS recipients,
       (SELECT count(*)::int4 FROM webhooks.endpoint WHERE payload = 'email' AND proven_at IS NULL AND status = 'enabled') AS unconfirmed,
       (SELECT count(*)::int4 FROM webhooks.delivery WHERE payload = 'email' AND status = 'exhausted'
          AND ended_at > now() - interval '1 day' AND created_at > now() - interval '30 days') AS "givenUp",
       (SELECT count(*)::int4 FROM webhooks.delivery WHERE payload = 'email' AND status = 'pending' AND attempts > 0) AS failing`,
  )
  return row!
}
