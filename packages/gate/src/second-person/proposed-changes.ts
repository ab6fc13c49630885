/** Changes that one person proposes and another one confirms or refuses: a row of each, and the events of its proposal and its decision. */
import { randomBytes } from 'node:crypto'
import type { EventData } from '@cupel/contracts'
import { createSlots } from '@cupel/kit/concurrency'
import { asFields, asTimes, type Database, type Queryable } from '@cupel/postgres'
import { outboxType, tenantScope } from '@cupel/projections'
import { writeAccessEvent } from '../access/index.js'

export type ProposedChange = EventData['ChangeProposed']
export type ChangeDecision = EventData['ProposedChangeDecided']

/** A proposed change with the decision on it, if there is one. */
export interface ChangeOnRecord {
  readonly proposed: ProposedChange
  readonly decided: ChangeDecision | null
}

/** `expired`: nobody decided it for so long. */
export type ChangeStatus = 'open' | 'confirmed' | 'refused' | 'expired'

export const CHANGE_DAYS = 14
/** An account proposes no more in 24 hours, so that nobody fills the log. */
export const MAX_CHANGES_A_DAY = 50
const DAY_MS = 24 * 3_600_000
const ID_BYTES = 10
/** Longer than an append of a log may take: a decision that waits for one keeps its row until it is known. */
const STUCK_AFTER_MS = 30_000
/** Decisions of one process take turns, accounts in turns: one that waited for a row in the database would hold a connection meanwhile. */
const inTurn = createSlots(1)

const FIELDS = `${asFields('change_id, livemode, kind, change, based_on, reason, proposed_by, holder, actor, subject')},
  proposer_account_id AS "accountId", account_id AS "ofAccountId", ${asTimes('proposed_at')}`
const DECISION = `decision, decided_by AS "decidedBy", decider AS "decidingActor", decider_account_id AS "decidingAccountId",
  ${asTimes('decided_at')}`

interface Row extends ProposedChange, Record<string, unknown> {
  readonly decision: string | null
  readonly decidedBy: string
  readonly decidingActor: string
  readonly decidingAccountId: string
  readonly decidedAt: string
}

function ofRow({ decision, decidedBy, decidingActor, decidingAccountId, decidedAt, ...proposed }: Row) {
  const { changeId } = proposed
  const by = { accountId: decidingAccountId, actor: decidingActor, decidedBy, decidedAt }
  return { proposed, decided: decision === null ? null : { changeId, decision, ...by } }
}

/** The changes that a caller sees; those of one account and environment are read in the role that sees no others. */
export interface SeenChanges {
  readonly ofAccount: { readonly accountId: string; readonly livemode: boolean } | null
  /** Null for every kind, those of a later version too. */
  readonly kinds: readonly string[] | null
}

const seenBy = ({ ofAccount }: SeenChanges) => (ofAccount === null ? {} : { scope: tenantScope(ofAccount) })
const SEEN =
  '($1::text[] IS NULL OR kind = ANY ($1)) AND ($2::text IS NULL OR (account_id, livemode) = ($2, $3))'
const valuesOf = ({ kinds, ofAccount }: SeenChanges): unknown[] => [
  ...[kinds, ofAccount?.accountId ?? null, ofAccount?.livemode ?? null],
]

const ONE = `SELECT ${FIELDS}, ${DECISION} FROM access.proposed_change WHERE ${SEEN} AND change_id = $4`

/** The change with this id; null if the caller sees no such change. */
export async function findProposedChange(
  database: Queryable,
  changeId: string,
  seen: SeenChanges,
): Promise<ChangeOnRecord | null> {
  const [row] = await database.query<Row>({ text: ONE, ...seenBy(seen) }, [...valuesOf(seen), changeId])
  return row === undefined ? null : ofRow(row)
}

/** Newest first, behind the change `before`. */
export async function listProposedChanges(
  database: Queryable,
  seen: SeenChanges,
  page: {
    readonly before: string | null
    readonly pageSize: number
    /** Null for every kind. */
    readonly kind: string | null
    readonly isOnlyOpen: boolean
    readonly now: Date
  },
): Promise<readonly ChangeOnRecord[]> {
  const text = `SELECT ${FIELDS}, ${DECISION} FROM access.proposed_change
    WHERE ${SEEN} AND ($4::timestamptz IS NULL OR (decision IS NULL AND proposed_at > $4))
      AND ($5::text IS NULL
        OR (proposed_at, change_id) < (SELECT b.proposed_at, b.change_id FROM access.proposed_change b WHERE b.change_id = $5))
      AND ($7::text IS NULL OR kind = $7)
    ORDER BY proposed_change.proposed_at DESC, change_id DESC LIMIT $6`
  const openSince = page.isOnlyOpen ? new Date(page.now.getTime() - CHANGE_DAYS * DAY_MS).toISOString() : null
  const values = [...valuesOf(seen), openSince, page.before, page.pageSize, page.kind]
  return (await database.query<Row>({ text, ...seenBy(seen) }, values)).map(ofRow)
}

/** Expired ones too. */
export async function listUndecidedChanges(
  database: Queryable,
  kind: string,
): Promise<readonly ChangeOnRecord[]> {
  const text = `SELECT ${FIELDS}, ${DECISION} FROM access.proposed_change WHERE kind = $1 AND decision IS NULL`
  return (await database.query<Row>(text, [kind])).map(ofRow)
}

/** An unknown word of a decision ends the proposal as well: it is not confirmed. */
export function changeStatus({ proposed, decided }: ChangeOnRecord, now: Date): ChangeStatus {
  if (decided !== null) return decided.decision === 'confirm' ? 'confirmed' : 'refused'
  return now.getTime() < changeExpiry(proposed).getTime() ? 'open' : 'expired'
}

