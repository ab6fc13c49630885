/** POST /v1/webhook-endpoints/{endpoint_id}/redeliver: sends missed deliveries, or those of a range, again. */
import { redeliverRange } from '../index.js'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Endpoint, isInCalendar, NO_SUCH_TIME } from '@cupel/gate/http'
import {
  deliveryStatusField,
  endpointPath,
  redeliverRefusal,
  refuseWithoutAdmin,
  type EndpointPath,
  type WebhookParts,
} from './endpoint-description.js'

const moment = z.iso
  .datetime({ error: 'Expected a UTC time such as 2026-11-21T09:00:00Z' })
  .refine(isInCalendar, NO_SUCH_TIME)

const rangeBody = z
  .strictObject({
    since: moment.describe('Deliveries made at this time or later, UTC, RFC 3339.'),
    until: moment.optional().describe('Only those made before this time.'),
    statuses: z
      .array(deliveryStatusField)
      .min(1)
      .max(4)
      .optional()
      .describe('By default what was missed: `exhausted` and `held`.'),
  })
  .meta({ id: 'RedeliverRequest' })

const redelivered = z
  .object({ count: z.int().min(0).describe('Deliveries that will be sent again.') })
  .meta({ id: 'RedeliveredWebhooks' })

export function redeliverWebhooks({ store }: WebhookParts): Endpoint {
  return keyedEndpoint<EndpointPath, undefined, z.infer<typeof rangeBody>>({
    operationId: 'redeliverWebhooks',
    method: 'POST',
    path: '/v1/webhook-endpoints/{endpoint_id}/redeliver',
    tag: 'Webhook deliveries',
    summary: 'Send missed deliveries again',
    description:
      'Sends all deliveries missed since a time, or a range by time and status, at a bounded rate. Each keeps its `webhook-id` and body.',
    access: 'read-write',
    pathSchema: endpointPath,
    bodySchema: rangeBody,
    bodyExample: { since: '2026-11-20T00:00:00Z' },
    answers: [
      {
        status: 202,
        description: 'The number of deliveries that will be sent.',
        contentType: 'application/json',
        schema: redelivered,
        example: { count: 3 },
      },
    ],
    problems: ['not_found', 'endpoint_disabled', 'scope_required', 'unavailable'],
    async handle({ caller }, { path, body }) {
      const refusal = refuseWithoutAdmin(caller)
      if (refusal !== null) return refusal
      const { accountId, livemode } = caller
      const order = { accountId, livemode, endpointId: path.endpoint_id, ...body }
      const result = await redeliverRange(store.database, order)
      return result.ok ? jsonAnswer(202, JSON.stringify({ count: result.count })) : redeliverRefusal(result)
    },
  })
}
