/** Proposals of policies as the API shows them, and who may put one in force. */
import { casePersonSchema, instant } from '@cupel/contracts'
import { compilePolicyText, lintPolicy, type CasePersonId, type PolicyDocument } from '@cupel/domain'
import type { EventCodec, EventLog } from '@cupel/event-log'
import { isOtherPerson, personOfCall, type SecondPersonParts } from '@cupel/gate/second-person'
import {
  changedSettings,
  expiryOf,
  proposalStatus,
  type PolicyHistory,
  type ProposedPolicy,
} from '../index.js'
import { z } from 'zod'
import type { KeyedCall, PageTokens } from '@cupel/gate/http'
import { policyDocumentComponent } from './get-policy.js'
import { policyChange, policyFinding, policyName } from './what-if.js'

/** Its `needsSecondPerson`: another person than its proposer must put a policy in force. */
export interface ProposalParts extends SecondPersonParts {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly tokens: PageTokens
  readonly now: () => Date
}

export const proposalPath = z.object({
  proposal_id: z
    .string()
    .regex(/^pol_[0-9a-f]{20}$/)
    .describe('The id of the proposal.'),
})
export type ProposalPath = z.infer<typeof proposalPath>

export const proposalComponent = z
  .object({
    proposal_id: z.string(),
    status: z
      .string()
      .describe(
        '`open`; `in_force`; `past`: it was in force; `replaced` by a later proposal; `outdated`: another policy came into force since; `expired`. Only an open one can be put in force.',
      ),
    policy: policyName,
    document: policyDocumentComponent,
    reason: z.string().describe('Why, in the words of whoever proposed it.'),
    proposed_by: casePersonSchema,
    proposed_at: instant,
    expires_at: instant,
    needs_second_person: z.boolean().describe('Whether another person must put it in force.'),
    may_activate: z.boolean().describe('Whether this caller may put it in force now.'),
    settings: z
      .array(policyChange)
      .describe(
        'The settings in which it differs from the policy in force; empty before the first activation.',
      ),
    findings: z.array(policyFinding).describe('Warnings: choices that deserve a second look.'),
  })
  .meta({ id: 'PolicyProposal' })

export type ProposalDocument = z.infer<typeof proposalComponent>

/** Null for a call of the sandbox, which puts nothing in force. */
export const personOfLiveCall = async (
  parts: Pick<ProposalParts, 'database'>,
  call: Pick<KeyedCall, 'caller' | 'plainPerson'>,
): Promise<CasePersonId | null> => (call.caller.livemode ? await personOfCall(parts, call) : null)

export async function proposalDocument(
  parts: ProposalParts,
  {
    proposal,
    history,
    person,
  }: { proposal: ProposedPolicy; history: PolicyHistory; person: CasePersonId | null },
): Promise<ProposalDocument> {
  const { policyId: id, version, sha256, accountId } = proposal
  const status = proposalStatus(proposal, history, parts.now())
  const inForce = history.activations.at(-1)
  const document = JSON.parse(proposal.document) as PolicyDocument
  const open = (text: string): Promise<string> => parts.personalData.openText(text, accountId)
  return {
    proposal_id: proposal.proposalId,
    status,
    policy: { id, version, sha256 },
    document: document as ProposalDocument['document'],
    reason: await open(proposal.reason),
    proposed_by: {
      key_id: proposal.proposedBy,
      person: proposal.actor === '' ? null : await open(proposal.actor),
    },
    proposed_at: proposal.proposedAt,
    expires_at: expiryOf(proposal).toISOString(),
    needs_second_person: parts.needsSecondPerson,
    may_activate: status === 'open' && (await isOtherPerson(parts, proposal, person)),
    settings:
      inForce === undefined
        ? []
        : changedSettings(compilePolicyText(inForce.document).document, document).map((one) => ({ ...one })),
    findings: lintPolicy(document).map(({ severity, rule, path, message }) => ({
      severity,
      rule,
      path,
      message,
    })),
  }
}
