/** Adds people's notes, decisions, assignments and files to the case of a report. Each adds one entry, and none changes the report. */
import type { ReportFacts } from '@cupel/projections'
import { hash } from 'node:crypto'
import type { ApiCall, Assignment, CaseFile, Disposition, EntryKind } from '@cupel/contracts'
import {
  decideDisposition,
  isSamePerson,
  type CasePersonId,
  type CaseState,
  type DispositionOrder,
} from '@cupel/domain'
import { timeText, type Database, type Queryable } from '@cupel/postgres'
import { insertEntry } from './insert-entry.js'
import { writeEntryEvent } from './events.js'
import { MAX_ACCOUNT_FILE_BYTES, MAX_ACCOUNT_FILES, MAX_ENTRIES, MAX_FILES, MAX_NOTES } from './limits.js'
import {
  readOwnCase,
  readSummary,
  type Owner,
  type StoredCase,
  type StoredEntry,
  type WholeCase,
} from './queries.js'

/** The author of an entry, and the call that its event records. */
export interface Actor {
  readonly keyId: string
  /** The first key in the chain of rotations of the key. */
  readonly holder: string
  /** The present name of the key; empty if it has none. */
  readonly keyName: string
  /** Empty if no person is signed in. */
  readonly person: string
  /** The permanent identifier of that person; empty if no person is signed in. */
  readonly subject: string
  /** The same person in entries older than the sealing of names. */
  readonly plain?: { readonly person: string; readonly subject: string } | undefined
  /** Whether a text of an entry is sealed under another key, so that it cannot be compared with the name or identifier of this author. */
  readonly cannotCompare: (text: string) => boolean
  /** The call that the event of the entry records; null if another record has it. */
  readonly call: ApiCall | null
}

export type CaseRefusal =
  /** The caller read another version. `version`: the current one. */
  | { readonly ok: false; readonly code: 'version_mismatch'; readonly version: number }
  | { readonly ok: false; readonly code: CaseFault }

export type CaseFault =
  | 'case_full'
  | 'same_person'
  | 'already_so'
  | 'already_assigned'
  | 'too_many_files'
  | 'account_full'

export type ChangeResult = { readonly ok: true; readonly case: WholeCase } | CaseRefusal

type Order = Owner &
  Actor & {
    readonly report: ReportFacts
    /** The version that the caller read; null if any version will do. */
    readonly expectedVersion: number | null
    readonly text: string
  }

const NO_DECISION = {
  disposition: null,
  previousDisposition: null,
  proposalVersion: null,
  assignment: null,
  file: null,
} as const

/** Entries that decide nothing leave room for those that do. */
async function undecided(
  transaction: Queryable,
  reportId: string,
  present: StoredCase | null,
): Promise<Pick<DecidedEntry, 'leaves' | 'pending'> | 'case_full'> {
  const isFull =
    (await countEntries(transaction, reportId, ['note', 'assigned', 'file_attached'])) >= MAX_NOTES
  return isFull
    ? 'case_full'
    : { leaves: present?.disposition ?? 'open', pending: present?.proposal?.version ?? null }
}

/** Adds a note. The first entry of a case opens it. */
export async function addNote(database: Database, order: Order): Promise<ChangeResult> {
  return await changeCase(database, order, async (transaction, present) => {
    const left = await undecided(transaction, order.report.reportId, present)
    return left === 'case_full' ? left : { ...NO_DECISION, kind: 'note', ...left }
  })
}

/** Says who works on the case from now on, and until when. It changes nothing of who proposed what. */
export async function assignCase(
  database: Database,
  order: Order & { readonly assignment: Assignment },
): Promise<ChangeResult> {
  const { assignment } = order
  return await changeCase(database, order, async (transaction, present) => {
    if (isSameAssignment(present, assignment)) return 'already_assigned'
    const left = await undecided(transaction, order.report.reportId, present)
    return left === 'case_full' ? left : { ...NO_DECISION, kind: 'assigned', assignment, ...left }
  })
}

function isSameAssignment(present: StoredCase | null, { assignee, dueOn }: Assignment): boolean {
  const known = present?.assignment ?? { assignee: null, dueOn: null }
  const isSame = known.assignee?.keyId === assignee?.keyId && known.assignee?.subject === assignee?.subject
  return isSame && known.dueOn === dueOn
}

