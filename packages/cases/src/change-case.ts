/** Adds people's notes and dispositions to the case of a report. Each adds one entry, and none changes the report. */
import type { ApiCall, Disposition } from '@cupel/contracts'
import {
  decideDisposition,
  isSamePerson,
  type CasePersonId,
  type CaseState,
  type DispositionOrder,
} from '@cupel/domain'
import { timeText, type Database, type Queryable } from '@cupel/postgres'
import { outboxType } from '@cupel/projections'
import { writeCaseEvent } from './events.js'
import { MAX_ENTRIES, MAX_NOTES } from './limits.js'
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
  /** Empty if no person is signed in. */
  readonly person: string
  /** The permanent identifier of that person; empty if no person is signed in. */
  readonly subject: string
  /** The same person in entries older than the sealing of names. */
  readonly plain?: { readonly person: string; readonly subject: string } | undefined
  /** Whether a text of an entry is sealed under another key, so that it cannot be compared with the name or identifier of this author. */
  readonly cannotCompare: (text: string) => boolean
  readonly call: ApiCall
}

/** The data of the report that a list of cases shows. */
export interface ReportFacts {
  readonly reportId: string
  readonly address: string
  readonly chain: string
  readonly level: string
  readonly score: number
}

export type CaseRefusal =
  /** The caller read another version. `version`: the current one. */
  | { readonly ok: false; readonly code: 'version_mismatch'; readonly version: number }
  | { readonly ok: false; readonly code: 'case_full' | 'same_person' | 'already_so' }

export type ChangeResult = { readonly ok: true; readonly case: WholeCase } | CaseRefusal

type Order = Owner &
  Actor & {
    readonly report: ReportFacts
    /** The version that the caller read; null if any version will do. */
    readonly expectedVersion: number | null
    readonly text: string
  }

/** Adds a note. The first entry of a case opens it. */
export async function addNote(database: Database, order: Order): Promise<ChangeResult> {
  return await changeCase(database, order, async (transaction, present) => {
    const notes = await countNotes(transaction, order.report.reportId)
    if (notes >= MAX_NOTES) return 'case_full'
    const note = {
      kind: 'note',
      disposition: null,
      previousDisposition: null,
      proposalVersion: null,
    } as const
    return { ...note, leaves: present?.disposition ?? 'open', pending: present?.proposal?.version ?? null }
  })
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
        const entry = { kind: 'disposition_proposed', disposition, previousDisposition: null } as const
        return { ...entry, proposalVersion: null, leaves: present?.disposition ?? 'open', pending: 'this' }
      }
      case 'declined': {
        const declined = present!.proposal!.disposition
        const entry = { kind: 'proposal_declined', disposition: declined, previousDisposition: null } as const
        return { ...entry, proposalVersion: pending, leaves: disposition, pending: null }
      }
      case 'changed': {
        const previousDisposition = present?.disposition ?? null
        const entry = { kind: 'disposition_changed', disposition, previousDisposition } as const
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
  'kind' | 'disposition' | 'previousDisposition' | 'proposalVersion'
> {
  readonly leaves: Disposition
  /** Version of the proposal that is pending from now on; `this` for this entry. */
  readonly pending: number | 'this' | null
}

type Decide = (
  transaction: Queryable,
  present: StoredCase | null,
) => Promise<DecidedEntry | 'case_full' | 'same_person' | 'already_so'>

async function changeCase(database: Database, order: Order, decide: Decide): Promise<ChangeResult> {
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
    const madeAt = await writeEntry(transaction, order, decided, version + 1)
    await writeEventOf(transaction, order, decided, { version: version + 1, madeAt })
    return { ok: true, case: (await readOwnCase(transaction, own))! }
  })
}

async function countNotes(transaction: Queryable, reportId: string): Promise<number> {
  const [row] = await transaction.query<{ count: number }>(
    `SELECT count(*) AS count FROM cases.entry WHERE report_id = $1 AND kind = 'note'`,
    [reportId],
  )
  return row!.count
}

/** Returns the time of the entry: by the clock of the database, rounded to the shown precision. */
async function writeEntry(
  transaction: Queryable,
  { report, accountId, livemode, text, keyId, holder, person, subject }: Order,
  entry: DecidedEntry,
  version: number,
): Promise<string> {
  const pending = entry.pending === 'this' ? version : entry.pending
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
      ...[entry.leaves, version, pending],
    ],
  )
  if (row === undefined) throw new Error('The case of a report belongs to another tenant than the report')
  await transaction.execute(
    `INSERT INTO cases.entry (report_id, version, account_id, livemode, kind, text, disposition, previous_disposition,
       proposal_version, made_at, key_id, holder, actor, subject)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      ...[report.reportId, version, accountId, livemode, entry.kind, text],
      ...[entry.disposition, entry.previousDisposition, entry.proposalVersion],
      ...[row.madeAt, keyId, holder, person, subject],
    ],
  )
  return row.madeAt
}

async function writeEventOf(
  transaction: Queryable,
  { report, accountId, livemode, text, keyId, person, subject, call }: Order,
  entry: DecidedEntry,
  { version, madeAt }: { version: number; madeAt: string },
): Promise<void> {
  const base = { reportId: report.reportId, accountId, livemode, version, actor: person, subject, call }
  const decision = { ...base, disposition: entry.disposition ?? '', reason: text }
  const proposalVersion = entry.proposalVersion ?? 0
  switch (entry.kind) {
    case 'note': {
      const note = { ...base, text, addedAt: madeAt, addedBy: keyId }
      return await writeCaseEvent(transaction, outboxType('ReportNoteAdded'), note, madeAt)
    }
    case 'disposition_proposed': {
      const proposed = { ...decision, proposedAt: madeAt, proposedBy: keyId }
      return await writeCaseEvent(transaction, outboxType('DispositionProposed'), proposed, madeAt)
    }
    case 'proposal_declined': {
      const declined = { ...decision, proposalVersion, declinedAt: madeAt, declinedBy: keyId }
      return await writeCaseEvent(transaction, outboxType('DispositionProposalDeclined'), declined, madeAt)
    }
    case 'disposition_changed': {
      const previousDisposition = entry.previousDisposition ?? ''
      const changed = {
        ...decision,
        previousDisposition,
        proposalVersion,
        changedAt: madeAt,
        changedBy: keyId,
      }
      return await writeCaseEvent(transaction, outboxType('DispositionChanged'), changed, madeAt)
    }
  }
}
