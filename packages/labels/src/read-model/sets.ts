/** Published and expected sets of labels. */
import type { LabelSetName, LabelSetRows } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'

/** One publication. The current set of a (source, dataset) is its newest publication that is not historical. */
export interface PublishedSet {
  readonly labelSetSeq: number
  readonly importId: string
  /** `expected`: the list is expected, but not published yet. */
  readonly kind: 'published' | 'expected'
  /** Empty for an expected set whose source only its rows will name. */
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
  /** The origin whose own list this set is; empty for any other set. */
  readonly authorityOrigin: string
  /** The whole list of the authority, not a part of it. */
  readonly whole: boolean
  /** Sets that this publication withdrew. */
  readonly replaces: readonly LabelSetName[]
  /** The set that replaced this one, which then has no labels; null if none did. */
  readonly replacedBy: LabelSetName | null
  /** The list as the document names it, for example SDN; empty where it names none. */
  readonly list: string
  /** Sets that were versions of the same list when this one was published, as source/dataset. */
  readonly versionOf: readonly string[]
  /** Names and aliases of those whom the authority's own list designated when it was published; empty for any other set. */
  readonly parties: readonly string[]
  readonly rows: LabelSetRows
  /** The newest publication when the changes were computed. */
  readonly basedOnSeq: number
  /** When a refresh last found the list at the authority's own address; UTC; null if never since the last manual import. */
  readonly confirmedAt: string | null
  /** Addresses that lost their designation by this publication. */
  readonly lostDesignations: number
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
  /** Labels of the set that were visible when the publication was applied. A number other than `total` means lost labels. */
  readonly visible: number
  /** The changes were computed before the newest publication of the source or authority: import the list again. */
  readonly staleBase: boolean
}

/** SQL for a publication `p` as JSON, field names as in PublishedSet. */
const setAsJson = ({
  refreshConfigured,
  replacedBy,
}: {
  refreshConfigured: string
  replacedBy: string
}): string => {
  const unlessReplaced = (value: string, otherwise: string): string =>
    replacedBy === 'NULL' ? value : `CASE WHEN ${replacedBy} IS NULL THEN ${value} ELSE ${otherwise} END`
  return `json_build_object(
  'labelSetSeq', p.label_set_seq, 'importId', p.import_id, 'kind', p.kind, 'source', p.source, 'dataset', p.dataset,
  'sha256', p.sha256, 'asOf', p.as_of, 'publishedAt', p.published_at, 'historical', p.historical, 'appended', p.appended,
  'authorityOrigin', p.authority_origin, 'whole', p.whole, 'replaces', p.replaces::json,
  'list', p.list, 'versionOf', p.version_of::json,
  'parties', ${unlessReplaced("coalesce(p.parties, '[]')::json", "'[]'::json")}, 'rows', p.rows::json,
  'replacedBy', ${replacedBy}, 'basedOnSeq', p.based_on_seq, 'confirmedAt', p.confirmed_at,
  'lostDesignations', p.lost_designations, 'total', ${unlessReplaced('p.total', '0')}, 'added', p.added,
  'unchanged', p.unchanged, 'retired', p.retired, 'refused', p.refused, 'acceptedRemovals', p.accepted_removals,
  'reason', p.reason, 'importedBy', p.imported_by, 'refreshConfigured', ${unlessReplaced(refreshConfigured, 'false')},
  'visible', ${unlessReplaced('coalesce(p.visible, 0)', '0')}, 'staleBase', coalesce(p.stale_base, false))`
}

/**
 * SQL for the current sets, as one JSON array in order of source and dataset; `upTo` as in visibleLabels. A replaced
 * set has no labels. An expected set is included until it is published; a set that was published before
 * it was expected is required from then on.
 */
export function setsInForce(upTo: string | null): string {
  const known = upTo === null ? '' : `AND label_set_seq <= ${upTo}`
  const newest = (condition: string): string =>
    `SELECT DISTINCT ON (source, dataset) * FROM label_view.publication
     WHERE ${condition} ${known}
     ORDER BY source, dataset, label_set_seq DESC`
  return `(WITH replacing AS (
      SELECT label_set_seq, source, dataset, json_array_elements(replaces::json) AS replaced
      FROM label_view.publication WHERE replaces <> '[]' AND NOT historical ${known}),
      published AS (
        SELECT newest.*, (
          SELECT json_build_object('source', r.source, 'dataset', r.dataset) FROM replacing r
          WHERE r.replaced ->> 'source' = newest.source AND r.replaced ->> 'dataset' = newest.dataset
            AND r.label_set_seq > newest.label_set_seq
          ORDER BY r.label_set_seq DESC LIMIT 1) AS replaced_by
        FROM (${newest("kind = 'published' AND NOT historical")}) newest),
      expected AS (SELECT * FROM (${newest("kind <> 'published'")}) said WHERE kind = 'expected')
    SELECT coalesce(json_agg(known.set ORDER BY known.source, known.dataset), '[]') FROM (
      SELECT p.source, p.dataset, ${setAsJson({
        refreshConfigured: `(p.refresh_configured OR EXISTS (
        SELECT FROM expected e
        WHERE e.dataset = p.dataset AND e.source IN ('', p.source) AND e.label_set_seq > p.label_set_seq))`,
        replacedBy: 'p.replaced_by',
      })} AS set
      FROM published p
      UNION ALL
      SELECT p.source, p.dataset, ${setAsJson({ refreshConfigured: 'p.refresh_configured', replacedBy: 'NULL' })}
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

const NEWEST = {
  name: 'label-view.newest',
  text: 'SELECT coalesce(max(label_set_seq), 0) AS newest FROM label_view.publication',
}

/** The number of the newest publication; 0 before the first. */
export async function newestLabelSetSeq(database: Queryable): Promise<number> {
  const [row] = await database.query<{ newest: number }>(NEWEST)
  return row!.newest
}

/** All publications of one set, newest first, including historical ones. */
export async function listPublications(
  database: Queryable,
  { source, dataset }: { source: string; dataset: string },
): Promise<PublishedSet[]> {
  const rows = await database.query<{ published: PublishedSet }>(
    `SELECT ${setAsJson({ refreshConfigured: 'p.refresh_configured', replacedBy: 'NULL' })} AS published FROM label_view.publication p
     WHERE source = $1 AND dataset = $2 AND kind = 'published' ORDER BY label_set_seq DESC`,
    [source, dataset],
  )
  return rows.map((row) => row.published)
}
