/** Imports of lists as the API shows them, and what their routes have in common. */
import { categories, instant } from '@cupel/contracts'
import {
  fetchedLists,
  labelFormats,
  MAX_OPEN_ORDERS,
  MAX_PART_BYTES,
  type LeftOutRows,
  type ListOrder,
  type OrderRefusal,
} from '../../index.js'
import type { Database } from '@cupel/postgres'
import { z } from 'zod'
import {
  type KeyedCall,
  type PageTokens,
  refuse,
  type Refusal,
  orAbsent,
  text,
  isInCalendar,
  NO_SUCH_TIME,
} from '@cupel/gate/http'

export interface ListImportParts {
  readonly database: Database
  readonly tokens: PageTokens
  /** Whether two persons accept removals or unreadable rows: one proposes it, another one confirms it. */
  readonly needsSecondPerson: boolean
}

export const LIST_IMPORTS = 'Label lists'

export const importPath = z.object({
  import_id: z
    .string()
    .regex(/^lio_[0-9a-f]{20}$/)
    .describe('The id of the import.'),
})
export type ImportPath = z.infer<typeof importPath>

const MAX_NAME = 200
const MAX_REPLACED = 20
/** Lost designations and left out rows that an answer names; the counts count all. */
const SHOWN = 100

const setName = text(MAX_NAME).regex(/^[^\p{C}/]+$/u, {
  error: 'Expected printable characters without a slash',
})
const format = z.enum([...labelFormats.keys()] as [string, ...string[]])

export const importFields = {
  format: format.describe('The layout of the file.'),
  dataset: setName.describe('The dataset within the source: importing it again replaces it.'),
  source: orAbsent(setName).describe('The publisher, for files whose rows or format name none.'),
  fetch: orAbsent(z.enum(fetchedLists)).describe(
    'The list that is fetched from the address at which its authority publishes it, where no file is sent. It is looked at as soon as it is there.',
  ),
  list_date: orAbsent(z.iso.date().refine(isInCalendar, NO_SUCH_TIME)).describe(
    'The date of the list, for files that state none.',
  ),
  whole: orAbsent(z.boolean()).describe('The file is all of an authority’s list; some formats always are.'),
  append: orAbsent(z.boolean()).describe('The file adds to the set, and nothing of it ends.'),
  replaces: orAbsent(z.array(text(2 * MAX_NAME)).max(MAX_REPLACED)).describe(
    'Sets that this one withdraws: SOURCE/DATASET, or DATASET of the same source.',
  ),
  category: orAbsent(z.enum(categories)).describe('The category of all rows, for files that state none.'),
  chain: orAbsent(text(32)).describe('The chain of all rows, for files that state none.'),
}

const leftOutComponent = z
  .object({
    count: z.int(),
    rows: z
      .array(z.object({ line: z.int(), reason: z.string() }).meta({ id: 'ListImportRow' }))
      .describe('The first of them.'),
  })
  .meta({ id: 'ListImportRows' })

const setComponent = z
  .object({
    source: z.string(),
    dataset: z.string(),
    list_date: z.string().nullable(),
    whole: z.boolean(),
    history_only: z.boolean().describe('The file is older than the list in force: it adds history only.'),
    labels: z.int().describe('Labels of the set after the import.'),
    added: z.int(),
    changed: z.int(),
    unchanged: z.int(),
    ended: z.int(),
  })
  .meta({ id: 'ListImportSet' })

const resultComponent = z
  .object({
    code: z
      .string()
      .describe(
        '`would_import`, `imported`, `failed`, or why the file is refused, such as `too-many-removals`.',
      ),
    detail: z.string().nullable().describe('One sentence if it is refused or failed.'),
    sets: z.array(setComponent).describe('The sets that change, or changed; empty if it is refused.'),
    removals: z
      .int()
      .nullable()
      .describe('Removals that only an import with exactly this `accept_removals` makes; null for none.'),
    lost_count: z.int().describe('Addresses that no list of their authority designates any more.'),
    lost: z
      .array(
        z
          .object({ authority: z.string(), chain: z.string(), address: z.string(), entity: z.string() })
          .meta({ id: 'LostDesignation' }),
      )
      .describe('The first of them.'),
    unreadable: leftOutComponent.describe('Rows of a designating list that do not say whom they designate.'),
    refused: leftOutComponent.describe('Unusable rows.'),
    skipped: leftOutComponent.describe('Entries without an address or a known category.'),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'ListImportResult' })

