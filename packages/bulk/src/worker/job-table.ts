/** The rows of jobs and their screenings. Every change of a job happens under the lock of its row. */
import type { DomainEvent } from '@cupel/contracts'
import type { BulkJob, ScreenedAddress } from '@cupel/domain'
import { asFields, type Queryable } from '@cupel/postgres'

/** What all screenings of a job share, and the progress of the job. */
export interface OpenJob {
  readonly jobId: string
  readonly accountId: string
  readonly livemode: boolean
  readonly submittedAt: string
  readonly correlationId: string
  readonly causationId: string
  readonly traceparent: string | null
  readonly reportPageUrl: string
  /** Screenings of the job. */
  readonly units: number
  /** Number of screenings that were released to the bulk lane. */
  readonly released: number
  readonly endedUnits: number
}

/** A job whose row is locked. */
export interface LockedJob extends OpenJob {
  readonly state: BulkJob
}

/** One screening of a job. */
export interface Unit extends ScreenedAddress {
  readonly reportId: string
  readonly jobId: string
  /** Place in the order of release. */
  readonly position: number
  /** Index of the first item this report is for. */
  readonly itemIndex: number
  /** The customer reference of the report, sealed; null if it has none. */
  readonly reference: string | null
}

export type EndingEvent = DomainEvent<'BulkCompleted'> | DomainEvent<'BulkCancelled'>

interface LockedJobRow extends OpenJob {
  readonly total: number
  readonly marks: string
  readonly twins: string
  readonly latestAt: string | null
  readonly cancelRequestedAt: string | null
  readonly ending: string | null
}

const OPEN_FIELDS = asFields(
  `job_id, account_id, livemode, submitted_at, correlation_id, causation_id, traceparent, report_page_url, units, released, ended_units`,
)
const STATE_FIELDS = asFields('total, marks, twins, latest_at, cancel_requested_at, ending')

/** Jobs that have not ended, in the order of their submission. */
export async function listOpenJobs(database: Queryable): Promise<OpenJob[]> {
  return await database.query<OpenJob>({
    name: 'bulk.list-open-jobs',
    text: `SELECT ${OPEN_FIELDS} FROM bulk.job WHERE ending IS NULL ORDER BY submitted_at, job_id`,
  })
}

/** Returns the jobs among these that have ended. */
export async function listEnded(database: Queryable, jobIds: readonly string[]): Promise<string[]> {
  const rows = await database.query<{ jobId: string }>(
    `SELECT ${asFields('job_id')} FROM bulk.job WHERE job_id = ANY($1) AND ending IS NOT NULL`,
    [jobIds],
  )
  return rows.map(({ jobId }) => jobId)
}

/** Locks the rows, always in one order, so that two transactions cannot deadlock. */
export async function lockJobs(transaction: Queryable, jobIds: readonly string[]): Promise<LockedJob[]> {
  if (jobIds.length === 0) return []
  const rows = await transaction.query<LockedJobRow>(
    {
      name: 'bulk.lock-jobs',
      text: `SELECT ${OPEN_FIELDS}, ${STATE_FIELDS}
             FROM bulk.job WHERE job_id = ANY($1) ORDER BY job_id FOR UPDATE`,
    },
    [jobIds],
  )
  return rows.map((row) => ({ ...row, state: stateOf(row) }))
}

function stateOf(row: LockedJobRow): BulkJob {
  const firsts = Array.from({ length: row.total }, (_, index) => index)
  for (const [index, first] of JSON.parse(row.twins) as [number, number][]) firsts[index] = first
  return {
    submittedAt: row.submittedAt,
    marks: row.marks,
    firsts,
    latestAt: row.latestAt,
    cancelRequestedAt: row.cancelRequestedAt,
    end: row.ending === null ? null : endOf(JSON.parse(row.ending) as EndingEvent),
  }
}

/** The end that an event states. */
export function endOf(event: EndingEvent): NonNullable<BulkJob['end']> {
  const { total, completed, failed, cancelled } = event.data
  const counts = { total, completed, failed, cancelled }
  if (event.type === 'BulkCancelled')
    return { ...counts, status: 'cancelled', endedAt: event.data.cancelledAt }
  const status = event.data.status as 'completed' | 'completed_with_errors' | 'failed'
  return { ...counts, status, endedAt: event.data.completedAt }
}

