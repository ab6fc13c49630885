/** GET /v1/webhook-endpoints/{endpoint_id}: one receiver of webhooks. */
import { getEndpoint } from '../index.js'
import { jsonAnswer, keyedEndpoint, type Endpoint } from '@cupel/gate/http'
import {
  endpointComponent,
  endpointDocument,
  endpointExample,
  endpointPath,
  unknownEndpoint,
  type EndpointPath,
  type WebhookParts,
} from './endpoint-description.js'

export function getWebhookEndpoint({ store }: WebhookParts): Endpoint {
  return keyedEndpoint<EndpointPath>({
    operationId: 'getWebhookEndpoint',
    method: 'GET',
    path: '/v1/webhook-endpoints/{endpoint_id}',
    tag: 'Webhook endpoints',
    summary: 'Get a webhook endpoint',
    description: 'The endpoint as it is now. Its secret is not shown.',
    access: 'read-only',
    pathSchema: endpointPath,
    answers: [
      {
        status: 200,
        description: 'The endpoint.',
        contentType: 'application/json',
        schema: endpointComponent,
        example: endpointExample,
      },
    ],
    problems: ['not_found', 'unavailable'],
    async handle({ caller: { accountId, livemode } }, { path }) {
      const order = { accountId, livemode, endpointId: path.endpoint_id }
      const endpoint = await getEndpoint(store.database, order)
      return endpoint === null
        ? unknownEndpoint()
        : jsonAnswer(200, JSON.stringify(endpointDocument(endpoint)))
    },
  })
}
