/** GET /v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}: a delivery with its body and headers as sent. */
import { getDelivery } from '../index.js'
import { jsonAnswer, keyedEndpoint, type Endpoint, refuse } from '@cupel/gate/http'
import {
  deliveryDocument,
  deliveryExample,
  deliveryPath,
  sentDeliveryComponent,
  sentDocument,
  type DeliveryPath,
  type WebhookParts,
} from './endpoint-description.js'

export function getWebhookDelivery({ store, personalData }: WebhookParts): Endpoint {
  return keyedEndpoint<DeliveryPath>({
    operationId: 'getWebhookDelivery',
    method: 'GET',
    path: '/v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}',
    tag: 'Webhook deliveries',
    summary: 'Read a delivery as it is sent',
    description:
      'The delivery with its body to the byte, the headers of its last attempt, and the beginning of each answer. Kept for 30 days.',
    access: 'read-only',
    pathSchema: deliveryPath,
    answers: [
      {
        status: 200,
        description: 'The delivery.',
        contentType: 'application/json',
        schema: sentDeliveryComponent,
        example: sentDocument(deliveryExample, {
          ...{
            payload: 'full',
            body: '{"type":"bulk.completed","timestamp":"2026-11-21T09:00:00.000Z","data":{}}',
          },
          signature: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
        }),
      },
    ],
    problems: ['not_found', 'unavailable'],
    async handle({ caller: { accountId, livemode } }, { path }) {
      const order = {
        ...{ accountId, livemode, endpointId: path.endpoint_id, deliveryId: path.delivery_id },
      }
      const sent = await getDelivery(store.database, order)
      if (sent === null) return refuse('not_found', 'The endpoint has no such delivery.')
      const { delivery, body } = sent
      // Opened here: sealed parts of the body are JSON within a text.
      const opened = body === null ? null : await personalData.openJson(body, accountId)
      const signature = delivery.attempts.at(-1)?.signature ?? null
      const shown = { payload: delivery.payload, body: opened, signature }
      return jsonAnswer(200, JSON.stringify(sentDocument(deliveryDocument(delivery), shown)))
    },
  })
}