/** The file as it is stored: sealed, as text. */
export interface NewFile extends Omit<CaseFile, 'contentSha256'> {
  readonly content: string
}

/** Attaches a file. Nobody can change or remove it; its bytes are erased with the key that seals them. */
export async function attachFile(
  database: Database,
  order: Order & { readonly file: NewFile },
): Promise<ChangeResult> {
  const { content, ...told } = order.file
  const stored = Buffer.from(content)
  return await changeCase(
    database,
    order,
    async (transaction, present) => {
      const { reportId } = order.report
      const files = await countEntries(transaction, reportId, ['file_attached'])
      if (files >= MAX_FILES) return 'too_many_files'
      if (!(await hasRoom(transaction, order.accountId, told.bytes))) return 'account_full'
      const left = await undecided(transaction, reportId, present)
      if (left === 'case_full') return left
      const file = { ...told, contentSha256: hash('sha256', stored) }
      return { ...NO_DECISION, kind: 'file_attached', file, ...left }
    },
    async (transaction, version) => {
      await transaction.execute(
        'INSERT INTO cases.file (report_id, version, account_id, livemode, content) VALUES ($1, $2, $3, $4, $5)',
        [order.report.reportId, version, order.accountId, order.livemode, stored],
      )
    },
  )
}

/** Files of one account are added one at a time, so that their sum is exact. */
async function hasRoom(transaction: Queryable, accountId: string, bytes: number): Promise<boolean> {
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `cupel.case-files ${accountId}`,
  ])
  const [held] = await transaction.query<{ files: number; bytes: number }>(
    `SELECT count(*)::int AS files, coalesce(sum(file_bytes), 0)::float8 AS bytes
     FROM cases.entry WHERE account_id = $1 AND kind = 'file_attached'`,
    [accountId],
  )
  return held!.files < MAX_ACCOUNT_FILES && held!.bytes + bytes <= MAX_ACCOUNT_FILE_BYTES
}

/** Sets, proposes, confirms or declines a disposition (decideDisposition). The text is the reason. */
export async function setDisposition(
  database: Database,
  order: Order &
    Pick<DispositionOrder, 'needsSecondPerson' | 'doPeopleSignIn'> & { readonly disposition: Disposition },
): Promise<ChangeResult> {
  const { disposition, needsSecondPerson, doPeopleSignIn } = order
  return await changeCase(database, order, async (_transaction, present) => {
    const decision = decideDisposition(stateOf(present, order), {
      ...{ disposition, needsSecondPerson, doPeopleSignIn },
      by: personOf(order),
    })
    const pending = present?.proposal?.version ?? null
    switch (decision.kind) {
      case 'refused':
        return decision.because
      case 'proposed': {
        const entry = { ...NO_DECISION, kind: 'disposition_proposed', disposition } as const
        return { ...entry, leaves: present?.disposition ?? 'open', pending: 'this' }
      }
      case 'declined': {
        const declined = present!.proposal!.disposition
        const entry = { ...NO_DECISION, kind: 'proposal_declined', disposition: declined } as const
        return { ...entry, proposalVersion: pending, leaves: disposition, pending: null }
      }
      case 'changed': {
        const previousDisposition = present?.disposition ?? null
        const entry = {
          ...NO_DECISION,
          kind: 'disposition_changed',
          disposition,
          previousDisposition,
        } as const
        const proposalVersion = decision.isConfirmation ? pending : null
        return { ...entry, proposalVersion, leaves: disposition, pending: null }
      }
    }
  })
}

/** Whether this person could confirm the proposal: only another person than its author can. */
export function mayConfirm(proposal: StoredEntry, actor: Comparable, doPeopleSignIn: boolean): boolean {
  return !isSamePerson(proposerOf(proposal, actor), personOf(actor), doPeopleSignIn)
}

type Comparable = Pick<Actor, 'holder' | 'person' | 'subject' | 'plain' | 'cannotCompare'>

const personOf = ({
  holder,
  person,
  subject,
}: Pick<Actor, 'holder' | 'person' | 'subject'>): CasePersonId => ({
  holder,
  subject,
  name: person,
})

