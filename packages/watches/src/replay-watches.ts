/** Applies the log's records of watches to a database that was restored from a backup. */
import type { EventData } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'

/** Makes the watches that the database lacks, and resolves to their number. They are decided again. */
export async function replayWatches(
  transaction: Queryable,
  { accountId, livemode, watches, reportPageUrl, createdAt }: EventData['WatchesCreated'],
): Promise<number> {
  return await transaction.execute(
    `INSERT INTO watches.watch AS w (watch_id, account_id, livemode, address, canonical_address, chain, candidate_chains,
       lookup_key, reference, until, threshold_hundredths, digest, report_page_url, created_at, due_at, causes)
     SELECT r."watchId", $1, $2, r.address, r."canonicalAddress", r.chain, r."candidateChains", r."lookupKey", r.reference,
       r.until, r."thresholdHundredths", coalesce(r.digest, false), $4, $5::timestamptz, clock_timestamp(), '{created}'
     FROM json_to_recordset($3::json) AS r ("watchId" text, address text, "canonicalAddress" text, chain text,
       "candidateChains" json, "lookupKey" text, reference text, until timestamptz, "thresholdHundredths" int4, digest bool)
     ON CONFLICT (account_id, livemode, chain, canonical_address) DO UPDATE
     SET watch_id = excluded.watch_id, reference = excluded.reference, until = excluded.until,
       threshold_hundredths = excluded.threshold_hundredths, digest = excluded.digest
     WHERE (w.watch_id, w.reference, w.until, w.threshold_hundredths, w.digest)
       IS DISTINCT FROM (excluded.watch_id, excluded.reference, excluded.until, excluded.threshold_hundredths, excluded.digest)`,
    [accountId, livemode, JSON.stringify(watches), reportPageUrl, createdAt],
  )
}

/** Resolves to whether the database held the watch. */
export async function replayWatchRemoval(
  transaction: Queryable,
  { watchId }: EventData['WatchRemoved'],
): Promise<boolean> {
  return (await transaction.execute('DELETE FROM watches.watch WHERE watch_id = $1', [watchId])) > 0
}

/** Records the later report of the change as the last one, so that the same change is not notified again. */
export async function replayReportChange(
  transaction: Queryable,
  { watchId, reportId, level, score, changedAt }: EventData['ReportChanged'],
): Promise<boolean> {
  const changed = await transaction.execute(
    `UPDATE watches.watch SET report_id = $2, level = $3, score = $4, reported_at = $5::timestamptz, pending_report_id = NULL,
       told_report_id = $2, told_level = $3, told_score = $4, digest_report_id = coalesce(digest_report_id, $2),
       digest_level = coalesce(digest_level, $3), digest_score = coalesce(digest_score, $4),
       due_at = coalesce(due_at, clock_timestamp()),
       causes = CASE WHEN pending_report_id IS NULL THEN causes ELSE causes || pending_causes END, pending_causes = '{}'
     WHERE watch_id = $1 AND (reported_at IS NULL OR reported_at < $5::timestamptz)`,
    [watchId, reportId, level, score, changedAt],
  )
  return changed > 0
}
