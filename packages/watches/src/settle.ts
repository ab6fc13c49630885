/**
 * Ends screenings of watches whose reports can be read. The report becomes the last one of its watch, and a change becomes an event,
 * in one transaction. The read model holds the first record of a report id, so that a repeat settles nothing twice.
 */
import { decidedEventId, type EventData, type Report } from '@cupel/contracts'
import { asFields, asTimes, type Database, type Queryable } from '@cupel/postgres'
import { outboxType } from '@cupel/projections'
import { becauseOf, reasonText } from '@cupel/reports/document'
import { isChange } from './decide-change.js'
import { writeWatchEvents, type WatchEvent } from './events.js'
import { FAILING_AFTER } from './limits.js'
import type { Owner } from './watch.js'

/** A screening that ended without a report is retried after this time, which doubles with each consecutive failure. */
const FIRST_RETRY_MS = 60_000
const MAX_RETRY_DOUBLINGS = 6
/**
 * After so many reports in a row that lack a stage, a rise is told from such a report. A missing stage lowers a score; nobody would learn
 * of a new label while a provider stays away for a day.
 */
const PATIENT_TRIES = 3
const MAX_SCORE = 100

interface Settling extends Owner {
  readonly watchId: string
  readonly address: string
  readonly canonicalAddress: string
  readonly chain: string
  readonly reference: string | null
  readonly thresholdHundredths: number
  /** The report that the account was last notified of, or the first one; null before that. */
  readonly toldReportId: string | null
  readonly toldLevel: string | null
  readonly toldScore: number | null
  readonly toldPlace: LogPlace | null
  readonly reportId: string
  readonly place: LogPlace
  readonly causes: readonly string[]
  readonly state: 'generated' | 'failed'
  readonly level: string | null
  readonly score: number | null
  readonly endedAt: string
  /** A stage was late or failed on a chain that was judged, so that the report knows less than another one would. */
  readonly lacksStage: boolean | null
  /** Consecutive screenings before this one that ended without a whole report. */
  readonly failures: number
}

/** The position of a report in its topic. */
export interface LogPlace {
  readonly partition: number
  readonly offset: number
}

export interface ReportAt {
  readonly reportId: string
  /** Null if the read model does not know it. */
  readonly place: LogPlace | null
}

/** Two reports of one address that differ so much that their account is notified. */
export interface FoundChange {
  readonly livemode: boolean
  readonly told: ReportAt
  readonly next: ReportAt
}

/** The points of each part in the difference of two scores. The parts add up to it exactly, in hundredths. */
export interface ScoreSplit {
  readonly labels: number
  readonly funds: number
  readonly policy: number
  readonly scorer: number
  readonly time: number
  readonly notExamined: number
}

/**
 * Why a difference was not split:
 * - `busy`: more changes arrived at once than are split, or their reports took too long to read
 * - `unreadable`: the log no longer has one of the reports, or an event that it names
 * - `refused`: a report does not follow from its record, or this version does not contain its scorer
 */
export type SplitMissing = 'busy' | 'unreadable' | 'refused'

export type Splitting =
  | { readonly split: ScoreSplit; readonly missing: null }
  | { readonly split: null; readonly missing: SplitMissing }

/** Splits the differences, in the order of the changes. It never rejects, and ends within its own time limit. */
export type SplitChanges = (changes: readonly FoundChange[]) => Promise<readonly Splitting[]>

export interface Settled {
  readonly settled: number
  readonly changed: number
}

/**
 * Settles at most `limit` watches. The differences are split before any row is locked. If the reports of a change differ by then, its
 * event has no split.
 */
export async function settleWatches(
  database: Database,
  { limit, splitChanges }: { readonly limit: number; readonly splitChanges: SplitChanges },
): Promise<Settled> {
  // In the order of the index that contains only pending watches.
  const found = await database.query<Settling>(`${ENDED} ORDER BY w.pending_report_id LIMIT $1`, [limit])
  if (found.length === 0) return { settled: 0, changed: 0 }
  const splitOf = await splitAll(found.filter(isTold), splitChanges)
  return await database.transaction({ at: 'watches.settled' }, async (transaction) => {
    const rows = await transaction.query<Settling>(
      `${ENDED} AND w.watch_id = ANY ($1::text[]) ORDER BY w.watch_id FOR UPDATE OF w`,
      [found.map(({ watchId }) => watchId)],
    )
    const told = rows.filter(isTold)
    const wordsOf = await readWords(transaction, told)
    await storeReports(transaction, rows)
    await storeTold(transaction, told)
    await writeWatchEvents(
      transaction,
      told.map((row) => changeOf(row, splitOf(row), wordsOf(row))),
    )
    await writeWatchEvents(transaction, rows.filter(isThirdFailure).map(failureOf))
    return { settled: rows.length, changed: told.length }
  })
}

