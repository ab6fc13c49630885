/** DELETE /v1/webhook-endpoints/{endpoint_id}: deletes a receiver. */
import { deleteEndpoint } from '../index.js'
import { keyedEndpoint, recorded, type Endpoint, statuses } from '@cupel/gate/http'
import {
  authorOf,
  endpointPath,
  endpointRefusal,
  refuseWithoutAdmin,
  type EndpointPath,
  type WebhookParts,
} from './endpoint-description.js'

export function deleteWebhookEndpoint({ store }: WebhookParts): Endpoint {
  return keyedEndpoint<EndpointPath>({
    operationId: 'deleteWebhookEndpoint',
    method: 'DELETE',
    path: '/v1/webhook-endpoints/{endpoint_id}',
    tag: 'Webhook endpoints',
    summary: 'Delete a webhook endpoint',
    description: 'Nothing more is sent to it. Its deliveries and their attempts are deleted too.',
    access: 'read-write',
    pathSchema: endpointPath,
    answers: [{ status: statuses.noContent, description: 'The endpoint is deleted.' }],
    problems: ['not_found', 'scope_required', 'unavailable'],
    async handle(call, { path }) {
      const refusal = refuseWithoutAdmin(call.caller)
      if (refusal !== null) return refusal
      const order = { ...authorOf(call, statuses.noContent), endpointId: path.endpoint_id }
      const result = await deleteEndpoint(store, order)
      return result.ok ? recorded({ status: statuses.noContent, body: null }) : endpointRefusal(result)
    },
  })
}
