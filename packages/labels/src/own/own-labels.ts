/** Labels that an account states itself: a block label counts for its screens, an allow label says that it knows the address. */
import { randomBytes } from 'node:crypto'
import { decidedEventId, topicOf, type ApiCall, type EventData } from '@cupel/contracts'
import { furtherLabelKeys, type ParsedAddress, type RiskCategory } from '@cupel/domain'
import { asFields, asTimes, type Database, type Queryable } from '@cupel/postgres'
import { outboxType, tenantScope, writeOutbox, type OutboxEvent } from '@cupel/projections'

/** An account in one of its environments. */
export interface Owner {
  readonly accountId: string
  readonly livemode: boolean
}

/** Who changes a label, and the call that the event of the change records. */
export interface Actor {
  readonly keyId: string
  /** Empty if nobody is signed in. */
  readonly person: string
  readonly call: ApiCall
}

export const ownDecisions = ['block', 'allow'] as const
export type OwnDecision = (typeof ownDecisions)[number]

export interface OwnLabel extends Owner {
  readonly labelId: string
  readonly decision: OwnDecision
  /** Of a block label; clean_exchange for an allow label. */
  readonly category: string
  readonly chain: string
  /** As it was sent. */
  readonly address: string
  readonly reason: string
  /** Times are UTC, RFC 3339 with milliseconds. */
  readonly statedAt: string
  readonly statedBy: string
  /** Empty if nobody was signed in. */
  readonly actor: string
  readonly expiresAt: string | null
  readonly removedAt: string | null
  readonly replacedBy: string | null
  readonly status: 'in_force' | 'expired' | 'removed' | 'replaced'
}

/** The address of a label and what the account states about it. */
export interface NewOwnLabel {
  readonly parsed: ParsedAddress
  readonly decision: OwnDecision
  /** Null for an allow label. */
  readonly category: RiskCategory | null
  /** Why; sealed. */
  readonly reason: string
  readonly expiresAt: string | null
}

/** Is told, in the transaction of a change, of the keys that find other labels from now on. */
export type OwnLabelFollower = (
  transaction: Queryable,
  changed: Owner & { readonly lookupKeys: readonly string[] },
) => Promise<void>

export interface OwnLabelStore {
  readonly database: Database
  readonly followers: readonly OwnLabelFollower[]
}

/** Labels of an account and environment that were not removed. */
export const MAX_OWN_LABELS = 10_000
const ID_BYTES = 10

const ALLOW_CATEGORY = 'clean_exchange'

/** States a label in place of the one that the account has about the address. Null: the account has as many labels as it may have. */
export async function stateOwnLabel(
  { database, followers }: OwnLabelStore,
  order: Owner & Actor & NewOwnLabel,
): Promise<OwnLabel | null> {
  const { accountId, livemode, parsed, decision, keyId, person, call, reason, expiresAt } = order
  const { chain, text: address, canonical: canonicalAddress } = parsed
  const labelId = `lbl_${randomBytes(ID_BYTES).toString('hex')}`
  return await database.transaction({ at: 'labels.own' }, async (transaction) => {
    await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
      `cupel.own-labels ${accountId} ${livemode}`,
    ])
    const ended = await endLabel(transaction, 'chain = $5 AND canonical_address = $6', [
      ...[accountId, livemode, keyId, labelId],
      ...[chain, canonicalAddress],
    ])
    if (ended === null && (await countOwnLabels(transaction, order)) >= MAX_OWN_LABELS) return null
    const category = order.category ?? ALLOW_CATEGORY
    const keys = new Set([parsed.lookupKey, ...furtherLabelKeys(parsed, { isClean: decision === 'allow' })])
    const lookupKeys = [...keys]
    const [row] = await transaction.query<OwnLabel>(
      `INSERT INTO labels.own_label AS l (label_id, account_id, livemode, decision, category, chain, address, canonical_address,
         lookup_keys, reason, stated_at, stated_by, actor, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::text[], $10, date_trunc('milliseconds', clock_timestamp()), $11, $12, $13::timestamptz)
       RETURNING ${FIELDS}`,
      [
        ...[labelId, accountId, livemode, decision, category, chain, address, canonicalAddress],
        ...[lookupKeys, reason, keyId, person, expiresAt],
      ],
    )
    const label = row!
    const { statedAt } = label
    if (ended !== null) await writeRemoval(transaction, ended, { keyId, person, reason: '', call: null })
    await writeOwnLabelEvent(transaction, 'OwnLabelStated', {
      ...{ labelId, accountId, livemode, decision, category, chain, address, canonicalAddress, lookupKeys },
      ...{ reason, statedAt, expiresAt: label.expiresAt, statedBy: keyId, actor: person, call },
      time: statedAt,
    })
    // An allow label has fewer keys than the block label whose place it takes.
    const changedKeys = [...new Set([...lookupKeys, ...(ended?.lookupKeys ?? [])])]
    for (const follow of followers)
      await follow(transaction, { accountId, livemode, lookupKeys: changedKeys })
    return label
  })
}

/** Removes a label at once. A label that ended before stays unchanged. `reason` is sealed, and empty without one. */
export async function removeOwnLabel(
  { database, followers }: OwnLabelStore,
  order: Owner & Actor & { readonly labelId: string; readonly reason: string },
): Promise<'removed' | 'removed_before' | 'unknown'> {
  const { accountId, livemode, labelId } = order
  return await database.transaction({ at: 'labels.own' }, async (transaction) => {
    const values = [accountId, livemode, order.keyId, null, labelId]
    const ended = await endLabel(transaction, 'label_id = $5', values)
    if (ended === null)
      return (await findOwnLabel(transaction, { accountId, livemode, labelId })) === null
        ? 'unknown'
        : 'removed_before'
    await writeRemoval(transaction, ended, order)
    for (const follow of followers)
      await follow(transaction, { accountId, livemode, lookupKeys: ended.lookupKeys })
    return 'removed'
  })
}

