/** POST /v1/policy/proposals, and POST /v1/policy/proposals/{proposal_id}/activate: one person proposes a policy, and it is put in force. */
import { compiledDefaultPolicy, withoutApiKeys } from '@cupel/domain'
import { activateProposal, proposePolicy, readPolicyHistory } from '../index.js'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  refuse,
  statuses,
  text,
  type Answer,
  type Endpoint,
  type Refusal,
} from '@cupel/gate/http'
import { policyDocumentComponent } from './get-policy.js'
import { authorOfProposal, isOtherPerson } from '@cupel/gate/second-person'
import {
  personOfLiveCall,
  proposalComponent,
  proposalDocument,
  proposalPath,
  type ProposalParts,
  type ProposalPath,
} from './proposal-description.js'
import { proposalExample } from './list-proposals.js'
import { judgePolicy, type Proposal } from './what-if.js'

const MAX_REASON_LENGTH = 500

const proposalBody = z
  .strictObject({
    policy: policyDocumentComponent,
    reason: text(MAX_REASON_LENGTH)
      .regex(/[^\t\n\r ]/, { error: 'Nothing but blanks is given' })
      .refine((reason) => withoutApiKeys(reason) === reason, { error: 'This looks like an API key' })
      .meta({ maxLength: MAX_REASON_LENGTH, pattern: '^[^\\u0000]*[^\\u0000\\t\\n\\r ][^\\u0000]*$' })
      .describe('Why, in your own words.'),
  })
  .meta({ id: 'NewPolicyProposalRequest' })

export function createPolicyProposal(parts: ProposalParts): Endpoint {
  return keyedEndpoint<undefined, undefined, z.infer<typeof proposalBody>, Proposal>({
    operationId: 'createPolicyProposal',
    method: 'POST',
    path: '/v1/policy/proposals',
    tag: 'Policy',
    summary: 'Propose a policy',
    description:
      'Decides nothing: a proposal is put in force by a call of its own, where the installation asks for it by another person. A later proposal takes its place. For operators: all accounts share the policy.',
    access: 'operator',
    bodySchema: proposalBody,
    bodyExample: {
      policy: { ...compiledDefaultPolicy.document, version: compiledDefaultPolicy.document.version + 1 },
      reason: proposalExample.reason,
    },
    answers: [
      {
        status: statuses.created,
        description: 'The proposal.',
        contentType: 'application/json',
        schema: proposalComponent,
        headers: { Location: { description: 'Path of the proposal.', schema: z.string() } },
        example: proposalExample,
      },
    ],
    problems: ['policy_conflict', 'unavailable'],
    judge: ({ body }) => judgePolicy(body),
    async handle(call, { body, judged: { policy } }): Promise<Answer | Refusal> {
      if (!call.caller.livemode) return ofTheSandbox()
      const { id: policyId, version } = policy.document
      const author = await authorOfProposal(parts, call)
      const done = await proposePolicy(
        { ...parts, now: parts.now() },
        {
          policyId,
          version,
          document: policy.canonical,
          sha256: policy.sha256,
          ...author,
          reason: call.seal.seal(body.reason),
        },
      )
      if (done.outcome === 'refused') return refuse('policy_conflict', done.message)
      const document = await proposalDocument(parts, { ...done, person: await personOfLiveCall(parts, call) })
      const location = `/v1/policy/proposals/${done.proposal.proposalId}`
      return jsonAnswer(statuses.created, JSON.stringify(document), { location })
    },
  })
}

export function activatePolicyProposal(parts: ProposalParts): Endpoint {
  return keyedEndpoint<ProposalPath>({
    operationId: 'activatePolicyProposal',
    method: 'POST',
    path: '/v1/policy/proposals/{proposal_id}/activate',
    tag: 'Policy',
    summary: 'Put a proposed policy in force',
    description:
      'Screenings are decided by it within seconds; reports that exist stay as they are. Where `CUPEL_POLICY_SECOND_PERSON` is set, another person than the proposer must do it. Activating it again changes nothing. For operators.',
    access: 'operator',
    pathSchema: proposalPath,
    answers: [
      {
        status: statuses.ok,
        description: 'The proposal, in force.',
        contentType: 'application/json',
        schema: proposalComponent,
        example: { ...proposalExample, status: 'in_force', may_activate: false, settings: [] },
      },
    ],
    problems: ['not_found', 'policy_conflict', 'unavailable'],
    async handle(call, { path: { proposal_id: proposalId } }): Promise<Answer | Refusal> {
      if (!call.caller.livemode) return ofTheSandbox()
      const { proposals } = await readPolicyHistory(parts)
      const proposal = proposals.find((one) => one.proposalId === proposalId)
      if (proposal === undefined) return noProposal()
      const person = await personOfLiveCall(parts, call)
      // A proposal never changes, so this holds also while others activate.
      if (!(await isOtherPerson(parts, proposal, person)))
        return refuse(
          'policy_conflict',
          'Another person than the one who proposed it must put the policy in force.',
        )
      const order = { proposalId, activatedBy: `key ${call.caller.keyId}` }
      const done = await activateProposal({ ...parts, now: parts.now() }, order)
      if (done.outcome === 'unknown') return noProposal()
      if (done.outcome === 'refused') return refuse('policy_conflict', done.message)
      return jsonAnswer(statuses.ok, JSON.stringify(await proposalDocument(parts, { ...done, person })))
    },
  })
}

const ofTheSandbox = (): Refusal =>
  refuse('policy_conflict', 'The policy of the sandbox never changes; call with a live key.')

const noProposal = (): Refusal => refuse('not_found', 'There is no such proposal.')
