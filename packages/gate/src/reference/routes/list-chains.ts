/** GET /v1/chains: the chains whose addresses can be screened. */
import { chains } from '@cupel/domain'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Answer,
  type Endpoint,
  type PageTokens,
  MAX_PAGE_SIZE,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  type Refusal,
} from '../../http/index.js'

const LIST = 'chains'

const chainSchema = z
  .object({
    code: z.string().describe('The value of `chain` in requests and reports.'),
    name: z.string(),
    family: z.string().describe('Chains of one family have the same form and checksum of addresses.'),
    symbol: z.string().describe('Symbol of the native asset.'),
    decimals: z.int().min(0).describe('Digits between the base unit and one whole native asset.'),
    checksum: z.string().describe('How a mistyped address is detected.'),
    explorer_url: z
      .string()
      .nullable()
      .describe('A public explorer; `{address}` stands for the address. Null if none shows addresses.'),
  })
  .meta({ id: 'Chain' })
type Chain = z.infer<typeof chainSchema>

const chainQuery = z.strictObject({ page_size: pageSize(MAX_PAGE_SIZE), page_token: pageToken })

const items: readonly Chain[] = chains.map((chain) => ({
  code: chain.code,
  name: chain.name,
  family: chain.family,
  symbol: chain.symbol,
  decimals: chain.decimals,
  checksum: chain.checksum,
  explorer_url: chain.explorer,
}))

export function listChains(tokens: PageTokens): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof chainQuery>>({
    operationId: 'listChains',
    method: 'GET',
    path: '/v1/chains',
    tag: 'Chains',
    summary: 'List chains',
    description:
      'The chains whose addresses can be screened, in the order in which an address is tried on them.',
    access: 'read-only',
    usesStore: false,
    querySchema: chainQuery,
    answers: [
      {
        status: 200,
        description: 'A page of chains.',
        contentType: 'application/json',
        schema: pageSchema(chainSchema),
        example: { items: items.slice(0, 1), next_page_token: null },
      },
    ],
    problems: [],
    async handle({ caller }, { query }): Promise<Answer | Refusal> {
      const scope = [LIST, caller.accountId, caller.livemode]
      const position = query.page_token === undefined ? ['0'] : tokens.open(scope, query.page_token)
      if (position === null) return unknownPageToken()
      const from = Number(position[0])
      const to = from + query.page_size
      const next = to < items.length ? tokens.seal(scope, [String(to)]) : null
      return jsonAnswer(200, JSON.stringify({ items: items.slice(from, to), next_page_token: next }))
    },
  })
}
