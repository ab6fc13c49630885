/** Rows of publications, compared with the events that they come from: they say which lists are in force. */
import { type EventCodec, type LogRecord, TYPE_HEADER } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { rowOfExpectation, rowOfPublication } from './reducers.js'

export interface PublicationRow extends Record<string, unknown> {
  readonly label_set_seq: number
  readonly import_id: string
  readonly log_offset: number
}

/**
 * The rows that decide which sets are in force: those of the given imports, those that withdraw sets, and those that count for less than
 * a publication. All rows without `imports`.
 */
export async function readPublicationRows(
  database: Queryable,
  imports?: readonly string[],
): Promise<readonly PublicationRow[]> {
  return await database.query<PublicationRow>(
    `SELECT * FROM label_view.publication
     WHERE $1::text[] IS NULL OR import_id = ANY ($1) OR historical OR kind <> 'published' OR replaces <> '[]'
     ORDER BY label_set_seq`,
    [imports ?? null],
  )
}

/** Why the numbers of the publications are not those of a whole view, as a sentence; null where they are. */
export async function misnumbering(database: Queryable): Promise<string | null> {
  const [row] = await database.query<{ at: number | null }>(
    `SELECT min(label_set_seq) AS at FROM (
       SELECT label_set_seq, row_number() OVER (ORDER BY log_offset, label_set_seq) AS place FROM label_view.publication) numbered
     WHERE label_set_seq <> place`,
  )
  return typeof row?.at === 'number'
    ? `label-view has publication ${row.at} out of its order: a row was removed or renumbered.`
    : null
}

export const publicationTypes: readonly (string | undefined)[] = ['LabelSetPublished', 'LabelSetExpected']

export const isPublication = ({ headers }: Pick<LogRecord, 'headers'>): boolean =>
  publicationTypes.includes(headers[TYPE_HEADER])

/** The columns that the view takes from the record; null if it is no publication. */
export function statedPublication(
  codec: EventCodec,
  record: LogRecord,
): (Readonly<Record<string, unknown>> & { readonly import_id: string }) | null {
  const published = codec.decodeAs('LabelSetPublished', record)
  if (published !== null) return rowOfPublication(published.data, record)
  const expected = codec.decodeAs('LabelSetExpected', record)
  return expected === null ? null : rowOfExpectation(expected.data, record)
}

/** Why a row must not be used, as a sentence; null if the record states it. The view itself finds the other columns. */
export function publicationContradiction(
  row: PublicationRow,
  stated: Readonly<Record<string, unknown>> | null,
): string | null {
  const named = `label-view has ${String(row['source'])}/${String(row['dataset'])} as publication ${row.label_set_seq}`
  if (stated === null || stated['import_id'] !== row.import_id)
    return `${named}, which no event of the log states.`
  const changed = Object.keys(stated).filter((column) => String(row[column]) !== String(stated[column]))
  return changed.length === 0 ? null : `${named} with another ${changed.join(', ')} than the log.`
}
