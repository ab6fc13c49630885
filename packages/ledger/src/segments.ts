/** Segments of the ledger: the imported files, and the heights that were declared complete. */
import { mergeRanges, type DeclaredRange, type HistoryKind } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'

export interface Segment {
  readonly segmentId: number
  /** Null until the import is complete. */
  readonly ledgerSeq: number | null
  readonly chain: string
  readonly format: string
  readonly fileName: string
  readonly sha256: string
  readonly covers: readonly string[]
  readonly completeFrom: number | null
  readonly completeTo: number | null
  readonly completeToAtS: number | null
  readonly firstHeight: number | null
  readonly lastHeight: number | null
  readonly rowsDone: number
  readonly counts: Readonly<Record<string, number>>
  readonly publishedAt: string | null
  readonly importedBy: string
}

/** Interval at which readers check for a new state of the ledger. */
export const LEDGER_LOOK_INTERVAL_MS = 500

const COLUMNS = `segment_id, ledger_seq, chain, format, file_name, sha256, covers, complete_from, complete_to,
  complete_to_at_s, first_height, last_height, rows_done, counts, published_at, imported_by`

interface SegmentRow extends Record<string, unknown> {
  segment_id: number
  ledger_seq: number | null
  chain: string
  format: string
  file_name: string
  sha256: string
  covers: string[]
  complete_from: number | null
  complete_to: number | null
  complete_to_at_s: number | null
  first_height: number | null
  last_height: number | null
  rows_done: number
  counts: Record<string, number>
  published_at: string | null
  imported_by: string
}

/** Every segment, in the order in which the imports began. */
export async function listSegments(database: Queryable): Promise<readonly Segment[]> {
  const rows = await database.query<SegmentRow>(`SELECT ${COLUMNS} FROM ledger.segment ORDER BY segment_id`)
  return rows.map(segmentOf)
}

export function segmentOf(row: SegmentRow): Segment {
  return {
    segmentId: row.segment_id,
    ledgerSeq: row.ledger_seq,
    chain: row.chain,
    format: row.format,
    fileName: row.file_name,
    sha256: row.sha256,
    covers: row.covers,
    completeFrom: row.complete_from,
    completeTo: row.complete_to,
    completeToAtS: row.complete_to_at_s,
    firstHeight: row.first_height,
    lastHeight: row.last_height,
    rowsDone: row.rows_done,
    counts: row.counts,
    publishedAt: row.published_at,
    importedBy: row.imported_by,
  }
}

/** The number of the newest published segment; 0 where the ledger is empty. */
export async function currentLedgerSeq(database: Queryable): Promise<number> {
  const [row] = await database.query<{ seq: number | null }>({
    name: 'ledger.current-seq',
    text: 'SELECT max(ledger_seq) AS seq FROM ledger.segment',
  })
  return row?.seq ?? 0
}

/** Heights declared complete for a chain, in the state with the ledger_seq; adjacent ranges are merged. */
export async function declaredRanges(
  database: Queryable,
  { chain, ledgerSeq }: { readonly chain: string; readonly ledgerSeq: number },
): Promise<readonly DeclaredRange[]> {
  const rows = await database.query<{
    kind: HistoryKind
    from: number
    to: number
    at: number | null
  }>(
    {
      name: 'ledger.ranges',
      text: `SELECT kind, complete_from AS from, complete_to AS to, complete_to_at_s AS at
             FROM ledger.segment, unnest(covers) AS kind
             WHERE chain = $1 AND ledger_seq <= $2 AND complete_from IS NOT NULL`,
    },
    [chain, ledgerSeq],
  )
  return mergeRanges(
    rows.map(({ kind, from, to, at }) => ({ kind, fromHeight: from, toHeight: to, toAtS: at })),
  )
}
