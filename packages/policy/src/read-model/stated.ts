/** What the log states about policies. A row of the view can be altered without the log; the log cannot without its keys. */
import { createHash } from 'node:crypto'
import { topicOf } from '@cupel/contracts'
import { type EventCodec, type EventLog, scan, UndecodableRecordError } from '@cupel/event-log'
import type { ActivePolicy } from './queries.js'

export interface StatedPolicy extends ActivePolicy {
  readonly offset: number
}

/** The activations in the log, oldest first, numbered as the view numbers them. */
export async function readStatedPolicies(
  log: Pick<EventLog, 'partitionCount' | 'startOffset' | 'endOffset' | 'read'>,
  codec: EventCodec,
): Promise<readonly StatedPolicy[]> {
  const stated = new Map<string, StatedPolicy>()
  for await (const record of scan(log, [topicOf('PolicyActivated')])) {
    const event = readable(() => codec.decodeAs('PolicyActivated', record))
    if (event === null || stated.has(event.envelope.id)) continue
    const { policyId, version, document, sha256, activatedBy, reason, activatedAt } = event.data
    stated.set(event.envelope.id, {
      ...{
        policySeq: stated.size + 1,
        policyId,
        version,
        document,
        sha256,
        activatedBy,
        reason,
        activatedAt,
      },
      offset: record.offset,
    })
  }
  return [...stated.values()]
}

/** The projector skips an undecodable record as well, and so it has no number. */
function readable<T>(decode: () => T): T | null {
  try {
    return decode()
  } catch (error) {
    if (error instanceof UndecodableRecordError) return null
    throw error
  }
}

/** Why a row of the view must not decide, as a sentence; null if the log states it with each of its fields. */
export function contradictionOf(row: ActivePolicy, stated: readonly StatedPolicy[]): string | null {
  const { policySeq, policyId, version, document, sha256 } = row
  const named = `policy-view has ${policyId} ${version} as activation ${policySeq}`
  const event = stated[policySeq - 1]
  if (event === undefined) return `${named}, which no event of the log states.`
  const changed = fields.filter((field) => row[field] !== event[field])
  if (changed.length > 0) return `${named} with another ${changed.join(', ')} than the log.`
  const hash = createHash('sha256').update(document).digest('hex')
  return hash === sha256 ? null : `${named}, and its text does not have the hash of its event.`
}

const fields = [
  'policyId',
  'version',
  'document',
  'sha256',
  'activatedBy',
  'reason',
  'activatedAt',
] as const satisfies readonly (keyof ActivePolicy)[]