/** Inserts jobs that do not exist yet, and returns their ids. The first submission of a job id counts. */
export async function insertJobs(
  transaction: Queryable,
  jobs: readonly { readonly job: OpenJob; readonly state: BulkJob }[],
): Promise<string[]> {
  if (jobs.length === 0) return []
  const rows = jobs.map(({ job, state }) => ({
    ...job,
    total: state.firsts.length,
    marks: state.marks,
    twins: JSON.stringify(state.firsts.flatMap((first, index) => (first === index ? [] : [[index, first]]))),
    latestAt: state.latestAt,
  }))
  const inserted = await transaction.query<{ jobId: string }>(
    {
      name: 'bulk.insert-jobs',
      text: `INSERT INTO bulk.job (job_id, account_id, livemode, submitted_at, total, marks, twins, latest_at, units,
               released, ended_units, correlation_id, causation_id, traceparent, report_page_url)
             SELECT "jobId", "accountId", livemode, "submittedAt", total, marks, twins, "latestAt", units, released, "endedUnits",
               "correlationId", "causationId", traceparent, "reportPageUrl" FROM json_to_recordset($1::json) AS r ("jobId" text, "accountId" text, livemode bool,
               "submittedAt" text, total int4, marks text, twins text, "latestAt" text, units int4, released int4,
               "endedUnits" int4, "correlationId" text, "causationId" text, traceparent text, "reportPageUrl" text)
             ON CONFLICT (job_id) DO NOTHING RETURNING ${asFields('job_id')}`,
    },
    [JSON.stringify(rows)],
  )
  return inserted.map(({ jobId }) => jobId)
}

/** Inserts screenings, and returns the report ids that were free. */
export async function insertUnits(transaction: Queryable, units: readonly Unit[]): Promise<Set<string>> {
  if (units.length === 0) return new Set()
  const inserted = await transaction.query<{ reportId: string }>(
    {
      name: 'bulk.insert-units',
      text: `INSERT INTO bulk.unit (report_id, job_id, position, item_index, address, canonical_address, chain, candidate_chains, reference)
             SELECT r.* FROM json_to_recordset($1::json) AS r ("reportId" text, "jobId" text, position int4,
               "itemIndex" int4, address text, "canonicalAddress" text, chain text, "candidateChains" json, reference text)
             ON CONFLICT (report_id) DO NOTHING RETURNING ${asFields('report_id')}`,
    },
    [JSON.stringify(units)],
  )
  return new Set(inserted.map(({ reportId }) => reportId))
}

/** Finds the job and the item of each report id. */
export async function findUnits(
  transaction: Queryable,
  reportIds: readonly string[],
): Promise<Map<string, Pick<Unit, 'jobId' | 'itemIndex'>>> {
  if (reportIds.length === 0) return new Map()
  const rows = await transaction.query<Pick<Unit, 'reportId' | 'jobId' | 'itemIndex'>>(
    {
      name: 'bulk.find-units',
      text: `SELECT ${asFields('report_id, job_id, item_index')} FROM bulk.unit WHERE report_id = ANY($1)`,
    },
    [reportIds],
  )
  return new Map(rows.map((row) => [row.reportId, row]))
}

