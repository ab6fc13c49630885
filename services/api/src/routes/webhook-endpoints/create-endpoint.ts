/** POST /v1/webhook-endpoints: names a receiver of webhooks and shows its secret, once. */
import { createEndpoint } from '@cupel/webhooks'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Endpoint } from '../../http/endpoint.js'
import {
  endpointDocument,
  endpointExample,
  endpointRefusal,
  newEndpointComponent,
  payloadField,
  refuseWithoutAdmin,
  SECRET_EXAMPLE,
  urlField,
  WEBHOOKS_TAG,
  type WebhookParts,
} from './endpoint-description.js'

const endpointBody = z
  .strictObject({ url: urlField, payload: payloadField.optional() })
  .meta({ id: 'NewWebhookEndpointRequest' })

export function createWebhookEndpoint({ store }: WebhookParts): Endpoint {
  return keyedEndpoint<undefined, undefined, z.infer<typeof endpointBody>>({
    operationId: 'createWebhookEndpoint',
    method: 'POST',
    path: '/v1/webhook-endpoints',
    tag: WEBHOOKS_TAG,
    summary: 'Create a webhook endpoint',
    description:
      'Every enabled endpoint of the account and environment is sent every bulk job that ends, signed after Standard Webhooks 1.0 with a secret that this answer alone shows. At most ten.',
    access: 'read-write',
    bodySchema: endpointBody,
    bodyExample: { url: endpointExample.url, payload: 'full' },
    answers: [
      {
        status: 201,
        description: 'The endpoint, with its secret.',
        contentType: 'application/json',
        schema: newEndpointComponent,
        headers: { Location: { description: 'Path of the endpoint.', schema: z.string() } },
        example: { ...endpointExample, secret: SECRET_EXAMPLE },
      },
    ],
    problems: ['invalid_webhook_url', 'too_many_endpoints', 'scope_required', 'unavailable'],
    async handle({ caller }, { body }) {
      const refusal = refuseWithoutAdmin(caller)
      if (refusal !== null) return refusal
      const { accountId, livemode, keyId } = caller
      const result = await createEndpoint(store, { accountId, livemode, ...body, by: keyId })
      if (!result.ok) return endpointRefusal(result)
      const document = { ...endpointDocument(result.endpoint), secret: result.secret }
      const location = `/v1/webhook-endpoints/${result.endpoint.endpointId}`
      return jsonAnswer(201, JSON.stringify(document), { location })
    },
  })
}
