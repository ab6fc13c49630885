/** POST /v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/redeliver: sends one again. */
import { redeliver } from '@cupel/webhooks'
import { jsonAnswer, keyedEndpoint, type Endpoint } from '../../http/endpoint.js'
import {
  deliveryComponent,
  deliveryDocument,
  deliveryExample,
  deliveryPath,
  redeliverRefusal,
  refuseWithoutAdmin,
  WEBHOOKS_TAG,
  type DeliveryPath,
  type WebhookParts,
} from './endpoint-description.js'

export function redeliverWebhook({ store }: WebhookParts): Endpoint {
  return keyedEndpoint<DeliveryPath>({
    operationId: 'redeliverWebhook',
    method: 'POST',
    path: '/v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/redeliver',
    tag: WEBHOOKS_TAG,
    summary: 'Send a delivery again',
    description:
      'Whatever became of it: the same `webhook-id`, the same body to the byte, and a schedule from its start.',
    access: 'read-write',
    pathSchema: deliveryPath,
    answers: [
      {
        status: 202,
        description: 'The delivery, on its way.',
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
