/** GET /v1/keys: the API keys of the account, without the keys themselves. */
import { listKeyPage } from '../../access/index.js'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Endpoint,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  text,
} from '../../http/index.js'
import {
  keyComponent,
  keyDocument,
  keyExample,
  KEYS_TAG,
  namedTenant,
  type KeyParts,
} from './key-description.js'

const DEFAULT_PAGE_SIZE = 50
const LIST = 'keys'
const MAX_ACCOUNT_ID_LENGTH = 64

const keysQuery = z.strictObject({
  account_id: text(MAX_ACCOUNT_ID_LENGTH).optional().describe('For operators: keys of this account.'),
  livemode: z
    .enum(['true', 'false'])
    .optional()
    .describe('For operators: keys of the live or of the sandbox environment.'),
  page_size: pageSize(DEFAULT_PAGE_SIZE),
  page_token: pageToken,
})

export function listApiKeys({ database, tokens, personalData }: KeyParts): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof keysQuery>>({
    operationId: 'listApiKeys',
    method: 'GET',
    path: '/v1/keys',
    tag: KEYS_TAG,
    summary: 'List the API keys',
    description:
      'Newest first, those that ended too. A key with the scope admin sees the keys of its own account and environment; an operator’s may name another account.',
    access: 'admin',
    querySchema: keysQuery,
    answers: [
      {
        status: 200,
        description: 'A page of keys.',
        contentType: 'application/json',
        schema: pageSchema(keyComponent),
        example: { items: [keyExample], next_page_token: null },
      },
    ],
    problems: ['scope_required', 'unavailable'],
    async handle({ caller }, { query }) {
      const livemode = query.livemode === undefined ? undefined : query.livemode === 'true'
      const tenant = namedTenant(caller, { account_id: query.account_id, livemode })
      if ('code' in tenant) return tenant
      const scope = [LIST, tenant.accountId, tenant.environment]
      const position = query.page_token === undefined ? null : tokens.open(scope, query.page_token)
      const [issuedAt, keyId] = position ?? []
      const after = issuedAt === undefined || keyId === undefined ? null : { issuedAt, keyId }
      if (query.page_token !== undefined && after === null) return unknownPageToken()
      const page = await listKeyPage(database, { ...tenant, after, pageSize: query.page_size })
      const next = page.next === null ? null : tokens.seal(scope, [page.next.issuedAt, page.next.keyId])
      const body = JSON.stringify({ items: page.items.map(keyDocument), next_page_token: next })
      return jsonAnswer(200, await personalData.openJson(body, tenant.accountId))
    },
  })
}
