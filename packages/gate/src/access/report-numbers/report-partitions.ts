/** The number of partitions of an installation's report topics, recorded when they were made: ids name partitions for good. */
import { DEFAULT_REPORT_PARTITIONS, useReportPartitions } from '@cupel/contracts'
import { sqlState, type Database, type Queryable } from '@cupel/postgres'

const UNDEFINED_TABLE = '42P01'

/** The recorded number; null if none was recorded, or if the tables of the database are missing or of an earlier release. */
export async function recordedReportPartitions(database: Queryable): Promise<number | null> {
  try {
    // Read as JSON, because the table of an earlier release has no such column.
    const [row] = await database.query<{ partitions: number | null }>(
      "SELECT (to_jsonb(n) ->> 'partitions')::int AS partitions FROM access.report_number n",
    )
    return row?.partitions ?? null
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return null
    throw error
  }
}

/** Records the number if none is recorded yet. A recorded number stays, because ids were made with it. Repeatable. */
export async function recordReportPartitions(database: Database, partitions: number): Promise<void> {
  await database.transaction({ at: 'access.report-partitions' }, (transaction) =>
    transaction.execute('UPDATE access.report_number SET partitions = $1 WHERE partitions IS NULL', [
      partitions,
    ]),
  )
}

/** Makes this process name and read reports with the recorded number. Every process calls it before it uses the log. */
export async function useRecordedReportPartitions(database: Queryable): Promise<void> {
  useReportPartitions((await recordedReportPartitions(database)) ?? DEFAULT_REPORT_PARTITIONS)
}
