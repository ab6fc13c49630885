/**
 * Which writings of imports count. Postgres knows them: a writing counts once the transaction is committed that advances its segment. Imports of a
 * chain run one after another, so the runs up to the last one of a state wrote what the state has.
 */
import type { Queryable } from '@cupel/postgres'
import { otherPosition } from '../../other-position.js'
import type { LedgerState } from '../transfer-store.js'
import type { WrittenSegment } from '../transfer-writer.js'
import { LedgerStoreError, type ClickHouse } from './client.js'
import { UNKNOWN } from './tables.js'

export interface Written {
  readonly lastRun: number
  /** Runs that ended early, each with the last of its writings that counts. */
  readonly cut: readonly (readonly [run: number, lastWrite: number])[]
}

/** What a state has, and the key of its last run, which the ClickHouse of its imports knows. */
export interface WrittenState extends Written {
  readonly runKey: string
}

/** SQL of ClickHouse: the version was written. */
export function isWritten({ lastRun, cut }: Written): string {
  const until = `run <= ${lastRun}`
  if (cut.length === 0) return until
  const of = (values: readonly number[]): string => `CAST([${values.join()}], 'Array(UInt32)')`
  const last = `transform(run, ${of(cut.map(([run]) => run))}, ${of(cut.map(([, write]) => write))}, toUInt32(${UNKNOWN}))`
  return `${until} AND write <= ${last}`
}

const LACKS =
  'ClickHouse lacks what imports of this ledger wrote: CUPEL_LEDGER_URL names another one, or it was restored from an older backup'

/** SQL of ClickHouse: true. It is an error if the run never began there: its transfers would be missing without a word. */
export const hasBegun = ({ lastRun, runKey }: Pick<WrittenState, 'lastRun' | 'runKey'>): string =>
  `(SELECT throwIf(count() = 0, '${LACKS}') FROM begun WHERE run = ${lastRun} AND run_key = '${runKey}') = 0`

/** The same for the last run that wrote anything. */
export async function hasBegunLast(database: Queryable): Promise<string> {
  const [last] = await database.query<RunRow>(
    'SELECT run AS "lastRun", run_key AS "runKey" FROM ledger.store_run WHERE last_write > 0 ORDER BY run DESC LIMIT 1',
  )
  return last === undefined ? 'true' : hasBegun(last)
}

export async function requireRuns(database: Queryable, clickHouse: ClickHouse): Promise<void> {
  await clickHouse.rows(`SELECT ${await hasBegunLast(database)}`)
}

type RunRow = Record<string, unknown> & Pick<WrittenState, 'lastRun' | 'runKey'>

const LAST_RUN = {
  name: 'ledger.last-run',
  text: `SELECT r.run AS "lastRun", r.run_key AS "runKey" FROM ledger.segment s JOIN ledger.store_run r USING (segment_id)
         WHERE s.chain = $1 AND s.ledger_seq <= $2 ORDER BY s.ledger_seq DESC, r.run DESC LIMIT 1`,
}

const CUT_RUNS = {
  name: 'ledger.cut-runs',
  text: 'SELECT run, counted_writes AS last FROM ledger.store_run WHERE counted_writes IS NOT NULL AND run <= $1',
}

async function cutRuns(database: Queryable, upTo: number): Promise<Written['cut']> {
  const rows = await database.query<{ run: number; last: number }>(CUT_RUNS, [upTo])
  return rows.map(({ run, last }) => [run, last] as const)
}

/** What the state has; null if no segment of it wrote transfers. */
export async function writtenIn(
  database: Queryable,
  { chain, ledgerSeq }: LedgerState,
): Promise<WrittenState | null> {
  const [row] = await database.query<RunRow>(LAST_RUN, [chain, ledgerSeq])
  return row === undefined ? null : { ...row, cut: await cutRuns(database, row.lastRun) }
}

/** What an import sees: everything that counts before it, and its own writings. */
export const writtenBefore = async (database: Queryable, run: number): Promise<Written> => ({
  lastRun: run,
  cut: await cutRuns(database, run),
})

