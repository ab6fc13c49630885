/** Segments of the ledger: the imported files, and the heights that were declared complete. */
import { mergeRanges, type DeclaredRange, type HistoryKind } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { MAX_AHEAD_S } from './clock.js'

/** What a provider said of one address. */
export interface HistoryFacts {
  /** Canonical. */
  readonly address: string
  readonly provider: string
  /** The newest block that the provider knew then. */
  readonly height: number
  /** Empty if the provider does not tell it. */
  readonly hash: string
  /** Time of that block, in seconds since 1970. */
  readonly atS: number
  /** Why it is not whole, such as truncated or contradicting_pages; empty if it is. */
  readonly incomplete: readonly string[]
}

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
  /** Transfers of the declared range that the file does not contain were retired. */
  readonly replaces: boolean
  readonly assetTableVersion: string
  readonly rowsDone: number
  readonly counts: Readonly<Record<string, number>>
  readonly publishedAt: string | null
  readonly importedBy: string
  /** Null for a file that concerns all addresses. */
  readonly history: HistoryFacts | null
  /** What the import changed in the sums of all rows. */
  readonly rowSums: string
}

/** Scorers look for a new state of the ledger at this interval, and an import waits for it: they see it within this time, for each 200 segments. */
export const LEDGER_LOOK_INTERVAL_MS = 1_000

export const SEGMENT_COLUMNS = `segment_id, ledger_seq, chain, format, file_name, sha256, covers, complete_from, complete_to,
  complete_to_at_s, first_height, last_height, replaces, asset_table_version, rows_done, counts, published_at, imported_by,
  history_address, history_provider, history_height, history_hash, history_at_s, history_incomplete,
  array_to_string(row_sums, ',') AS row_sums`

export interface SegmentRow extends Record<string, unknown> {
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
  replaces: boolean
  asset_table_version: string
  rows_done: number
  counts: Record<string, number>
  published_at: string | null
  imported_by: string
  history_address: string | null
  history_provider: string | null
  history_height: number | null
  history_hash: string | null
  history_at_s: number | null
  history_incomplete: string[] | null
  row_sums: string
}

/** Every segment, in the order in which the imports began. */
export async function listSegments(database: Queryable): Promise<readonly Segment[]> {
  const rows = await database.query<SegmentRow>(
    `SELECT ${SEGMENT_COLUMNS} FROM ledger.segment ORDER BY segment_id`,
  )
  return rows.map(segmentOf)
}

/** Those with a number from this one on, in their order. */
export async function listSegmentsFrom(database: Queryable, from: number): Promise<readonly Segment[]> {
  const rows = await database.query<SegmentRow>(
    `SELECT ${SEGMENT_COLUMNS} FROM ledger.segment WHERE ledger_seq >= $1 ORDER BY segment_id`,
    [from],
  )
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
    replaces: row.replaces,
    assetTableVersion: row.asset_table_version,
    rowsDone: row.rows_done,
    counts: row.counts,
    publishedAt: row.published_at,
    importedBy: row.imported_by,
    history: historyOf(row),
    rowSums: row.row_sums,
  }
}

function historyOf(row: SegmentRow): HistoryFacts | null {
  if (row.history_address === null) return null
  return {
    address: row.history_address,
    provider: row.history_provider!,
    height: row.history_height!,
    hash: row.history_hash!,
    atS: row.history_at_s!,
    incomplete: row.history_incomplete!,
  }
}

/** The state of the ledger at a moment, `at` in UTC, RFC 3339: 0 if it was empty. A segment counts from its stated time. */
export async function ledgerSeqAt(database: Queryable, at: string): Promise<number> {
  const [row] = await database.query<{ seq: number | null }>(
    {
      name: 'ledger.seq-at',
      text: `SELECT max(ledger_seq) AS seq FROM ledger.segment
             WHERE ledger_seq IS NOT NULL AND published_at::timestamptz <= $1::timestamptz`,
    },
    [at],
  )
  return row?.seq ?? 0
}

/** Whether the ledger has every segment up to the state: a ledger that lost segments looks as if it never had their transfers. */
export async function hasSegmentsUpTo(database: Queryable, ledgerSeq: number): Promise<boolean> {
  const [row] = await database.query<{ count: number }>(
    {
      name: 'ledger.segments-up-to',
      text: 'SELECT count(*)::int8 AS count FROM ledger.segment WHERE ledger_seq BETWEEN 1 AND $1',
    },
    [ledgerSeq],
  )
  return row?.count === ledgerSeq
}

/** SQL: whether the segment has no number, so that its data is invisible; also true of no segment. */
export const isUnseen = (segment: string): string =>
  `(SELECT s.ledger_seq FROM ledger.segment s WHERE s.segment_id = ${segment}) IS NULL`
/** Time of the block at a height, in seconds, as of the ledger_seq `$2`: an SQL expression. */
export const blockAtS = (chain: string, height: string): string => `
  (SELECT b.at_s FROM ledger.block b JOIN ledger.segment told ON told.segment_id = b.segment_id
   WHERE b.chain = ${chain} AND b.height = ${height} AND told.ledger_seq <= $2
   ORDER BY told.ledger_seq DESC, b.at_s LIMIT 1)`

interface StateOfChain {
  readonly chain: string
  readonly ledgerSeq: number
}

interface DeclaredRow extends Record<string, unknown> {
  segment_id: number
  kind: HistoryKind
  from: number
  to: number
  /** Time of the last block, else that of the file's last transfer; in seconds. */
  at: number | null
  imported_at: number
  has_unreadable: boolean
}

