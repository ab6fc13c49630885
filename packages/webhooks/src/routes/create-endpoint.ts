/** POST /v1/webhook-endpoints: creates a receiver of webhooks and shows its secret once. */
import { createEndpoint } from '../index.js'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, recorded, type Endpoint, statuses } from '@cupel/gate/http'
import {
  authorOf,
  endpointDocument,
  endpointExample,
  endpointRefusal,
  eventsField,
  newEndpointComponent,
  payloadField,
  refuseWithoutAdmin,
  SECRET_EXAMPLE,
  urlField,
  type WebhookParts,
} from './endpoint-description.js'

const endpointBody = z
  .strictObject({ url: urlField, payload: payloadField.optional(), events: eventsField.optional() })
  .meta({ id: 'NewWebhookEndpointRequest' })

export function createWebhookEndpoint({ store }: WebhookParts): Endpoint {
  return keyedEndpoint<undefined, undefined, z.infer<typeof endpointBody>>({
    operationId: 'createWebhookEndpoint',
    method: 'POST',
    path: '/v1/webhook-endpoints',
    tag: 'Webhook endpoints',
    summary: 'Create a webhook endpoint',
    description:
      'Every enabled endpoint receives a message for each bulk job of its account and environment that ends, for each watched address whose report changed, and once a day for watches that ask for a digest. Messages are signed as Standard Webhooks 1.0 with a secret that only this answer shows. The endpoint is sent a test message at once; other messages are held until the receiver has answered one with 2xx. With `mailto:` the messages go by e-mail: the recipient is asked to confirm by a link, and nothing else is sent or kept until then. At most ten endpoints.',
    access: 'read-write',
    bodySchema: endpointBody,
    bodyExample: { url: endpointExample.url, payload: 'full', events: ['report.changed', 'watches.digest'] },
    answers: [
      {
        status: statuses.created,
        description: 'The endpoint, with its secret.',
        contentType: 'application/json',
        schema: newEndpointComponent,
        headers: { Location: { description: 'Path of the endpoint.', schema: z.string() } },
        example: {
          ...endpointExample,
          events: ['report.changed', 'watches.digest'],
          secret: SECRET_EXAMPLE,
        },
      },
    ],
    problems: ['invalid_webhook_url', 'too_many_endpoints', 'scope_required', 'unavailable'],
    async handle(call, { body }) {
      const refusal = refuseWithoutAdmin(call.caller)
      if (refusal !== null) return refusal
      const result = await createEndpoint(store, { ...authorOf(call, statuses.created), ...body })
      if (!result.ok) return endpointRefusal(result)
      const document = { ...endpointDocument(result.endpoint), secret: result.secret }
      const location = `/v1/webhook-endpoints/${result.endpoint.endpointId}`
      return recorded(jsonAnswer(statuses.created, JSON.stringify(document), { location }))
    },
  })
}
