/** Puts the default policy in force on an installation that never had one. */
import { decidedEventId, topicOf, type DomainEvent } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'

export interface PolicyToActivate {
  readonly policyId: string
  readonly version: number
  /** RFC 8785 JSON. */
  readonly document: string
  /** SHA-256, lowercase hex, of `document`. */
  readonly sha256: string
}

const LOCK = 'cupel.policy'

/**
 * Appends PolicyActivated if the log holds none, and tells whether it did. The log itself is asked, not its projection,
 * which may be behind. Several processes may call it at once; a crash after the append leaves nothing to repair.
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
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [LOCK])
    if (await hasActivation(log, codec)) return false
    const event = activation(policy, options.activatedAt ?? new Date().toISOString())
    await log.append('policy.activate', [
      codec.encode(event, { topic: topicOf('PolicyActivated'), key: policy.policyId }),
    ])
    return true
  })
}

async function hasActivation(log: EventLog, codec: EventCodec): Promise<boolean> {
  const topic = topicOf('PolicyActivated')
  const partitions = await log.partitionCount(topic)
  for (let partition = 0; partition < partitions; partition += 1) {
    const [from, to] = await Promise.all([log.startOffset(topic, partition), log.endOffset(topic, partition)])
    for await (const records of log.read({ topic, partition, from, to })) {
      if (records.some((record) => codec.decodeAs('PolicyActivated', record) !== null)) return true
    }
  }
  return false
}

function activation(policy: PolicyToActivate, activatedAt: string): DomainEvent<'PolicyActivated'> {
  const id = decidedEventId('policy.default', policy.policyId, String(policy.version), policy.sha256)
  return {
    type: 'PolicyActivated',
    data: { ...policy, activatedBy: 'system', reason: 'First start: the default policy.', activatedAt },
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
