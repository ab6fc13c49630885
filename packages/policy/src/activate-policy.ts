/** Puts a policy in force for an operator. Records the operator and the reason, and rejects a version that had another text before. */
import { requestedEventId, topicOf, type DomainEvent } from '@cupel/contracts'
import { type EventCodec, type EventLog, type Position, requireFront, scan } from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'
import { activationEvent, type PolicyToActivate } from './policy-activation.js'

/** Held during an activation, so that no other one is appended between reading the log and appending to it. */
const LOCK = 'cupel.policy'

export type PolicyActivation =
  /** `position`: the position of the activation in the log. `previous`: the policy in force before. */
  | {
      readonly outcome: 'activated'
      readonly position: Position
      readonly previous: ActivatedPolicy | null
    }
  /** The same policy is already in force: nothing was appended. */
  | { readonly outcome: 'in-force' }
  | {
      readonly outcome: 'refused'
      readonly refusal: 'version-reused' | 'version-not-higher'
      /** One sentence for the operator. */
      readonly message: string
    }

export type ActivatedPolicy = DomainEvent<'PolicyActivated'>['data']

/**
 * Appends PolicyActivated. Versions of a policy id only rise, and a version never has two texts. Both are checked against the
 * log itself, because its projection may be behind. Rejects with LogUnavailableError; a repeated call is then safe.
 */
export async function activatePolicy(options: {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly policy: PolicyToActivate
  readonly activatedBy: string
  readonly reason: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly activatedAt: string
}): Promise<PolicyActivation> {
  const { log, codec, database, policy, activatedBy, reason, activatedAt } = options
  return await database.transaction({ at: 'policy.activate' }, async (transaction) => {
    await lockActivations(transaction)
    const history = await readActivations(log, codec)
    const inForce = history.at(-1) ?? null
    if (inForce !== null && inForce.policyId === policy.policyId && inForce.sha256 === policy.sha256)
      return { outcome: 'in-force' }
    const refusal = refusalOf(policy, history)
    if (refusal !== null) return refusal
    const event = activationEvent({
      policy,
      activatedBy,
      reason,
      activatedAt,
      id: requestedEventId(),
    })
    const [position] = await log.append('policy.activate', [
      codec.encode(event, { topic: topicOf('PolicyActivated'), key: policy.policyId }),
    ])
    return { outcome: 'activated', position: position!, previous: inForce }
  })
}

export async function lockActivations(transaction: Queryable): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [LOCK])
}

/** Every activation in the log, oldest first. Rejects with LogStoppedError if the oldest ones were deleted. */
export async function readActivations(log: EventLog, codec: EventCodec): Promise<ActivatedPolicy[]> {
  const topic = topicOf('PolicyActivated')
  const activations: ActivatedPolicy[] = []
  await requireFront(log, [topic])
  for await (const record of scan(log, [topic])) {
    const event = codec.decodeAs('PolicyActivated', record)
    if (event !== null) activations.push(event.data)
  }
  return activations
}

export function refusalOf(
  { policyId, version, sha256 }: Omit<PolicyToActivate, 'document'>,
  history: readonly ActivatedPolicy[],
): Extract<PolicyActivation, { readonly outcome: 'refused' }> | null {
  const own = history.filter((known) => known.policyId === policyId)
  const reused = own.find((known) => known.version === version && known.sha256 !== sha256)
  if (reused !== undefined) {
    return {
      outcome: 'refused',
      refusal: 'version-reused',
      message: `${policyId} ${version} was activated on ${reused.activatedAt.slice(0, 10)} with another text (${reused.sha256.slice(0, 12)}): a version never has two texts. Give this one a higher version.`,
    }
  }
  const newest = Math.max(0, ...own.map((known) => known.version))
  if (version > newest) return null
  return {
    outcome: 'refused',
    refusal: 'version-not-higher',
    message: `${policyId} has been at version ${newest}: versions only rise. To return to an earlier text, activate it as version ${newest + 1}.`,
  }
}
