/** Applies the log's records of own labels to a database that was restored from a backup, and removes their plain data. */
import type { EventData } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'

/** States the label that the database lacks; resolves to whether it did. A removal follows in the log, also of a label that it replaced. */
export async function replayOwnLabel(
  transaction: Queryable,
  label: EventData['OwnLabelStated'],
): Promise<boolean> {
  const { labelId, accountId, livemode, decision, category, chain, address, canonicalAddress } = label
  const added = await transaction.execute(
    `INSERT INTO labels.own_label (label_id, account_id, livemode, decision, category, chain, address, canonical_address,
       lookup_keys, reason, stated_at, stated_by, actor, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::text[], $10, $11::timestamptz, $12, $13, $14::timestamptz) ON CONFLICT (label_id) DO NOTHING`,
    [
      ...[labelId, accountId, livemode, decision, category, chain, address, canonicalAddress],
      ...[label.lookupKeys, label.reason, label.statedAt, label.statedBy, label.actor, label.expiresAt],
    ],
  )
  return added > 0
}

/** Removes the label if the database holds it as in force; resolves to whether it did. */
export async function replayOwnLabelRemoval(
  transaction: Queryable,
  { labelId, removedAt, removedBy, replacedBy }: EventData['OwnLabelRemoved'],
): Promise<boolean> {
  const removed = await transaction.execute(
    `UPDATE labels.own_label SET removed_at = $2::timestamptz, removed_by = $3, replaced_by = $4
     WHERE label_id = $1 AND removed_at IS NULL`,
    [labelId, removedAt, removedBy, replacedBy],
  )
  return removed > 0
}

/** Replaces the words of an account whose personal data is erased. The labels stay: its reports rest on them. */
export async function forgetOwnLabels(
  transaction: Queryable,
  accountId: string,
  word: string,
): Promise<void> {
  await transaction.execute(
    `UPDATE labels.own_label SET reason = CASE reason WHEN '' THEN '' ELSE $2 END, actor = CASE actor WHEN '' THEN '' ELSE $2 END
     WHERE account_id = $1`,
    [accountId, word],
  )
}
