/** Reads of cases. Every read names the account and its environment: the cases of others do not exist for it. */
import {
  dispositions,
  riskLevels,
  type Assignment,
  type CaseFile,
  type Disposition,
  type EntryKind,
} from '@cupel/contracts'
import { asFields, asTimes, mergedRanges, type Queryable, type Statement } from '@cupel/postgres'
import { tenantScope } from '@cupel/projections'

/** An account in one of its environments. */
export interface Owner {
  readonly accountId: string
  readonly livemode: boolean
}

export interface StoredCase extends Owner {
  readonly reportId: string
  readonly address: string
  readonly chain: string
  readonly level: string
  readonly score: number
  readonly disposition: Disposition
  readonly version: number
  /** The entry of the pending proposal; null if there is none. */
  readonly proposal: StoredEntry | null
  /** As of the last entry that said so. */
  readonly assignment: Assignment
  /** Times are UTC, RFC 3339 with milliseconds. */
  readonly openedAt: string
  readonly changedAt: string
}

export interface StoredEntry extends Owner {
  readonly version: number
  readonly kind: EntryKind
  readonly text: string
  readonly disposition: Disposition | null
  readonly previousDisposition: Disposition | null
  readonly proposalVersion: number | null
  readonly madeAt: string
  readonly keyId: string
  /** The name of the key at that time; empty if it had none. */
  readonly keyName: string
  readonly holder: string
  /** Empty if no person was signed in. */
  readonly actor: string
  /** The permanent identifier of that person; empty if no person was signed in. */
  readonly subject: string
  readonly assignment: Assignment | null
  readonly file: CaseFile | null
}

export interface WholeCase {
  readonly summary: StoredCase
  readonly history: readonly StoredEntry[]
}

type OneCase = Owner & { readonly reportId: string }

/** The case with its history, oldest first, as of one moment; null if no person has worked on the report. */
export async function readCase(database: Queryable, order: OneCase): Promise<WholeCase | null> {
  return await selectCase(database, order, { text: WHOLE_CASE, scope: tenantScope(order) })
}

/** In a transaction, which cannot take a scope. */
export const readOwnCase = (transaction: Queryable, order: OneCase): Promise<WholeCase | null> =>
  selectCase(transaction, order, { text: WHOLE_CASE })

async function selectCase(
  database: Queryable,
  order: OneCase,
  statement: Statement,
): Promise<WholeCase | null> {
  const rows = await database.query<CaseRow & EntryRow>(statement, [
    ...[order.reportId, order.accountId, order.livemode],
  ])
  const [first] = rows
  if (first === undefined) return null
  const history = rows.map((row) => entryOf(row, order))
  return { summary: caseOf(first, order, history.find(isProposalOf(first)) ?? null), history }
}

/** The same without the history. */
export async function readSummary(
  transaction: Queryable,
  order: Owner & { readonly reportId: string },
): Promise<StoredCase | null> {
  const only = {
    text: casesFrom(
      '(SELECT * FROM cases.report_case WHERE account_id = $1 AND livemode = $2 AND report_id = $3)',
    ),
  }
  const { items } = await selectCases(transaction, order, only, { values: [order.reportId], pageSize: 1 })
  return items[0] ?? null
}

export interface CaseFilter {
  readonly dispositions?: readonly Disposition[] | undefined
  readonly level?: string | undefined
  /** Only cases of this person, or of the holder of a key; `nobody` for those without an assignee. */
  readonly assignee?: { readonly holder: string; readonly subject: string } | 'nobody' | undefined
  /** Only cases that are not cleared and were due before this day of UTC. */
  readonly dueBefore?: string | undefined
}

/** Place in the list: the last case of the page before. */
export interface CaseCursor {
  readonly changedAt: string
  readonly reportId: string
}

export interface CasePage {
  readonly items: readonly StoredCase[]
  /** Null at the end of the list. */
  readonly next: CaseCursor | null
}

/** Cases of an account, most recently changed first. */
export async function listCases(
  database: Queryable,
  order: Owner & { filter: CaseFilter; pageSize: number; after: CaseCursor | null },
): Promise<CasePage> {
  const { filter, after, pageSize } = order
  const values: unknown[] = []
  const parameter = (value: unknown): string => `$${2 + values.push(value)}`
  const [before, limit] = [
    after === null
      ? ''
      : `AND (changed_at, report_id) < (${parameter(after.changedAt)}::timestamptz, ${parameter(after.reportId)})`,
    parameter(pageSize + 1),
  ]
  const further = [
    ...(filter.dueBefore === undefined
      ? []
      : [`AND due_on < ${parameter(filter.dueBefore)}::date AND disposition <> 'cleared'`]),
    ...assigneeConditions(filter.assignee, parameter),
  ].join(' ')
  const ranges = (filter.dispositions ?? dispositions).flatMap((disposition) => {
    const ofDisposition = parameter(disposition)
    const levels =
      filter.level === undefined
        ? [...riskLevels.map((level) => `level = ${parameter(level)}`), OF_OTHER_LEVEL]
        : [`level = ${parameter(filter.level)}`]
    return levels.map(
      (ofLevel) =>
        `SELECT * FROM cases.report_case WHERE account_id = $1 AND livemode = $2 AND disposition = ${ofDisposition} AND ${ofLevel} ${further} ${before}`,
    )
  })
  const text = casesFrom(mergedRanges(ranges, ['changed_at', 'report_id'], limit))
  return await selectCases(database, order, { text, scope: tenantScope(order) }, { values, pageSize })
}