/**
 * Heights of rows whose meaning is not certain, by kind. A row without a height lies anywhere in the range of its file. A later file that
 * holds the place of the row completely, and reads it, makes up for it. Materialized, so that their number and not that of all segments
 * counts for each range.
 */
const DOUBTED = `
  doubted AS MATERIALIZED (
    SELECT doubted_kind, first, last
    FROM (
      SELECT told.ledger_seq, row.kinds, coalesce(row.height, told.complete_from) AS first,
        coalesce(row.height, told.complete_to) AS last
      FROM ledger.unreadable_row row JOIN ledger.segment told USING (segment_id)
      WHERE told.chain = $1 AND told.ledger_seq <= $2 AND told.history_address IS NULL) bad, unnest(bad.kinds) AS doubted_kind
    WHERE NOT EXISTS (
      SELECT FROM ledger.segment later
      WHERE later.chain = $1 AND later.ledger_seq > bad.ledger_seq AND later.ledger_seq <= $2 AND later.history_address IS NULL
        AND doubted_kind = ANY (later.covers) AND later.complete_from <= bad.first AND later.complete_to >= bad.last
        AND NOT EXISTS (
          SELECT FROM ledger.unreadable_row again
          WHERE again.segment_id = later.segment_id
            AND coalesce(again.height, later.complete_from) <= bad.last
            AND coalesce(again.height, later.complete_to) >= bad.first)))`

/** Heights declared complete for a chain and all its addresses, in the state with the ledger_seq; adjacent ranges are merged. */
export const declaredRanges = async (
  database: Queryable,
  state: StateOfChain,
): Promise<readonly DeclaredRange[]> =>
  mergeRanges((await declaredBySegment(database, state)).map(({ range }) => range))

/** The valid declared ranges, each with its segment. */
export async function declaredBySegment(
  database: Queryable,
  { chain, ledgerSeq }: StateOfChain,
): Promise<readonly { readonly segmentId: number; readonly range: DeclaredRange }[]> {
  const rows = await database.query<DeclaredRow>(
    {
      name: 'ledger.ranges',
      text: `WITH ${DOUBTED}
             SELECT segment_id, kind, complete_from AS from, complete_to AS to,
               coalesce(${blockAtS('s.chain', 's.complete_to')}, complete_to_at_s, ${blockAtS('s.chain', 's.last_height')}) AS at,
               extract(epoch FROM published_at::timestamptz)::int8 AS imported_at,
               EXISTS (SELECT FROM doubted WHERE doubted_kind = kind AND first <= s.complete_to AND last >= s.complete_from) AS has_unreadable
             FROM ledger.segment s, unnest(covers) AS kind
             WHERE chain = $1 AND ledger_seq <= $2 AND complete_from IS NOT NULL AND history_address IS NULL`,
    },
    [chain, ledgerSeq],
  )
  const endOf = endsOf(rows)
  return rows.flatMap((row) => {
    const toAtS = endOf(row)
    if (toAtS === 'later than its import') return []
    const { segment_id: segmentId, kind, from: fromHeight, to: toHeight } = row
    const hasUnreadable = row.has_unreadable ? { hasUnreadableRows: true } : {}
    return [{ segmentId, range: { kind, fromHeight, toHeight, toAtS, ...hasUnreadable } }]
  })
}

/**
 * Time at which a range ends. Some files have no times: then the range ends no earlier than those below it. Blocks that did not exist yet
 * cannot be declared: a range ends with its import, and a range whose heights are later than that does not count.
 */
function endsOf(rows: readonly DeclaredRow[]): (row: DeclaredRow) => number | null | 'later than its import' {
  /** The latest time of the ranges that end at the height or below it. */
  const latest = new Map<number, number>()
  let latestAtS = -Infinity
  for (const { to, at } of [...rows].sort((a, b) => a.to - b.to)) {
    latestAtS = Math.max(latestAtS, at ?? -Infinity)
    latest.set(to, latestAtS)
  }
  return ({ to, at, imported_at: importedAtS }) => {
    const latestBelow = latest.get(to)!
    if (latestBelow === -Infinity) return null
    if (latestBelow > importedAtS + MAX_AHEAD_S) return 'later than its import'
    return Math.min(at ?? latestBelow, importedAtS)
  }
}

/** The heights, ascending, for which each of the kinds is declared, in the newest state of the ledger. */
export async function heightsDeclaredFor(
  database: Queryable,
  chain: string,
  kinds: readonly HistoryKind[],
): Promise<readonly HeightRange[]> {
  const rows = await database.query<{ kind: string; from: number; to: number }>(
    `SELECT kind, complete_from AS from, complete_to AS to FROM ledger.segment, unnest(covers) AS kind
     WHERE chain = $1 AND ledger_seq IS NOT NULL AND complete_from IS NOT NULL AND history_address IS NULL
       AND kind = ANY ($2)
     ORDER BY complete_from`,
    [chain, kinds],
  )
  return kinds
    .map((kind) => merged(rows.filter((row) => row.kind === kind)))
    .reduce((left, right) => intersection(left, right))
}

export interface HeightRange {
  readonly from: number
  readonly to: number
}

function merged(ascending: readonly HeightRange[]): HeightRange[] {
  const ranges: { from: number; to: number }[] = []
  for (const { from, to } of ascending) {
    const last = ranges.at(-1)
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to)
    else ranges.push({ from, to })
  }
  return ranges
}

const intersection = (left: readonly HeightRange[], right: readonly HeightRange[]): HeightRange[] =>
  left.flatMap((one) =>
    right.flatMap((other) => {
      const [from, to] = [Math.max(one.from, other.from), Math.min(one.to, other.to)]
      return from <= to ? [{ from, to }] : []
    }),
  )
