/** Checks that the read model returns the first record of each report. */
import type { DomainEvent } from '@cupel/contracts'
import type { LogRecord } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { loadCheckpoint, readModelGroup } from '@cupel/projections'
import { reportView } from '@cupel/read-models'
import type { Problem } from './problem.js'

interface Row extends Record<string, unknown> {
  report_id: string
  log_partition: number
  log_offset: number
  document: string | null
}

/** Problems of the first records of a batch. Records that the projection has not read yet are not missing. */
export async function compareReportView(
  database: Database,
  firsts: readonly { readonly record: LogRecord; readonly event: DomainEvent }[],
): Promise<readonly Problem[]> {
  const [one] = firsts
  if (one === undefined) return []
  const { topic, partition } = one.record
  const group = readModelGroup(reportView)
  const projected = (await loadCheckpoint(database, { group, topic, partition }))?.next ?? 0
  const rows = await database.query<Row>(
    `SELECT report_id, log_partition, log_offset, document FROM report_view.report WHERE report_id = ANY ($1::text[])`,
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
    const document = event.type === 'ReportGenerated' ? event.data.report : null
    return row.document === document ? [] : problem(`report-view answers ${key} with another text.`)
  })
}
