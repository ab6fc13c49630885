/** Records in the log that a key of reports no longer signs: a later signature with it is not this installation's. */
import { requestedEventId, topicOf, type DomainEvent } from '@cupel/contracts'
import type { EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { writeOutbox } from '@cupel/projections'
import { SigningKeysError, type SigningKeys } from '@cupel/signing'
import { reportEnds } from './signatures-required.js'

export interface RetireKeyOptions {
  readonly database: Database
  readonly log: EventLog
  readonly keys: SigningKeys
  readonly keyId: string
  readonly by: string
  readonly reason: string
}

/**
 * From the current ends of the partitions on, no report counts as signed by the key. Throws SigningKeysError if the key is in use or
 * unknown.
 */
export async function retireReportKey(options: RetireKeyOptions): Promise<void> {
  const { database, log, keys, keyId, by, reason } = options
  const key = keys.publicKeys.find(({ id }) => id === keyId)
  if (key === undefined) throw new SigningKeysError(`The file of the keys of reports does not hold ${keyId}.`)
  if (key.id === keys.signer.key.id)
    throw new SigningKeysError(
      `${keyId} signs reports: make another key (cupel log rotate-signing-key --of reports), restart the scorers, then retire this one.`,
    )
  const [id, retiredAt, ends] = [requestedEventId(), new Date().toISOString(), await reportEnds(log)]
  const event: DomainEvent<'SigningKeyRetired'> = {
    type: 'SigningKeyRetired',
    data: { ...{ keyName: key.name, keyId, ends, retiredAt, retiredBy: by, reason } },
    envelope: {
      ...{ id, source: 'cupel/checkpoints', time: retiredAt, subject: keyId },
      ...{ correlationId: id, causationId: id },
    },
  }
  await database.transaction({ at: 'checkpoints.retire-key' }, async (transaction) => {
    await writeOutbox(transaction, event, { topic: topicOf('SigningKeyRetired'), key: keyId })
  })
}
