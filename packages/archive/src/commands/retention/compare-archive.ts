/** Compares the reports of the read model with those of an archive: only what an archive gives with the same bytes may leave the database. */
import { topicOf } from '@cupel/contracts'
import { rangesOf, typeOf, type EventCodec, type EventLog, type LogRecord } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import type { Month, MonthFacts } from './plan.js'

export interface Comparison {
  /** By month. */
  readonly months: ReadonlyMap<Month, ArchivedReports>
  /** Ids of reports whose bytes differ; the first ones. */
  readonly differing: readonly string[]
}

export type ArchivedReports = Pick<MonthFacts, 'archived' | 'beyondHead' | 'recordBytes'>

export type StoredReports = Pick<MonthFacts, 'month' | 'reports' | 'documents' | 'documentBytes'>

const SHOWN = 10
/** UTC, as the months of client addresses. */
const MONTH = `to_char(ended_at AT TIME ZONE 'UTC', 'YYYY-MM')`

/** Months before `before` (excluded), oldest first. It reads every row of the read model once. */
export async function readMonths(database: Queryable, before: Month): Promise<readonly StoredReports[]> {
  return await database.query<StoredReports & Record<string, unknown>>(
    `SELECT ${MONTH} AS month, count(*)::int8 AS reports, count(document)::int8 AS documents,
       coalesce(sum(pg_column_size(document)), 0)::int8 AS "documentBytes"
     FROM report_view.report WHERE ended_at < ($1 || '-01T00:00:00Z')::timestamptz GROUP BY 1 ORDER BY 1`,
    [before],
  )
}

interface Row extends Record<string, unknown> {
  readonly id: string
  readonly partition: number
  readonly offset: number
  readonly month: Month
  readonly isReport: boolean
  /** Null for a failed screening too. */
  readonly document: string | null
  readonly isBelowHead: boolean
}

export interface ComparedArchive {
  readonly database: Queryable
  readonly log: EventLog
  readonly codec: EventCodec
  /** Leaves of the tree head that the archive names. */
  readonly leaves: number
}

/** Reads every report of the archive once, and the row of each. */
export async function compareArchive(
  { database, log, codec, leaves }: ComparedArchive,
  onProgress: (progress: { readonly records: number; readonly total: number }) => void,
): Promise<Comparison> {
  const months = new Map<Month, { archived: number; beyondHead: number; recordBytes: number }>()
  const differing: string[] = []
  const documentIn = codec.partOf('ReportGenerated', ['report'])
  const identity = await log.identity()
  const compare = async (records: readonly LogRecord[], livemode: boolean): Promise<void> => {
    const ids = [...new Set(records.map(({ key }) => key))]
    const rows = await rowsOf(database, { ids, livemode, identity, leaves })
    for (const record of records) {
      const row = rows.get(record.key)
      // A later record of the report has no effect, and is not its row.
      if (row?.partition !== record.partition || row.offset !== record.offset) continue
      const document = typeOf(record) === 'ReportGenerated' ? documentIn(record)!.report : null
      // Where the document is gone from the row, the record is all there is: its leaf says that it is the one.
      const isSame = row.isReport === (document !== null) && [document, null].includes(row.document)
      if (!isSame) {
        if (differing.length < SHOWN) differing.push(row.id)
        continue
      }
      const month = months.get(row.month) ?? { archived: 0, beyondHead: 0, recordBytes: 0 }
      months.set(row.month, month)
      month.archived += 1
      if (!row.isBelowHead) month.beyondHead += 1
      month.recordBytes += record.key.length + record.value.length
    }
  }
  const ranges = (
    await Promise.all(
      [true, false].map(async (livemode) =>
        (await rangesOf(log, [topicOf('ReportGenerated', livemode)])).map((range) => ({
          livemode,
          ...range,
        })),
      ),
    )
  ).flat()
  const total = ranges.reduce((sum, { from, to }) => sum + to - from, 0)
  let read = 0
  for (const { livemode, ...range } of ranges)
    for await (const records of log.read(range)) {
      await compare(records, livemode)
      read += records.length
      onProgress({ records: read, total })
    }
  return { months, differing }
}

/** A failed screening has no document, and its leaf is found by its place only. */
async function rowsOf(
  database: Queryable,
  asked: {
    readonly ids: readonly string[]
    readonly livemode: boolean
    readonly identity: string
    readonly leaves: number
  },
): Promise<ReadonlyMap<string, Row>> {
  const { ids, livemode, identity, leaves } = asked
  const rows = await database.query<Row>(
    {
      name: 'retention.rows',
      text: `SELECT report_id AS id, log_partition AS partition, log_offset AS offset, ${MONTH} AS month, document,
               state = 'generated' AS "isReport",
               state = 'failed' OR EXISTS (SELECT FROM transparency.leaf l JOIN transparency.log t USING (number)
                 WHERE l.document_id = report_id AND t.log = $3 AND l.index < $4) AS "isBelowHead"
             FROM report_view.report WHERE report_id = ANY ($1::text[]) AND livemode = $2`,
    },
    [ids, livemode, identity, leaves],
  )
  return new Map(rows.map((row) => [row.id, row]))
}