const placeOf = (alias: string): string =>
  `CASE WHEN ${alias}.report_id IS NOT NULL THEN json_build_object('partition', ${alias}.log_partition, 'offset', ${alias}.log_offset) END`

export const ownReport = (id: string): string =>
  `SELECT * FROM report_view.report o WHERE o.report_id = ${id} AND o.account_id = w.account_id AND o.livemode = w.livemode OFFSET 0`

/**
 * The document of a failed screening is null, and so is the answer. Settling reads few documents, and each only once.
 */
const LACKS_STAGE = `(r.document::json #> '{coverage,missing_stages}') IS NOT NULL`

/**
 * Each pending watch looks its reports up by their keys. If statistics are taken while many watches are pending, a plain join may read
 * all watches and all reports: `OFFSET 0` prevents this.
 */
const ENDED = `SELECT ${asFields(
  'w.watch_id, w.account_id, w.livemode, w.address, w.canonical_address, w.chain, w.reference, w.threshold_hundredths, w.told_report_id, w.told_level, w.told_score',
)}, ${placeOf('t')} AS "toldPlace", w.pending_causes AS causes,
    r.report_id AS "reportId", ${placeOf('r')} AS place, r.state, r.level, r.score, ${asTimes('r.ended_at')},
    ${LACKS_STAGE} AS "lacksStage", w.failures
  FROM watches.watch w
  CROSS JOIN LATERAL (${ownReport('w.pending_report_id')}) r
  LEFT JOIN LATERAL (${ownReport('w.told_report_id')}) t ON true
  WHERE w.pending_report_id IS NOT NULL`

/** A report that differs from the one that its account knows. */
type Told = Settling & {
  readonly toldReportId: string
  readonly toldLevel: string
  readonly toldScore: number
  readonly level: string
  readonly score: number
}

/** The first report of a watch is not a change: there is none to compare it with. */
function isTold(row: Settling): row is Told {
  const { toldReportId, toldLevel, toldScore, level, score } = row
  if (row.state !== 'generated' || level === null || score === null) return false
  if (toldReportId === null || toldLevel === null || toldScore === null) return false
  if (row.lacksStage === true && !mayTellWithoutStage(row, { toldScore, score })) return false
  return isChange({ level: toldLevel, score: toldScore }, { level, score }, row.thresholdHundredths)
}

/** What is missing cannot change the highest score. */
const mayTellWithoutStage = (
  { failures }: Settling,
  { toldScore, score }: { readonly toldScore: number; readonly score: number },
): boolean => score > toldScore && (score === MAX_SCORE || failures >= PATIENT_TRIES)

/** Shown as the last report of its watch, and made again until it is whole. */
const isDoubtful = (row: Settling): boolean => row.state === 'generated' && row.lacksStage === true

/** Told once for each row of failures, however long it becomes. */
const isThirdFailure = (row: Settling): boolean =>
  (row.state === 'failed' || isDoubtful(row)) && row.failures + 1 === FAILING_AFTER

/** Returns a function that finds the split of a change. */
async function splitAll(
  found: readonly Told[],
  splitChanges: SplitChanges,
): Promise<(change: Told) => Splitting> {
  const splittings =
    found.length === 0
      ? []
      : await splitChanges(
          found.map(({ livemode, toldReportId, toldPlace, reportId, place }) => ({
            ...{ livemode, told: { reportId: toldReportId, place: toldPlace }, next: { reportId, place } },
          })),
        )
  const known = new Map(found.map((row, index) => [pairOf(row), splittings[index]]))
  return (change) => known.get(pairOf(change)) ?? { split: null, missing: 'busy' }
}

const pairOf = ({ toldReportId, reportId }: Told): string => `${toldReportId} ${reportId}`

type Words = Pick<EventData['ReportChanged'], 'why' | 'reasons'>

