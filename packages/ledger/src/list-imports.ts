/** The imported files, newest first, a page at a time. What providers said of single addresses is not among them: there may be millions. */
import type { Queryable } from '@cupel/postgres'
import { importLockOf } from './import-lock.js'
import { segmentOf, SEGMENT_COLUMNS, type Segment, type SegmentRow } from './segments.js'

export interface ImportState extends Segment {
  /** `importing`: it is not complete, and an import of its chain runs. `interrupted`: nothing completes it before somebody imports the file again. */
  readonly state: 'imported' | 'importing' | 'interrupted'
  /** UTC, RFC 3339 with milliseconds. */
  readonly startedAt: string
}

interface Row extends SegmentRow {
  started_at: string
}

/** `before`: imports that began before the one with this id; null for the newest. */
export async function listImports(
  database: Queryable,
  {
    chain,
    before,
    pageSize,
  }: { readonly chain?: string; readonly before: number | null; readonly pageSize: number },
): Promise<{ readonly items: readonly ImportState[]; readonly next: number | null }> {
  const rows = await database.query<Row>(
    {
      name: 'ledger.imports',
      text: `SELECT ${SEGMENT_COLUMNS}, to_char(started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS started_at
             FROM ledger.segment
             WHERE history_address IS NULL AND ($1::text IS NULL OR chain = $1) AND ($2::int8 IS NULL OR segment_id < $2)
             ORDER BY segment_id DESC LIMIT $3`,
    },
    [chain ?? null, before, pageSize + 1],
  )
  const shown = rows.slice(0, pageSize)
  const running = await runningImports(database, [
    ...new Set(shown.flatMap((row) => (row.ledger_seq === null ? [row.chain] : []))),
  ])
  return {
    items: shown.map((row) => ({
      ...segmentOf(row),
      startedAt: row.started_at,
      state: row.ledger_seq !== null ? 'imported' : running.has(row.segment_id) ? 'importing' : 'interrupted',
    })),
    next: rows.length > pageSize ? shown.at(-1)!.segment_id : null,
  }
}

/**
 * The one import of each chain that runs now, where that is certain: it holds the lock of its chain, and every other import of the chain that is
 * not complete has begun again with no row.
 */
async function runningImports(database: Queryable, chains: readonly string[]): Promise<ReadonlySet<number>> {
  if (chains.length === 0) return new Set()
  const rows = await database.query<{ segment_id: number }>(
    {
      name: 'ledger.running-imports',
      text: `SELECT max(segment_id) AS segment_id
             FROM (SELECT chain, segment_id, rows_done, count(*) OVER (PARTITION BY chain) AS open FROM ledger.segment
                   WHERE ledger_seq IS NULL AND history_address IS NULL AND chain = ANY ($1)) AS waiting
             JOIN unnest($1::text[], $2::text[]) AS own (name, lock) ON own.name = waiting.chain
             WHERE (rows_done > 0 OR open = 1) AND EXISTS (
               SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                 AND (classid::int8 << 32) + objid::int8 = hashtextextended(own.lock, 0))
             GROUP BY waiting.chain HAVING count(*) = 1`,
    },
    [chains, chains.map(importLockOf)],
  )
  return new Set(rows.map(({ segment_id: id }) => id))
}
