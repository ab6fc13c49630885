/** DELETE /v1/webhook-endpoints/{endpoint_id}: gives a receiver up. */
import { deleteEndpoint } from '@cupel/webhooks'
import { keyedEndpoint, type Endpoint } from '../../http/endpoint.js'
import {
  endpointPath,
  endpointRefusal,
  refuseWithoutAdmin,
  WEBHOOKS_TAG,
  type EndpointPath,
  type WebhookParts,
} from './endpoint-description.js'

export function deleteWebhookEndpoint({ store }: WebhookParts): Endpoint {
  return keyedEndpoint<EndpointPath>({
    operationId: 'deleteWebhookEndpoint',
    method: 'DELETE',
    path: '/v1/webhook-endpoints/{endpoint_id}',
    tag: WEBHOOKS_TAG,
    summary: 'Delete a webhook endpoint',
    description: 'Nothing more is sent there; its deliveries and their attempts go with it.',
    access: 'read-write',
    pathSchema: endpointPath,
    answers: [{ status: 204, description: 'It is gone.' }],
    problems: ['not_found', 'scope_required', 'unavailable'],
    async handle({ caller }, { path }) {
      const refusal = refuseWithoutAdmin(caller)
      if (refusal !== null) return refusal
      const { accountId, livemode, keyId } = caller
      const result = await deleteEndpoint(store, {
        accountId,
        livemode,
        endpointId: path.endpoint_id,
        by: keyId,
      })
      return result.ok ? { status: 204, body: null } : endpointRefusal(result)
    },
  })
}
