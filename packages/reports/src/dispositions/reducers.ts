/** The disposition of each report, for the list of reports. Both writes may arrive in any order and any number of times. */
import { readFileSync } from 'node:fs'
import { topicOf } from '@cupel/contracts'
import { batchWrite, on, type ReadModel } from '@cupel/projections'

const UNDECIDED = { disposition: 'open', decided_version: 0 } as const

/** The highest version counts: a repeated or late record of an earlier decision changes nothing. */
const writeDisposition = batchWrite({
  name: 'case-view.write',
  columns: {
    report_id: 'text',
    account_id: 'text',
    livemode: 'bool',
    disposition: 'text',
    decided_version: 'int4',
  },
  sql: ({ schema, rows, columns }) =>
    `INSERT INTO ${schema}.report_case AS known (${columns})
     SELECT DISTINCT ON (report_id, account_id, livemode) ${columns} FROM ${rows}
     ORDER BY report_id, account_id, livemode, decided_version DESC, ord
     ON CONFLICT (report_id, account_id, livemode) DO UPDATE SET disposition = excluded.disposition, decided_version = excluded.decided_version
     WHERE known.decided_version < excluded.decided_version`,
})

interface Entry {
  readonly reportId: string
  readonly accountId: string
  readonly livemode: boolean
}

/** Any entry opens a case; only a decision changes its disposition. */
const opens = ({ data: { reportId, accountId, livemode } }: { readonly data: Entry }) =>
  writeDisposition({ report_id: reportId, account_id: accountId, livemode, ...UNDECIDED })

export const caseView: ReadModel = {
  name: 'case-view',
  version: 1,
  schema: 'case_view',
  topics: [topicOf('DispositionChanged', true), topicOf('DispositionChanged', false)],
  definition: readFileSync(new URL('./table.sql', import.meta.url), 'utf8'),
  tables: ['report_case'],
  reducers: [
    on('ReportNoteAdded', opens),
    on('DispositionProposed', opens),
    on('DispositionProposalDeclined', opens),
    on('CaseAssigned', opens),
    on('CaseFileAttached', opens),
    on('DispositionChanged', ({ data }) =>
      writeDisposition({
        report_id: data.reportId,
        account_id: data.accountId,
        livemode: data.livemode,
        disposition: data.disposition,
        decided_version: data.version,
      }),
    ),
  ],
}
