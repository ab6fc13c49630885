/** POST /v1/webhook-endpoints/{endpoint_id}/rotate-secret: makes a new secret, shown once; messages are also signed with the old one for a day. */
import { rotateEndpointSecret } from '../index.js'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, recorded, type Endpoint, statuses } from '@cupel/gate/http'
import {
  authorOf,
  endpointPath,
  endpointRefusal,
  refuseWithoutAdmin,
  SECRET_EXAMPLE,
  type EndpointPath,
  type WebhookParts,
} from './endpoint-description.js'

const rotated = z
  .object({
    secret: z.string().describe('The new secret, `whsec_…`. Shown only in this answer.'),
    previous_secret_expires_at: z
      .string()
      .describe('Until then messages are also signed with the previous secret. UTC, RFC 3339.'),
  })
  .meta({ id: 'RotatedWebhookSecret' })

export function rotateWebhookSecret({ store }: WebhookParts): Endpoint {
  return keyedEndpoint<EndpointPath>({
    operationId: 'rotateWebhookSecret',
    method: 'POST',
    path: '/v1/webhook-endpoints/{endpoint_id}/rotate-secret',
    tag: 'Webhook endpoints',
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'For 24 hours messages are signed with both secrets, so that a receiver can change its secret at any time. Rotating again within that time ends the oldest secret at once.',
    access: 'read-write',
    pathSchema: endpointPath,
    answers: [
      {
        status: statuses.ok,
        description: 'The new secret.',
        contentType: 'application/json',
        schema: rotated,
        example: { secret: SECRET_EXAMPLE, previous_secret_expires_at: '2026-11-22T09:00:00.000Z' },
      },
    ],
    problems: ['not_found', 'scope_required', 'unavailable'],
    async handle(call, { path }) {
      const refusal = refuseWithoutAdmin(call.caller)
      if (refusal !== null) return refusal
      const order = { ...authorOf(call, statuses.ok), endpointId: path.endpoint_id }
      const result = await rotateEndpointSecret(store, order)
      if (!result.ok) return endpointRefusal(result)
      const { secret, previousSecretExpiresAt } = result
      const document = { secret, previous_secret_expires_at: previousSecretExpiresAt }
      return recorded(jsonAnswer(statuses.ok, JSON.stringify(document)))
    },
  })
}
