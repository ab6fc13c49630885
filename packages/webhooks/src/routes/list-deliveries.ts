/** GET /v1/webhook-endpoints/{endpoint_id}/deliveries: its deliveries, past and due, with every attempt. */
import { getEndpoint, listDeliveries } from '../index.js'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Endpoint,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
} from '@cupel/gate/http'
import {
  deliveryComponent,
  deliveryDocument,
  deliveryExample,
  deliveryStatusField,
  endpointPath,
  unknownEndpoint,
  type EndpointPath,
  type WebhookParts,
} from './endpoint-description.js'

const DEFAULT_PAGE_SIZE = 50
const LIST = 'webhook-deliveries'

const deliveryQuery = z.strictObject({
  status: deliveryStatusField.optional().describe('Only deliveries of this status.'),
  page_size: pageSize(DEFAULT_PAGE_SIZE),
  page_token: pageToken,
})

export function listWebhookDeliveries({ store, tokens }: WebhookParts): Endpoint {
  return keyedEndpoint<EndpointPath, z.infer<typeof deliveryQuery>>({
    operationId: 'listWebhookDeliveries',
    method: 'GET',
    path: '/v1/webhook-endpoints/{endpoint_id}/deliveries',
    tag: 'Webhook deliveries',
    summary: 'List the deliveries of a webhook endpoint',
    description: 'Newest first, each with all its attempts. Kept for 30 days.',
    access: 'read-only',
    pathSchema: endpointPath,
    querySchema: deliveryQuery,
    answers: [
      {
        status: 200,
        description: 'A page of deliveries.',
        contentType: 'application/json',
        schema: pageSchema(deliveryComponent),
        example: { items: [deliveryExample], next_page_token: null },
      },
    ],
    problems: ['not_found', 'unavailable'],
    async handle({ caller: { accountId, livemode } }, { path, query }) {
      const order = { accountId, livemode, endpointId: path.endpoint_id }
      if ((await getEndpoint(store.database, order)) === null) return unknownEndpoint()
      const scope = [LIST, accountId, livemode, path.endpoint_id, query.status ?? '']
      const position = query.page_token === undefined ? null : tokens.open(scope, query.page_token)
      const [createdAt, deliveryId] = position ?? []
      if (query.page_token !== undefined && (createdAt === undefined || deliveryId === undefined))
        return unknownPageToken()
      const after = createdAt === undefined || deliveryId === undefined ? null : { createdAt, deliveryId }
      const page = await listDeliveries(store.database, {
        ...order,
        status: query.status,
        pageSize: query.page_size,
        after,
      })
      const next = page.next === null ? null : tokens.seal(scope, [page.next.createdAt, page.next.deliveryId])
      return jsonAnswer(
        200,
        JSON.stringify({ items: page.items.map(deliveryDocument), next_page_token: next }),
      )
    },
  })
}
