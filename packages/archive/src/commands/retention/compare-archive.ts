/** Compares the reports of the read model with those of an archive: only what an archive gives with the same bytes may leave the database. */
import { topicOf } from '@cupel/contracts'
import { typeOf, type EventCodec, type EventLog, type LogRange, type LogRecord } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'

/** A month of UTC: `2026-01`. */
export type Month = string

export interface MonthOfReports extends Record<string, unknown> {
  readonly month: Month
  /** Rows of the read model, failed screenings included. */
  readonly reports: number
  /** Of the documents as Postgres stores them: without indexes, row heads and other columns. */
  readonly bytes: number
}

export interface Comparison {
  /** Rows that the archive gives with the same bytes, by month. */
  readonly archived: ReadonlyMap<Month, number>
  /** Ids of reports whose bytes differ; the first ones. */
  readonly differing: readonly string[]
}

const SHOWN = 10
/** UTC, as the months of client addresses. */
const MONTH = `to_char(ended_at AT TIME ZONE 'UTC', 'YYYY-MM')`

/** Months before `before` (excluded), oldest first. It reads every row of the read model once. */
export async function readMonths(database: Queryable, before: Month): Promise<readonly MonthOfReports[]> {
  return await database.query<MonthOfReports>(
    `SELECT ${MONTH} AS month, count(*)::int8 AS reports, coalesce(sum(pg_column_size(document)), 0)::int8 AS bytes
     FROM report_view.report WHERE ended_at < ($1 || '-01T00:00:00Z')::timestamptz GROUP BY 1 ORDER BY 1`,
    [before],
  )
}

interface Row extends Record<string, unknown> {
  readonly id: string
  readonly partition: number
  readonly offset: number
  readonly month: Month
  readonly document: string | null
}

/** Reads every report of the archive once, and the row of each. */
export async function compareArchive(
  {
    database,
    log,
    codec,
  }: { readonly database: Queryable; readonly log: EventLog; readonly codec: EventCodec },
  onProgress: (progress: { readonly records: number; readonly total: number }) => void,
): Promise<Comparison> {
  const archived = new Map<Month, number>()
  const differing: string[] = []
  const documentIn = codec.partOf('ReportGenerated', ['report'])
  const compare = async (records: readonly LogRecord[], livemode: boolean): Promise<void> => {
    const rows = await rowsOf(database, [...new Set(records.map(({ key }) => key))], livemode)
    for (const record of records) {
      const row = rows.get(record.key)
      // A later record of the report has no effect, and is not its row.
      if (row?.partition !== record.partition || row.offset !== record.offset) continue
      const document = typeOf(record) === 'ReportGenerated' ? documentIn(record)!.report : null
      if (document === row.document) archived.set(row.month, (archived.get(row.month) ?? 0) + 1)
      else if (differing.length < SHOWN) differing.push(row.id)
    }
  }
  const ranges = (await Promise.all([true, false].map((livemode) => rangesOf(log, livemode)))).flat()
  const total = ranges.reduce((sum, { from, to }) => sum + to - from, 0)
  let read = 0
  for (const { livemode, ...range } of ranges)
    for await (const records of log.read(range)) {
      await compare(records, livemode)
      read += records.length
      onProgress({ records: read, total })
    }
  return { archived, differing }
}

async function rangesOf(
  log: EventLog,
  livemode: boolean,
): Promise<readonly (LogRange & { readonly livemode: boolean })[]> {
  const topic = topicOf('ReportGenerated', livemode)
  const partitions = Array.from({ length: await log.partitionCount(topic) }, (_, partition) => partition)
  return await Promise.all(
    partitions.map(async (partition) => ({
      ...{ topic, partition, livemode },
      from: await log.startOffset(topic, partition),
      to: await log.endOffset(topic, partition),
    })),
  )
}

async function rowsOf(
  database: Queryable,
  ids: readonly string[],
  livemode: boolean,
): Promise<ReadonlyMap<string, Row>> {
  const rows = await database.query<Row>(
    {
      name: 'retention.rows',
      text: `SELECT report_id AS id, log_partition AS partition, log_offset AS offset, ${MONTH} AS month, document
             FROM report_view.report WHERE report_id = ANY ($1::text[]) AND livemode = $2`,
    },
    [ids, livemode],
  )
  return new Map(rows.map((row) => [row.id, row]))
}
