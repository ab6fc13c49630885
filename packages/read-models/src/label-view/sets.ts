/** Sets of labels as they were published. */
import type { Queryable } from '@cupel/postgres'

/** One publication. The set in force of a (source, dataset) is its newest one that is not historical. */
export interface PublishedSet {
  readonly labelSetSeq: number
  readonly importId: string
  readonly source: string
  readonly dataset: string
  /** Hash of the imported file. */
  readonly sha256: string
  /** Date the list itself states. */
  readonly asOf: string | null
  readonly publishedAt: string
  readonly historical: boolean
  readonly appended: boolean
  /** The set is an authority’s own list. */
  readonly authority: boolean
  readonly total: number
  readonly added: number
  readonly unchanged: number
  readonly retired: number
  readonly refused: number
  readonly acceptedRemovals: number | null
  readonly reason: string | null
  readonly importedBy: string
  /** The set is refreshed on a schedule, and is therefore required to be fresh. */
  readonly refreshConfigured: boolean
}

/** A publication `p` as JSON, field names as in PublishedSet. */
export const SET_AS_JSON = `json_build_object(
  'labelSetSeq', p.label_set_seq, 'importId', p.import_id, 'source', p.source, 'dataset', p.dataset, 'sha256', p.sha256,
  'asOf', p.as_of, 'publishedAt', p.published_at, 'historical', p.historical, 'appended', p.appended,
  'authority', p.authority, 'total', p.total, 'added', p.added, 'unchanged', p.unchanged, 'retired', p.retired,
  'refused', p.refused, 'acceptedRemovals', p.accepted_removals, 'reason', p.reason, 'importedBy', p.imported_by,
  'refreshConfigured', p.refresh_configured)`

/** SQL for the sets in force, as one JSON array in order of source and dataset; `upTo` as in visibleLabels. */
export function setsInForce(upTo: string | null): string {
  return `(SELECT coalesce(json_agg(${SET_AS_JSON} ORDER BY p.source, p.dataset), '[]')
    FROM (SELECT DISTINCT ON (source, dataset) * FROM label_view.publication
          WHERE NOT historical ${upTo === null ? '' : `AND label_set_seq <= ${upTo}`}
          ORDER BY source, dataset, label_set_seq DESC) p)`
}

/** The sets in force, in order of source and dataset. */
export async function listSets(database: Queryable): Promise<PublishedSet[]> {
  const [row] = await database.query<{ sets: PublishedSet[] }>({
    name: 'label-view.sets',
    text: `SELECT ${setsInForce(null)} AS sets`,
  })
  return row?.sets ?? []
}

/** Everything ever published for one set, newest first, historical imports included. */
export async function listPublications(
  database: Queryable,
  { source, dataset }: { source: string; dataset: string },
): Promise<PublishedSet[]> {
  const rows = await database.query<{ published: PublishedSet }>(
    `SELECT ${SET_AS_JSON} AS published FROM label_view.publication p
     WHERE source = $1 AND dataset = $2 ORDER BY label_set_seq DESC`,
    [source, dataset],
  )
  return rows.map((row) => row.published)
}
