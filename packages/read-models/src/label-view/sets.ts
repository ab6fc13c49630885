/** Published and expected sets of labels. */
import type { Queryable } from '@cupel/postgres'

/** One publication. The current set of a (source, dataset) is its newest publication that is not historical. */
export interface PublishedSet {
  readonly labelSetSeq: number
  readonly importId: string
  /** `expected`: the list is expected, and none was published yet. */
  readonly kind: 'published' | 'expected'
  /** Empty for an expected set whose rows will name the source. */
  readonly source: string
  readonly dataset: string
  /** Hash of the imported file. */
  readonly sha256: string
  /** Date that the list states. */
  readonly asOf: string | null
  /** Empty for an expected set. */
  readonly publishedAt: string
  readonly historical: boolean
  readonly appended: boolean
  /** The origin whose own list the set is; empty for any other set. */
  readonly authorityOrigin: string
  readonly total: number
  readonly added: number
  readonly unchanged: number
  readonly retired: number
  readonly refused: number
  readonly acceptedRemovals: number | null
  readonly reason: string | null
  readonly importedBy: string
  /** The set is refreshed on a schedule and must therefore be fresh. */
  readonly refreshConfigured: boolean
}

/** SQL for a publication `p` as JSON, field names as in PublishedSet. */
const setAsJson = (refreshConfigured: string): string => `json_build_object(
  'labelSetSeq', p.label_set_seq, 'importId', p.import_id, 'kind', p.kind, 'source', p.source, 'dataset', p.dataset,
  'sha256', p.sha256, 'asOf', p.as_of, 'publishedAt', p.published_at, 'historical', p.historical, 'appended', p.appended,
  'authorityOrigin', p.authority_origin, 'total', p.total, 'added', p.added, 'unchanged', p.unchanged, 'retired', p.retired,
  'refused', p.refused, 'acceptedRemovals', p.accepted_removals, 'reason', p.reason, 'importedBy', p.imported_by,
  'refreshConfigured', ${refreshConfigured})`

/**
 * SQL for the current sets, as one JSON array in order of source and dataset; `upTo` as in visibleLabels. An expected set is
 * among them until it is published; a set that was published before it was expected is required from then on.
 */
export function setsInForce(upTo: string | null): string {
  const newest = (condition: string): string =>
    `SELECT DISTINCT ON (source, dataset) * FROM label_view.publication
     WHERE ${condition} ${upTo === null ? '' : `AND label_set_seq <= ${upTo}`}
     ORDER BY source, dataset, label_set_seq DESC`
  return `(WITH published AS (${newest("kind = 'published' AND NOT historical")}),
      expected AS (SELECT * FROM (${newest("kind <> 'published'")}) said WHERE kind = 'expected')
    SELECT coalesce(json_agg(known.set ORDER BY known.source, known.dataset), '[]') FROM (
      SELECT p.source, p.dataset, ${setAsJson(`p.refresh_configured OR EXISTS (
        SELECT FROM expected e
        WHERE e.dataset = p.dataset AND e.source IN ('', p.source) AND e.label_set_seq > p.label_set_seq)`)} AS set
      FROM published p
      UNION ALL
      SELECT p.source, p.dataset, ${setAsJson('p.refresh_configured')}
      FROM expected p
      WHERE NOT EXISTS (
        SELECT FROM published had WHERE had.dataset = p.dataset AND p.source IN ('', had.source))) known)`
}

/** The current sets, in order of source and dataset. */
export async function listSets(database: Queryable): Promise<PublishedSet[]> {
  const [row] = await database.query<{ sets: PublishedSet[] }>({
    name: 'label-view.sets',
    text: `SELECT ${setsInForce(null)} AS sets`,
  })
  return row?.sets ?? []
}

/** All publications of one set, newest first, including historical ones. */
export async function listPublications(
  database: Queryable,
  { source, dataset }: { source: string; dataset: string },
): Promise<PublishedSet[]> {
  const rows = await database.query<{ published: PublishedSet }>(
    `SELECT ${setAsJson('p.refresh_configured')} AS published FROM label_view.publication p
     WHERE source = $1 AND dataset = $2 AND kind = 'published' ORDER BY label_set_seq DESC`,
    [source, dataset],
  )
  return rows.map((row) => row.published)
}