export interface UnitRange {
  readonly jobId: string
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

export async function readUnits(database: Queryable, ranges: readonly UnitRange[]): Promise<Unit[]> {
  return await database.query<Unit>(
    {
      name: 'bulk.read-units',
      text: `SELECT ${UNIT_FIELDS}
             FROM unnest($1::text[], $2::int4[], $3::int4[]) WITH ORDINALITY AS r (job_id, first, after, ord)
             JOIN bulk.unit u ON u.job_id = r.job_id AND u.position >= r.first AND u.position < r.after
             ORDER BY r.ord, u.position`,
    },
    [ranges.map(({ jobId }) => jobId), ranges.map(({ from }) => from), ranges.map(({ to }) => to)],
  )
}

const UNIT_FIELDS = asFields(
  'u.report_id, u.job_id, u.position, u.item_index, u.address, u.canonical_address, u.chain, u.candidate_chains, u.reference',
)

export interface ChangedJob {
  readonly jobId: string
  readonly state: BulkJob
  readonly endedUnits: number
  /** The event that ends the job, where this change ends it, and whether the event is in the log already. */
  readonly ending: { readonly event: EndingEvent; readonly isAnnounced: boolean } | null
}

/** Writes the new state of locked jobs. */
export async function saveJobs(transaction: Queryable, jobs: readonly ChangedJob[]): Promise<void> {
  if (jobs.length === 0) return
  await transaction.execute(
    {
      name: 'bulk.save-jobs',
      text: `UPDATE bulk.job j
             SET marks = r.marks, latest_at = r.latest_at, cancel_requested_at = r.cancel_requested_at,
               ended_units = r.ended_units, ending = coalesce(j.ending, r.ending),
               is_announced = j.is_announced OR r.is_announced,
               ended_at = CASE WHEN r.ending IS NOT NULL THEN now() ELSE j.ended_at END
             FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int4[], $6::text[], $7::bool[])
               AS r (job_id, marks, latest_at, cancel_requested_at, ended_units, ending, is_announced)
             WHERE j.job_id = r.job_id`,
    },
    [
      jobs.map(({ jobId }) => jobId),
      jobs.map(({ state }) => state.marks),
      jobs.map(({ state }) => state.latestAt),
      jobs.map(({ state }) => state.cancelRequestedAt),
      jobs.map(({ endedUnits }) => endedUnits),
      jobs.map(({ ending }) => (ending === null ? null : JSON.stringify(ending.event))),
      jobs.map(({ ending }) => ending?.isAnnounced ?? false),
    ],
  )
}

export interface ReleaseMove {
  readonly jobId: string
  readonly expected: number
  readonly next: number
}

/** Moves the number of released screenings, from the expected value only; returns the ids of the jobs that moved. */
export async function moveReleased(
  transaction: Queryable,
  moves: readonly ReleaseMove[],
): Promise<Set<string>> {
  const rows = await transaction.query<{ job_id: string }>(
    {
      name: 'bulk.move-released',
      text: `WITH m AS (SELECT * FROM unnest($1::text[], $2::int4[], $3::int4[]) AS m (job_id, expected, next)),
             held AS MATERIALIZED (
               SELECT j.job_id FROM bulk.job j JOIN m USING (job_id) ORDER BY j.job_id FOR UPDATE OF j)
             UPDATE bulk.job j SET released = m.next FROM m JOIN held USING (job_id)
             WHERE j.job_id = m.job_id AND j.released = m.expected AND j.ending IS NULL RETURNING j.job_id`,
    },
    [moves.map(({ jobId }) => jobId), moves.map(({ expected }) => expected), moves.map(({ next }) => next)],
  )
  return new Set(rows.map(({ job_id: jobId }) => jobId))
}

/** Ends of jobs that were decided and are not marked as announced, oldest first. */
export async function listUnannounced(database: Queryable, limit: number): Promise<EndingEvent[]> {
  const rows = await database.query<{ ending: string }>(
    {
      name: 'bulk.list-unannounced',
      text: `SELECT ending FROM bulk.job WHERE ending IS NOT NULL AND NOT is_announced ORDER BY ended_at LIMIT $1`,
    },
    [limit],
  )
  return rows.map(({ ending }) => JSON.parse(ending) as EndingEvent)
}

export async function markAnnounced(transaction: Queryable, jobIds: readonly string[]): Promise<void> {
  await transaction.execute(
    {
      name: 'bulk.mark-announced',
      text: `WITH held AS MATERIALIZED (SELECT job_id FROM bulk.job WHERE job_id = ANY($1) ORDER BY job_id FOR UPDATE)
             UPDATE bulk.job j SET is_announced = true FROM held WHERE j.job_id = held.job_id`,
    },
    [jobIds],
  )
}
