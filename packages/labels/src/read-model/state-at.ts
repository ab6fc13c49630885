/** Finds the state of all lists at a past moment. */
import type { Queryable } from '@cupel/postgres'

export interface LabelStateAt {
  /** Number of the newest publication of that moment; null before the first. */
  readonly publishedSeq: number | null
  /**
   * Expected and dismissed lists that were recorded between that publication and the next one, in the order of the log. The log knows
   * their times; the view does not.
   */
  readonly expectations: readonly { readonly labelSetSeq: number; readonly logOffset: number }[]
}

/** Maximum number of expectations to read; an installation has a few dozen lists. */
const MAX_EXPECTATIONS = 1_000

/** `at`: UTC, RFC 3339. A publication counts from the moment that it states. */
export async function findLabelStateAt(database: Queryable, at: string): Promise<LabelStateAt> {
  const [row] = await database.query<{ seq: number | null }>(
    {
      name: 'label-view.state-at',
      text: `SELECT max(label_set_seq) AS seq FROM label_view.publication
             WHERE kind = 'published' AND nullif(published_at, '')::timestamptz <= $1::timestamptz`,
    },
    [at],
  )
  const publishedSeq = row?.seq ?? null
  if (publishedSeq === null) return { publishedSeq, expectations: [] }
  const expectations = await database.query<{ labelSetSeq: number; logOffset: number }>(
    {
      name: 'label-view.expectations-after',
      text: `SELECT label_set_seq AS "labelSetSeq", log_offset AS "logOffset" FROM label_view.publication p
             WHERE label_set_seq > $1 AND NOT EXISTS (
               SELECT FROM label_view.publication o
               WHERE o.kind = 'published' AND o.label_set_seq > $1 AND o.label_set_seq <= p.label_set_seq)
             ORDER BY label_set_seq LIMIT ${MAX_EXPECTATIONS}`,
    },
    [publishedSeq],
  )
  return { publishedSeq, expectations }
}
