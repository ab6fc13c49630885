/** API keys: issued, listed, rotated and revoked by an operator. A key is shown once; only its hash is kept. */
import { isPlanName, type Environment, type PlanName, type Scope } from '@cupel/domain'
import { type Database, type Queryable } from '@cupel/postgres'
import { sealFor, type Sealing } from './sealing.js'
import { checkedName, checkedReason, writeAccessEvent } from './accounts.js'
import { newApiKey } from './api-key.js'
import { KEY_FIELDS, KEY_TABLES, keyRightsDigest, type ApiKey } from './key-rows.js'
import { beyond, excessOf, type KeyRights } from './key-rights.js'
import { parseIpRange } from '@cupel/kit/http-edge'
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
  readonly acting?: ActingKey
}

/** The key that orders a change; absent for an operator at a shell. It gives no right that it lacks, and neither changes nor ends itself. */
export type ActingKey = string | undefined

/** What becomes different about a key; what is absent stays. */
export type KeyChange = Partial<
  Pick<ApiKey, 'scope' | 'plan' | 'name' | 'allowedIps' | 'webhookAdmin' | 'expiresAt'>
>

export interface IssuedKey extends ApiKey {
  /** The key itself; it is shown only here. */
  readonly key: string
}

/** An operator's command names something unknown or invalid; the message is for the operator. */
export class AccessRefusal extends Error {
  override readonly name = 'AccessRefusal'
  readonly code:
    | 'unknown_account'
    | 'unknown_key'
    | 'key_revoked'
    | 'invalid'
    | 'own_key'
    | 'beyond_rights'
    | 'rights_changed'
  constructor(code: AccessRefusal['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Keys of an account and environment that work, if its admins issue them: each has a bucket of calls. */
export const MAX_WORKING_KEYS = 100
/** Keys that its admins issue in 30 days, ended ones too: some reads list all of them. */
export const MAX_ISSUED_KEYS = 1_000

/** Default time for which a rotated key works beside its successor. */
export const ROTATION_OVERLAP_MS = 24 * 3_600_000

const AT = { at: 'access.change' } as const

/** Issues a key. Throws AccessRefusal for an unknown account, invalid settings or rights that the acting key lacks. */
export const issueKey = (database: Database, order: KeyOrder): Promise<IssuedKey> =>
  database.transaction(AT, (transaction) => issueKeyIn(transaction, order))

/** Issues a key in a transaction that has begun. */
export async function issueKeyIn(transaction: Queryable, order: KeyOrder): Promise<IssuedKey> {
  const { allowedIps = [], webhookAdmin = true, expiresAt = null } = order
  await requireRights(transaction, order.acting, { ...order, allowedIps, webhookAdmin, expiresAt })
  await requireRoom(transaction, order.acting, order)
  return await insertKey(transaction, order, null)
}

interface ChangeOrder {
  readonly keyId: string
  readonly change: KeyChange
  readonly by: string
  readonly reason: string
  readonly sealing?: Sealing
  readonly acting?: ActingKey
  /** `keyRightsDigest` of the rights that were looked at; absent for any. */
  readonly seenRights?: string
}

/** Changes a key, which keeps its secret. Throws AccessRefusal for a key that was revoked or rotated, and as `issueKey` does. */
export const changeKey = (database: Database, order: ChangeOrder): Promise<ApiKey> =>
  database.transaction(AT, (transaction) => changeKeyIn(transaction, order))

/** Changes a key in a transaction that has begun. */
export async function changeKeyIn(transaction: Queryable, order: ChangeOrder): Promise<ApiKey> {
  const { change, acting } = order
  const { key } = await lockOther(transaction, order.keyId, acting)
  await requireSeenRights(transaction, order)
  const after = { ...key, ...change }
  await requireRights(transaction, acting, scopeOf(key))
  // What gives a right asks for all that the key then has; what only takes some away does not.
  if (beyond(key, after) !== null) await requireRights(transaction, acting, after)
  if (key.revokedAt !== null)
    throw new AccessRefusal('key_revoked', `Key ${key.keyId} was revoked or rotated already`)
  return await updateKey(transaction, key, order)
}

/** Revokes a key at once, everywhere. A second call, or a call during the overlap of a rotation, is not an error. */
export async function revokeKey(
  database: Database,
  order: { keyId: string; by: string; reason: string; sealing?: Sealing; acting?: ActingKey },
): Promise<ApiKey> {
  return await database.transaction(AT, async (transaction) => {
    const { key, now } = await lockOther(transaction, order.keyId, order.acting)
    await requireRights(transaction, order.acting, scopeOf(key))
    if (key.revokedAt !== null && key.revokedAt <= now.toISOString()) return key
    return await endKey(transaction, key, { ...order, at: now })
  })
}

interface RotationOrder {
  readonly keyId: string
  readonly by: string
  readonly reason?: string
  readonly overlapMs?: number
  readonly sealing?: Sealing
  readonly acting?: ActingKey
  /** As for a change. */
  readonly seenRights?: string
}

/** Issues a successor with the same rights; the old key works for `overlapMs` longer, so that no caller is locked out. */
export const rotateKey = (database: Database, order: RotationOrder): Promise<IssuedKey> =>
  database.transaction(AT, (transaction) => rotateKeyIn(transaction, order))

/** Rotates a key in a transaction that has begun. */
export async function rotateKeyIn(transaction: Queryable, order: RotationOrder): Promise<IssuedKey> {
  const { key: old, now } = await lockKeys(transaction, order.keyId, order.acting)
  await requireSeenRights(transaction, order)
  // A key may be replaced by its own successor, which has the same rights.
  if (order.acting !== old.keyId) await requireRights(transaction, order.acting, old)
  if (old.revokedAt !== null)
    throw new AccessRefusal('key_revoked', `Key ${old.keyId} was revoked or rotated already`)
  await requireRoom(transaction, order.acting, old)
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
}

/** Called while the row of the key is held. An older proposal gives back no right that the key lost since, and no other key than the one that was looked at. */
async function requireSeenRights(
  transaction: Queryable,
  { keyId, seenRights }: Pick<ChangeOrder, 'keyId' | 'seenRights'>,
): Promise<void> {
  if (seenRights !== undefined && (await keyRightsDigest(transaction, keyId)) !== seenRights)
    throw new AccessRefusal('rights_changed', 'The rights of the key were changed since; propose it again')
}

/** The environment and scope of a key that is changed; its other rights count only if they change. */
const scopeOf = ({ accountId, environment, scope }: ApiKey) => ({ accountId, environment, scope })

/** Rights that are absent count as those of the acting key. */
async function requireRights(
  transaction: Queryable,
  acting: ActingKey,
  wanted: Partial<KeyRights>,
): Promise<void> {
  if (acting === undefined) return
  const { key: own, now } = await lockKey(transaction, acting)
  const isEnding =
    own.revokedAt !== null || (own.expiresAt !== null && Date.parse(own.expiresAt) <= now.getTime())
  const excess = isEnding ? 'keys: it was rotated or ends' : excessOf(own, { ...own, ...wanted })
  if (excess !== null) throw new AccessRefusal('beyond_rights', `The key of this call may not give ${excess}`)
}

/** Operators issue as many keys as they want. Others take turns, so that the numbers are exact. */
async function requireRoom(
  transaction: Queryable,
  acting: ActingKey,
  { accountId, environment }: Pick<KeyRights, 'accountId' | 'environment'>,
): Promise<void> {
  if (acting === undefined || (await lockKey(transaction, acting)).key.scope === 'operator') return
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `cupel.api-keys ${accountId} ${environment}`,
  ])
  const [held] = await transaction.query<{ working: number; issued: number }>(
    `SELECT count(*) FILTER (WHERE coalesce(least(revoked_at, expires_at), 'infinity') > clock_timestamp())::int AS working,
       count(*) FILTER (WHERE issued_at > clock_timestamp() - interval '30 days')::int AS issued
     FROM access.api_key WHERE account_id = $1 AND environment = $2`,
    [accountId, environment],
  )
  if (held!.working >= MAX_WORKING_KEYS)
    throw new AccessRefusal('invalid', `An account has at most ${MAX_WORKING_KEYS} keys that work`)
  if (held!.issued >= MAX_ISSUED_KEYS)
    throw new AccessRefusal('invalid', `An account issues at most ${MAX_ISSUED_KEYS} keys in 30 days`)
}

async function updateKey(
  transaction: Queryable,
  before: ApiKey,
  order: { change: KeyChange; by: string; reason: string; sealing?: Sealing },
): Promise<ApiKey> {
  const { change } = order
  const seal = await sealFor(order.sealing, before.accountId)
  const key = {
    ...{ ...before, ...change },
    ...(change.name === undefined ? {} : { name: seal(nameOf(change.name)) }),
    ...(change.allowedIps === undefined ? {} : { allowedIps: rangesOf(change.allowedIps) }),
    ...(change.expiresAt === undefined ? {} : { expiresAt: expiryOf(change.expiresAt) }),
  }
  const { keyId, accountId, scope, plan, name, allowedIps, webhookAdmin, expiresAt } = key
  if (!isPlanName(plan)) throw new AccessRefusal('invalid', `There is no plan ${String(plan)}`)
  await transaction.execute(
    `UPDATE access.api_key SET scope = $2, plan = $3, name = $4, allowed_ips = $5::cidr[], webhook_admin = $6, expires_at = $7
     WHERE key_id = $1`,
    [keyId, scope, plan, name, allowedIps, webhookAdmin, expiresAt],
  )
  await writeAccessEvent(transaction, outboxType('ApiKeyChanged'), {
    ...{ keyId, accountId, scope, plan, name, webhookAdmin, expiresAt },
    allowedIps: allowedIps.map(seal),
    areAddressesChanged: allowedIps.join() !== before.allowedIps.join(),
    changedAt: new Date().toISOString(),
    changedBy: seal(order.by),
    reason: seal(checkedReason(order.reason)),
  })
  return key
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

/** Locks a key that is not the acting one. */
async function lockOther(
  transaction: Queryable,
  keyId: string,
  acting: ActingKey,
): ReturnType<typeof lockKey> {
  if (keyId === acting)
    throw new AccessRefusal('own_key', 'A key neither changes nor ends itself; another key does that')
  return await lockKeys(transaction, keyId, acting)
}

/**
 * Locks the key and the acting one in one order, so that two keys that end each other take turns. A key of another account or environment is
 * as unknown as one that never existed, unless the acting key is an operator's.
 */
async function lockKeys(
  transaction: Queryable,
  keyId: string,
  acting: ActingKey,
): ReturnType<typeof lockKey> {
  if (acting === undefined) return await lockKey(transaction, keyId)
  for (const each of [keyId, acting].sort((one, other) => (one < other ? -1 : 1)))
    await transaction.query('SELECT 1 FROM access.api_key WHERE key_id = $1 FOR UPDATE', [each])
  const { key: own } = await lockKey(transaction, acting)
  const locked = await lockKey(transaction, keyId)
  const { accountId, environment } = locked.key
  if (own.scope !== 'operator' && (accountId !== own.accountId || environment !== own.environment))
    throw new AccessRefusal('unknown_key', `There is no key ${keyId}`)
  return locked
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
