/** Looks for labels by address, list, category or party. A call looks at a limited number of rows, however many labels there are. */
import type { Queryable } from '@cupel/postgres'
import {
  LABEL_EXPRESSIONS,
  labelOf,
  labelsFoundBy,
  visibleLabels,
  type CompactLabel,
  type Label,
} from './labels.js'

export interface LabelSearch {
  /** Labels that one of these keys finds; null for any. */
  readonly lookupKeys: readonly string[] | null
  readonly source: string | null
  readonly dataset: string | null
  readonly category: string | null
  /** The beginning of the name of the party, in any case of ASCII letters. */
  readonly entity: string | null
}

/** The last row that was looked at. `entity`: its name in lower case where names are searched, else empty. */
export interface LabelCursor {
  readonly entity: string
  readonly importId: string
  readonly labelId: string
}

export interface LabelPage {
  readonly items: readonly Label[]
  /** Null at the end. A page may be empty and still have a next one. */
  readonly next: LabelCursor | null
}

/** Rows that one call looks at: some milliseconds of the database. */
export const MAX_LOOKED_AT = 2_000

/** Visible labels, those that ended too, in a fixed order. */
export async function searchLabels(
  database: Queryable,
  search: LabelSearch,
  { after, pageSize }: { readonly after: LabelCursor | null; readonly pageSize: number },
): Promise<LabelPage> {
  const { lookupKeys, source, dataset, category, entity } = search
  const values: unknown[] = []
  const given = (value: unknown): string => `$${values.push(value)}`
  const isNamed = entity !== null
  const name = isNamed ? NAME : `''`
  const order = isNamed ? `${NAME}, c.import_id, c.label_id` : 'c.import_id, c.label_id'
  // Several keys may find one label.
  const [from, once] =
    lookupKeys === null
      ? ['label_view.label', '']
      : [labelsFoundBy(`${given(lookupKeys)}::text[]`), `DISTINCT ON (${order})`]
  const conditions = ['true']
  if (source !== null) {
    const ofDataset = dataset === null ? '' : `AND dataset = ${given(dataset)}`
    conditions.push(
      `c.import_id IN (SELECT import_id FROM label_view.publication WHERE source = ${given(source)} ${ofDataset})`,
    )
  }
  if (isNamed) {
    const begin = `lower(${given(entity)}::text)`
    conditions.push(`${NAME} >= ${begin} AND ${NAME} < ${begin} || U&'\\+10FFFF'`)
  }
  if (after !== null) {
    const place = [...(isNamed ? [after.entity] : []), after.importId, after.labelId]
    conditions.push(`(${order}) > (${place.map(given).join(', ')})`)
  }
  const ofCategory = category === null ? '' : `AND l.category = ${given(category)}`
  const looked = `(SELECT ${once} c.*, ${name} AS looked_name FROM ${from} c WHERE ${conditions.join(' AND ')} ORDER BY ${order} LIMIT ${MAX_LOOKED_AT})`
  const lookedOrder = `${isNamed ? 'k.looked_name, ' : ''}k.import_id, k.label_id`
  // Postgres stops at the label after the page: it looks further only for labels that few rows have.
  const rows = await database.query<Row>(
    `WITH found AS MATERIALIZED (
       SELECT k.looked_name AS name, k.import_id, k.label_id, shown.label
       FROM ${looked} k JOIN LATERAL (
         SELECT json_build_array(${LABEL_EXPRESSIONS.join(', ')}) AS label FROM ${visibleLabels(null, '(SELECT k.*)')} WHERE true ${ofCategory}
       ) shown ON true
       ORDER BY ${lookedOrder} LIMIT ${given(pageSize + 1)})
     SELECT * FROM found
     UNION ALL
     (SELECT k.looked_name, k.import_id, k.label_id, NULL FROM ${looked} k
      WHERE (SELECT count(*) FROM found) <= ${given(pageSize)} ORDER BY ${lookedOrder} OFFSET ${MAX_LOOKED_AT - 1})
     ORDER BY name, import_id, label_id`,
    values,
  )
  return pageOf(rows, pageSize)
}

function pageOf(rows: readonly Row[], pageSize: number): LabelPage {
  const found = rows.flatMap(({ label, ...place }) => (label === null ? [] : [{ label, place }]))
  const page = found.slice(0, pageSize)
  const last = found.length > pageSize ? page.at(-1)?.place : rows.find(({ label }) => label === null)
  return {
    items: page.map(({ label }) => labelOf(label)),
    next: last === undefined ? null : { entity: last.name, importId: last.import_id, labelId: last.label_id },
  }
}

interface Row extends Record<string, unknown> {
  readonly name: string
  readonly import_id: string
  readonly label_id: string
  /** Null for the last row that was looked at, if there may be further ones. */
  readonly label: CompactLabel | null
}

const NAME = `(lower(c.entity) COLLATE "C")`
