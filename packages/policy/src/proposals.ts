/** Proposals of policies: one person proposes a policy, and it is put in force later, where the installation asks for it by another person. */
import { randomBytes } from 'node:crypto'
import { requestedEventId, topicOf, type EventData } from '@cupel/contracts'
import { type EventCodec, type EventLog, requireFront, scan } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { lockActivations, refusalOf, type ActivatedPolicy } from './activate-policy.js'
import { checkPolicyText } from './check-policy.js'
import { activationEvent, type PolicyToActivate } from './policy-activation.js'

export type ProposedPolicy = EventData['PolicyProposed']

/** What the log states, oldest first. */
export interface PolicyHistory {
  readonly activations: readonly ActivatedPolicy[]
  readonly proposals: readonly ProposedPolicy[]
}

/**
 * `open`: it can be put in force. `in_force`, `past`: it is, or was. `replaced`: a later proposal took its place. `outdated`: another policy came
 * into force since, so it changes something else than it said. `expired`: nobody put it in force for so long.
 */
export type ProposalStatus = 'open' | 'in_force' | 'past' | 'replaced' | 'outdated' | 'expired'

export const PROPOSAL_DAYS = 14
/** More in 24 hours are refused, so that the log cannot be filled. */
export const MAX_PROPOSALS_A_DAY = 50
const DAY_MS = 24 * 3_600_000
const ID_BYTES = 10

interface PolicyLog {
  readonly log: EventLog
  readonly codec: EventCodec
}

/** Rejects with LogStoppedError if the oldest records were deleted. */
export async function readPolicyHistory({ log, codec }: PolicyLog): Promise<PolicyHistory> {
  const topic = topicOf('PolicyActivated')
  const activations: ActivatedPolicy[] = []
  const proposals = new Map<string, ProposedPolicy>()
  await requireFront(log, [topic])
  for await (const record of scan(log, [topic])) {
    const activation = codec.decodeAs('PolicyActivated', record)
    if (activation !== null) activations.push(activation.data)
    const proposal = codec.decodeAs('PolicyProposed', record)
    // A repeated record is no further proposal.
    if (proposal !== null && !proposals.has(proposal.data.proposalId))
      proposals.set(proposal.data.proposalId, proposal.data)
  }
  return { activations, proposals: [...proposals.values()] }
}

export function proposalStatus(
  proposal: ProposedPolicy,
  { activations, proposals }: PolicyHistory,
  now: Date,
): ProposalStatus {
  const inForce = activations.at(-1)
  if (inForce !== undefined && isSame(inForce, proposal)) return 'in_force'
  if (activations.some((one) => isSame(one, proposal))) return 'past'
  if ((inForce?.sha256 ?? '') !== proposal.basedOn) return 'outdated'
  if (proposals.at(-1)?.proposalId !== proposal.proposalId) return 'replaced'
  return now.getTime() < expiryOf(proposal).getTime() ? 'open' : 'expired'
}

export const expiryOf = ({ proposedAt }: Pick<ProposedPolicy, 'proposedAt'>): Date =>
  new Date(Date.parse(proposedAt) + PROPOSAL_DAYS * DAY_MS)

const isSame = (one: PolicyToActivate, other: PolicyToActivate): boolean =>
  one.policyId === other.policyId && one.version === other.version && one.sha256 === other.sha256

export type Proposing =
  | { readonly outcome: 'proposed'; readonly proposal: ProposedPolicy; readonly history: PolicyHistory }
  /** One sentence for whoever proposed it. */
  | { readonly outcome: 'refused'; readonly message: string }

