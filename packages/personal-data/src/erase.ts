/** Destroys keys of personal data. Texts sealed with them can never be read again: in the log, tables, archives and backups of these. */
import { requestedEventId, topicOf, type EventData } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'
import { outboxType, writeOutbox, type OutboxEvent } from '@cupel/projections'
import { lockKeysOf, newKeyId } from './stored-key.js'

export interface ErasureOrder {
  readonly accountId: string
  readonly by: string
  readonly reason: string
  /** Records of the account in the log that hold unsealed personal data. */
  readonly plainRecords: number
}

/** Erases one customer reference of an account. */
export interface ReferenceOrder extends ErasureOrder {
  /** Its key (`referenceKeyId`). */
  readonly keyId: string
}

export interface Erasure {
  /** Keys that this call destroyed; empty if they were destroyed before. */
  readonly keyIds: readonly string[]
  /** UTC, RFC 3339 with milliseconds: when the keys were first destroyed. */
  readonly erasedAt: string
  /** Whether this call destroyed keys and appended the event. */
  readonly isNew: boolean
}

/**
 * Destroys every key of the account, in one transaction with its event and with `alongside`. A repeated call destroys the remaining
 * keys. The account never gets another key: its later personal data is not stored.
 */
export async function eraseAccount(
  database: Database,
  order: ErasureOrder,
  alongside: (transaction: Queryable) => Promise<void> = () => Promise.resolve(),
): Promise<Erasure> {
  return await database.transaction({ at: 'personal-data.erase' }, async (transaction) => {
    await lockKeysOf(transaction, order.accountId)
    // An account that has sealed nothing yet is marked too.
    await transaction.execute(
      `INSERT INTO personal_data.account_key (account_id, period, key_id, master_id, wrapped, destroyed_at)
       VALUES ($1, '', $2, '', NULL, 'epoch') ON CONFLICT (account_id, period) DO NOTHING`,
      [order.accountId, newKeyId()],
    )
    const destroyed = await transaction.query<{ keyId: string }>(
      `UPDATE personal_data.account_key SET wrapped = NULL, master_id = '', destroyed_at = clock_timestamp()
       WHERE account_id = $1 AND (wrapped IS NOT NULL OR destroyed_at = 'epoch') RETURNING key_id AS "keyId"`,
      [order.accountId],
    )
    const ofReferences = await transaction.query<{ keyId: string }>(
      `${DESTROY_REFERENCES} account_id = $1 AND wrapped IS NOT NULL RETURNING key_id AS "keyId"`,
      [order.accountId],
    )
    const keyIds = [...destroyed, ...ofReferences].map(({ keyId }) => keyId).sort()
    await alongside(transaction)
    const isNew = keyIds.length > 0
    const { accountId, by, reason, plainRecords } = order
    const erasedAt = (await findErasures(transaction, [accountId])).get(accountId)!
    if (isNew)
      await writeErased(transaction, {
        ...{ scope: 'account', accountId, period: '', keyIds, plainRecords, erasedAt, erasedBy: by, reason },
      })
    return { keyIds, erasedAt, isNew }
  })
}

/**
 * Destroys the key of one customer reference and its look-up hash, in one transaction with its event and with
 * `alongside`. A later use of the same reference gets another key. `isNew` is false if the key was destroyed before.
 */
export async function eraseReference(
  database: Database,
  order: ReferenceOrder,
  alongside: (transaction: Queryable) => Promise<void> = () => Promise.resolve(),
): Promise<Erasure> {
  const { accountId, keyId, by, reason, plainRecords } = order
  return await database.transaction({ at: 'personal-data.erase' }, async (transaction) => {
    await lockKeysOf(transaction, accountId)
    const destroyed = await transaction.execute(
      `${DESTROY_REFERENCES} account_id = $1 AND key_id = $2 AND wrapped IS NOT NULL`,
      [accountId, keyId],
    )
    const [row] = await transaction.query<{ at: Date }>(
      `SELECT date_trunc('milliseconds', destroyed_at) AS at FROM personal_data.reference_key
       WHERE account_id = $1 AND key_id = $2`,
      [accountId, keyId],
    )
    if (row === undefined) throw new RangeError(`The account has no key ${keyId} of a reference`)
    await alongside(transaction)
    const [erasedAt, keyIds] = [row.at.toISOString(), destroyed === 0 ? [] : [keyId]]
    if (destroyed > 0)
      await writeErased(transaction, {
        ...{
          scope: 'reference',
          accountId,
          period: '',
          keyIds,
          plainRecords,
          erasedAt,
          erasedBy: by,
          reason,
        },
      })
    return { keyIds, erasedAt, isNew: destroyed > 0 }
  })
}

const ERASURES = {
  name: 'personal-data.erasures-of',
  text: `SELECT account_id AS "accountId", date_trunc('milliseconds', destroyed_at) AS at FROM personal_data.account_key
         WHERE account_id = ANY ($1::text[]) AND account_id <> '' AND period = '' AND wrapped IS NULL`,
}

/** When the keys of these accounts were destroyed (UTC, RFC 3339 with milliseconds), by account id; other accounts are left out. */
export async function findErasures(
  database: Queryable,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await database.query<{ accountId: string; at: Date }>(ERASURES, [[...new Set(accountIds)]])
  return new Map(rows.map(({ accountId, at }) => [accountId, at.toISOString()]))
}

