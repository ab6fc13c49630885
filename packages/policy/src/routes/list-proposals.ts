/** GET /v1/policy/proposals, /{proposal_id} and GET /v1/policy/activations: what was proposed, and what was in force, newest first. */
import { instant } from '@cupel/contracts'
import { compiledDefaultPolicy } from '@cupel/domain'
import { readPolicyHistory, type ActivatedPolicy } from '../index.js'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  pageSchema,
  pageSize,
  pageToken,
  refuse,
  unknownPageToken,
  type Endpoint,
} from '@cupel/gate/http'
import {
  personOfLiveCall,
  proposalComponent,
  proposalDocument,
  proposalPath,
  type ProposalDocument,
  type ProposalParts,
  type ProposalPath,
} from './proposal-description.js'
import { policyName } from './what-if.js'

const PROPOSALS = 'policy-proposals'
const ACTIVATIONS = 'policy-activations'
const DEFAULT_PAGE_SIZE = 10

export const proposalExample: ProposalDocument = {
  proposal_id: 'pol_0a1b2c3d4e5f60718293',
  status: 'open',
  policy: { id: 'default', version: 2, sha256: '1'.repeat(64) },
  document: { ...compiledDefaultPolicy.document, version: 2 } as ProposalDocument['document'],
  reason: 'Too many orange reports of one exchange.',
  proposed_by: { key_id: '8f2k1m0a', person: 'Ann Analyst' },
  proposed_at: '2026-11-21T09:00:00.000Z',
  expires_at: '2026-12-05T09:00:00.000Z',
  needs_second_person: true,
  may_activate: false,
  settings: [{ path: 'levels.red', from: 70, to: 80 }],
  findings: [],
}

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

/** A page of items that only grow in number, newest first; null where the token was not made for it. */
function pageOf<T>(
  { tokens }: ProposalParts,
  { list, items, query }: { list: string; items: readonly T[]; query: z.infer<typeof listQuery> },
): { readonly items: readonly T[]; readonly next: string | null } | null {
  const position = query.page_token === undefined ? null : tokens.open([list], query.page_token)
  if (query.page_token !== undefined && position === null) return null
  const end = position === null ? items.length : Math.min(items.length, Number(position[0]))
  const begin = Math.max(0, end - query.page_size)
  const shown = items.slice(begin, end).reverse()
  return { items: shown, next: begin === 0 ? null : tokens.seal([list], [String(begin)]) }
}

export function listPolicyProposals(parts: ProposalParts): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof listQuery>>({
    operationId: 'listPolicyProposals',
    method: 'GET',
    path: '/v1/policy/proposals',
    tag: 'Policy',
    summary: 'List the proposed policies',
    description: 'Newest first, those that were put in force or came to nothing too. For operators.',
    access: 'operator',
    querySchema: listQuery,
    answers: [
      {
        status: 200,
        description: 'A page of proposals.',
        contentType: 'application/json',
        schema: pageSchema(proposalComponent),
        example: { items: [proposalExample], next_page_token: null },
      },
    ],
    problems: ['unavailable'],
    async handle(call, { query }) {
      const history = await readPolicyHistory(parts)
      const page = pageOf(parts, { list: PROPOSALS, items: history.proposals, query })
      if (page === null) return unknownPageToken()
      const person = await personOfLiveCall(parts, call)
      const items: ProposalDocument[] = []
      for (const proposal of page.items)
        items.push(await proposalDocument(parts, { proposal, history, person }))
      return jsonAnswer(200, JSON.stringify({ items, next_page_token: page.next }))
    },
  })
}

export function getPolicyProposal(parts: ProposalParts): Endpoint {
  return keyedEndpoint<ProposalPath>({
    operationId: 'getPolicyProposal',
    method: 'GET',
    path: '/v1/policy/proposals/{proposal_id}',
    tag: 'Policy',
    summary: 'Get a proposed policy',
    description: 'The proposal with what it would change now. For operators.',
    access: 'operator',
    pathSchema: proposalPath,
    answers: [
      {
        status: 200,
        description: 'The proposal.',
        contentType: 'application/json',
        schema: proposalComponent,
        example: proposalExample,
      },
    ],
    problems: ['not_found', 'unavailable'],
    async handle(call, { path }) {
      const history = await readPolicyHistory(parts)
      const proposal = history.proposals.find((one) => one.proposalId === path.proposal_id)
      if (proposal === undefined) return refuse('not_found', 'There is no such proposal.')
      const person = await personOfLiveCall(parts, call)
      return jsonAnswer(200, JSON.stringify(await proposalDocument(parts, { proposal, history, person })))
    },
  })
}

export function listPolicyActivations(parts: ProposalParts): Endpoint {
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
      const { activations } = await readPolicyHistory(parts)
      const page = pageOf(parts, { list: ACTIVATIONS, items: activations, query })
      if (page === null) return unknownPageToken()
      const items = page.items.map(activationDocument)
      return jsonAnswer(200, JSON.stringify({ items, next_page_token: page.next }))
    },
  })
}

const activationDocument = (one: ActivatedPolicy): z.infer<typeof activationComponent> => ({
  policy: { id: one.policyId, version: one.version, sha256: one.sha256 },
  activated_at: one.activatedAt,
  activated_by: one.activatedBy,
  reason: one.reason,
})
