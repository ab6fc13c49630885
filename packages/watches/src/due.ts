/** Watches that must be decided again, and their screenings. */
import type { ScreenedAddress } from '@cupel/domain'
import { asFields, type Queryable } from '@cupel/postgres'
import type { Owner } from './watch.js'

export interface DueWatch extends Owner, ScreenedAddress {
  readonly watchId: string
  readonly reportPageUrl: string
}

/** The watch `w` waits for a screening to begin. */
export const IS_DUE = `w.due_at <= now() AND w.pending_report_id IS NULL AND (w.until IS NULL OR w.until > now())`

/** Maximum number of pending screenings of one account's watches. */
export const MAX_UNDER_WAY = 2_000

/** The due watches of each account, the longest due first: as many as its limit allows, and at most `limit` of each. */
export async function listDueWatches(database: Queryable, limit: number): Promise<DueWatch[]> {
  return await database.query<DueWatch>(
    {
      name: 'watches.due',
      text: `${TENANTS} SELECT ${asFields(
        'd.watch_id, d.report_page_url, d.account_id, d.livemode, d.address, d.canonical_address, d.chain, d.candidate_chains',
      )}
      FROM tenant CROSS JOIN LATERAL (
        SELECT w.* FROM watches.watch w
        WHERE w.account_id = tenant.account_id AND w.livemode = tenant.livemode
          AND ${IS_DUE}
        ORDER BY w.due_at
        LIMIT least($1::int8, greatest(0, $2::int8 - (
          SELECT count(*) FROM (
            SELECT FROM watches.watch p WHERE p.pending_report_id IS NOT NULL
              AND p.account_id = tenant.account_id AND p.livemode = tenant.livemode
            ORDER BY p.pending_report_id LIMIT $2::int8) pending)))) d
      ORDER BY d.account_id, d.livemode`,
    },
    [limit, MAX_UNDER_WAY],
  )
}

const nextTenant = (condition: string): string =>
  `SELECT f.account_id, f.livemode FROM watches.watch f WHERE f.due_at IS NOT NULL AND f.pending_report_id IS NULL AND ${condition}
   ORDER BY f.account_id, f.livemode, f.due_at LIMIT 1`

/**
 * Accounts with a watch that is or becomes due. Each is found in the index after the previous one. A `DISTINCT` over all would read
 * every watch if many are due.
 */
export const TENANTS = `WITH RECURSIVE tenant AS (
  (${nextTenant('true')})
  UNION ALL
  SELECT n.* FROM tenant t CROSS JOIN LATERAL (${nextTenant('(f.account_id, f.livemode) > (t.account_id, t.livemode)')}) n)`

/**
 * Records which screening decides each watch, and returns the ids of the watches that took theirs. A watch that was removed or taken
 * meanwhile does not. A watch that becomes due from now on needs another screening.
 */
export async function markPending(
  transaction: Queryable,
  screenings: readonly { readonly watchId: string; readonly reportId: string }[],
): Promise<Set<string>> {
  const rows = await transaction.query<{ watchId: string }>(
    {
      name: 'watches.pending',
      text: `UPDATE watches.watch w
             SET pending_report_id = s.report_id, pending_causes = w.causes, due_at = NULL, causes = '{}'
             FROM unnest($1::text[], $2::text[]) AS s (watch_id, report_id)
             WHERE w.watch_id = s.watch_id AND w.due_at IS NOT NULL AND w.pending_report_id IS NULL
             RETURNING ${asFields('w.watch_id')}`,
    },
    [screenings.map(({ watchId }) => watchId), screenings.map(({ reportId }) => reportId)],
  )
  return new Set(rows.map(({ watchId }) => watchId))
}
