/**
 * Ends screenings of watches whose reports can be read: the report becomes the last one of its watch, and a change becomes an event,
 * in one transaction. The read model holds the first record of a report id, so that a repeat settles nothing a second time.
 */
import { decidedEventId } from '@cupel/contracts'
import { asFields, asTimes, type Database, type Queryable } from '@cupel/postgres'
import { isChange } from './decide-change.js'
import { writeWatchEvents, type WatchEvent } from './events.js'
import type { Owner } from './watch.js'

/** A screening that ended without a report is tried again after this time, doubled with each failure in a row. */
const FIRST_RETRY_MS = 60_000
const MAX_RETRY_DOUBLINGS = 6

interface Settling extends Owner {
  readonly watchId: string
  readonly address: string
  readonly canonicalAddress: string
  readonly chain: string
  readonly reference: string | null
  readonly thresholdHundredths: number
  readonly previousReportId: string | null
  readonly previousLevel: string | null
  readonly previousScore: number | null
  readonly reportId: string
  readonly causes: readonly string[]
  readonly state: 'generated' | 'failed'
  readonly level: string | null
  readonly score: number | null
  readonly endedAt: string
}

export interface Settled {
  readonly settled: number
  readonly changed: number
}

/** At most `limit` watches. */
export async function settleWatches(database: Database, limit: number): Promise<Settled> {
  const [found] = await database.query<{ exists: boolean }>(
    `SELECT EXISTS (SELECT FROM watches.watch w JOIN report_view.report r ON r.report_id = w.pending_report_id
       WHERE w.pending_report_id IS NOT NULL)`,
  )
  if (found?.exists !== true) return { settled: 0, changed: 0 }
  return await database.transaction({ at: 'watches.settled' }, async (transaction) => {
    const rows = await lockEnded(transaction, limit)
    const changes = rows.flatMap(changeOf)
    await storeReports(transaction, rows)
    await writeWatchEvents(transaction, changes)
    return { settled: rows.length, changed: changes.length }
  })
}

async function lockEnded(transaction: Queryable, limit: number): Promise<Settling[]> {
  return await transaction.query<Settling>(
    `SELECT ${asFields(
      'w.watch_id, w.account_id, w.livemode, w.address, w.canonical_address, w.chain, w.reference, w.threshold_hundredths',
    )}, w.report_id AS "previousReportId", w.level AS "previousLevel", w.score AS "previousScore",
       w.pending_causes AS causes, r.report_id AS "reportId", r.state, r.level, r.score, ${asTimes('r.ended_at')}
     FROM watches.watch w
     JOIN report_view.report r ON r.report_id = w.pending_report_id AND r.account_id = w.account_id AND r.livemode = w.livemode
     WHERE w.pending_report_id IS NOT NULL
     ORDER BY w.watch_id LIMIT $1 FOR UPDATE OF w`,
    [limit],
  )
}

/** The first report of a watch is no change: there is none to compare it with. */
function changeOf(row: Settling): WatchEvent<'ReportChanged'>[] {
  const { previousReportId, previousLevel, previousScore, level, score, endedAt, reportId } = row
  if (row.state !== 'generated' || previousReportId === null || level === null || score === null) return []
  const previous = { level: previousLevel!, score: previousScore! }
  if (!isChange(previous, { level, score }, row.thresholdHundredths)) return []
  const { watchId, accountId, livemode, address, canonicalAddress, chain, reference } = row
  return [
    {
      type: 'ReportChanged',
      id: decidedEventId('ReportChanged', watchId, reportId),
      subject: watchId,
      time: endedAt,
      data: {
        ...{ watchId, accountId, livemode, address, canonicalAddress, chain, reference },
        ...{ previousReportId, previousLevel: previous.level, previousScore: previous.score },
        ...{ reportId, level, score, causes: [...row.causes], changedAt: endedAt, split: null },
      },
    },
  ]
}

async function storeReports(transaction: Queryable, rows: readonly Settling[]): Promise<void> {
  const ids = (state: Settling['state']): string[] =>
    rows.filter((row) => row.state === state).map(({ watchId }) => watchId)
  await transaction.execute(
    `UPDATE watches.watch w SET report_id = r.report_id, level = r.level, score = r.score, reported_at = r.ended_at,
       awaits_lists = ${AWAITS_LISTS}, pending_report_id = NULL, pending_causes = '{}', failures = 0
     FROM report_view.report r WHERE w.watch_id = ANY ($1::text[]) AND r.report_id = w.pending_report_id`,
    [ids('generated')],
  )
  await transaction.execute(
    `UPDATE watches.watch w SET failures = w.failures + 1, pending_report_id = NULL, pending_causes = '{}',
       due_at = coalesce(w.due_at, clock_timestamp() + make_interval(
         secs => $2::float8 / 1000 * (2 ^ least(w.failures, $3))::float8)),
       causes = ARRAY(SELECT DISTINCT unnest(w.causes || w.pending_causes))
     WHERE w.watch_id = ANY ($1::text[])`,
    [ids('failed'), FIRST_RETRY_MS, MAX_RETRY_DOUBLINGS],
  )
}

/** It is grey and lists were missing, old or incomplete: a later publication can change its level, whatever it lists. */
const AWAITS_LISTS = `r.level = 'grey' AND (r.document::json #>> '{coverage,labels,status}') IS DISTINCT FROM 'complete'`
