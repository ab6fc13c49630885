/** Opens a report for the holder of a share link's token. Each opening is counted, recorded and limited. */
import type { ApiCall } from '@cupel/contracts'
import { asFields, asTimes, type Database, type Queryable } from '@cupel/postgres'
import { outboxType } from '@cupel/projections'
import { writeShareEvent } from './events.js'
import { digestOfToken } from './share-token.js'
import type { Owner } from './shares.js'

export interface UsableShare extends Owner {
  readonly shareId: string
  readonly reportId: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly expiresAt: string
}

export type Opening =
  | { readonly kind: 'opened' }
  /** The link expired or was revoked in the meantime. */
  | { readonly kind: 'ended' }
  /** `retryAfterSeconds`: whole seconds until the link opens again. */
  | { readonly kind: 'too_many'; readonly retryAfterSeconds: number }

/** Maximum openings of one link a minute: each of them is an event in the log. */
export const MAX_OPENS_PER_MINUTE = 60

const IS_USABLE = 'revoked_at IS NULL AND expires_at > clock_timestamp()'

/** The link of a token; null if the token is unknown, or the link expired or was revoked. */
export async function findUsableShare(database: Queryable, token: string): Promise<UsableShare | null> {
  const [row] = await database.query<UsableShare>(
    {
      name: 'sharing.find',
      text: `SELECT ${asFields('share_id, report_id, account_id, livemode')}, ${asTimes('expires_at')}
             FROM sharing.share WHERE token_digest = $1 AND ${IS_USABLE}`,
    },
    [digestOfToken(token)],
  )
  return row ?? null
}

/** Records that the report is shown now. The caller may show it only if this resolves to `opened`. */
export async function openShare(
  database: Database,
  { shareId, reportId, accountId, livemode }: UsableShare,
  call: ApiCall,
): Promise<Opening> {
  return await database.transaction({ at: 'sharing.opened' }, async (transaction) => {
    const [row] = await transaction.query<{ opens: number; openedAt: string }>(
      `UPDATE sharing.share s SET opens = opens + 1, last_opened_at = now.at,
         window_started_at = CASE WHEN window_started_at > now.at - ${MINUTE} THEN window_started_at ELSE now.at END,
         window_opens = CASE WHEN window_started_at > now.at - ${MINUTE} THEN window_opens + 1 ELSE 1 END
       FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS at) AS now
       WHERE share_id = $1 AND ${IS_USABLE}
         AND (window_started_at > now.at - ${MINUTE} AND window_opens >= $2) IS NOT TRUE
       RETURNING opens, ${asTimes('last_opened_at').replace('lastOpenedAt', 'openedAt')}`,
      [shareId, MAX_OPENS_PER_MINUTE],
    )
    if (row === undefined) return await whyClosed(transaction, shareId)
    const { opens, openedAt } = row
    const { clientAddress } = call
    const data = { shareId, reportId, accountId, livemode, openedAt, clientAddress, opens, call }
    await writeShareEvent(transaction, outboxType('ReportShareOpened'), data, {
      time: openedAt,
      occurrence: opens,
    })
    return { kind: 'opened' }
  })
}

const MINUTE = `interval '1 minute'`

async function whyClosed(transaction: Queryable, shareId: string): Promise<Opening> {
  const [row] = await transaction.query<{ seconds: number }>(
    `SELECT greatest(1, ceil(extract(epoch FROM window_started_at + ${MINUTE} - clock_timestamp())))::int4 AS seconds
     FROM sharing.share WHERE share_id = $1 AND ${IS_USABLE}`,
    [shareId],
  )
  return row === undefined ? { kind: 'ended' } : { kind: 'too_many', retryAfterSeconds: row.seconds }
}
