/** Applies the log's records of share links to a database that was restored from a backup. */
import type { EventData } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'

/** Whether the link exists. A missing link opens nothing: the log holds no digest of its token. */
export async function isShareKnown(
  transaction: Queryable,
  { shareId }: EventData['ReportShareCreated'],
): Promise<boolean> {
  return (await transaction.query('SELECT 1 FROM sharing.share WHERE share_id = $1', [shareId])).length > 0
}

/** Revokes the link if the database holds it as usable; resolves to whether it did. */
export async function replayShareRevocation(
  transaction: Queryable,
  { shareId, revokedAt, revokedBy }: EventData['ReportShareRevoked'],
): Promise<boolean> {
  const revoked = await transaction.execute(
    'UPDATE sharing.share SET revoked_at = $2, revoked_by = $3 WHERE share_id = $1 AND revoked_at IS NULL',
    [shareId, revokedAt, revokedBy],
  )
  return revoked > 0
}

/**
 * Counts the opening again if the database does not have it; resolves to whether it did not. The number of an opening is in the id of its
 * event: a database that had forgotten one would give the next one the id of another.
 */
export async function replayShareOpening(
  transaction: Queryable,
  { shareId, opens, openedAt }: EventData['ReportShareOpened'],
): Promise<boolean> {
  const counted = await transaction.execute(
    'UPDATE sharing.share SET opens = $2, last_opened_at = $3 WHERE share_id = $1 AND opens < $2',
    [shareId, opens, openedAt],
  )
  return counted > 0
}
