/**
 * Policies that are in the log without a confirmed proposal. An append that was given up may still come into the log: then a policy is in
 * force that somebody refused.
 */
import { decidedEventId, type DomainEvent, type EventData } from '@cupel/contracts'
import type { Columns } from '@cupel/projections'
import { problemOfRow, type Problem } from '../../../proofs/index.js'

/** The API settles proposals of earlier policies each hour. */
const MAX_UNSETTLED_MS = 2 * 3_600_000
/** A key put it in force, by a proposal; an operator of the command line needs none. */
const BY_KEY = 'key '

/** `changes`: what the log states of proposals at last, by their ids. */
export function unconfirmedPolicies(
  activations: readonly DomainEvent<'PolicyActivated'>[],
  changes: ReadonlyMap<string, Columns | null>,
): Problem[] {
  const proposals = new Map(
    [...changes].map(([changeId, change]) => [activationIdOf(changeId, change), changeId]),
  )
  return activations.flatMap(({ data, envelope }) => {
    if (!data.activatedBy.startsWith(BY_KEY)) return []
    const changeId = proposals.get(envelope.id)
    if (changeId === undefined) return [problemWith(data, null, 'which no proposal states')]
    const decision = changes.get(changeId)?.['decision'] ?? null
    if (decision === 'confirm') return []
    if (decision !== null) return [problemWith(data, changeId, 'whose proposal was refused')]
    if (Date.now() - Date.parse(data.activatedAt) <= MAX_UNSETTLED_MS) return []
    return [problemWith(data, changeId, 'whose proposal nobody confirmed')]
  })
}

const activationIdOf = (changeId: string, change: Columns | null): string =>
  decidedEventId('policy.proposal', `${changeId} of key ${String(change?.['proposed_by'])}`)

function problemWith(
  { policyId, version, activatedAt: since }: EventData['PolicyActivated'],
  changeId: string | null,
  why: string,
): Problem {
  const row = changeId === null ? 'access.proposed_change' : `access.proposed_change change_id=${changeId}`
  return problemOfRow(
    'table',
    { row, since },
    `The log puts the policy ${policyId} ${version} in force, ${why}: the log took an append that the API had given up, or somebody wrote it. Put the right policy in force (cupel policy activate).`,
  )
}
