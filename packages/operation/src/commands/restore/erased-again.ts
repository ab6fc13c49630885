/** Keeps erased data erased: a backup of the keys that is older than an erasure must not bring anything back. */
import { topicOf, type EventData } from '@cupel/contracts'
import { type EventCodec, type EventLog, scan, typeOf } from '@cupel/event-log'
import { replayErasure } from '@cupel/personal-data'
import type { Queryable } from '@cupel/postgres'
import { forgetReference, forgetTables } from '@cupel/personal-data/commands'
import type { Notes } from './notes.js'

export const erasedAgain = (count: number): string =>
  `${count} times keys of personal data that were destroyed after the backup are destroyed again.`

type Erasure = EventData['PersonalDataErased']

/**
 * Destroys again every key that the log records as destroyed, from the first record on: the schema of the keys has its own backups, so
 * it may be older than the rest of the database.
 */
export async function eraseAgain({
  transaction,
  log,
  codec,
  notes,
}: {
  readonly transaction: Queryable
  readonly log: EventLog
  readonly codec: EventCodec
  readonly notes: Notes
}): Promise<void> {
  const topic = topicOf('PersonalDataErased')
  for await (const record of scan(log, [topic])) {
    if (typeOf(record) !== 'PersonalDataErased') continue
    const { data } = codec.decodeAs('PersonalDataErased', record)!
    if (!(await replayErasure(transaction, data))) continue
    notes.changed(erasedAgain)
    await forgetErased(transaction, data)
  }
}

/** Removes the plain data of the erasure from the tables, and ends sessions, links and watches. */
export async function forgetErased(
  transaction: Queryable,
  { scope, accountId, keyIds }: Erasure,
): Promise<void> {
  if (accountId === '') return
  if (scope === 'reference')
    for (const keyId of keyIds) await forgetReference(transaction, { accountId, keyId })
  else await forgetTables(transaction, accountId)
}
