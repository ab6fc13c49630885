/** What stands still of watches: those that are due and wait, and a pass through all of them that does not end. */
import type { Database, Queryable } from '@cupel/postgres'
import { FULL_PASS_LATE_MS, fullPassAgeMs } from './full-pass.js'

interface Standstill {
  readonly part: 'watches'
  /** What is at fault, as a sentence. */
  readonly detail: string
  readonly remedy: string
}

/** The screenings of ten thousand watches that one change touches begin within this time. */
const DUE_MINUTES = 30
const HOUR_MS = 3_600_000

export async function watchStandstills({
  database,
}: {
  readonly database: Database
}): Promise<readonly Standstill[]> {
  return (await Promise.all([latePass(database), waitingWatches(database)])).flat()
}

/** What no search for touched watches found is decided by the pass through all of them. */
async function latePass(database: Queryable): Promise<Standstill[]> {
  const ageMs = await fullPassAgeMs(database)
  if (ageMs === null || ageMs <= FULL_PASS_LATE_MS) return []
  const detail = `The pass that decides every watched address again last ended ${Math.round(ageMs / HOUR_MS)} hours ago.`
  return [{ part: 'watches', detail, remedy: 'docs/watches.md#where-it-runs' }]
}

/** The index holds only what waits. */
async function waitingWatches(database: Queryable): Promise<Standstill[]> {
  const [row] = await database.query<{ waiting: number; minutes: number }>(
    `SELECT count(*)::int4 AS waiting, (extract(epoch FROM now() - min(due_at)) / 60)::int4 AS minutes FROM watches.watch
     WHERE due_at < now() - interval '${DUE_MINUTES} minutes' AND pending_report_id IS NULL AND (until IS NULL OR until > now())`,
  )
  if (row!.waiting === 0) return []
  const detail = `${row!.waiting} watches are due for up to ${row!.minutes} minutes, and no coordinator begins their screenings.`
  return [{ part: 'watches', detail, remedy: 'docs/runbooks/a-bulk-job-does-not-move.md' }]
}
