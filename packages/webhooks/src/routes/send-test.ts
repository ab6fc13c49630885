/** POST /v1/webhook-endpoints/{endpoint_id}/test: sends a ping, signed and delivered like every other message. */
import { sendTest } from '../index.js'
import { jsonAnswer, keyedEndpoint, type Endpoint } from '@cupel/gate/http'
import {
  deliveryComponent,
  deliveryDocument,
  deliveryExample,
  endpointPath,
  redeliverRefusal,
  refuseWithoutAdmin,
  type EndpointPath,
  type WebhookParts,
} from './endpoint-description.js'

export function sendWebhookTest({ store }: WebhookParts): Endpoint {
  return keyedEndpoint<EndpointPath>({
    operationId: 'sendWebhookTest',
    method: 'POST',
    path: '/v1/webhook-endpoints/{endpoint_id}/test',
    tag: 'Webhook deliveries',
    summary: 'Send a test to a webhook endpoint',
    description:
      'Sends a message of type `endpoint.test`. Its outcome is in the list of deliveries of the endpoint.',
    access: 'read-write',
    pathSchema: endpointPath,
    answers: [
      {
        status: 202,
        description: 'The delivery, which will be sent.',
        contentType: 'application/json',
        schema: deliveryComponent,
        example: { ...deliveryExample, type: 'endpoint.test', job_id: null, attempts: [] },
      },
    ],
    problems: ['not_found', 'endpoint_disabled', 'scope_required', 'unavailable'],
    async handle({ caller }, { path }) {
      const refusal = refuseWithoutAdmin(caller)
      if (refusal !== null) return refusal
      const { accountId, livemode } = caller
      const result = await sendTest(store.database, { accountId, livemode, endpointId: path.endpoint_id })
      if (!result.ok) return redeliverRefusal(result)
      return jsonAnswer(202, JSON.stringify(deliveryDocument(result.delivery)))
    },
  })
}
