/** Adds entries from the log to cases of a database that was restored from a backup. */
import { stateAfter, type RecordedEntry } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'
import type { ReportFacts } from '@cupel/projections'
import { insertEntry } from './insert-entry.js'

/** `missing-entry`: an entry before this one is neither in the database nor in the log. */
export type ReplayedEntry = 'known' | 'added' | 'missing-report' | 'missing-entry'

/**
 * Adds the entry unless the case has it. Entries of one case come in their order.
 * @param holder the first key in the chain of rotations of the key
 * @param report the report, if it is at hand; only the first entry of a case needs it
 */
export async function replayEntry(
  transaction: Queryable,
  entry: RecordedEntry,
  { holder, report }: { readonly holder: string; readonly report: () => Promise<ReportFacts | null> },
): Promise<ReplayedEntry> {
  const [present] = await transaction.query<{
    version: number
    disposition: string
    proposalVersion: number | null
  }>(
    `SELECT version, disposition, proposal_version AS "proposalVersion" FROM cases.report_case WHERE report_id = $1`,
    [entry.reportId],
  )
  const before = present?.version ?? 0
  if (before >= entry.version) return 'known'
  if (before + 1 !== entry.version) return 'missing-entry'
  const facts = present === undefined ? await report() : null
  if (present === undefined && facts === null) return 'missing-report'
  const [leaves, pending] = stateAfter(entry, present)
  if (facts === null)
    await transaction.execute(
      `UPDATE cases.report_case SET disposition = $2, version = $3, proposal_version = $4,
         changed_at = greatest(changed_at, $5::timestamptz) WHERE report_id = $1`,
      [entry.reportId, leaves, entry.version, pending, entry.madeAt],
    )
  else
    await transaction.execute(
      `INSERT INTO cases.report_case (report_id, account_id, livemode, address, chain, level, score, disposition, version,
         proposal_version, opened_at, changed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`,
      [
        ...[entry.reportId, entry.accountId, entry.livemode, facts.address, facts.chain, facts.level],
        ...[facts.score, leaves, entry.version, pending, entry.madeAt],
      ],
    )
  await insertEntry(transaction, entry.reportId, { ...entry, holder })
  return 'added'
}

/** Whether the bytes of a file of a case are in the database. */
export async function isFileKnown(
  transaction: Queryable,
  { reportId, version }: Pick<RecordedEntry, 'reportId' | 'version'>,
): Promise<boolean> {
  const rows = await transaction.query('SELECT 1 FROM cases.file WHERE report_id = $1 AND version = $2', [
    ...[reportId, version],
  ])
  return rows.length > 0
}