/** A person is found whatever key they sign in with; a key by the chain of its rotations. */
function assigneeConditions(
  assignee: CaseFilter['assignee'],
  parameter: (value: unknown) => string,
): readonly string[] {
  if (assignee === undefined) return []
  if (assignee === 'nobody') return ['AND assignee_key IS NULL']
  const isPerson = `AND assignee_key IS NOT NULL AND assignee_subject = ${parameter(assignee.subject)}`
  return assignee.subject === ''
    ? [isPerson, `AND assignee_holder = ${parameter(assignee.holder)}`]
    : [isPerson]
}

async function selectCases(
  database: Queryable,
  owner: Owner,
  statement: Statement,
  { values, pageSize }: { readonly values: readonly unknown[]; readonly pageSize: number },
): Promise<CasePage> {
  const rows = await database.query<CaseRow & (EntryRow | NoEntry)>(statement, [
    ...[owner.accountId, owner.livemode, ...values],
  ])
  const items = rows
    .slice(0, pageSize)
    .map((row) => caseOf(row, owner, isEntry(row) ? entryOf(row, owner) : null))
  const last = items.at(-1)
  const next =
    rows.length > pageSize && last !== undefined
      ? { changedAt: last.changedAt, reportId: last.reportId }
      : null
  return { items, next }
}

interface AssigneeColumns {
  readonly assigneeKey: string | null
  readonly assigneeHolder: string | null
  readonly assigneeName: string | null
  readonly assigneeSubject: string | null
  readonly dueOn: string | null
}

interface CaseRow extends Omit<StoredCase, 'proposal' | 'disposition' | 'assignment'>, AssigneeColumns {
  readonly caseDisposition: Disposition
  readonly proposedIn: number | null
}

interface EntryRow extends Omit<StoredEntry, 'version' | 'assignment' | 'file' | keyof Owner> {
  readonly entryVersion: number
  readonly entryAccountId: string
  readonly entryLivemode: boolean
  readonly assignedKey: string | null
  readonly assignedHolder: string | null
  readonly assignedName: string | null
  readonly assignedSubject: string | null
  readonly assignedUntil: string | null
  readonly fileName: string | null
  readonly fileType: string | null
  readonly fileBytes: number | null
  readonly fileSha256: string | null
  readonly contentSha256: string | null
}

interface NoEntry {
  readonly entryVersion: null
}

function isEntry(row: CaseRow & (EntryRow | NoEntry)): row is CaseRow & EntryRow {
  return row.entryVersion !== null
}

const CASE_FIELDS = `${asFields('c.report_id, c.account_id, c.livemode, c.address, c.chain, c.level, c.score, c.version')},
  ${asFields('c.assignee_key, c.assignee_holder, c.assignee_name, c.assignee_subject')}, c.due_on::text AS "dueOn",
  c.disposition AS "caseDisposition", c.proposal_version AS "proposedIn", ${asTimes('c.opened_at, c.changed_at')}`
const ENTRY_FIELDS = `e.version AS "entryVersion", e.account_id AS "entryAccountId", e.livemode AS "entryLivemode",
  e.assignee_key AS "assignedKey", e.assignee_holder AS "assignedHolder", e.assignee_name AS "assignedName",
  e.assignee_subject AS "assignedSubject", e.due_on::text AS "assignedUntil",
  ${asFields('e.file_name, e.file_type, e.file_bytes')}, e.file_sha256 AS "fileSha256", e.content_sha256 AS "contentSha256",
  ${asFields('e.kind, e.text, e.disposition, e.previous_disposition, e.proposal_version')},
  ${asFields('e.key_id, e.key_name, e.holder, e.actor, e.subject')}, ${asTimes('e.made_at')}`

/** One statement reads one moment, so that the version is the number of entries. */
const WHOLE_CASE = `SELECT ${CASE_FIELDS}, ${ENTRY_FIELDS}
  FROM cases.report_case c JOIN cases.entry e ON e.report_id = c.report_id
  WHERE c.report_id = $1 AND c.account_id = $2 AND c.livemode = $3 ORDER BY e.version`

/** A later scorer may know further levels; cases of its reports are listed too. The condition of an index, in the same words. */
const OF_OTHER_LEVEL = `level NOT IN (${riskLevels.map((level) => `'${level}'`).join(', ')})`

