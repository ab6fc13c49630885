/** Queries of labels for imports and operators; snapshot.ts has the look-up of a screen. */
import type { Queryable } from '@cupel/postgres'
import {
  askedParts,
  FOUND_EXPRESSIONS,
  LABEL_EXPRESSIONS,
  labelOf,
  labelsFoundBy,
  underAskedKeys,
  visibleLabels,
  type CompactLabel,
  type Label,
} from './labels.js'

export { listSets } from './sets.js'

const PAGE_LABELS = 5_000

const PAGE = {
  name: 'label-view.set-page',
  text: `SELECT json_build_array(${LABEL_EXPRESSIONS.join(', ')}) AS label
         FROM ${visibleLabels('$3::int8')}
         WHERE l.import_id = $1 AND l.label_id > $2 AND ($4 OR ended.published_at IS NULL)
         ORDER BY l.label_id LIMIT ${PAGE_LABELS}`,
}

/**
 * The current labels of one set, in pages; with `include: 'all'` also the ended and historical ones. A publication between two
 * pages does not affect them: rows are only added, and every page is read as of the same label_set_seq.
 */
export async function* listSetLabels(
  database: Queryable,
  { source, dataset, include = 'listed' }: { source: string; dataset: string; include?: 'listed' | 'all' },
): AsyncGenerator<readonly Label[], void, undefined> {
  const imports = await database.query<{ import_id: string; newest: number }>(
    `SELECT import_id, (SELECT max(label_set_seq) FROM label_view.publication) AS newest
     FROM label_view.publication WHERE source = $1 AND dataset = $2 AND ($3 OR NOT historical) ORDER BY label_set_seq`,
    [source, dataset, include === 'all'],
  )
  for (const { import_id: importId, newest } of imports) {
    for (let after = ''; ;) {
      const rows = await database.query<{ label: CompactLabel }>(PAGE, [
        importId,
        after,
        newest,
        include === 'all',
      ])
      const page = rows.map((row) => labelOf(row.label))
      if (page.length > 0) yield page
      if (page.length < PAGE_LABELS) break
      after = page.at(-1)!.labelId
    }
  }
}

/**
 * The current sanctions labels of an authority's origin: those of its own sets, and restatements. A label whose end lies in the
 * past is left out.
 */
export async function listSanctions(database: Queryable, origin: string): Promise<Label[]> {
  const rows = await database.query<{ label: CompactLabel }>(
    `SELECT json_build_array(${LABEL_EXPRESSIONS.join(', ')}) AS label FROM ${visibleLabels(null)}
     WHERE l.category = 'sanctions' AND l.origin = $1 AND NOT p.historical AND ended.published_at IS NULL
       AND (l.valid_to IS NULL OR l.valid_to::timestamptz > now()) ORDER BY l.log_offset, l.label_id`,
    [origin],
  )
  return rows.map((row) => labelOf(row.label))
}

/**
 * All labels of the keys, for operators. `knownAt`: only labels that were visible here at that time. `validAt`: only labels that
 * were valid then, as known at `knownAt`; a missing end counts as open, a missing beginning as always valid. Both are RFC 3339
 * times or dates; a date means its first moment, UTC.
 */
export async function showLabels(
  database: Queryable,
  { lookupKeys, validAt, knownAt }: { lookupKeys: readonly string[]; validAt?: string; knownAt?: string },
): Promise<Label[]> {
  const rows = await database.query<{ label: CompactLabel; asserted_valid_to: string | null }>(
    `SELECT json_build_array(${FOUND_EXPRESSIONS.join(', ')}) AS label, l.valid_to AS asserted_valid_to
     FROM ${visibleLabels(null, labelsFoundBy('$1::text[]'))} ORDER BY l.log_offset, l.label_id`,
    [askedParts(lookupKeys)],
  )
  const found = rows
    .map((row) => asKnownAt({ ...labelOf(row.label) }, row.asserted_valid_to, knownAt))
    .filter((label) => label !== null)
  return underAskedKeys(found, lookupKeys).filter(
    (label) => validAt === undefined || heldAt(label, instant(validAt)),
  )
}

/** The label as it was known at a time: without an end that was not known yet; null if it was not known itself. */
function asKnownAt(label: Label, assertedValidTo: string | null, knownAt: string | undefined): Label | null {
  if (knownAt === undefined) return label
  if (instant(label.knownFrom) > instant(knownAt)) return null
  if (label.knownTo === null || instant(label.knownTo) <= instant(knownAt)) return label
  return { ...label, validTo: assertedValidTo, knownTo: null, listed: !label.historical }
}

function heldAt(label: Label, at: number): boolean {
  if (label.validFrom !== null && instant(label.validFrom) > at) return false
  return label.validTo === null || instant(label.validTo) > at
}

function instant(text: string): number {
  const milliseconds = Date.parse(text)
  if (Number.isNaN(milliseconds)) throw new RangeError(`${text} is not an RFC 3339 time or date`)
  return milliseconds
}
