/** Applies the log's events of accounts and keys to a database that was restored from a backup. */
import type { EventData } from '@cupel/contracts'
import { parseIpRange } from '@cupel/kit/http-edge'
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

/** Resolves to whether the account had another setting. */
export async function replayAccountChange(
  transaction: Queryable,
  { accountId, asksProviders }: EventData['AccountChanged'],
): Promise<boolean> {
  const changed = await transaction.execute(
    'UPDATE access.account SET asks_providers = $2 WHERE account_id = $1 AND asks_providers <> $2',
    [accountId, asksProviders],
  )
  return changed > 0
}

/** Whether the key exists. A missing key cannot be made again: the log holds no hash of it. */
export async function isKeyKnown(
  transaction: Queryable,
  { keyId }: EventData['ApiKeyIssued'],
): Promise<boolean> {
  return (await transaction.query('SELECT 1 FROM access.api_key WHERE key_id = $1', [keyId])).length > 0
}

/**
 * Changes the key as the log states it. Sealed addresses cannot be read here: a key whose addresses changed is revoked, so that no key is
 * usable from more places than it was.
 */
export async function replayKeyChange(
  transaction: Queryable,
  {
    keyId,
    scope,
    plan,
    name,
    webhookAdmin,
    expiresAt,
    allowedIps,
    areAddressesChanged,
  }: EventData['ApiKeyChanged'],
): Promise<'same' | 'changed' | 'addresses-unknown'> {
  const isSealed = allowedIps.some((range) => parseIpRange(range) === null)
  const isUnreadable = areAddressesChanged && isSealed
  const changed = await transaction.execute(
    `UPDATE access.api_key SET scope = $2, plan = $3, name = $4, webhook_admin = $5, expires_at = $6::timestamptz,
       allowed_ips = coalesce($7::cidr[], allowed_ips), revoked_at = CASE WHEN $8 THEN least(revoked_at, now()) ELSE revoked_at END
     WHERE key_id = $1 AND ($8 OR (scope, plan, name, webhook_admin, expires_at, allowed_ips)
       IS DISTINCT FROM ($2, $3, $4, $5::boolean, $6::timestamptz, coalesce($7::cidr[], allowed_ips)))`,
    [keyId, scope, plan, name, webhookAdmin, expiresAt, isSealed ? null : allowedIps, isUnreadable],
  )
  if (changed === 0) return 'same'
  return isUnreadable ? 'addresses-unknown' : 'changed'
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
