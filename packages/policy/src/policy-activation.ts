/** The event that puts a policy in force. */
import type { DomainEvent } from '@cupel/contracts'

export interface PolicyToActivate {
  readonly policyId: string
  readonly version: number
  /** RFC 8785 JSON. */
  readonly document: string
  /** SHA-256, lowercase hex, of `document`. */
  readonly sha256: string
}

export function activationEvent({
  policy,
  activatedBy,
  reason,
  activatedAt,
  id,
}: {
  readonly policy: PolicyToActivate
  readonly activatedBy: string
  readonly reason: string
  readonly activatedAt: string
  readonly id: string
}): DomainEvent<'PolicyActivated'> {
  return {
    type: 'PolicyActivated',
    data: { ...policy, activatedBy, reason, activatedAt },
    envelope: {
      id,
      source: 'cupel/policy',
      time: activatedAt,
      subject: policy.policyId,
      correlationId: id,
      causationId: id,
    },
  }
}
