/** Webhook endpoints and deliveries as the API shows them, and what their routes have in common. */
import type { Caller } from '@cupel/gate/access'
import { chosenWebhookTypes, deliveryStatuses, payloadKinds } from '@cupel/domain'
import type { PersonalData } from '@cupel/personal-data'
import {
  type Actor,
  type EndpointRefusal,
  type EndpointStore,
  type MailLinks,
  type Owner,
  type RedeliverResult,
  type WebhookDelivery,
  type WebhookEndpoint,
  MAX_ENDPOINTS,
  WEBHOOK_USER_AGENT,
} from '../index.js'
import { instant } from '@cupel/contracts'
import { MAX_URL_LENGTH } from '@cupel/kit/outbound'
import { z } from 'zod'
import { apiCallOf } from '@cupel/gate/audit'
import { type KeyedCall, type PageTokens, refuse, type Refusal } from '@cupel/gate/http'

export interface WebhookParts {
  readonly store: EndpointStore
  readonly tokens: PageTokens
  readonly personalData: Pick<PersonalData, 'openJson' | 'of'>
  readonly mailLinks: MailLinks
}

export const endpointPath = z.object({
  endpoint_id: z
    .string()
    .regex(/^we_[0-9a-f]{20}$/)
    .describe('The id of the endpoint.'),
})
export type EndpointPath = z.infer<typeof endpointPath>

export const deliveryPath = endpointPath.extend({
  delivery_id: z
    .string()
    .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    .describe('The id of the delivery.'),
})
export type DeliveryPath = z.infer<typeof deliveryPath>

export const urlField = z
  .string()
  .min(1)
  .max(MAX_URL_LENGTH)
  .describe(
    'Where to send: an https URL on port 443 or 8443 whose host is, or resolves to, only globally reachable addresses, without user name, password or fragment; or `mailto:` and one address of e-mail.',
  )
export const payloadField = z
  .enum(payloadKinds)
  .describe(
    '`full`: with the results; `thin`: with where they are; `slack`: a text, for an incoming webhook of Slack; `email`: of an address of e-mail, which has no other. A change is for messages that are made after it: those that wait keep their form.',
  )
export const eventsField = z
  .array(z.enum(chosenWebhookTypes as [string, ...string[]]))
  .min(1)
  .max(chosenWebhookTypes.length)
  .transform((types) => chosenWebhookTypes.filter((type) => types.includes(type)))
  .nullable()
  .describe(
    'Types of the messages that it gets; null, the default: all, those that a later version adds too, but `transfer.screened` not for Slack and e-mail. It gets `endpoint.test` in any case.',
  )

const at = (what: string) => instant.describe(`${what}, UTC, RFC 3339 with milliseconds.`)

const endpointFields = {
  endpoint_id: z.string(),
  url: z
    .string()
    .meta({ format: 'uri' })
    .describe('The URL that is called, normalised, or `mailto:` with the address of e-mail.'),
  payload: z.string().describe('`full`, `thin`, `slack` or `email`; others may be added.'),
  events: z.array(z.string()).nullable().describe('Types of the messages that it gets; null: all.'),
  status: z
    .string()
    .describe(
      '`enabled` or `disabled`; deliveries to an endpoint that is disabled or not proven are held, test messages only to a disabled one.',
    ),
  disabled_reason: z
    .string()
    .nullable()
    .describe(
      '`paused`, `gone` where the receiver answered 410, or `unsubscribed` by the recipient of e-mail; null while it is enabled.',
    ),
  proven_at: instant
    .nullable()
    .describe(
      'When the receiver answered a test message at this URL with 2xx, or the recipient of e-mail confirmed, UTC, RFC 3339 with milliseconds; null until then. A new endpoint is sent a test message by itself.',
    ),
  created_at: at('When it was made'),
}
export const endpointComponent = z.object(endpointFields).meta({ id: 'WebhookEndpoint' })
export const newEndpointComponent = z
  .object({
    ...endpointFields,
    secret: z
      .string()
      .nullable()
      .describe(
        'Signs the messages to this endpoint, `whsec_…`. Shown only in this answer. Null for e-mail, which has no signature.',
      ),
  })
  .meta({ id: 'NewWebhookEndpoint', description: 'With the secret, which only this answer shows.' })

const deliveryFields = {
  delivery_id: z.string(),
  webhook_id: z.string().describe('The `webhook-id` header: the same over all attempts.'),
  type: z
    .string()
    .describe(
      '`bulk.completed`, `bulk.cancelled`, `report.changed`, `watches.digest`, `watch.failed`, `transfer.screened` or `endpoint.test`; others may be added.',
    ),
  job_id: z.string().nullable().describe('The job of the message; null if it concerns none.'),
  status: z
    .string()
    .describe(
      '`pending`, `delivered`, `exhausted` after its last attempt, or `held` while the endpoint is disabled or not proven.',
    ),
  next_attempt_at: instant.nullable().describe('Time of the next attempt; null if there will be none.'),
  created_at: at('When it was made'),
  attempts: z
    .array(
      z
        .object({
          at: at('When it was begun'),
          status_code: z
            .int()
            .nullable()
            .describe('Status of the answer, of e-mail the code of the mail server; null if none came.'),
          error: z
            .string()
            .nullable()
            .describe('Why no answer came, such as `timeout` or `connect_failed`; null if one did.'),
          duration_ms: z.int(),
          response_excerpt: z
            .string()
            .nullable()
            .describe('The beginning of the answer’s body, at most 1,024 characters.'),
        })
        .meta({ id: 'WebhookAttempt' }),
    )
    .describe('Oldest first.'),
}
export const deliveryComponent = z.object(deliveryFields).meta({ id: 'WebhookDelivery' })
export const sentDeliveryComponent = z
  .object({
    ...deliveryFields,
    payload: z
      .string()
      .describe('`full`, `thin`, `slack` or `email`: that of the endpoint when it was made.'),
    body: z
      .string()
      .nullable()
      .describe(
        'As it is sent, in each attempt; null until the results of the job can be read. Of e-mail the JSON of its subject and paragraphs, without the links of the recipient.',
      ),
    headers: z
      .record(z.string(), z.string())
      .nullable()
      .describe(
        'The headers of the last attempt, with its signature and without the secret; null if there was none, and for e-mail.',
      ),
  })
  .meta({
    id: 'SentWebhookDelivery',
    description: 'A delivery with what is sent. `attempts` has the beginning of each answer.',
  })

