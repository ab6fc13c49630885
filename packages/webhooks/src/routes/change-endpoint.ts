/** PATCH /v1/webhook-endpoints/{endpoint_id}: another URL or payload, pause and resume. */
import { changeEndpoint } from '../index.js'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, recorded, type Endpoint, statuses } from '@cupel/gate/http'
import {
  authorOf,
  endpointComponent,
  endpointDocument,
  endpointExample,
  endpointPath,
  endpointRefusal,
  eventsField,
  payloadField,
  refuseWithoutAdmin,
  urlField,
  type EndpointPath,
  type WebhookParts,
} from './endpoint-description.js'

const changeBody = z
  .strictObject({
    url: urlField.optional(),
    payload: payloadField.optional(),
    events: eventsField.optional(),
    status: z
      .enum(['enabled', 'disabled'])
      .optional()
      .describe(
        '`disabled` pauses: pending deliveries are held. `enabled` resumes: held deliveries are sent.',
      ),
  })
  .refine((body) => Object.keys(body).length > 0, { error: 'Nothing to change is given' })
  .meta({ id: 'WebhookEndpointChange', minProperties: 1 })

export function changeWebhookEndpoint({ store }: WebhookParts): Endpoint {
  return keyedEndpoint<EndpointPath, undefined, z.infer<typeof changeBody>>({
    operationId: 'changeWebhookEndpoint',
    method: 'PATCH',
    path: '/v1/webhook-endpoints/{endpoint_id}',
    tag: 'Webhook endpoints',
    summary: 'Change, pause or resume a webhook endpoint',
    description:
      'Changes the given fields. While an endpoint is disabled its deliveries are held, also those of new jobs. Enabling it sends them at a bounded rate, each from the start of its schedule. A new URL proves itself as a new endpoint does: it is sent a test message, and messages about jobs are held until that is answered with 2xx.',
    access: 'read-write',
    pathSchema: endpointPath,
    bodySchema: changeBody,
    bodyExample: { status: 'enabled' },
    answers: [
      {
        status: statuses.ok,
        description: 'The endpoint as it is now.',
        contentType: 'application/json',
        schema: endpointComponent,
        example: endpointExample,
      },
    ],
    problems: ['not_found', 'invalid_webhook_url', 'scope_required', 'unavailable'],
    async handle(call, { path, body }) {
      const refusal = refuseWithoutAdmin(call.caller)
      if (refusal !== null) return refusal
      const order = { ...authorOf(call, statuses.ok), endpointId: path.endpoint_id, ...body }
      const result = await changeEndpoint(store, order)
      if (!result.ok) return endpointRefusal(result)
      return recorded(jsonAnswer(statuses.ok, JSON.stringify(endpointDocument(result.endpoint))))
    },
  })
}
