/** Applies the log's events of accounts and keys to a database that was restored from a backup. */
import type { EventData } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'

/** Creates the account if it is missing; resolves to whether it was. */
export async function replayAccount(
  transaction: Queryable,
  { accountId, name, createdAt, createdBy }: EventData['AccountCreated'],
): Promise<boolean> {
  const created = await transaction.execute(
    `INSERT INTO access.account (account_id, name, created_at, created_by) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
    [accountId, name, createdAt, createdBy],
  )
  return created > 0
}

/** Whether the key exists. A missing key cannot be made again: the log holds no hash of it. */
export async function isKeyKnown(
  transaction: Queryable,
  { keyId }: EventData['ApiKeyIssued'],
): Promise<boolean> {
  return (await transaction.query('SELECT 1 FROM access.api_key WHERE key_id = $1', [keyId])).length > 0
}

/** Revokes the key if the database holds it as valid, or as valid for longer; resolves to whether it did. */
export async function replayRevocation(
  transaction: Queryable,
  { keyId, revokedAt }: EventData['ApiKeyRevoked'],
): Promise<boolean> {
  const revoked = await transaction.execute(
    'UPDATE access.api_key SET revoked_at = $2 WHERE key_id = $1 AND (revoked_at IS NULL OR revoked_at > $2)',
    [keyId, revokedAt],
  )
  return revoked > 0
}

/** Ends every session: the log does not record which ones ended after a backup. Resolves to how many there were. */
export async function endEverySession(transaction: Queryable): Promise<number> {
  return await transaction.execute('DELETE FROM access.session')
}
