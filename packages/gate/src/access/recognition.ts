/**
 * Tells whether this installation issued the key or session token of a call, so that the server does not read a stranger's body. It admits
 * no call: the gate also judges every call and asks the store about its key each time.
 */
import { createBatcher } from '@cupel/kit/concurrency'
import type { Database } from '@cupel/postgres'
import type { Bearer } from './bearer.js'

type IssuedKey = Pick<Extract<Bearer, { kind: 'key' }>, 'keyId' | 'keyHash'>

export interface Recognition {
  /** Rejects if the store does not answer. */
  recognises(key: IssuedKey): Promise<boolean>
  close(): Promise<void>
}

/** A key counts as known for this long without another query. */
const KNOWN_FOR_MS = 10_000
const MAX_KNOWN = 10_000
const MAX_BATCH = 256
const MAX_IN_FLIGHT = 2
const MAX_WAITING = 4_096
const ANSWER_TIMEOUT_MS = 2_000

export function createRecognition(database: Database): Recognition {
  /** Maps the hash of a key to the clock reading until which it counts as known; the oldest first. */
  const known = new Map<string, number>()
  const batcher = createBatcher({
    run: (keys: readonly IssuedKey[]) => usableKeys(database, keys),
    maxBatchItems: MAX_BATCH,
    maxConcurrentBatches: MAX_IN_FLIGHT,
    maxWaitingItems: MAX_WAITING,
    timeoutMs: ANSWER_TIMEOUT_MS,
  })
  const remember = (hash: string): void => {
    const [oldest] = known.keys()
    if (known.size >= MAX_KNOWN && oldest !== undefined) known.delete(oldest)
    known.delete(hash)
    known.set(hash, performance.now() + KNOWN_FOR_MS)
  }
  return {
    async recognises({ keyId, keyHash }) {
      const hash = keyHash.toString('hex')
      if ((known.get(hash) ?? 0) > performance.now()) return true
      const isUsable = await batcher.add({ keyId, keyHash })
      if (isUsable) remember(hash)
      return isUsable
    },
    close: () => batcher.close(),
  }
}

async function usableKeys(database: Database, keys: readonly IssuedKey[]): Promise<readonly boolean[]> {
  const rows = await database.query<{ hash: string }>(USABLE_KEYS, [
    keys.map(({ keyId }) => keyId),
    keys.map(({ keyHash }) => keyHash),
  ])
  const usable = new Set(rows.map(({ hash }) => hash))
  return keys.map(({ keyHash }) => usable.has(keyHash.toString('hex')))
}

const USABLE_KEYS = {
  name: 'access.usable_keys',
  text: `SELECT encode(key.key_hash, 'hex') AS hash
         FROM unnest($1::text[], $2::bytea[]) AS asked (key_id, key_hash)
         JOIN access.api_key AS key ON key.key_id = asked.key_id AND key.key_hash = asked.key_hash
         WHERE (key.revoked_at IS NULL OR key.revoked_at > clock_timestamp())
           AND (key.expires_at IS NULL OR key.expires_at > clock_timestamp())`,
}