/** Appends PolicyProposed, under the rules of an activation. Rejects with LogUnavailableError; a repeated call makes another proposal. */
export async function proposePolicy(
  { log, codec, database, now }: PolicyLog & { readonly database: Database; readonly now: Date },
  order: PolicyToActivate &
    Pick<ProposedPolicy, 'accountId' | 'reason' | 'proposedBy' | 'holder' | 'actor' | 'subject'>,
): Promise<Proposing> {
  return await database.transaction({ at: 'policy.propose' }, async (transaction) => {
    await lockActivations(transaction)
    const history = await readPolicyHistory({ log, codec })
    const inForce = history.activations.at(-1)
    if (inForce !== undefined && isSame(inForce, order))
      return { outcome: 'refused', message: 'This policy is in force already.' }
    const refusal = refusalOf(order, history.activations)
    if (refusal !== null) return { outcome: 'refused', message: refusal.message }
    if (history.proposals.filter((one) => isOfToday(one, now)).length >= MAX_PROPOSALS_A_DAY)
      return { outcome: 'refused', message: `There were ${MAX_PROPOSALS_A_DAY} proposals in 24 hours; wait.` }
    const proposal: ProposedPolicy = {
      ...order,
      proposalId: `pol_${randomBytes(ID_BYTES).toString('hex')}`,
      basedOn: inForce?.sha256 ?? '',
      proposedAt: now.toISOString(),
    }
    const id = requestedEventId()
    await log.append('policy.propose', [
      codec.encode(
        {
          type: 'PolicyProposed',
          data: proposal,
          envelope: {
            ...{ id, source: 'cupel/policy', time: proposal.proposedAt, subject: proposal.policyId },
            ...{ correlationId: id, causationId: id },
          },
        },
        { topic: topicOf('PolicyProposed'), key: proposal.policyId },
      ),
    ])
    return {
      outcome: 'proposed',
      proposal,
      history: { ...history, proposals: [...history.proposals, proposal] },
    }
  })
}

const isOfToday = ({ proposedAt }: ProposedPolicy, now: Date): boolean =>
  Date.parse(proposedAt) > now.getTime() - DAY_MS

export type ProposalActivation =
  | {
      readonly outcome: 'activated' | 'in-force'
      readonly proposal: ProposedPolicy
      readonly history: PolicyHistory
    }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'refused'; readonly message: string }

/**
 * Appends PolicyActivated for an open proposal. Who may do it is for the caller to judge: a proposal never changes. Rejects with
 * LogUnavailableError; a repeated call is then safe.
 */
export async function activateProposal(
  { log, codec, database, now }: PolicyLog & { readonly database: Database; readonly now: Date },
  { proposalId, activatedBy }: { readonly proposalId: string; readonly activatedBy: string },
): Promise<ProposalActivation> {
  return await database.transaction({ at: 'policy.activate' }, async (transaction) => {
    await lockActivations(transaction)
    const history = await readPolicyHistory({ log, codec })
    const proposal = history.proposals.find((one) => one.proposalId === proposalId)
    if (proposal === undefined) return { outcome: 'unknown' }
    const status = proposalStatus(proposal, history, now)
    if (status === 'in_force') return { outcome: 'in-force', proposal, history }
    if (status !== 'open') return { outcome: 'refused', message: why[status] }
    // The rules may have become stricter since, with another release.
    if (checkPolicyText(proposal.document).policy?.sha256 !== proposal.sha256)
      return { outcome: 'refused', message: 'The policy is not valid any more; propose another one.' }
    const refusal = refusalOf(proposal, history.activations)
    if (refusal !== null) return { outcome: 'refused', message: refusal.message }
    const { policyId, version, document, sha256 } = proposal
    const event = activationEvent({
      policy: { policyId, version, document, sha256 },
      activatedBy,
      reason: `Proposal ${proposalId} of key ${proposal.proposedBy}.`,
      activatedAt: now.toISOString(),
      id: requestedEventId(),
    })
    await log.append('policy.activate', [
      codec.encode(event, { topic: topicOf('PolicyActivated'), key: policyId }),
    ])
    return {
      outcome: 'activated',
      proposal,
      history: { ...history, activations: [...history.activations, event.data] },
    }
  })
}

const why: Readonly<Record<Exclude<ProposalStatus, 'open' | 'in_force'>, string>> = {
  past: 'The policy was in force, and another one is now.',
  replaced: 'A later proposal took the place of this one.',
  outdated:
    'Another policy came into force since, so it would change something else than it said; propose it again.',
  expired: `Nobody put it in force within ${PROPOSAL_DAYS} days; propose it again.`,
}
