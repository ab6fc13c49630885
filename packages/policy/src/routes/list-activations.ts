/** GET /v1/policy/activations: what was in force, newest first. */
import { instant } from '@cupel/contracts'
import { readActivations, type ActivatedPolicy, type PolicyLog } from '../index.js'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  type Endpoint,
  type PageTokens,
} from '@cupel/gate/http'
import { policyName } from './what-if.js'

const LIST = 'policy-activations'
const DEFAULT_PAGE_SIZE = 10

const activationComponent = z
  .object({
    policy: policyName,
    activated_at: instant,
    activated_by: z
      .string()
      .describe('The operator: a user of the shell, a key, or `system` for the first start.'),
    reason: z.string(),
  })
  .meta({ id: 'PolicyActivation' })

const listQuery = z.strictObject({ page_size: pageSize(DEFAULT_PAGE_SIZE), page_token: pageToken })

export interface ActivationParts extends PolicyLog {
  readonly tokens: PageTokens
}

export function listPolicyActivations({ log, codec, tokens }: ActivationParts): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof listQuery>>({
    operationId: 'listPolicyActivations',
    method: 'GET',
    path: '/v1/policy/activations',
    tag: 'Policy',
    summary: 'List the policies that were in force',
    description: 'Newest first: the first one is in force. For operators.',
    access: 'operator',
    // It reads the log.
    usesStore: false,
    querySchema: listQuery,
    answers: [
      {
        status: 200,
        description: 'A page of activations.',
        contentType: 'application/json',
        schema: pageSchema(activationComponent),
        example: {
          items: [
            {
              policy: { id: 'default', version: 1, sha256: '0'.repeat(64) },
              activated_at: '2026-11-20T09:00:00.000Z',
              ...{ activated_by: 'system', reason: 'First start: the default policy.' },
            },
          ],
          next_page_token: null,
        },
      },
    ],
    problems: ['unavailable'],
    async handle(_call, { query }) {
      const known = await readActivations(log, codec)
      const position = query.page_token === undefined ? null : tokens.open([LIST], query.page_token)
      if (query.page_token !== undefined && position === null) return unknownPageToken()
      // Activations only grow in number.
      const end = position === null ? known.length : Math.min(known.length, Number(position[0]))
      const begin = Math.max(0, end - query.page_size)
      const items = known.slice(begin, end).reverse().map(activationDocument)
      const next = begin === 0 ? null : tokens.seal([LIST], [String(begin)])
      return jsonAnswer(200, JSON.stringify({ items, next_page_token: next }))
    },
  })
}

const activationDocument = (one: ActivatedPolicy): z.infer<typeof activationComponent> => ({
  policy: { id: one.policyId, version: one.version, sha256: one.sha256 },
  activated_at: one.activatedAt,
  activated_by: one.activatedBy,
  reason: one.reason,
})
