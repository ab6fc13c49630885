/** POST /v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/redeliver: sends one again. */
import { redeliver } from '../index.js'
import { jsonAnswer, keyedEndpoint, type Endpoint } from '@cupel/gate/http'
import {
  deliveryComponent,
  deliveryDocument,
  deliveryExample,
  deliveryPath,
  redeliverRefusal,
  refuseWithoutAdmin,
  type DeliveryPath,
  type WebhookParts,
} from './endpoint-description.js'

export function redeliverWebhook({ store }: WebhookParts): Endpoint {
  return keyedEndpoint<DeliveryPath>({
    operationId: 'redeliverWebhook',
    method: 'POST',
    path: '/v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/redeliver',
    tag: 'Webhook deliveries',
    summary: 'Send a delivery again',
    description:
      'In any status. It has the same `webhook-id` and the same body to the byte, and its schedule starts again.',
    access: 'read-write',
    pathSchema: deliveryPath,
    answers: [
      {
        status: 202,
        description: 'The delivery, which will be sent.',
        contentType: 'application/json',
        schema: deliveryComponent,
        example: deliveryExample,
      },
    ],
    problems: ['not_found', 'endpoint_disabled', 'scope_required', 'unavailable'],
    async handle({ caller }, { path }) {
      const refusal = refuseWithoutAdmin(caller)
      if (refusal !== null) return refusal
      const { accountId, livemode } = caller
      const order = { accountId, livemode, endpointId: path.endpoint_id, deliveryId: path.delivery_id }
      const result = await redeliver(store.database, order)
      if (!result.ok) return redeliverRefusal(result)
      return jsonAnswer(202, JSON.stringify(deliveryDocument(result.delivery)))
    },
  })
}
