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
  | ActivationRefused

export interface ActivationRefused {
  readonly outcome: 'refused'
  readonly refusal: 'version-reused' | 'version-not-higher' | 'outdated'
  /** One sentence for the operator. */
  readonly message: string
}

export type ActivatedPolicy = DomainEvent<'PolicyActivated'>['data'] & { readonly eventId: string }

export interface PolicyLog {
  readonly log: EventLog
  readonly codec: EventCodec
}

interface Activation {
  readonly policy: PolicyToActivate
  readonly activatedBy: string
  readonly reason: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly activatedAt: string
}

/**
 * Appends PolicyActivated. Versions of a policy id only rise, and a version never has two texts. Both are checked against the
 * log itself, because its projection may be behind. Rejects with LogUnavailableError; a repeated call is then safe.
 */
export async function activatePolicy(
  options: PolicyLog & Activation & { readonly database: Database },
): Promise<PolicyActivation> {
  return await options.database.transaction({ at: 'policy.activate' }, async (transaction) => {
    const judged = await judgeActivation(transaction, options)
    if (judged.outcome === 'made') throw new TypeError('An activation of an operator has a new event')
    if (judged.outcome !== 'allowed') return judged
    return { outcome: 'activated', position: await appendActivation(options), previous: judged.previous }
  })
}

interface Judged {
  readonly policy: PolicyToActivate
  /** The SHA-256 of the policy that it replaces, empty for none; absent for any. */
  readonly basedOn?: string
  /** Of an activation that may be in the log already, from an attempt whose commit failed. */
  readonly eventId?: string | null
}

/** What an activation would meet; other ones wait until the transaction ends. `made`: it is in the log, whatever came after it. */
export async function judgeActivation(
  transaction: Queryable,
  { log, codec, policy, basedOn, eventId }: PolicyLog & Judged,
): Promise<
  | { readonly outcome: 'allowed'; readonly previous: ActivatedPolicy | null }
  | { readonly outcome: 'made' }
  | Exclude<PolicyActivation, { readonly outcome: 'activated' }>
> {
  await lockActivations(transaction)
  const history = await readActivations(log, codec)
  if (history.some((known) => known.eventId === eventId)) return { outcome: 'made' }
  const inForce = history.at(-1) ?? null
  if (inForce !== null && inForce.policyId === policy.policyId && inForce.sha256 === policy.sha256)
    return { outcome: 'in-force' }
  if (basedOn !== undefined && basedOn !== (inForce?.sha256 ?? ''))
    return {
      outcome: 'refused',
      refusal: 'outdated',
      message:
        'Another policy came into force since, so it would change something else than it said; propose it again.',
    }
  return refusalOf(policy, history) ?? { outcome: 'allowed', previous: inForce }
}

export async function lockActivations(transaction: Queryable): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [LOCK])
}

/** In a transaction that holds back other activations. */
export async function appendActivation(
  { log, codec, policy, activatedBy, reason, activatedAt }: PolicyLog & Activation,
  id: string = requestedEventId(),
): Promise<Position> {
  const event = activationEvent({ policy, activatedBy, reason, activatedAt, id })
  const target = { topic: topicOf('PolicyActivated'), key: policy.policyId }
  const [position] = await log.append('policy.activate', [codec.encode(event, target)])
  return position!
}

/** Every activation in the log, oldest first, a repeated one once. Rejects with LogStoppedError if the oldest ones were deleted. */
export async function readActivations(log: EventLog, codec: EventCodec): Promise<ActivatedPolicy[]> {
  const topic = topicOf('PolicyActivated')
  const activations = new Map<string, ActivatedPolicy>()
  await requireFront(log, [topic])
  for await (const record of scan(log, [topic])) {
    const event = codec.decodeAs('PolicyActivated', record)
    if (event === null) continue
    const { id: eventId } = event.envelope
    if (!activations.has(eventId)) activations.set(eventId, { ...event.data, eventId })
  }
  return [...activations.values()]
}

function refusalOf(
  { policyId, version, sha256 }: Omit<PolicyToActivate, 'document'>,
  history: readonly ActivatedPolicy[],
): ActivationRefused | null {
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
