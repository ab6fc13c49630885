/** A label of its own changes the reports of an account: its watches of the address are decided again. */
import type { Queryable } from '@cupel/postgres'

/** Marks the watches that one of the keys finds as due now. A watch that ended is no longer due. */
export async function markWatchesOf(
  transaction: Queryable,
  of: { readonly accountId: string; readonly livemode: boolean; readonly lookupKeys: readonly string[] },
): Promise<void> {
  await transaction.execute(
    `UPDATE watches.watch w SET due_at = least(w.due_at, now()),
       causes = CASE WHEN 'labels' = ANY (w.causes) THEN w.causes ELSE w.causes || 'labels'::text END
     WHERE w.account_id = $1 AND w.livemode = $2 AND (w.until IS NULL OR w.until > clock_timestamp())
       AND string_to_array(w.lookup_key, '|') && $3::text[]`,
    [of.accountId, of.livemode, of.lookupKeys],
  )
}
