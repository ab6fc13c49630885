/** Makes, lists and revokes the share links of a report, for its account. */
import { randomBytes } from 'node:crypto'
import type { ApiCall } from '@cupel/contracts'
import { asFields, asTimes, type Database, type Queryable } from '@cupel/postgres'
import { outboxType, tenantScope } from '@cupel/projections'
import { writeShareEvent } from './events.js'
import { digestOfToken, newShareToken } from './share-token.js'

/** An account in one of its environments. */
export interface Owner {
  readonly accountId: string
  readonly livemode: boolean
}

/** The maker of a change, and the call that its event records. */
export interface Actor {
  readonly keyId: string
  /** Empty if nobody is signed in. */
  readonly person: string
  readonly call: ApiCall
}

export type ShareStatus = 'usable' | 'expired' | 'revoked'

export interface Share extends Owner {
  readonly shareId: string
  readonly reportId: string
  readonly label: string
  readonly status: ShareStatus
  /** Times are UTC, RFC 3339 with milliseconds. */
  readonly createdAt: string
  readonly createdBy: string
  /** Empty if nobody was signed in. */
  readonly actor: string
  readonly expiresAt: string
  readonly revokedAt: string | null
  readonly opens: number
  readonly lastOpenedAt: string | null
}

export type CreateResult =
  | { readonly ok: true; readonly share: Share; readonly token: string }
  | { readonly ok: false; readonly code: 'too_many_shares' }

/** Position in the list: the last link of the previous page. */
export interface ShareCursor {
  readonly createdAt: string
  readonly shareId: string
}

export interface SharePage {
  readonly items: readonly Share[]
  /** Null at the end of the list. */
  readonly next: ShareCursor | null
}

export const DEFAULT_EXPIRY_HOURS = 168
/** A year. */
export const MAX_EXPIRY_HOURS = 8_760
export const MAX_LABEL_LENGTH = 200
/** Maximum number of links of one report that are neither expired nor revoked. */
export const MAX_USABLE_SHARES = 50
const SHARE_ID_BYTES = 10

/**
 * Makes a link. Only this result contains its token. The caller has checked that the report is the owner's.
 * Times are by the clock of the database, rounded as shown: a page continues after the time in its cursor.
 */
export async function createShare(
  database: Database,
  order: Owner & Actor & { reportId: string; expiresInHours: number; label: string },
): Promise<CreateResult> {
  const shareId = `shr_${randomBytes(SHARE_ID_BYTES).toString('hex')}`
  const token = newShareToken()
  const { accountId, livemode, reportId, label, keyId, person, call } = order
  return await database.transaction({ at: 'sharing.change' }, async (transaction) => {
    await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
      `cupel.shares ${reportId}`,
    ])
    const [counted] = await transaction.query<{ count: number }>(
      `SELECT count(*) AS count FROM sharing.share
       WHERE report_id = $1 AND revoked_at IS NULL AND expires_at > clock_timestamp()`,
      [reportId],
    )
    if ((counted?.count ?? 0) >= MAX_USABLE_SHARES) return { ok: false, code: 'too_many_shares' }
    const [row] = await transaction.query<Share>(
      `INSERT INTO sharing.share AS s (share_id, token_digest, report_id, account_id, livemode, label, created_by, actor, created_at, expires_at)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8, now, now + make_interval(hours => $9)
       FROM date_trunc('milliseconds', clock_timestamp()) AS now RETURNING ${FIELDS}`,
      [
        ...[shareId, digestOfToken(token), reportId, accountId, livemode, label],
        ...[keyId, person, order.expiresInHours],
      ],
    )
    const share = row!
    const { createdAt, expiresAt } = share
    const data = {
      ...{ shareId, reportId, accountId, livemode, label, createdAt, expiresAt },
      ...{ createdBy: keyId, actor: person, call },
    }
    await writeShareEvent(transaction, outboxType('ReportShareCreated'), data, { time: createdAt })
    return { ok: true, share, token }
  })
}

/** The links of a report, newest first, including those that ended. */
export async function listShares(
  database: Queryable,
  {
    reportId,
    pageSize,
    after,
    ...owner
  }: Owner & { reportId: string; pageSize: number; after: ShareCursor | null },
): Promise<SharePage> {
  const rows = await database.query<Share>(
    {
      text: `SELECT ${FIELDS} FROM sharing.share s
        WHERE report_id = $1 AND account_id = $2 AND livemode = $3
          AND ($4::timestamptz IS NULL OR (created_at, share_id) < ($4::timestamptz, $5))
        ORDER BY s.created_at DESC, s.share_id DESC LIMIT $6`,
      scope: tenantScope(owner),
    },
    [
      reportId,
      owner.accountId,
      owner.livemode,
      after?.createdAt ?? null,
      after?.shareId ?? null,
      pageSize + 1,
    ],
  )
  const items = rows.slice(0, pageSize).map((row) => ownRow(row, owner))
  const last = items.at(-1)
  const next =
    rows.length > pageSize && last !== undefined ? { createdAt: last.createdAt, shareId: last.shareId } : null
  return { items, next }
}

/** Ends a link at once. A link that was already revoked stays unchanged. */
export async function revokeShare(
  database: Database,
  order: Owner & Actor & { reportId: string; shareId: string },
): Promise<'revoked' | 'revoked_before' | 'unknown'> {
  const { accountId, livemode, reportId, shareId, keyId, person, call } = order
  const own = [shareId, reportId, accountId, livemode]
  return await database.transaction({ at: 'sharing.change' }, async (transaction) => {
    const [row] = await transaction.query<Share>(
      `UPDATE sharing.share s SET revoked_at = date_trunc('milliseconds', clock_timestamp()), revoked_by = $5
       WHERE ${IS_OWN} AND revoked_at IS NULL RETURNING ${FIELDS}`,
      [...own, keyId],
    )
    if (row === undefined) {
      const known = await transaction.query(`SELECT 1 FROM sharing.share s WHERE ${IS_OWN}`, own)
      return known.length > 0 ? 'revoked_before' : 'unknown'
    }
    const revokedAt = ownRow(row, order).revokedAt!
    const data = {
      ...{ shareId, reportId, accountId, livemode, revokedAt },
      ...{ revokedBy: keyId, actor: person, call },
    }
    await writeShareEvent(transaction, outboxType('ReportShareRevoked'), data, { time: revokedAt })
    return 'revoked'
  })
}

const IS_OWN = 'share_id = $1 AND report_id = $2 AND account_id = $3 AND livemode = $4'
const FIELDS = `${asFields('s.share_id, s.report_id, s.account_id, s.livemode, s.label, s.created_by, s.actor, s.opens')},
  ${asTimes('s.created_at, s.expires_at, s.revoked_at, s.last_opened_at')},
  CASE WHEN s.revoked_at IS NOT NULL THEN 'revoked' WHEN s.expires_at <= clock_timestamp() THEN 'expired' ELSE 'usable' END AS status`

/** The second wall between tenants, as in the read models: rejects a row of another tenant (docs/adr/0150). */
function ownRow<R extends Owner>(row: R, owner: Owner): R {
  if (row.accountId !== owner.accountId || row.livemode !== owner.livemode)
    throw new Error('A query of share links returned a row of another tenant')
  return row
}