type EndedLabel = OwnLabel & { readonly lookupKeys: readonly string[] }

/** `values`: account, environment, who ends it, what takes its place, then those of the condition. */
async function endLabel(
  transaction: Queryable,
  condition: string,
  values: readonly unknown[],
): Promise<EndedLabel | null> {
  const [row] = await transaction.query<EndedLabel>(
    `UPDATE labels.own_label l
     SET removed_at = date_trunc('milliseconds', clock_timestamp()), removed_by = $3, replaced_by = $4
     WHERE account_id = $1 AND livemode = $2 AND ${condition} AND removed_at IS NULL RETURNING ${FIELDS}, l.lookup_keys AS "lookupKeys"`,
    values,
  )
  return row ?? null
}

async function writeRemoval(
  transaction: Queryable,
  { labelId, accountId, livemode, removedAt, replacedBy }: EndedLabel,
  {
    keyId,
    person,
    reason,
    call,
  }: Omit<Actor, 'call'> & { readonly reason: string; readonly call: ApiCall | null },
): Promise<void> {
  await writeOwnLabelEvent(transaction, 'OwnLabelRemoved', {
    ...{ labelId, accountId, livemode, replacedBy, reason, removedAt: removedAt! },
    ...{ removedBy: keyId, actor: person, call, time: removedAt! },
  })
}

/** All of one account and environment keep their order. */
async function writeOwnLabelEvent<T extends 'OwnLabelStated' | 'OwnLabelRemoved'>(
  transaction: Queryable,
  type: T,
  { time, ...data }: EventData[T] & { readonly time: string },
): Promise<void> {
  const { labelId, accountId, livemode, call } = data
  const id = decidedEventId(type, labelId)
  const envelope = {
    ...{ id, source: 'cupel/labels', time, subject: labelId },
    ...{ correlationId: labelId, causationId: call?.requestId ?? id },
  }
  const allowed = type === 'OwnLabelStated' ? outboxType('OwnLabelStated') : outboxType('OwnLabelRemoved')
  const event = { type: allowed, data, envelope } as unknown as OutboxEvent
  await writeOutbox(transaction, event, { topic: topicOf(type, livemode), key: accountId })
}

async function countOwnLabels(transaction: Queryable, { accountId, livemode }: Owner): Promise<number> {
  const [counted] = await transaction.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM labels.own_label
     WHERE account_id = $1 AND livemode = $2 AND removed_at IS NULL`,
    [accountId, livemode],
  )
  return counted?.count ?? 0
}

export async function findOwnLabel(
  database: Queryable,
  { accountId, livemode, labelId }: Owner & { readonly labelId: string },
): Promise<OwnLabel | null> {
  const [row] = await database.query<OwnLabel>(
    `SELECT ${FIELDS} FROM labels.own_label l WHERE account_id = $1 AND livemode = $2 AND label_id = $3`,
    [accountId, livemode, labelId],
  )
  return row === undefined ? null : ownRow(row, { accountId, livemode })
}

export type OwnLabelCursor = Pick<OwnLabel, 'statedAt' | 'labelId'>

/** The labels of an account, newest first, those that ended too. `lookupKeys`: only those that one of the keys finds. */
export async function listOwnLabels(
  database: Queryable,
  {
    lookupKeys,
    after,
    pageSize,
    ...owner
  }: Owner & {
    readonly lookupKeys: readonly string[] | null
    readonly after: OwnLabelCursor | null
    readonly pageSize: number
  },
): Promise<{ readonly items: readonly OwnLabel[]; readonly next: OwnLabelCursor | null }> {
  const rows = await database.query<OwnLabel>(
    {
      text: `SELECT ${FIELDS} FROM labels.own_label l
        WHERE account_id = $1 AND livemode = $2 AND ${lookupKeys === null ? '$3::text[] IS NULL' : 'lookup_keys && $3::text[]'}
          AND ($4::timestamptz IS NULL OR (stated_at, label_id) < ($4::timestamptz, $5))
        ORDER BY l.stated_at DESC, l.label_id DESC LIMIT $6`,
      scope: tenantScope(owner),
    },
    [
      ...[owner.accountId, owner.livemode, lookupKeys],
      ...[after?.statedAt ?? null, after?.labelId ?? null, pageSize + 1],
    ],
  )
  const items = rows.slice(0, pageSize).map((row) => ownRow(row, owner))
  return { items, next: rows.length > pageSize ? (items.at(-1) ?? null) : null }
}

const FIELDS = `${asFields(
  'l.label_id, l.account_id, l.livemode, l.decision, l.category, l.chain, l.address, l.reason, l.stated_by, l.actor, l.replaced_by',
)}, ${asTimes('l.stated_at, l.expires_at, l.removed_at')},
  CASE WHEN l.replaced_by IS NOT NULL THEN 'replaced' WHEN l.removed_at IS NOT NULL THEN 'removed'
    WHEN l.expires_at <= clock_timestamp() THEN 'expired' ELSE 'in_force' END AS status`

/** The second wall between tenants, as in the read models: rejects a row of another tenant (docs/adr/0150). */
function ownRow<R extends Owner>(row: R, owner: Owner): R {
  if (row.accountId !== owner.accountId || row.livemode !== owner.livemode)
    throw new Error('A query of own labels returned a row of another tenant')
  return row
}
