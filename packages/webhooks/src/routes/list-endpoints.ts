/** GET /v1/webhook-endpoints: the account's receivers of webhooks, oldest first. */
import { listEndpoints } from '../index.js'
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
  endpointComponent,
  endpointDocument,
  endpointExample,
  type WebhookParts,
} from './endpoint-description.js'

const DEFAULT_PAGE_SIZE = 50
const LIST = 'webhook-endpoints'
const endpointQuery = z.strictObject({ page_size: pageSize(DEFAULT_PAGE_SIZE), page_token: pageToken })

export function listWebhookEndpoints({ store, tokens }: WebhookParts): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof endpointQuery>>({
    operationId: 'listWebhookEndpoints',
    method: 'GET',
    path: '/v1/webhook-endpoints',
    tag: 'Webhook endpoints',
    summary: 'List webhook endpoints',
    description:
      'The webhook endpoints of the key’s account and environment, oldest first. Secrets are not shown.',
    access: 'read-only',
    querySchema: endpointQuery,
    answers: [
      {
        status: 200,
        description: 'A page of endpoints.',
        contentType: 'application/json',
        schema: pageSchema(endpointComponent),
        example: { items: [endpointExample], next_page_token: null },
      },
    ],
    problems: ['unavailable'],
    async handle({ caller: { accountId, livemode } }, { query }) {
      const scope = [LIST, accountId, livemode]
      const position = query.page_token === undefined ? [] : tokens.open(scope, query.page_token)
      if (position === null) return unknownPageToken()
      // There are at most ten: all are read, and the page starts after the last one of the page before.
      const all = await listEndpoints(store.database, { accountId, livemode })
      const [createdAt = '', endpointId = ''] = position
      const rest = all.filter(
        (one) => one.createdAt > createdAt || (one.createdAt === createdAt && one.endpointId > endpointId),
      )
      const page = rest.slice(0, query.page_size)
      const last = page.at(-1)
      const next =
        rest.length > page.length && last !== undefined
          ? tokens.seal(scope, [last.createdAt, last.endpointId])
          : null
      return jsonAnswer(200, JSON.stringify({ items: page.map(endpointDocument), next_page_token: next }))
    },
  })
}
