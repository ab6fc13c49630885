/** Puts the public keys of the installation into the log, each once. */
import { topicOf, requestedEventId } from '@cupel/contracts'
import { scan, type EventCodec, type EventLog } from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'
import { outboxType, writeOutbox, type OutboxEvent } from '@cupel/projections'
import { parseVerifierKey, verifierKey, type PublicKey, type SigningKeys } from '@cupel/signing'

/** The keys that the log states. */
export async function statedKeys({ log, codec }: StatedKeysDeps): Promise<PublicKey[]> {
  const stated: PublicKey[] = []
  for await (const record of scan(log, [topicOf('SigningKeyPublished')])) {
    const key = parseVerifierKey(codec.decodeAs('SigningKeyPublished', record)?.data.verifierKey ?? '')
    if (key !== null) stated.push(key)
  }
  return stated
}

export interface StatedKeysDeps {
  readonly log: EventLog
  readonly codec: EventCodec
}

/** The keys that the table names: they are in the log, or on their way. A row that was deleted takes no key from the log. */
export async function publishedKeys(database: Queryable): Promise<PublicKey[]> {
  const rows = await database.query<{ line: string }>(
    'SELECT verifier_key AS line FROM transparency.published_key',
  )
  return rows.flatMap(({ line }) => parseVerifierKey(line) ?? [])
}

/** Ids of the keys that were not published yet. */
export async function unpublishedKeys(database: Queryable, { publicKeys }: SigningKeys): Promise<string[]> {
  const published = new Set((await publishedKeys(database)).map(verifierKey))
  return publicKeys.filter((key) => !published.has(verifierKey(key))).map(({ id }) => id)
}

export async function publishKeys(database: Database, { publicKeys }: SigningKeys): Promise<void> {
  for (const key of publicKeys) {
    const line = verifierKey(key)
    await database.transaction({ at: 'transparency.publish-key' }, async (transaction) => {
      const isNew = await transaction.execute(
        'INSERT INTO transparency.published_key (key_id, verifier_key) VALUES ($1, $2) ON CONFLICT DO NOTHING',
        [key.id, line],
      )
      if (isNew === 0) return
      const [id, { id: keyId, name: keyName, createdAt }] = [requestedEventId(), key]
      const event: OutboxEvent<'SigningKeyPublished'> = {
        type: outboxType('SigningKeyPublished'),
        data: { keyName, keyId, verifierKey: line, createdAt },
        envelope: {
          ...{ id, source: 'cupel/transparency', time: new Date().toISOString(), subject: keyId },
          ...{ correlationId: id, causationId: id },
        },
      }
      await writeOutbox(transaction, event, { topic: topicOf('SigningKeyPublished'), key: keyId })
    })
  }
}