/** All writings that were committed: what the segments state in their sums. */
export async function everWritten(database: Queryable): Promise<Written> {
  const [newest] = await database.query<{ run: number }>(
    'SELECT coalesce(max(run), 0) AS run FROM ledger.store_run',
  )
  const rows = await database.query<{ run: number; last: number }>(
    `SELECT run, last_write AS last FROM ledger.store_run JOIN ledger.segment USING (segment_id)
     WHERE counted_writes IS NOT NULL OR ledger_seq IS NULL`,
  )
  return { lastRun: newest!.run, cut: rows.map(({ run, last }) => [run, last] as const) }
}

/** With more of them each statement would be too long. */
const MOST_LOST_RUNS = 10_000

/**
 * Of its own segment an earlier run counts as far as it came. What other interrupted imports of the chain wrote counts no more: they begin again. Runs
 * that only ClickHouse knows never count: a Postgres that was restored from a backup lost them, and gives their numbers of addresses again.
 */
export async function beginRun(
  transaction: Queryable,
  { chain, segmentId }: WrittenSegment,
  readBegun: () => Promise<number>,
): Promise<void> {
  // Imports of several chains begin at once.
  await transaction.query("SELECT pg_advisory_xact_lock(hashtextextended('cupel.ledger-run', 0))")
  const [known] = await transaction.query<{ newest: number }>(
    'SELECT coalesce(max(run), 0) AS newest FROM ledger.store_run',
  )
  const { newest } = known!
  const begun = await readBegun()
  if (begun - newest > MOST_LOST_RUNS)
    throw new LedgerStoreError(
      `ClickHouse has ${begun - newest} imports that Postgres does not know: empty both, and import the files again`,
    )
  await transaction.execute(
    `UPDATE ledger.store_run SET counted_writes = last_write WHERE segment_id = $1 AND counted_writes IS NULL`,
    [segmentId],
  )
  await transaction.execute(
    `UPDATE ledger.store_run SET counted_writes = 0 WHERE counted_writes IS DISTINCT FROM 0 AND segment_id IN (
       SELECT segment_id FROM ledger.segment WHERE chain = $1 AND segment_id <> $2 AND ledger_seq IS NULL)`,
    [chain, segmentId],
  )
  await transaction.execute(
    `INSERT INTO ledger.store_run (run, segment_id, counted_writes)
     SELECT lost, $1, 0 FROM generate_series($2::int4, $3::int4) AS lost`,
    [segmentId, newest + 1, begun],
  )
  await transaction.execute('INSERT INTO ledger.store_run (run, segment_id) VALUES ($2, $1)', [
    segmentId,
    Math.max(newest, begun) + 1,
  ])
}

export interface Run {
  readonly run: number
  readonly runKey: string
  /** The chain has no rows yet. */
  readonly isFirst: boolean
}

export async function currentRun(database: Queryable, { chain, segmentId }: WrittenSegment): Promise<Run> {
  const [row] = await database.query<{ run: number; run_key: string; is_first: boolean }>(
    `SELECT run, run_key, NOT EXISTS (
       SELECT FROM ledger.store_run r JOIN ledger.segment s USING (segment_id)
       WHERE s.chain = $2 AND r.last_write > 0 AND r.counted_writes IS DISTINCT FROM 0) AS is_first
     FROM ledger.store_run WHERE segment_id = $1 ORDER BY run DESC LIMIT 1`,
    [segmentId, chain],
  )
  return { run: row!.run, runKey: row!.run_key, isFirst: row!.is_first }
}

/** In the transaction that makes the writing count. Throws if another import of the chain began meanwhile. */
export async function countWrite(
  transaction: Queryable,
  { run, write }: { readonly run: number; readonly write: number },
): Promise<void> {
  const text = 'UPDATE ledger.store_run SET last_write = $2 WHERE run = $1 AND counted_writes IS NULL'
  const counted = await transaction.execute({ name: 'ledger.count-write', text }, [run, write])
  if (counted === 0) throw otherPosition()
}
