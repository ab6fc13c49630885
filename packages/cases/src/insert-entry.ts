/** Writes an entry of a case, and what it says of the assignment to the row of the case. */
import type { Queryable } from '@cupel/postgres'
import type { StoredEntry } from './queries.js'

const COLUMNS = [
  ...['report_id', 'version', 'account_id', 'livemode', 'kind', 'text'],
  ...['disposition', 'previous_disposition', 'proposal_version', 'made_at'],
  ...['key_id', 'key_name', 'holder', 'actor', 'subject'],
  ...['assignee_key', 'assignee_holder', 'assignee_name', 'assignee_subject', 'due_on'],
  ...['file_name', 'file_type', 'file_bytes', 'file_sha256', 'content_sha256'],
]

/** Decisions of a record of the log may be of a later version. */
type NewEntry = Omit<StoredEntry, 'disposition' | 'previousDisposition'> &
  Readonly<Record<'disposition' | 'previousDisposition', string | null>>

/** The case has its row already. */
export async function insertEntry(transaction: Queryable, reportId: string, entry: NewEntry): Promise<void> {
  const { assignment, file } = entry
  const assigned = [
    ...[assignment?.assignee?.keyId, assignment?.assignee?.holder, assignment?.assignee?.name],
    ...[assignment?.assignee?.subject, assignment?.dueOn],
  ].map((value) => value ?? null)
  const attached = [file?.name, file?.mediaType, file?.bytes, file?.sha256, file?.contentSha256].map(
    (value) => value ?? null,
  )
  await transaction.execute(
    `INSERT INTO cases.entry (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((_, at) => `$${at + 1}`).join(', ')})`,
    [
      ...[reportId, entry.version, entry.accountId, entry.livemode, entry.kind, entry.text],
      ...[entry.disposition, entry.previousDisposition, entry.proposalVersion, entry.madeAt],
      ...[entry.keyId, entry.keyName, entry.holder, entry.actor, entry.subject, ...assigned, ...attached],
    ],
  )
  if (assignment !== null)
    await transaction.execute(
      `UPDATE cases.report_case SET assignee_key = $2, assignee_holder = $3, assignee_name = $4, assignee_subject = $5, due_on = $6
       WHERE report_id = $1`,
      [reportId, ...assigned],
    )
}
