/** The inbox as the API shows it, and what its routes have in common. */
import { keyHolder } from '@cupel/gate/access'
import { dispositions, instant } from '@cupel/contracts'
import { inboxKinds, type InboxEntry, type InboxReader, type Unread } from '../../index.js'
import { z } from 'zod'
import type { KeyedCall } from '@cupel/gate/http'
import { ownerOf, type WatchParts } from '../watches/watch-description.js'

export type InboxParts = Pick<WatchParts, 'database' | 'tokens'>

/** Entries that one call marks. */
export const MAX_MARKED = 200

export const kindField = z.enum(inboxKinds)

export const entryIdField = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)

const reportFacts = z
  .object({ report_id: z.string(), level: z.string(), score: z.number() })
  .meta({ id: 'InboxReport' })

const reason = z
  .object({
    code: z.string().describe('A code of `risk.level_reasons` of the report.'),
    text: z.string().describe('Its text, and the remedy.'),
  })
  .meta({ id: 'InboxReason' })

export const inboxEntryComponent = z
  .object({
    entry_id: entryIdField.describe('The id of the event that the entry tells.'),
    kind: kindField.describe(
      '`report_changed`: level or score of a watched address changed. `proposal_waiting`: a disposition waits for a second person, until somebody decides. `watch_failed`: three screenings of a watch in a row ended without a whole report.',
    ),
    at: instant,
    read: z.boolean().describe('True if this person, or the holder of this key, has marked it as read.'),
    report_id: z
      .string()
      .nullable()
      .describe('The report to look at; null for a watch that has no whole report.'),
    address: z.string(),
    chain: z.string().describe('Chain code.'),
    watch_id: z.string().nullable().describe('Null for a proposal.'),
    reference: z.string().nullable().describe('Your reference of the watch; null if there is none.'),
    previous: reportFacts.nullable().describe('The report that was told of before a change.'),
    current: reportFacts.nullable().describe('The report of a change or a proposal.'),
    why: z.string().nullable().describe('Why the report of a change has its level, in words.'),
    reasons: z
      .array(reason)
      .describe('Why the report of a change is grey, each reason with its remedy; else empty.'),
    causes: z
      .array(z.string())
      .describe('Of a change: `created`, `labels`, `ledger`, `policy` or `scorer`; others may be added.'),
    split: z
      .record(z.string(), z.number())
      .nullable()
      .describe('Of a change: the points of the difference by part, which add up to it exactly.'),
    split_missing: z
      .string()
      .nullable()
      .describe('Why a change has no split: `busy`, `unreadable` or `refused`.'),
    disposition: z.enum(dispositions).nullable().describe('The proposed one; null for other kinds.'),
    failures: z.int().nullable().describe('Failed screenings in a row; null for other kinds.'),
  })
  .meta({ id: 'InboxEntry' })
type InboxEntryDocument = z.infer<typeof inboxEntryComponent>

export const unreadComponent = z
  .object({
    unread: z.int().describe('Entries that this person, or the holder of this key, has not marked as read.'),
    is_lower_bound: z
      .boolean()
      .describe('True if there are older entries than the newest 1,000. Only those are counted.'),
    list_reasons: z
      .array(z.string())
      .describe('Why the lists let no address be green now, as in a watch; empty if they do.'),
  })
  .meta({ id: 'UnreadCount' })

export const unreadDocument = (
  { count, isLowerBound }: Unread,
  reasons: readonly string[],
): z.infer<typeof unreadComponent> => ({
  ...{ unread: count, is_lower_bound: isLowerBound },
  list_reasons: [...reasons],
})

/** A person reads with every key; without a person, the successors of a key read as the first one. */
export async function readerOf({ database }: InboxParts, call: KeyedCall): Promise<InboxReader> {
  const { keyId, session } = call.caller
  const subject = session?.subject ?? ''
  return { ...ownerOf(call), reader: subject === '' ? await keyHolder(database, keyId) : subject }
}

const NOTHING = {
  ...{ watch_id: null, reference: null, previous: null, current: null, why: null, reasons: [], causes: [] },
  ...{ split: null, split_missing: null, disposition: null, failures: null },
} as const

export function entryDocument({
  entryId,
  kind,
  at,
  isRead,
  reportId,
  facts,
  document,
}: InboxEntry): InboxEntryDocument {
  const told = JSON.parse(document) as Partial<InboxEntryDocument>
  const base = { entry_id: entryId, kind, at, read: isRead, report_id: reportId, address: '', chain: '' }
  if (facts === null || reportId === null) return { ...base, ...NOTHING, ...told }
  const { address, chain, level, score } = facts
  const current = { report_id: reportId, level, score }
  return { ...base, ...NOTHING, ...told, address, chain, current }
}

export const entryExample: InboxEntryDocument = {
  ...NOTHING,
  entry_id: '3f0f6e2a-9c51-5a0e-8b6e-0c8d6f7a1b2c',
  kind: 'report_changed',
  at: '2026-11-22T09:00:00.012Z',
  read: false,
  report_id: '622f9400217f0c08',
  address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
  chain: 'ETH',
  watch_id: 'wat_0a1b2c3d4e5f60718293',
  reference: 'customer 4711',
  previous: { report_id: '9f2c4a1be07d6358', level: 'green', score: 2.5 },
  current: { report_id: '622f9400217f0c08', level: 'red', score: 100 },
  why: 'listed by OFAC as Lazarus Group, designated 2022-04-14',
  causes: ['labels'],
  split: { labels: 97.5, funds: 0, policy: 0, scorer: 0, time: 0, not_examined: 0 },
}
export const unreadExample: z.infer<typeof unreadComponent> = {
  ...{ unread: 12, is_lower_bound: false, list_reasons: [] },
}