export const deliveryStatusField = z.enum(deliveryStatuses)

export const endpointExample = {
  endpoint_id: 'we_0a1b2c3d4e5f60718293',
  url: 'https://hooks.example.com/cupel',
  payload: 'full',
  events: null,
  status: 'enabled',
  disabled_reason: null,
  proven_at: null,
  created_at: '2026-11-21T09:00:00.000Z',
}
export const SECRET_EXAMPLE = 'whsec_bm90IGEgc2VjcmV0LCBhbiBleGFtcGxlIG9mIG9uZQ=='

export const deliveryExample = {
  delivery_id: '3f0f6e2a-9c51-5a0e-8b6e-0c8d6f7a1b2c',
  webhook_id: 'msg_3f0f6e2a9c515a0e8b6e0c8d6f7a1b2c',
  type: 'bulk.completed',
  job_id: 'job_019aa5c87f0070008000000000000001',
  status: 'pending',
  next_attempt_at: '2026-11-21T09:00:05.000Z',
  created_at: '2026-11-21T09:00:00.000Z',
  attempts: [
    {
      at: '2026-11-21T09:00:00.040Z',
      status_code: 503,
      error: null,
      duration_ms: 38,
      response_excerpt: 'try again',
    },
  ],
}

export function endpointDocument(endpoint: WebhookEndpoint): z.infer<typeof endpointComponent> {
  return {
    endpoint_id: endpoint.endpointId,
    url: endpoint.url,
    payload: endpoint.payload,
    events: endpoint.events === null ? null : [...endpoint.events],
    status: endpoint.status,
    disabled_reason: endpoint.disabledReason,
    proven_at: endpoint.provenAt,
    created_at: endpoint.createdAt,
  }
}

export function deliveryDocument(delivery: WebhookDelivery): z.infer<typeof deliveryComponent> {
  return {
    delivery_id: delivery.deliveryId,
    webhook_id: delivery.webhookId,
    type: delivery.type,
    job_id: delivery.jobId,
    status: delivery.status,
    next_attempt_at: delivery.nextAttemptAt,
    created_at: delivery.createdAt,
    attempts: delivery.attempts.map((attempt) => ({
      at: attempt.at,
      status_code: attempt.statusCode,
      error: attempt.error,
      duration_ms: attempt.durationMs,
      response_excerpt: attempt.responseExcerpt,
    })),
  }
}

const SECOND_MS = 1_000

export function sentDocument(
  delivery: z.infer<typeof deliveryComponent>,
  {
    payload,
    body,
    signature,
  }: { readonly payload: string; readonly body: string | null; readonly signature: string | null },
): z.infer<typeof sentDeliveryComponent> {
  const last = delivery.attempts.at(-1)
  const headers =
    last === undefined || signature === null
      ? null
      : {
          'content-type': 'application/json',
          'user-agent': WEBHOOK_USER_AGENT,
          'webhook-id': delivery.webhook_id,
          'webhook-timestamp': String(Math.floor(Date.parse(last.at) / SECOND_MS)),
          'webhook-signature': signature,
        }
  return { ...delivery, payload, body, headers }
}

/** The actor who changes an endpoint, and the call that the event of the change records. `status` is its success status. */
export function authorOf(call: KeyedCall, status: number): Owner & Actor {
  const { accountId, livemode, keyId } = call.caller
  return { accountId, livemode, by: keyId, call: apiCallOf(call, status) }
}

/** A key made with `--no-webhook-admin` may not change endpoints. */
export function refuseWithoutAdmin(caller: Pick<Caller, 'webhookAdmin'>): Refusal | null {
  return caller.webhookAdmin
    ? null
    : refuse('scope_required', 'The API key may not change webhook endpoints.')
}

export function unknownEndpoint(): Refusal {
  return refuse('not_found', 'There is no such webhook endpoint.')
}

export function endpointRefusal(result: EndpointRefusal): Refusal {
  switch (result.code) {
    case 'unknown_endpoint':
      return unknownEndpoint()
    case 'too_many_endpoints':
      return refuse('too_many_endpoints', `An account has at most ${MAX_ENDPOINTS} webhook endpoints.`)
    case 'no_secret':
      return refuse('invalid_webhook_url', 'E-mail has no signature, and so no secret.')
    case 'invalid_url':
      return refuse('invalid_webhook_url', result.reason, {
        errors: [{ pointer: '/url', detail: result.reason }],
      })
  }
}

export function redeliverRefusal({ code }: Extract<RedeliverResult<unknown>, { ok: false }>): Refusal {
  switch (code) {
    case 'unknown_endpoint':
      return unknownEndpoint()
    case 'unknown_delivery':
      return refuse('not_found', 'The endpoint has no such delivery.')
    case 'endpoint_disabled':
      return refuse('endpoint_disabled', 'The webhook endpoint is disabled; enable it first.')
  }
}
