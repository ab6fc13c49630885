/** Deliveries of events about watches and transfers, made with their body in the transaction of the consumer's checkpoint: they need no other data. */
import { decidedEventId } from '@cupel/contracts'
import {
  changeWebhookBody,
  digestWebhookBody,
  failedWebhookBody,
  transferWebhookBody,
  type ChangedReport,
  type FailedWatch,
  type MailStyle,
  type PayloadKind,
  type ScreenedTransfer,
  type WatchDigest,
  type WebhookType,
} from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import type { Owner } from './endpoints.js'
import { lockAddressees } from './new-deliveries.js'
import { webhookIdOf } from './webhook-id.js'

interface FromEvent extends Owner {
  /** Id of the event: a repeat and each of its deliveries have the same one. */
  readonly eventId: string
  /** The trace that its deliveries continue. */
  readonly traceparent?: string | undefined
}

/** A change, from its event. */
export interface ReportChange extends FromEvent, ChangedReport {}

/** A digest, from its event. */
export interface ToldDigest extends FromEvent, WatchDigest {}

/** A watch that keeps failing, from its event. */
export interface ToldFailure extends FromEvent, FailedWatch {}

/** A transfer whose screening ended, from its event. Its `eventId` is the id of the transfer: of several outcomes the first one counts. */
export interface ToldTransfer extends FromEvent, ScreenedTransfer {}

interface Message extends FromEvent {
  readonly type: WebhookType
  /** Endpoints that were created later do not receive it; UTC, RFC 3339 with milliseconds. */
  readonly at: string
  readonly bodyOf: (payload: PayloadKind) => string
}

/** Creates one delivery for each endpoint of the account of each change, held if the endpoint is disabled or not proven. Safe to repeat. */
export async function insertChangeDeliveries(
  transaction: Queryable,
  changes: readonly ReportChange[],
  style: MailStyle,
): Promise<number> {
  return await insertMessages(
    transaction,
    changes.map((change) => ({
      ...fromEvent(change),
      ...{
        type: 'report.changed',
        at: change.changedAt,
        bodyOf: (payload) => changeWebhookBody(change, payload, { ...style, isSandbox: !change.livemode }),
      },
    })),
  )
}

/** The same for digests. */
export async function insertDigestDeliveries(
  transaction: Queryable,
  digests: readonly ToldDigest[],
  style: MailStyle,
): Promise<number> {
  return await insertMessages(
    transaction,
    digests.map((digest) => ({
      ...fromEvent(digest),
      ...{
        type: 'watches.digest',
        at: digest.until,
        bodyOf: (payload) => digestWebhookBody(digest, payload, { ...style, isSandbox: !digest.livemode }),
      },
    })),
  )
}

/** The same for watches that keep failing. */
export async function insertFailureDeliveries(
  transaction: Queryable,
  failures: readonly ToldFailure[],
  style: MailStyle,
): Promise<number> {
  return await insertMessages(
    transaction,
    failures.map((failed) => ({
      ...fromEvent(failed),
      ...{
        type: 'watch.failed',
        at: failed.failedAt,
        bodyOf: (payload) => failedWebhookBody(failed, payload, { ...style, isSandbox: !failed.livemode }),
      },
    })),
  )
}

/** The same for transfers. */
export async function insertTransferDeliveries(
  transaction: Queryable,
  transfers: readonly ToldTransfer[],
  style: MailStyle,
): Promise<number> {
  return await insertMessages(
    transaction,
    transfers.map((screened) => ({
      ...fromEvent(screened),
      ...{
        type: 'transfer.screened',
        at: screened.endedAt,
        bodyOf: (payload) =>
          transferWebhookBody(screened, payload, { ...style, isSandbox: !screened.livemode }),
      },
    })),
  )
}

function fromEvent({ accountId, livemode, eventId, traceparent }: FromEvent): FromEvent {
  return { accountId, livemode, eventId, traceparent }
}

async function insertMessages(transaction: Queryable, messages: readonly Message[]): Promise<number> {
  if (messages.length === 0) return 0
  const rows = await lockAddressees(transaction, messages)
  const made = rows.map((row) => {
    const message = messages[row.place - 1]!
    return { ...row, message, deliveryId: decidedEventId('WebhookDelivery', message.eventId, row.endpointId) }
  })
  // A Map keeps the last value of a key, and the first outcome counts.
  const told = [...new Map(made.toReversed().map((one) => [bodyIdOf(one), one])).values()]
  await transaction.execute(
    'INSERT INTO webhooks.body (body_id, body) SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING',
    [told.map(bodyIdOf), told.map(({ message, payload }) => message.bodyOf(payload))],
  )
  return await transaction.execute(
    `INSERT INTO webhooks.delivery (delivery_id, webhook_id, endpoint_id, account_id, livemode, type, payload, body_id, status,
       next_attempt_at, due_at, created_at, traceparent)
     SELECT d.delivery_id, d.webhook_id, d.endpoint_id, d.account_id, d.livemode, d.type, d.payload, d.body_id, d.status,
       CASE d.status WHEN 'pending' THEN now() END, now(), date_trunc('milliseconds', clock_timestamp()), d.traceparent
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bool[], $6::text[], $7::text[], $8::text[], $9::text[],
       $10::text[])
       AS d (delivery_id, webhook_id, endpoint_id, account_id, livemode, type, payload, body_id, status, traceparent)
     ON CONFLICT DO NOTHING`,
    [
      made.map(({ deliveryId }) => deliveryId),
      made.map(({ deliveryId }) => webhookIdOf(deliveryId)),
      made.map(({ endpointId }) => endpointId),
      made.map(({ message }) => message.accountId),
      made.map(({ message }) => message.livemode),
      made.map(({ message }) => message.type),
      made.map(({ payload }) => payload),
      made.map(bodyIdOf),
      made.map(({ status }) => status),
      made.map(({ message }) => message.traceparent ?? null),
    ],
  )
}

interface Addressed {
  readonly message: Message
  readonly payload: PayloadKind
}

const bodyIdOf = ({ message: { eventId }, payload }: Addressed): string =>
  decidedEventId('WebhookBody', eventId, payload)
