/** Proposals of policies as the API shows them, and who may put one in force. */
import { keyHolder } from '@cupel/gate/access'
import { casePersonSchema, instant } from '@cupel/contracts'
import {
  compilePolicyText,
  isSamePerson,
  lintPolicy,
  type CasePersonId,
  type PolicyDocument,
} from '@cupel/domain'
import type { EventCodec, EventLog } from '@cupel/event-log'
import { keyIdOf, type PersonalData } from '@cupel/personal-data'
import {
  changedSettings,
  expiryOf,
  proposalStatus,
  type PolicyHistory,
  type ProposedPolicy,
} from '../index.js'
import type { Database } from '@cupel/postgres'
import { z } from 'zod'
import type { KeyedCall, PageTokens } from '@cupel/gate/http'
import { policyDocumentComponent } from './get-policy.js'
import { policyChange, policyFinding, policyName } from './what-if.js'

export interface ProposalParts {
  readonly database: Database
  readonly log: EventLog
  readonly codec: EventCodec
  readonly personalData: PersonalData
  readonly tokens: PageTokens
  /** Whether another person than its proposer must put a policy in force. */
  readonly needsSecondPerson: boolean
  readonly doPeopleSignIn: boolean
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

/** Everything of a call that tells its person, in plain. Null for a call of the sandbox, which puts nothing in force. */
export async function personOfCall(
  { database }: Pick<ProposalParts, 'database'>,
  { caller, plainPerson }: Pick<KeyedCall, 'caller' | 'plainPerson'>,
): Promise<CasePersonId | null> {
  if (!caller.livemode) return null
  const holder = await keyHolder(database, caller.keyId)
  return { holder, subject: plainPerson.subject, name: plainPerson.person }
}

/** Null where a text of the proposer cannot be read any more: then nobody is certain to be another person. */
async function proposerOf(
  { personalData }: Pick<ProposalParts, 'personalData'>,
  { holder, subject, actor }: ProposedPolicy,
): Promise<CasePersonId | null> {
  const [plainSubject, name] = await Promise.all([subject, actor].map((text) => plainOf(personalData, text)))
  return plainSubject === null || name === null ? null : { holder, subject: plainSubject!, name: name! }
}

async function plainOf(personalData: PersonalData, text: string): Promise<string | null> {
  return keyIdOf(text) === null ? text : ((await personalData.openingOf(text))?.text ?? null)
}

/** Whether this person may put the proposal in force, as far as that depends on persons. */
export async function isOtherPerson(
  parts: ProposalParts,
  proposal: ProposedPolicy,
  person: CasePersonId | null,
): Promise<boolean> {
  if (person === null) return false
  if (!parts.needsSecondPerson) return true
  const proposer = await proposerOf(parts, proposal)
  return proposer !== null && !isSamePerson(proposer, person, parts.doPeopleSignIn)
}

/** Fields of the proposer that an event states. */
export async function authorOfProposal(
  { database }: Pick<ProposalParts, 'database'>,
  { caller }: Pick<KeyedCall, 'caller'>,
): Promise<Pick<ProposedPolicy, 'accountId' | 'proposedBy' | 'holder' | 'actor' | 'subject'>> {
  const { accountId, keyId, session } = caller
  const person = { actor: session?.actor ?? '', subject: session?.subject ?? '' }
  return { accountId, proposedBy: keyId, holder: await keyHolder(database, keyId), ...person }
}

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
