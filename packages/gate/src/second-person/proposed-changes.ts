/** Changes of keys and lists that one person proposes and another one confirms or refuses. The log holds the proposals and the decisions. */
import { randomBytes } from 'node:crypto'
import { requestedEventId, topicOf, type DomainEvent, type EventData } from '@cupel/contracts'
import { requireFront, scan, type EventCodec, type EventLog } from '@cupel/event-log'
import { createSlots } from '@cupel/kit/concurrency'
import type { Database, Queryable, TransactionOptions } from '@cupel/postgres'

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
/** An account proposes no more in 24 hours, so that the log cannot be filled. */
export const MAX_CHANGES_A_DAY = 50
const DAY_MS = 24 * 3_600_000
const ID_BYTES = 10
/** Held while a change is proposed or decided, so that no other decision is appended between reading the log and appending to it. */
const LOCK = 'cupel.proposed-changes'
/** Calls of one process wait here for the lock, accounts in turns: one that waited in the database would hold a connection meanwhile. */
const inTurn = createSlots(1)

export interface ChangeLog {
  readonly log: EventLog
  readonly codec: EventCodec
}

/** Every proposed change, oldest first. Rejects with LogStoppedError if the oldest records were deleted. */
export async function readProposedChanges({ log, codec }: ChangeLog): Promise<readonly ChangeOnRecord[]> {
  const topic = topicOf('ChangeProposed')
  const proposals = new Map<string, ProposedChange>()
  const decisions = new Map<string, ChangeDecision>()
  await requireFront(log, [topic])
  for await (const record of scan(log, [topic])) {
    const proposed = codec.decodeAs('ChangeProposed', record)?.data
    // A repeated record is no further proposal, and the first decision counts.
    if (proposed !== undefined && !proposals.has(proposed.changeId))
      proposals.set(proposed.changeId, proposed)
    const decided = codec.decodeAs('ProposedChangeDecided', record)?.data
    if (decided !== undefined && !decisions.has(decided.changeId)) decisions.set(decided.changeId, decided)
  }
  return [...proposals.values()]
    .map((proposed) => ({ proposed, decided: decisions.get(proposed.changeId) ?? null }))
    .sort((one, other) => (one.proposed.proposedAt < other.proposed.proposedAt ? -1 : 1))
}

/** An unknown word of a decision ends the proposal as well: it is not confirmed. */
export function changeStatus({ proposed, decided }: ChangeOnRecord, now: Date): ChangeStatus {
  if (decided !== null) return decided.decision === 'confirm' ? 'confirmed' : 'refused'
  return now.getTime() < changeExpiry(proposed).getTime() ? 'open' : 'expired'
}

export const changeExpiry = ({ proposedAt }: Pick<ProposedChange, 'proposedAt'>): Date =>
  new Date(Date.parse(proposedAt) + CHANGE_DAYS * DAY_MS)

type ChangeParts = ChangeLog & { readonly database: Database; readonly now: Date }

/** Appends ChangeProposed. Null if the account proposed too much. Rejects with LogUnavailableError; a repeated call makes another proposal. */
export async function proposeChange(
  { log, codec, database, now }: ChangeParts,
  order: Omit<ProposedChange, 'changeId' | 'proposedAt'>,
): Promise<ProposedChange | null> {
  return await locked({ database, at: 'access.propose' }, order, async () => {
    const earlier = await readProposedChanges({ log, codec })
    const ofToday = ({ proposed }: ChangeOnRecord): boolean =>
      proposed.accountId === order.accountId && Date.parse(proposed.proposedAt) > now.getTime() - DAY_MS
    if (earlier.filter(ofToday).length >= MAX_CHANGES_A_DAY) return null
    const changeId = `chg_${randomBytes(ID_BYTES).toString('hex')}`
    const proposed: ProposedChange = { ...order, changeId, proposedAt: now.toISOString() }
    await append({ log, codec }, { type: 'ChangeProposed', data: proposed }, proposed.proposedAt)
    return proposed
  })
}

/** A change that is not seen is unknown, decided or not. */
interface Deciding<Made> {
  readonly isSeen: (change: ChangeOnRecord) => boolean
  readonly make: (transaction: Queryable, open: ChangeOnRecord) => Promise<Made>
}

/**
 * Decides an open change in one transaction with `make`, whose result is returned. The decision is appended last, just before the commit: a
 * process that dies between the two leaves a decision without its change, and never a change that can be made a second time.
 */
export async function decideChange<Made>(
  { log, codec, database, now }: ChangeParts,
  decision: Omit<ChangeDecision, 'decidedAt'>,
  { isSeen, make }: Deciding<Made>,
): Promise<
  | { readonly outcome: 'decided'; readonly change: ChangeOnRecord; readonly made: Made }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'ended'; readonly status: ChangeStatus }
> {
  return await locked({ database, at: 'access.change' }, decision, async (transaction) => {
    const known = await readProposedChanges({ log, codec })
    const open = known.find(({ proposed }) => proposed.changeId === decision.changeId)
    if (open === undefined || !isSeen(open)) return { outcome: 'unknown' }
    const status = changeStatus(open, now)
    if (status !== 'open') return { outcome: 'ended', status }
    const made = await make(transaction, open)
    const decided: ChangeDecision = { ...decision, decidedAt: now.toISOString() }
    await append({ log, codec }, { type: 'ProposedChangeDecided', data: decided }, decided.decidedAt)
    return { outcome: 'decided', change: { ...open, decided }, made }
  })
}

type NewRecord =
  | Pick<DomainEvent<'ChangeProposed'>, 'type' | 'data'>
  | Pick<DomainEvent<'ProposedChangeDecided'>, 'type' | 'data'>

async function append({ log, codec }: ChangeLog, record: NewRecord, at: string): Promise<void> {
  const id = requestedEventId()
  const key = record.data.accountId
  const made = { id, source: 'cupel/access', time: at, subject: key }
  const envelope = { ...made, correlationId: id, causationId: id }
  const event = { ...record, envelope } as DomainEvent
  await log.append('access.propose', [codec.encode(event, { topic: topicOf(record.type), key })])
}

async function locked<T>(
  { database, at }: Pick<ChangeParts, 'database'> & TransactionOptions,
  { accountId }: { readonly accountId: string },
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  const run = async (transaction: Queryable): Promise<T> => {
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [LOCK])
    return await work(transaction)
  }
  return await inTurn(() => database.transaction({ at }, run), { owner: accountId })
}