/** Repeats, in a database from a backup, the erasure that the log records. Returns whether anything was destroyed. */
export async function replayErasure(
  transaction: Queryable,
  { scope, accountId, keyIds }: Pick<EventData['PersonalDataErased'], 'scope' | 'accountId' | 'keyIds'>,
): Promise<boolean> {
  // The schema allows an account id without a scope for an erased account.
  const isWholeAccount = accountId !== '' && scope !== 'reference'
  const destroyed = await transaction.execute(
    `UPDATE personal_data.account_key SET wrapped = NULL, master_id = '', destroyed_at = clock_timestamp()
     WHERE wrapped IS NOT NULL AND (key_id = ANY ($2::text[]) OR ($3 AND account_id = $1))`,
    [accountId, keyIds, isWholeAccount],
  )
  const ofReferences = await transaction.execute(
    `${DESTROY_REFERENCES} wrapped IS NOT NULL AND (key_id = ANY ($2::text[]) OR ($3 AND account_id = $1))`,
    [accountId, keyIds, isWholeAccount],
  )
  const marked = await markErased(transaction, { accountId, keyIds, scope, isWholeAccount })
  return destroyed + ofReferences + marked > 0
}

/** Marks a key that the backup does not contain, so that readers show "erased" and the account gets no other key. */
async function markErased(
  transaction: Queryable,
  {
    accountId,
    keyIds,
    scope,
    isWholeAccount,
  }: Pick<EventData['PersonalDataErased'], 'scope' | 'accountId' | 'keyIds'> & {
    readonly isWholeAccount: boolean
  },
): Promise<number> {
  if (isWholeAccount)
    return await transaction.execute(
      `INSERT INTO personal_data.account_key (account_id, period, key_id, master_id, wrapped, destroyed_at)
       VALUES ($1, '', $2, '', NULL, clock_timestamp()) ON CONFLICT (account_id, period) DO NOTHING`,
      [accountId, newKeyId()],
    )
  if (scope !== 'reference') return 0
  return await transaction.execute(
    `INSERT INTO personal_data.reference_key (key_id, account_id, master_id, destroyed_at)
     SELECT key_id, $1, '', clock_timestamp() FROM unnest($2::text[]) AS given (key_id) ON CONFLICT (key_id) DO NOTHING`,
    [accountId, keyIds],
  )
}

/** Destroys the keys of client addresses for months that ended `days` ago, by `now` or the database clock. Returns the months. */
export async function endRetention(
  database: Database,
  order: { readonly days: number; readonly by: string; readonly now?: Date | undefined },
): Promise<string[]> {
  const due = await database.query<{ period: string }>(
    `SELECT DISTINCT period FROM personal_data.account_key WHERE ${IS_DUE} ORDER BY period`,
    [order.days, order.now ?? null],
  )
  for (const { period } of due)
    await database.transaction({ at: 'personal-data.retention' }, async (transaction) => {
      const destroyed = await transaction.query<{ keyId: string }>(
        `UPDATE personal_data.account_key SET wrapped = NULL, master_id = '', destroyed_at = clock_timestamp()
         WHERE ${IS_DUE} AND period = $3 RETURNING key_id AS "keyId"`,
        [order.days, order.now ?? null, period],
      )
      if (destroyed.length === 0) return
      const keyIds = destroyed.map(({ keyId }) => keyId).sort()
      await writeErased(transaction, {
        ...{ scope: 'client-addresses', accountId: '', period, keyIds, plainRecords: null },
        ...{ erasedAt: new Date().toISOString(), erasedBy: order.by },
        reason: `retention of ${order.days} days`,
      })
    })
  return due.map(({ period }) => period)
}

/** A record with this many keys is 80 kB. */
const KEYS_PER_EVENT = 5_000
const DESTROY_REFERENCES = `UPDATE personal_data.reference_key
  SET wrapped = NULL, reference_hash = NULL, master_id = '', destroyed_at = clock_timestamp() WHERE`
const IS_DUE = `wrapped IS NOT NULL AND period <> ''
  AND (period || '-01')::timestamp + interval '1 month' + $1 * interval '1 day' <= coalesce($2::timestamptz, clock_timestamp()) AT TIME ZONE 'UTC'`

/** Writes several events if there are many keys. These events differ only in their keys. */
async function writeErased(transaction: Queryable, data: EventData['PersonalDataErased']): Promise<void> {
  for (let at = 0; at < data.keyIds.length; at += KEYS_PER_EVENT)
    await writeOne(transaction, { ...data, keyIds: data.keyIds.slice(at, at + KEYS_PER_EVENT) })
}

async function writeOne(transaction: Queryable, data: EventData['PersonalDataErased']): Promise<void> {
  const id = requestedEventId()
  const event: OutboxEvent<'PersonalDataErased'> = {
    type: outboxType('PersonalDataErased'),
    data,
    envelope: {
      ...{ id, correlationId: id, causationId: id },
      source: 'cupel/personal-data',
      time: data.erasedAt,
      subject: data.accountId === '' ? data.period : data.accountId,
    },
  }
  await writeOutbox(transaction, event, {
    topic: topicOf('PersonalDataErased'),
    key: data.accountId === '' ? data.period : data.accountId,
  })
}