/** Returns a function that finds what the report of a change says of its level, in the words of its PDF. */
async function readWords(transaction: Queryable, told: readonly Told[]): Promise<(change: Told) => Words> {
  if (told.length === 0) return () => ({ why: '', reasons: [] })
  const rows = await transaction.query<{ watchId: string; document: string }>(
    `SELECT ${asFields('w.watch_id')}, r.document FROM watches.watch w CROSS JOIN LATERAL (${ownReport('w.pending_report_id')}) r
     WHERE w.watch_id = ANY ($1::text[])`,
    [told.map(({ watchId }) => watchId)],
  )
  const known = new Map(rows.map(({ watchId, document }) => [watchId, JSON.parse(document) as Report]))
  return ({ watchId }) => {
    const report = known.get(watchId)!
    const reasons = report.risk.level_reasons.map((code) => ({ code, text: reasonText(code) }))
    return { why: becauseOf(report), reasons }
  }
}

function changeOf(row: Told, { split, missing }: Splitting, words: Words): WatchEvent<'ReportChanged'> {
  const { watchId, accountId, livemode, address, canonicalAddress, chain, reference } = row
  const { toldReportId, toldLevel, toldScore, level, score, endedAt, reportId } = row
  return {
    type: outboxType('ReportChanged'),
    id: decidedEventId('ReportChanged', watchId, reportId),
    subject: watchId,
    time: endedAt,
    data: {
      ...{ watchId, accountId, livemode, address, canonicalAddress, chain, reference },
      ...{ previousReportId: toldReportId, previousLevel: toldLevel, previousScore: toldScore },
      ...{
        reportId,
        level,
        score,
        causes: [...row.causes],
        changedAt: endedAt,
        split,
        splitMissing: missing,
        ...words,
      },
    },
  }
}

function failureOf(row: Settling): WatchEvent<'WatchFailed'> {
  const { watchId, accountId, livemode, address, chain, reference, reportId, endedAt } = row
  return {
    type: outboxType('WatchFailed'),
    id: decidedEventId('WatchFailed', watchId, reportId),
    subject: watchId,
    time: endedAt,
    data: {
      ...{ watchId, accountId, livemode, address, chain, reference, reportId },
      ...{ failures: row.failures + 1, failedAt: endedAt },
    },
  }
}

async function storeReports(transaction: Queryable, rows: readonly Settling[]): Promise<void> {
  const idsOf = (isMeant: (row: Settling) => boolean): string[] =>
    rows.filter(isMeant).map(({ watchId }) => watchId)
  await transaction.execute(
    `UPDATE watches.watch w SET report_id = r.report_id, level = r.level, score = r.score, reported_at = r.ended_at,
       told_report_id = coalesce(w.told_report_id, r.report_id), told_level = coalesce(w.told_level, r.level),
       told_score = coalesce(w.told_score, r.score),
       digest_report_id = coalesce(w.digest_report_id, r.report_id), digest_level = coalesce(w.digest_level, r.level),
       digest_score = coalesce(w.digest_score, r.score),
       awaits_lists = ${AWAITS_LISTS}, pending_report_id = NULL, pending_causes = '{}', failures = 0
     FROM report_view.report r WHERE w.watch_id = ANY ($1::text[]) AND r.report_id = w.pending_report_id`,
    [idsOf((row) => row.state === 'generated' && !isDoubtful(row))],
  )
  await transaction.execute(
    `UPDATE watches.watch w SET report_id = r.report_id, level = r.level, score = r.score, reported_at = r.ended_at
     FROM report_view.report r WHERE w.watch_id = ANY ($1::text[]) AND r.report_id = w.pending_report_id`,
    [idsOf(isDoubtful)],
  )
  await transaction.execute(
    `UPDATE watches.watch w SET failures = w.failures + 1, pending_report_id = NULL, pending_causes = '{}',
       due_at = coalesce(w.due_at, clock_timestamp() + make_interval(
         secs => $2::float8 / 1000 * (2 ^ least(w.failures, $3))::float8)),
       causes = ARRAY(SELECT DISTINCT unnest(w.causes || w.pending_causes))
     WHERE w.watch_id = ANY ($1::text[])`,
    [idsOf((row) => row.state === 'failed' || isDoubtful(row)), FIRST_RETRY_MS, MAX_RETRY_DOUBLINGS],
  )
}

/** Stores the reports with which later ones are compared. */
async function storeTold(transaction: Queryable, told: readonly Told[]): Promise<void> {
  await transaction.execute(
    `UPDATE watches.watch SET told_report_id = report_id, told_level = level, told_score = score
     WHERE watch_id = ANY ($1::text[])`,
    [told.map(({ watchId }) => watchId)],
  )
}

/** The report is grey and lists were missing, old or incomplete: any later publication can change its level. */
const AWAITS_LISTS = `r.level = 'grey' AND (r.document::json #>> '{coverage,labels,status}') IS DISTINCT FROM 'complete'`