const casesFrom = (source: string): string =>
  `SELECT ${CASE_FIELDS}, ${ENTRY_FIELDS}
   FROM ${source} AS c LEFT JOIN cases.entry e ON e.report_id = c.report_id AND e.version = c.proposal_version
   ORDER BY c.changed_at DESC, c.report_id DESC`

const isProposalOf =
  ({ proposedIn }: CaseRow) =>
  ({ version }: StoredEntry): boolean =>
    version === proposedIn

function assignmentOf(row: AssigneeColumns): Assignment {
  const { assigneeKey, assigneeHolder, assigneeName, assigneeSubject, dueOn } = row
  if (assigneeKey === null) return { assignee: null, dueOn }
  const names = { name: assigneeName ?? '', subject: assigneeSubject ?? '' }
  return { assignee: { keyId: assigneeKey, holder: assigneeHolder ?? '', ...names }, dueOn }
}

function caseOf(row: CaseRow, owner: Owner, proposal: StoredEntry | null): StoredCase {
  const { reportId, accountId, livemode, address, chain, level, score, version, openedAt, changedAt } = row
  const stored = { reportId, accountId, livemode, address, chain, level, score, version, openedAt, changedAt }
  const assignment = assignmentOf(row)
  return ownRow({ ...stored, disposition: row.caseDisposition, proposal, assignment }, owner)
}

function entryOf(row: EntryRow, owner: Owner): StoredEntry {
  const { kind, text, disposition, previousDisposition, proposalVersion } = row
  const { madeAt, keyId, keyName, holder, actor, subject } = row
  const { entryVersion: version, entryAccountId: accountId, entryLivemode: livemode } = row
  const said = {
    ...{ assigneeKey: row.assignedKey, assigneeHolder: row.assignedHolder, dueOn: row.assignedUntil },
    ...{ assigneeName: row.assignedName, assigneeSubject: row.assignedSubject },
  }
  return ownRow(
    {
      ...{ version, kind, text, disposition, previousDisposition, proposalVersion },
      ...{ madeAt, keyId, keyName, holder, actor, subject, accountId, livemode },
      assignment: kind === 'assigned' ? assignmentOf(said) : null,
      file: fileOf(row),
    },
    owner,
  )
}

function fileOf({ fileName, fileType, fileBytes, fileSha256, contentSha256 }: EntryRow): CaseFile | null {
  if (fileName === null) return null
  const hashes = { sha256: fileSha256 ?? '', contentSha256: contentSha256 ?? '' }
  return { name: fileName, mediaType: fileType ?? '', bytes: fileBytes ?? 0, ...hashes }
}

/** The stored text of a file of a case; null if the entry has none, or if a restore lost it. */
export async function readFile(
  database: Queryable,
  order: OneCase & { readonly version: number },
): Promise<string | null> {
  const [row] = await database.query<{ content: Buffer } & Owner>(
    {
      text: `SELECT content, ${asFields('account_id, livemode')} FROM cases.file
             WHERE report_id = $1 AND account_id = $2 AND livemode = $3 AND version = $4`,
      scope: tenantScope(order),
    },
    [order.reportId, order.accountId, order.livemode, order.version],
  )
  return row === undefined ? null : ownRow(row, order).content.toString('latin1')
}

/** A person who made an entry of a case: with the name and the key of the last one. */
export interface CasePersonSeen {
  readonly keyId: string
  readonly actor: string
  readonly subject: string
}

const ENTRIES_OF_PEOPLE = `cases.entry e WHERE e.account_id = $1 AND e.livemode = $2 AND e.subject <> ''`
const NEWEST_OF_FIRST = 'ORDER BY e.subject, e.made_at DESC LIMIT 1'

/** The persons who worked on cases, the last ones first. */
export async function listPeople(
  database: Queryable,
  owner: Owner,
  limit: number,
): Promise<readonly CasePersonSeen[]> {
  const rows = await database.query<CasePersonSeen & Owner>(
    {
      // One look at the index for each person, however many entries they made.
      text: `WITH RECURSIVE seen AS (
               (SELECT e.* FROM ${ENTRIES_OF_PEOPLE} ${NEWEST_OF_FIRST})
               UNION ALL
               SELECT other.* FROM seen, LATERAL (
                 SELECT e.* FROM ${ENTRIES_OF_PEOPLE} AND e.subject > seen.subject ${NEWEST_OF_FIRST}) AS other)
             SELECT ${asFields('key_id, actor, subject, account_id, livemode')} FROM seen ORDER BY made_at DESC LIMIT $3`,
      scope: tenantScope(owner),
    },
    [owner.accountId, owner.livemode, limit],
  )
  return rows.map((row) => ownRow(row, owner))
}

/** The second check that separates tenants, as in the read models: rejects a row of another tenant (docs/adr/0150). */
function ownRow<R extends Owner>(row: R, owner: Owner): R {
  if (row.accountId !== owner.accountId || row.livemode !== owner.livemode)
    throw new Error('A query of cases returned a row of another tenant')
  return row
}
