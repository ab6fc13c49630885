/** What waits for a person: changed reports, failing watches, proposals. Records may arrive in any order and any number of times. */
import { readFileSync } from 'node:fs'
import { topicOf, type EventData } from '@cupel/contracts'
import { batchWrite, on, type ReadModel } from '@cupel/projections'

/** The highest version counts: a repeated or late record of an earlier proposal shows nothing again. */
const writeEntry = batchWrite({
  name: 'inbox-view.write',
  columns: {
    account_id: 'text',
    livemode: 'bool',
    source: 'text',
    entry_id: 'text',
    kind: 'text',
    version: 'int4',
    is_shown: 'bool',
    at: 'timestamptz',
    report_id: 'text',
    level: 'text',
    document: 'document',
  },
  sql: ({ schema, rows, columns }) =>
    `INSERT INTO ${schema}.inbox_entry AS known (${columns})
     SELECT DISTINCT ON (account_id, livemode, source) ${columns} FROM ${rows}
     ORDER BY account_id, livemode, source, version DESC, ord
     ON CONFLICT (account_id, livemode, source) DO UPDATE SET entry_id = excluded.entry_id, version = excluded.version,
       is_shown = excluded.is_shown, at = excluded.at, document = excluded.document
     WHERE known.version < excluded.version`,
})

interface Decision extends Pick<
  EventData['DispositionProposed'],
  'reportId' | 'accountId' | 'livemode' | 'version' | 'disposition'
> {
  readonly entryId: string
  readonly at: string
  readonly isWaiting: boolean
}

/** Address and level of the report are those of its case. */
const decision = ({
  reportId,
  accountId,
  livemode,
  version,
  disposition,
  entryId,
  at,
  isWaiting,
}: Decision) =>
  writeEntry({
    ...{ account_id: accountId, livemode, source: `case ${reportId}`, entry_id: entryId, version },
    ...{ kind: 'proposal_waiting', is_shown: isWaiting, at, report_id: reportId, level: null },
    document: JSON.stringify({ disposition }),
  })

export const inboxView: ReadModel = {
  name: 'inbox-view',
  version: 1,
  schema: 'inbox_view',
  topics: [true, false].flatMap((live) => [
    topicOf('ReportChanged', live),
    topicOf('DispositionProposed', live),
  ]),
  definition: readFileSync(new URL('./table.sql', import.meta.url), 'utf8'),
  tables: ['inbox_entry'],
  reducers: [
    on('ReportChanged', ({ data, envelope }) =>
      writeEntry({
        ...{
          account_id: data.accountId,
          livemode: data.livemode,
          source: envelope.id,
          entry_id: envelope.id,
        },
        ...{ kind: 'report_changed', version: 0, is_shown: true, at: data.changedAt },
        ...{ report_id: data.reportId, level: data.level, document: JSON.stringify(changeOf(data)) },
      }),
    ),
    on('WatchFailed', ({ data, envelope }) => {
      const { watchId: watch_id, address, chain, reference, failures } = data
      return writeEntry({
        ...{
          account_id: data.accountId,
          livemode: data.livemode,
          source: envelope.id,
          entry_id: envelope.id,
        },
        ...{
          kind: 'watch_failed',
          version: 0,
          is_shown: true,
          at: data.failedAt,
          report_id: null,
          level: null,
        },
        document: JSON.stringify({ watch_id, address, chain, reference, failures }),
      })
    }),
    on('DispositionProposed', ({ data, envelope }) =>
      decision({ ...data, entryId: envelope.id, at: data.proposedAt, isWaiting: true }),
    ),
    on('DispositionProposalDeclined', ({ data, envelope }) =>
      decision({ ...data, entryId: envelope.id, at: data.declinedAt, isWaiting: false }),
    ),
    on('DispositionChanged', ({ data, envelope }) =>
      decision({ ...data, entryId: envelope.id, at: data.changedAt, isWaiting: false }),
    ),
  ],
}

/** A change as the webhook tells it. */
function changeOf(data: EventData['ReportChanged']): object {
  const { watchId: watch_id, address, chain, reference, why, reasons, causes, split } = data
  return {
    ...{ watch_id, address, chain, reference, why, reasons, causes },
    previous: { report_id: data.previousReportId, level: data.previousLevel, score: data.previousScore },
    current: { report_id: data.reportId, level: data.level, score: data.score },
    split: split === null ? null : splitOf(split),
    split_missing: data.splitMissing,
  }
}

function splitOf({
  notExamined,
  ...parts
}: NonNullable<EventData['ReportChanged']['split']>): Readonly<Record<string, number>> {
  return { ...parts, not_examined: notExamined }
}