export const importComponent = z
  .object({
    import_id: z.string(),
    status: z.string().describe('receiving, checking, checked, importing, imported, refused or failed.'),
    format: z.string(),
    source: z.string().nullable(),
    dataset: z.string(),
    bytes: z.int().describe('Bytes of the file that were received.'),
    ordered_by: z.string(),
    ordered_at: instant,
    confirmed_by: z.string().nullable(),
    reason: z.string().nullable(),
    result: resultComponent
      .nullable()
      .describe('Of the last look at the file, or of its import; null before.'),
  })
  .meta({ id: 'ListImport' })
export type ListImportDocument = z.infer<typeof importComponent>

const noRows = { count: 0, rows: [] }

export const importExample: ListImportDocument = {
  import_id: 'lio_0a1b2c3d4e5f60718293',
  status: 'checked',
  format: 'ofac-xml',
  source: null,
  dataset: 'sdn',
  bytes: 24_117_248,
  ordered_by: 'key 8f2k1m0a',
  ordered_at: '2026-11-21T09:00:00.000Z',
  confirmed_by: null,
  reason: null,
  result: {
    code: 'would_import',
    detail: null,
    sets: [
      {
        ...{ source: 'ofac_sdn', dataset: 'sdn', list_date: '2026-11-20', whole: true, history_only: false },
        ...{ labels: 1053, added: 3, changed: 0, unchanged: 1050, ended: 1 },
      },
    ],
    removals: null,
    lost_count: 1,
    lost: [
      {
        ...{ authority: 'us-ofac', chain: 'BTC', address: '12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h' },
        entity: 'An Example',
      },
    ],
    ...{ unreadable: noRows, refused: noRows, skipped: noRows },
    warnings: [],
  },
}

export function importDocument(order: ListOrder): ListImportDocument {
  const { request } = order
  return {
    import_id: order.orderId,
    status: order.status,
    format: request.format,
    source: request.source ?? null,
    dataset: request.set,
    bytes: order.bytes,
    ordered_by: order.orderedBy,
    ordered_at: order.orderedAt,
    confirmed_by: order.confirmedBy,
    reason: order.reason,
    result: order.result === null ? null : resultOf(order.result),
  }
}

function resultOf(result: NonNullable<ListOrder['result']>): NonNullable<ListImportDocument['result']> {
  if (result.status === 'failed')
    return {
      ...{ code: 'failed', detail: result.message, sets: [], removals: null, lost_count: 0, lost: [] },
      ...{ unreadable: noRows, refused: noRows, skipped: noRows, warnings: [] },
    }
  const isRefused = result.status === 'refused'
  return {
    code: isRefused ? result.refusal : result.status === 'dry-run' ? 'would_import' : 'imported',
    detail: isRefused ? `${result.message.replace(/[.]$/, '')}.` : null,
    sets: isRefused ? [] : result.sets.map(setOf),
    removals: isRefused ? result.removals : null,
    lost_count: result.lost.length,
    lost: result.lost
      .slice(0, SHOWN)
      .map(({ authority, chain, address, entity }) => ({ authority, chain, address, entity })),
    unreadable: rowsOf(result.unreadable),
    refused: rowsOf(result.refused),
    skipped: rowsOf(result.skipped),
    warnings: isRefused ? [] : [...result.warnings],
  }
}

type Summarised = Extract<NonNullable<ListOrder['result']>, { readonly status: 'dry-run' | 'imported' }>

const setOf = (set: Summarised['sets'][number]): z.infer<typeof setComponent> => ({
  ...{ source: set.source, dataset: set.dataset, list_date: set.asOf, whole: set.whole },
  ...{ history_only: set.historical, labels: set.total, added: set.added, changed: set.changed },
  ...{ unchanged: set.unchanged, ended: set.retired },
})

const rowsOf = ({ count, rows }: LeftOutRows): z.infer<typeof leftOutComponent> => ({
  count,
  rows: rows.slice(0, SHOWN).map(({ line, reason }) => ({ line, reason })),
})

/** The log keeps it for ever, so it names the key and no person; the audit log names the person of the call. */
export const importAuthor = ({ caller }: KeyedCall): string => `key ${caller.keyId}`

export function importRefusal(code: OrderRefusal): Refusal {
  switch (code) {
    case 'unknown':
      return refuse('not_found', 'There is no such import.')
    case 'other-status':
      return refuse('import_conflict', 'The status of the import does not allow this; read it again.')
    case 'other-part':
      return refuse('import_conflict', 'The parts of a file are sent one after the other, from 0.')
    case 'too-many':
      return refuse(
        'import_conflict',
        `At most ${MAX_OPEN_ORDERS} imports are open at once; confirm one, or wait a day.`,
      )
    case 'too-large':
      return refuse('payload_too_large', 'The file is larger than a list may be.')
  }
}

export const PART_BYTES = MAX_PART_BYTES
