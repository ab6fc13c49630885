/** API keys: issued, listed, rotated and revoked by an operator. A key is shown once; only its hash is kept. */
import { isPlanName, type Environment, type PlanName, type Scope } from '@cupel/domain'
import { asFields, asTimes, type Database, type Queryable } from '@cupel/postgres'
import { sealFor, type Sealing } from './sealing.js'
import { checkedName, checkedReason, writeAccessEvent } from './accounts.js'
import { newApiKey } from './api-key.js'
import { parseIpRange } from '@cupel/http-edge'
import { outboxType } from '@cupel/projections'

export interface KeyOrder {
  readonly accountId: string
  readonly environment: Environment
  readonly scope: Scope
  readonly plan: PlanName
  readonly name?: string
  /** CIDR ranges or addresses; empty: usable from anywhere. */
  readonly allowedIps?: readonly string[]
  /** UTC, RFC 3339. */
  readonly expiresAt?: string | null
  /** Whether the key may change webhook endpoints; true unless said otherwise. */
  readonly webhookAdmin?: boolean
  /** Who issues it, for the audit log. */
  readonly by: string
  /** Why, for the audit log. */
  readonly reason?: string
  readonly sealing?: Sealing | undefined
}

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

export interface IssuedKey extends ApiKey {
  /** The key itself; it is shown only here. */
  readonly key: string
}