export const changeExpiry = ({ proposedAt }: Pick<ProposedChange, 'proposedAt'>): Date =>
  new Date(Date.parse(proposedAt) + CHANGE_DAYS * DAY_MS)

/** Stores a proposal, with its event. Null if the account proposed too much. A repeated call makes another proposal. */
export async function proposeChange(
  { database, now }: { readonly database: Database; readonly now: Date },
  order: Omit<ProposedChange, 'changeId' | 'proposedAt'>,
): Promise<ProposedChange | null> {
  return await database.transaction({ at: 'access.propose' }, async (transaction) => {
    const { accountId } = order
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `cupel.proposed-changes ${accountId}`,
    ])
    const [made] = await transaction.query<{ ofToday: number }>(
      `SELECT count(*)::int AS "ofToday" FROM access.proposed_change WHERE proposer_account_id = $1 AND proposed_at > $2`,
      [accountId, new Date(now.getTime() - DAY_MS).toISOString()],
    )
    if (made!.ofToday >= MAX_CHANGES_A_DAY) return null
    const changeId = `chg_${randomBytes(ID_BYTES).toString('hex')}`
    const proposed: ProposedChange = { ...order, changeId, proposedAt: now.toISOString() }
    await storeProposal(transaction, proposed)
    await writeAccessEvent(transaction, outboxType('ChangeProposed'), proposed)
    return proposed
  })
}

/** Resolves to whether the proposal was missing. */
export async function storeProposal(transaction: Queryable, one: ProposedChange): Promise<boolean> {
  const stored = await transaction.execute(
    `INSERT INTO access.proposed_change (change_id, account_id, livemode, kind, change, based_on, reason, proposed_by, holder, actor,
       subject, proposed_at, proposer_account_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING`,
    [
      ...[one.changeId, one.ofAccountId, one.livemode, one.kind, one.change, one.basedOn, one.reason],
      ...[one.proposedBy, one.holder, one.actor, one.subject, one.proposedAt, one.accountId],
    ],
  )
  return stored > 0
}

/** Resolves to whether the proposal was open. */
export async function storeDecision(transaction: Queryable, one: ChangeDecision): Promise<boolean> {
  const stored = await transaction.execute(
    `UPDATE access.proposed_change SET decision = $2, decided_by = $3, decider = $4, decider_account_id = $5, decided_at = $6
     WHERE change_id = $1 AND decision IS NULL`,
    [one.changeId, one.decision, one.decidedBy, one.actor, one.accountId, one.decidedAt],
  )
  return stored > 0
}

/** A change that is not seen is unknown, decided or not. */
interface Deciding<Made> {
  readonly seen: SeenChanges
  readonly make: (transaction: Queryable, open: ChangeOnRecord) => Promise<Made>
}

/**
 * Decides an open change in one transaction with `make`, whose result is returned, and with its event: a process that dies leaves a change
 * that was made and decided, or an open one.
 */
export async function decideChange<Made>(
  { database, now }: { readonly database: Database; readonly now: Date },
  decision: Omit<ChangeDecision, 'decidedAt'>,
  { seen, make }: Deciding<Made>,
): Promise<
  | { readonly outcome: 'decided'; readonly change: ChangeOnRecord; readonly made: Made }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'ended'; readonly status: ChangeStatus }
> {
  const { accountId, changeId } = decision
  const decide = async (transaction: Queryable) => {
    await transaction.query(`SET LOCAL idle_in_transaction_session_timeout = ${STUCK_AFTER_MS}`)
    const [row] = await transaction.query<Row>(`${ONE} FOR UPDATE`, [...valuesOf(seen), changeId])
    if (row === undefined) return { outcome: 'unknown' } as const
    const open = ofRow(row)
    const status = changeStatus(open, now)
    if (status !== 'open') return { outcome: 'ended', status } as const
    const made = await make(transaction, open)
    const decided: ChangeDecision = { ...decision, decidedAt: now.toISOString() }
    await storeDecision(transaction, decided)
    // Behind its proposal in one partition.
    await writeAccessEvent(transaction, outboxType('ProposedChangeDecided'), decided, open.proposed.accountId)
    return { outcome: 'decided', change: { ...open, decided }, made } as const
  }
  return await inTurn(() => database.transaction({ at: 'access.change' }, decide), { owner: accountId })
}

/**
 * Stores the confirmation of a change that is made. A confirmation that is under way is waited for, and then it is the one. The person who
 * confirmed is in the record of the call only, and nowhere if the process died in the call.
 */
export async function settleChange(
  database: Database,
  { changeId, decidedBy, decidedAt }: Pick<ChangeDecision, 'changeId' | 'decidedBy' | 'decidedAt'>,
): Promise<void> {
  await database.transaction({ at: 'access.change' }, async (transaction) => {
    const [row] = await transaction.query<Row & { readonly decidingAccount: string | null }>(
      `SELECT ${FIELDS}, ${DECISION},
         (SELECT k.account_id FROM access.api_key k WHERE k.key_id = $2) AS "decidingAccount"
       FROM access.proposed_change WHERE change_id = $1 FOR UPDATE`,
      [changeId, decidedBy],
    )
    if (row === undefined || row.decision !== null) return
    const { accountId } = row
    const decided: ChangeDecision = {
      ...{ changeId, decision: 'confirm', decidedBy, decidedAt, actor: '' },
      accountId: row.decidingAccount ?? accountId,
    }
    await storeDecision(transaction, decided)
    await writeAccessEvent(transaction, outboxType('ProposedChangeDecided'), decided, accountId)
  })
}
