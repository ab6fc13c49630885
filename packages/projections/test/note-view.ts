/** The smallest read model that shows every rule: it stores reports, and the first record wins. */
import { batchWrite, on, type ReadModel } from '../src/index.js'

export const TOPIC = 'screening.report.events.v1'

const insertNote = batchWrite({
  name: 'note-view.insert',
  columns: { report_id: 'text', level: 'text', log_partition: 'int4', log_offset: 'int8' },
  sql: ({ schema, rows, columns }) =>
    `INSERT INTO ${schema}.note (${columns}) SELECT ${columns} FROM ${rows} ORDER BY ord ON CONFLICT DO NOTHING`,
})

export const noteView: ReadModel = {
  name: 'note-view',
  version: 1,
  schema: 'note_view',
  topics: [TOPIC],
  definition: `CREATE TABLE note (
    report_id text PRIMARY KEY, level text NOT NULL CHECK (level <> 'refused'),
    log_partition int4 NOT NULL, log_offset int8 NOT NULL)`,
  tables: ['note'],
  reducers: [
    on('ReportGenerated', ({ data }, at) => {
      if (data.level === 'unthinkable') throw new Error('no such level')
      return insertNote({
        report_id: data.reportId,
        level: data.level,
        log_partition: at.partition,
        log_offset: at.offset,
      })
    }),
  ],
}