/** An entry that is older than the sealing of names still has the same author. One that cannot be compared may be of this author. */
function proposerOf({ holder, actor, subject }: StoredEntry, author: Comparable): CasePersonId {
  if (author.cannotCompare(subject) || author.cannotCompare(actor)) return personOf(author)
  const { person, subject: ownSubject, plain } = author
  return {
    holder,
    subject: subject !== '' && subject === plain?.subject ? ownSubject : subject,
    name: actor !== '' && actor === plain?.person ? person : actor,
  }
}

function stateOf(present: StoredCase | null, actor: Comparable): CaseState {
  const proposal = present?.proposal ?? null
  if (proposal === null) return { disposition: present?.disposition ?? null, proposal: null }
  const by = proposerOf(proposal, actor)
  return { disposition: present!.disposition, proposal: { disposition: proposal.disposition!, by } }
}

/** The content of a decided entry, and the state of the case after it. */
interface DecidedEntry extends Pick<
  StoredEntry,
  'kind' | 'disposition' | 'previousDisposition' | 'proposalVersion' | 'assignment' | 'file'
> {
  readonly leaves: Disposition
  /** Version of the proposal that is pending from now on; `this` for this entry. */
  readonly pending: number | 'this' | null
}

type Decide = (transaction: Queryable, present: StoredCase | null) => Promise<DecidedEntry | CaseFault>

async function changeCase(
  database: Database,
  order: Order,
  decide: Decide,
  store: (transaction: Queryable, version: number) => Promise<void> = () => Promise.resolve(),
): Promise<ChangeResult> {
  const { reportId } = order.report
  const own = { accountId: order.accountId, livemode: order.livemode, reportId }
  return await database.transaction({ at: 'cases.change' }, async (transaction) => {
    // Changes of a case run one at a time, even before the case has a row: entries and events have one order.
    await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
      `cupel.case ${reportId}`,
    ])
    const present = await readSummary(transaction, own)
    const version = present?.version ?? 0
    if (order.expectedVersion !== null && order.expectedVersion !== version)
      return { ok: false, code: 'version_mismatch', version }
    if (version >= MAX_ENTRIES) return { ok: false, code: 'case_full' }
    const decided = await decide(transaction, present)
    if (typeof decided === 'string') return { ok: false, code: decided }
    const entry = await writeEntry(transaction, order, decided, version + 1)
    await store(transaction, version + 1)
    await writeEntryEvent(transaction, { ...entry, reportId }, order.call)
    return { ok: true, case: (await readOwnCase(transaction, own))! }
  })
}

async function countEntries(
  transaction: Queryable,
  reportId: string,
  kinds: readonly EntryKind[],
): Promise<number> {
  const [row] = await transaction.query<{ count: number }>(
    `SELECT count(*) AS count FROM cases.entry WHERE report_id = $1 AND kind = ANY ($2)`,
    [reportId, kinds],
  )
  return row!.count
}

/** Returns the entry with its time: by the clock of the database, rounded to the shown precision. */
async function writeEntry(
  transaction: Queryable,
  { report, accountId, livemode, text, keyId, keyName, holder, person, subject }: Order,
  { leaves, pending, ...decided }: DecidedEntry,
  version: number,
): Promise<StoredEntry> {
  const [row] = await transaction.query<{ madeAt: string }>(
    `INSERT INTO cases.report_case AS c (report_id, account_id, livemode, address, chain, level, score,
       disposition, version, proposal_version, opened_at, changed_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now, now FROM date_trunc('milliseconds', clock_timestamp()) AS now
     ON CONFLICT (report_id) DO UPDATE SET disposition = excluded.disposition, version = excluded.version,
       proposal_version = excluded.proposal_version, changed_at = greatest(excluded.changed_at, c.changed_at)
     WHERE c.account_id = excluded.account_id AND c.livemode = excluded.livemode
     RETURNING ${timeText('changed_at')} AS "madeAt"`,
    [
      ...[report.reportId, accountId, livemode, report.address, report.chain, report.level, report.score],
      ...[leaves, version, pending === 'this' ? version : pending],
    ],
  )
  if (row === undefined) throw new Error('The case of a report belongs to another tenant than the report')
  const entry: StoredEntry = {
    ...{ ...decided, version, accountId, livemode, text, madeAt: row.madeAt },
    ...{ keyId, keyName, holder, actor: person, subject },
  }
  await insertEntry(transaction, report.reportId, entry)
  return entry
}
