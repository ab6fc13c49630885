/** Checks that the read model has the first record of each report, with every column equal, and nothing else. */
import type { DomainEvent } from '@cupel/contracts'
import type { LogRecord } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { loadCheckpoint, readModelGroup } from '@cupel/projections'
import { reportView, rowOfFailure, rowOfReport } from '@cupel/read-models'
import type { Problem } from './problem.js'

type Row = ReturnType<typeof rowOfReport>

/** Problems of the first records of a batch. Records that the projection has not read yet do not count as missing. */
export async function compareReportView(
  database: Database,
  firsts: readonly { readonly record: LogRecord; readonly event: DomainEvent }[],
): Promise<readonly Problem[]> {
  const [one] = firsts
  if (one === undefined) return []
  const { topic, partition } = one.record
  const group = readModelGroup(reportView)
  const projected = (await loadCheckpoint(database, { group, topic, partition }))?.next ?? 0
  const rows = await database.query<Record<keyof Row, unknown> & { report_id: string; log_offset: number }>(
    'SELECT * FROM report_view.report WHERE report_id = ANY ($1::text[])',
    [firsts.map(({ record }) => record.key)],
  )
  const byId = new Map(rows.map((row) => [row.report_id, row]))
  return firsts.flatMap(({ record, event }): Problem[] => {
    const { key, offset } = record
    const problem = (detail: string): Problem[] => [{ kind: 'read-model', topic, partition, offset, detail }]
    const row = byId.get(key)
    if (row === undefined) return offset < projected ? problem(`${key} is missing in report-view.`) : []
    if (row.log_partition !== partition || row.log_offset !== offset)
      return problem(`report-view has ${key} from offset ${row.log_offset}, which is not its first record.`)
    const expected = rowOf(event, record)
    if (expected === null) return []
    if (row.document !== expected.document) return problem(`report-view answers ${key} with another text.`)
    const columns = Object.keys(expected) as (keyof Row)[]
    const wrong = columns.filter((column) => textOf(row[column]) !== textOf(expected[column], column))
    return wrong.length === 0 ? [] : problem(`report-view has ${key} with another ${wrong.join(', ')}.`)
  })
}

function rowOf(event: DomainEvent, at: LogRecord): Record<keyof Row, unknown> | null {
  if (event.type === 'ReportGenerated') return rowOfReport(event.data, at)
  return event.type === 'ScreeningFailed' ? rowOfFailure(event.data, at) : null
}

/** Compares times to the millisecond, as records have them. A value that is not a time stays as it is, and matches no row. */
function textOf(value: unknown, column?: keyof Row): string {
  if (value instanceof Date) return value.toISOString()
  const time = column === 'ended_at' ? new Date(value as string) : null
  return time === null || Number.isNaN(time.getTime()) ? String(value) : time.toISOString()
}

/** The range read of a partition: its first offset, the offset after its last record, and its number of distinct report ids. */
export interface ReadPartition {
  readonly partition: number
  readonly from: number
  readonly to: number
  readonly reports: number
}

export interface ReadTopic {
  readonly topic: string
  readonly livemode: boolean
  readonly partitions: readonly ReadPartition[]
  /** Whether a partition has a record of the report. */
  readonly reportIds: (read: ReadPartition) => Promise<{ has(reportId: string): boolean }>
  /** The current offset after the last record of a partition. */
  readonly end: (partition: number) => Promise<number>
}

/** Maximum number of rows reported for one partition. */
const MAX_ROWS = 100

/** Finds rows of the read model that match no record of the topic. */
export async function compareExtraRows(database: Database, read: ReadTopic): Promise<readonly Problem[]> {
  const { topic, livemode, partitions } = read
  const counted = await database.query<{ partition: number; rows: number; last: number | null }>(
    `SELECT p.partition, count(r.report_id) FILTER (WHERE r.log_offset >= p.from AND r.log_offset < p.to)::int8 AS rows,
        max(r.log_offset) AS last
      FROM unnest($2::int4[], $3::int8[], $4::int8[]) AS p (partition, "from", "to")
      JOIN report_view.report r ON r.log_partition = p.partition AND r.livemode = $1 GROUP BY p.partition`,
    [
      ...[livemode, partitions.map(({ partition }) => partition)],
      ...[partitions.map(({ from }) => from), partitions.map(({ to }) => to)],
    ],
  )
  const problems: Problem[] = []
  for (const { partition, rows, last } of counted) {
    const one = partitions.find((each) => each.partition === partition)!
    // A projection is never ahead of the log: the end of the log is read after the rows.
    const ahead = (last ?? -1) >= one.to && (last ?? -1) >= (await read.end(partition)) ? last : null
    if (rows <= one.reports && ahead === null) continue
    const ids = await read.reportIds(one)
    const found = await database.query<{ report_id: string; log_offset: number }>(
      `SELECT report_id, log_offset FROM report_view.report WHERE log_partition = $1 AND livemode = $2
        AND (log_offset >= $3 AND log_offset < $4 OR log_offset >= $5) ORDER BY log_offset`,
      [partition, livemode, one.from, one.to, ahead ?? Number.MAX_SAFE_INTEGER],
    )
    problems.push(
      ...found
        .filter(({ report_id: id, log_offset: offset }) => offset >= one.to || !ids.has(id))
        .slice(0, MAX_ROWS)
        .map(({ report_id: id, log_offset: offset }): Problem => {
          const detail = `report-view has ${id}, which no record of this partition has.`
          return { kind: 'read-model', topic, partition, offset, detail }
        }),
    )
  }
  return problems
}

/** Finds rows that name partitions which the topic does not have. */
export async function compareForeignRows(
  database: Database,
  {
    topic,
    partitions,
    livemode,
  }: { readonly topic: string; readonly partitions: number; readonly livemode: boolean },
): Promise<readonly Problem[]> {
  const rows = await database.query<{ report_id: string; log_partition: number; log_offset: number }>(
    `SELECT report_id, log_partition, log_offset FROM report_view.report
      WHERE livemode = $1 AND NOT (log_partition >= 0 AND log_partition < $2) LIMIT ${MAX_ROWS}`,
    [livemode, partitions],
  )
  return rows.map(({ report_id: id, log_partition: partition, log_offset: offset }) => ({
    ...{ kind: 'read-model', topic, partition, offset },
    detail: `report-view has ${id} from a partition that the topic does not have.`,
  }))
}