/** An operator's command names something unknown or invalid; the message is for the operator. */
export class AccessRefusal extends Error {
  override readonly name = 'AccessRefusal'
  readonly code: 'unknown_account' | 'unknown_key' | 'key_revoked' | 'invalid'
  constructor(code: AccessRefusal['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Default time for which a rotated key works beside its successor. */
export const ROTATION_OVERLAP_MS = 24 * 3_600_000

/** Issues a key. Throws AccessRefusal for an unknown account or invalid settings. */
export async function issueKey(database: Database, order: KeyOrder): Promise<IssuedKey> {
  return await database.transaction({ at: 'access.change' }, (transaction) =>
    insertKey(transaction, order, null),
  )
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

/** Revokes a key at once, everywhere. A second call, or a call during the overlap of a rotation, is not an error. */
export async function revokeKey(
  database: Database,
  order: { keyId: string; by: string; reason: string; sealing?: Sealing },
): Promise<ApiKey> {
  return await database.transaction({ at: 'access.change' }, async (transaction) => {
    const { key, now } = await lockKey(transaction, order.keyId)
    if (key.revokedAt !== null && key.revokedAt <= now.toISOString()) return key
    return await endKey(transaction, key, { ...order, at: now })
  })
}

/** Issues a successor with the same rights; the old key works for `overlapMs` longer, so that no caller is locked out. */
export async function rotateKey(
  database: Database,
  order: { keyId: string; by: string; reason?: string; overlapMs?: number; sealing?: Sealing },
): Promise<IssuedKey> {
  return await database.transaction({ at: 'access.change' }, async (transaction) => {
    const { key: old, now } = await lockKey(transaction, order.keyId)
    if (old.revokedAt !== null)
      throw new AccessRefusal('key_revoked', `Key ${old.keyId} was revoked or rotated already`)
    const successor = await insertKey(
      transaction,
      { ...old, by: order.by, reason: order.reason ?? '', sealing: order.sealing },
      old.keyId,
    )
    const at = new Date(now.getTime() + (order.overlapMs ?? ROTATION_OVERLAP_MS))
    const why = checkedReason(order.reason ?? '')
    const reason = `rotated, replaced by ${successor.keyId}${why === '' ? '' : `: ${why}`}`
    await endKey(transaction, old, { by: order.by, reason, at, sealing: order.sealing })
    return successor
  })
}

/** Keys of one account, or of all, in the order they were issued. */
export async function listKeys(database: Queryable, filter: { accountId?: string } = {}): Promise<ApiKey[]> {
  return await database.query<ApiKey>(
    `SELECT ${KEY_FIELDS} FROM ${KEY_TABLES} WHERE $1::text IS NULL OR account_id = $1 ORDER BY issued_at, key_id`,
    [filter.accountId ?? null],
  )
}

async function insertKey(
  transaction: Queryable,
  order: KeyOrder,
  rotatedFrom: string | null,
): Promise<IssuedKey> {
  const [account] = await transaction.query('SELECT 1 FROM access.account WHERE account_id = $1', [
    order.accountId,
  ])
  if (account === undefined)
    throw new AccessRefusal('unknown_account', `There is no account ${order.accountId}`)
  if (!isPlanName(order.plan)) throw new AccessRefusal('invalid', `There is no plan ${String(order.plan)}`)
  const { keyId, key, keyHash } = newApiKey(order.environment)
  const seal = await sealFor(order.sealing, order.accountId)
  const told = {
    ...{
      keyId,
      accountId: order.accountId,
      environment: order.environment,
      scope: order.scope,
      plan: order.plan,
    },
    // The name of a rotated key is already sealed in the store.
    name: rotatedFrom === null ? seal(nameOf(order.name)) : (order.name ?? ''),
    allowedIps: rangesOf(order.allowedIps ?? []),
    webhookAdmin: order.webhookAdmin ?? true,
    rotatedFrom,
    issuedAt: new Date().toISOString(),
    expiresAt: expiryOf(order.expiresAt ?? null),
  }
  await transaction.execute(
    `INSERT INTO access.api_key (key_id, account_id, environment, key_hash, scope, plan, name, allowed_ips, webhook_admin,
       rotated_from, issued_at, issued_by, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8::cidr[], $9, $10, $11, $12, $13)`,
    [
      ...[
        keyId,
        told.accountId,
        told.environment,
        keyHash,
        told.scope,
        told.plan,
        told.name,
        told.allowedIps,
      ],
      ...[told.webhookAdmin, rotatedFrom, told.issuedAt, seal(order.by), told.expiresAt],
    ],
  )
  const reason = seal(checkedReason(order.reason ?? ''))
  const allowedIps = told.allowedIps.map(seal)
  await writeAccessEvent(transaction, outboxType('ApiKeyIssued'), {
    ...told,
    ...{ allowedIps, issuedBy: seal(order.by), reason },
  })
  return { ...told, key, revokedAt: null, lastUsedAt: null }
}

async function endKey(
  transaction: Queryable,
  key: ApiKey,
  end: { at: Date; by: string; reason: string; sealing?: Sealing | undefined },
): Promise<ApiKey> {
  const revokedAt = end.at.toISOString()
  const seal = await sealFor(end.sealing, key.accountId)
  await transaction.execute('UPDATE access.api_key SET revoked_at = $2 WHERE key_id = $1', [
    key.keyId,
    revokedAt,
  ])
  await writeAccessEvent(transaction, outboxType('ApiKeyRevoked'), {
    keyId: key.keyId,
    accountId: key.accountId,
    revokedAt,
    revokedBy: seal(end.by),
    reason: seal(end.reason),
  })
  return { ...key, revokedAt }
}

/**
 * Reads a key and locks its row, so that two changes of one key have one order, in the log too. `now` is the database's clock: the gate
 * uses it, and the operator's clock may be ahead.
 */
async function lockKey(transaction: Queryable, keyId: string): Promise<{ key: ApiKey; now: Date }> {
  const [row] = await transaction.query<ApiKey & { now: Date }>(
    `SELECT ${KEY_FIELDS}, clock_timestamp() AS now FROM ${KEY_TABLES}
     WHERE key_id = $1 FOR UPDATE OF api_key`,
    [keyId],
  )
  if (row === undefined) throw new AccessRefusal('unknown_key', `There is no key ${keyId}`)
  const { now, ...key } = row
  return { key, now }
}

function nameOf(name: string | undefined): string {
  return name === undefined || name === '' ? '' : checkedName(name)
}

function rangesOf(texts: readonly string[]): string[] {
  return texts.map((text) => {
    const range = parseIpRange(text)
    if (range === null) throw new AccessRefusal('invalid', `${text} is not an IP address or CIDR range`)
    return range.cidr
  })
}

function expiryOf(text: string | null): string | null {
  if (text === null) return null
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw new AccessRefusal('invalid', `${text} is not a date`)
  return at.toISOString()
}

const KEY_TABLES = 'access.api_key LEFT JOIN access.key_usage USING (key_id)'
const KEY_FIELDS = `${asFields('key_id, account_id, environment, scope, plan, name, webhook_admin, rotated_from')},
  allowed_ips::text[] AS "allowedIps", ${asTimes('issued_at, expires_at, revoked_at, last_used_at')}`
