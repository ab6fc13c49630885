/** Puts the default policy in force in an installation that never had a policy. */
import { decidedEventId } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { appendActivation, lockActivations, readActivations } from './activate-policy.js'
import type { PolicyToActivate } from './policy-activation.js'

/**
 * Appends PolicyActivated if the log contains none, and resolves to whether it did. Reads the log itself, because its
 * projection may be behind. Several processes may call it at once; a crash after the append leaves nothing to repair.
 * Rejects with LogUnavailableError.
 */
export async function ensureDefaultPolicy(options: {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly policy: PolicyToActivate
  /** UTC, RFC 3339 with milliseconds. */
  readonly activatedAt?: string
}): Promise<boolean> {
  const { log, codec, database, policy } = options
  return await database.transaction({ at: 'policy.activate' }, async (transaction) => {
    await lockActivations(transaction)
    if ((await readActivations(log, codec)).length > 0) return false
    const by = { activatedBy: 'system', reason: 'First start: the default policy.' }
    await appendActivation(
      { log, codec, policy, ...by, activatedAt: options.activatedAt ?? new Date().toISOString() },
      decidedEventId('policy.default', policy.policyId, String(policy.version), policy.sha256),
    )
    return true
  })
}
