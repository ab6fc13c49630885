/** The stored keys: what is known of each without its secret. */
import type { Environment, PlanName, Scope } from '@cupel/domain'
import { asFields, asTimes, type Queryable } from '@cupel/postgres'

/** A key without its secret. */
export interface ApiKey {
  readonly keyId: string
  readonly accountId: string
  readonly environment: Environment
  readonly scope: Scope
  readonly plan: PlanName
  readonly name: string
  readonly allowedIps: readonly string[]
  readonly webhookAdmin: boolean
  readonly rotatedFrom: string | null
  readonly issuedAt: string
  readonly expiresAt: string | null
  /** When the key stops or stopped working; in the future for a rotated key. */
  readonly revokedAt: string | null
  /** When a call with the key was last admitted, to the minute; null if none was. */
  readonly lastUsedAt: string | null
}

/** The given keys that are neither revoked nor expired. */
export async function validKeys(
  database: Queryable,
  keyIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ readonly keyId: string }>(
    {
      name: 'access.valid-keys',
      text: `SELECT ${asFields('key_id')} FROM access.api_key WHERE key_id = ANY($1)
               AND (revoked_at IS NULL OR revoked_at > clock_timestamp())
               AND (expires_at IS NULL OR expires_at > clock_timestamp())`,
    },
    [keyIds],
  )
  return new Set(rows.map(({ keyId }) => keyId))
}

/** Keys of one account, or of all, in the order they were issued. */
export async function listKeys(database: Queryable, filter: { accountId?: string } = {}): Promise<ApiKey[]> {
  return await database.query<ApiKey>(
    `SELECT ${KEY_FIELDS} FROM ${KEY_TABLES} WHERE $1::text IS NULL OR account_id = $1 ORDER BY issued_at, key_id`,
    [filter.accountId ?? null],
  )
}

/** A page of the keys of one account and environment, newest first, and the last one of the page if there are more. */
export async function listKeyPage(
  database: Queryable,
  page: {
    accountId: string
    environment: Environment
    after: Pick<ApiKey, 'issuedAt' | 'keyId'> | null
    pageSize: number
  },
): Promise<{ readonly items: readonly ApiKey[]; readonly next: ApiKey | null }> {
  const rows = await database.query<ApiKey>(
    {
      name: 'access.key-page',
      text: `SELECT ${KEY_FIELDS} FROM ${KEY_TABLES} WHERE account_id = $1 AND environment = $2
        AND ($3::timestamptz IS NULL OR (issued_at, key_id) < ($3, $4))
        ORDER BY api_key.issued_at DESC, key_id DESC LIMIT $5`,
    },
    [
      page.accountId,
      page.environment,
      page.after?.issuedAt ?? null,
      page.after?.keyId ?? null,
      page.pageSize + 1,
    ],
  )
  const items = rows.slice(0, page.pageSize)
  return { items, next: rows.length > page.pageSize ? (items.at(-1) ?? null) : null }
}

/** The key with this id; null if there is none. */
export async function findKey(database: Queryable, keyId: string): Promise<ApiKey | null> {
  const [key] = await database.query<ApiKey>(
    { name: 'access.key', text: `SELECT ${KEY_FIELDS} FROM ${KEY_TABLES} WHERE key_id = $1` },
    [keyId],
  )
  return key ?? null
}

/** SHA-256 of the rights of the key: with the hash of its secret, so that nobody guesses an address that it allows. Null for an unknown key. */
export async function keyRightsDigest(database: Queryable, keyId: string): Promise<string | null> {
  const [row] = await database.query<{ readonly digest: string }>(
    {
      name: 'access.key-rights-digest',
      text: `SELECT encode(sha256(key_hash || convert_to(concat_ws(' ', scope, plan, allowed_ips::text,
               webhook_admin::text, extract(epoch FROM expires_at)::text), 'UTF8')), 'hex') AS digest
             FROM access.api_key WHERE key_id = $1`,
    },
    [keyId],
  )
  return row?.digest ?? null
}

export const KEY_TABLES = 'access.api_key LEFT JOIN access.key_usage USING (key_id)'
export const KEY_FIELDS = `${asFields('key_id, account_id, environment, scope, plan, name, webhook_admin, rotated_from')},
  allowed_ips::text[] AS "allowedIps", ${asTimes('issued_at, expires_at, revoked_at, last_used_at')}`
