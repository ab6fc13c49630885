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
