/** The inbox of an account: what the read model `inbox-view` holds, and which of it a person has read. */
import { asFields, asTimes, type Queryable, type Database } from '@cupel/postgres'
import { tenantScope } from '@cupel/projections'
import type { Owner } from './watch.js'

export const inboxKinds = ['report_changed', 'proposal_waiting', 'watch_failed'] as const
export type InboxKind = (typeof inboxKinds)[number]

/** Who reads: an account, and the person or the holder of the key. */
export interface InboxReader extends Owner {
  readonly reader: string
}

export interface InboxEntry {
  readonly entryId: string
  readonly kind: InboxKind
  /** UTC, RFC 3339 with milliseconds. */
  readonly at: string
  readonly isRead: boolean
  readonly reportId: string | null
  /** Of a proposal: facts of the report. Null for other kinds. */
  readonly facts: {
    readonly address: string
    readonly chain: string
    readonly level: string
    readonly score: number
  } | null
  /** JSON: what the entry says. */
  readonly document: string
}

export interface InboxCursor {
  readonly at: string
  readonly entryId: string
}

export interface InboxPage {
  readonly items: readonly InboxEntry[]
  /** Null at the end. A page of a search may be empty and still have a next one. */
  readonly next: InboxCursor | null
}

export interface InboxFilter {
  /** Only entries that this reader has not read. */
  readonly isUnread: boolean
  readonly kind: InboxKind | null
  /** Only changes to this level. */
  readonly level: string | null
}

/** Entries that one search looks at. */
export const MAX_LOOKED_AT = 1_000

/** Newest first. */
export async function listInbox(
  database: Queryable,
  reader: InboxReader,
  {
    filter,
    pageSize,
    after,
  }: { readonly filter: InboxFilter; readonly pageSize: number; readonly after: InboxCursor | null },
): Promise<InboxPage> {
  const looked = await look(database, reader, after)
  const found = looked.filter(
    ({ kind, level, isRead }) =>
      (!filter.isUnread || !isRead) &&
      (filter.kind === null || kind === filter.kind) &&
      (filter.level === null || level === filter.level),
  )
  const chosen = found.slice(0, pageSize)
  const documents = await readDocuments(database, reader, chosen)
  const last = found.length > pageSize ? chosen.at(-1) : looked[MAX_LOOKED_AT - 1]
  return {
    // An entry that was settled in between is left out.
    items: chosen.flatMap((entry) => {
      const rest = documents.get(entry.entryId)
      if (rest === undefined) return []
      const { entryId, kind, at, isRead } = entry
      return [{ entryId, kind, at, isRead, ...rest }]
    }),
    next: last === undefined ? null : { at: last.at, entryId: last.entryId },
  }
}

export interface Unread {
  readonly count: number
  /** There are older entries that were not looked at. */
  readonly isLowerBound: boolean
}

/** How many of the newest entries this reader has not read. */
export async function countUnread(database: Queryable, reader: InboxReader): Promise<Unread> {
  const looked = await look(database, reader, null)
  return {
    count: looked.filter(({ isRead }) => !isRead).length,
    isLowerBound: looked.length === MAX_LOOKED_AT,
  }
}

/** Marks entries as read, or as unread again. Returns one that the account does not have, and then marks none. */
export async function markEntries(
  database: Database,
  { accountId, livemode, reader }: InboxReader,
  { entryIds, isRead }: { readonly entryIds: readonly string[]; readonly isRead: boolean },
): Promise<{ readonly unknown: string | null }> {
  const known = await database.query<{ entryId: string }>(
    {
      text: `SELECT ${asFields('entry_id')} FROM inbox_view.inbox_entry
             WHERE account_id = $1 AND livemode = $2 AND entry_id = ANY ($3::text[])`,
      scope: tenantScope({ accountId, livemode }),
    },
    [accountId, livemode, entryIds],
  )
  const unknown = entryIds.find((id) => !known.some(({ entryId }) => entryId === id))
  if (unknown !== undefined) return { unknown }
  await database.execute(
    isRead
      ? `INSERT INTO watches.read_entry (account_id, livemode, reader, entry_id)
         SELECT $1, $2, $3, unnest($4::text[]) ON CONFLICT DO NOTHING`
      : `DELETE FROM watches.read_entry WHERE account_id = $1 AND livemode = $2 AND reader = $3 AND entry_id = ANY ($4::text[])`,
    [accountId, livemode, reader, [...new Set(entryIds)]],
  )
  return { unknown: null }
}

interface Looked extends Owner, Record<string, unknown> {
  readonly entryId: string
  readonly kind: InboxKind
  readonly level: string | null
  readonly at: string
  readonly isRead: boolean
}

async function look(
  database: Queryable,
  { accountId, livemode, reader }: InboxReader,
  after: InboxCursor | null,
): Promise<readonly Looked[]> {
  const rows = await database.query<Looked>(
    { name: 'watches.inbox', text: LOOK, scope: tenantScope({ accountId, livemode }) },
    [accountId, livemode, reader, MAX_LOOKED_AT, after?.at ?? null, after?.entryId ?? null],
  )
  return ownRows(rows, { accountId, livemode })
}

/** Of the level of a proposal its case decides, which a search by level does not look at. */
const LOOK = `
  SELECT ${asFields('e.account_id, e.livemode, e.entry_id, e.kind, e.level')}, ${asTimes('e.at')},
    EXISTS (SELECT FROM watches.read_entry r
      WHERE r.account_id = $1 AND r.livemode = $2 AND r.reader = $3 AND r.entry_id = e.entry_id) AS "isRead"
  FROM inbox_view.inbox_entry e
  WHERE e.account_id = $1 AND e.livemode = $2 AND e.is_shown
    AND ($5::timestamptz IS NULL OR (e.at, e.entry_id) < ($5::timestamptz, $6))
  ORDER BY e.at DESC, e.entry_id DESC LIMIT $4`

type Rest = Pick<InboxEntry, 'reportId' | 'facts' | 'document'>

async function readDocuments(
  database: Queryable,
  { accountId, livemode }: InboxReader,
  chosen: readonly Looked[],
): Promise<ReadonlyMap<string, Rest>> {
  if (chosen.length === 0) return new Map()
  const rows = await database.query<Rest & Owner & { entryId: string }>(
    { name: 'watches.inbox-documents', text: DOCUMENTS, scope: tenantScope({ accountId, livemode }) },
    [accountId, livemode, chosen.map(({ entryId }) => entryId)],
  )
  return new Map(
    ownRows(rows, { accountId, livemode }).map(({ entryId, reportId, facts, document }) => [
      entryId,
      { reportId, facts, document },
    ]),
  )
}

const DOCUMENTS = `
  SELECT ${asFields('e.account_id, e.livemode, e.entry_id, e.report_id, e.document')},
    CASE WHEN r.report_id IS NOT NULL THEN json_build_object('address', r.address, 'chain', r.chain, 'level', r.level, 'score', r.score) END AS facts
  FROM inbox_view.inbox_entry e
  LEFT JOIN report_view.report r ON e.kind = 'proposal_waiting' AND r.report_id = e.report_id
    AND r.account_id = e.account_id AND r.livemode = e.livemode AND r.state = 'generated'
  WHERE e.account_id = $1 AND e.livemode = $2 AND e.entry_id = ANY ($3::text[]) AND e.is_shown`

function ownRows<R extends Owner>(rows: readonly R[], owner: Owner): readonly R[] {
  for (const { accountId, livemode } of rows)
    if (accountId !== owner.accountId || livemode !== owner.livemode)
      throw new Error('A query of the inbox returned a row of another tenant')
  return rows
}
