/** Bulk jobs, for the API. */
import { readFileSync } from 'node:fs'
import { topicOf, type BulkSubmitted } from '@cupel/contracts'
import { batchWrite, on, type ReadModel } from '@cupel/projections'

/** The first submission of a job id is the job. */
const insertJob = batchWrite({
  name: 'job-view.insert',
  columns: {
    job_id: 'text',
    account_id: 'text',
    livemode: 'bool',
    submitted_at: 'timestamptz',
    name: 'text',
    items: 'document',
  },
  sql: ({ schema, rows, columns }) =>
    `INSERT INTO ${schema}.job (${columns}) SELECT ${columns} FROM ${rows} ORDER BY ord
     ON CONFLICT (job_id) DO NOTHING`,
})

const requestCancel = batchWrite({
  name: 'job-view.cancel',
  columns: { job_id: 'text', at: 'timestamptz' },
  sql: ({ schema, rows }) =>
    `UPDATE ${schema}.job j SET cancel_requested_at = least(j.cancel_requested_at, f.at)
     FROM (SELECT job_id, min(at) AS at FROM ${rows} GROUP BY job_id) f WHERE j.job_id = f.job_id`,
})

/** A job ends once; repeated events are equal. */
const endJob = batchWrite({
  name: 'job-view.end',
  columns: {
    job_id: 'text',
    status: 'text',
    completed: 'int4',
    failed: 'int4',
    cancelled: 'int4',
    cancelled_indices: 'text',
    ended_at: 'timestamptz',
  },
  sql: ({ schema, rows }) =>
    `UPDATE ${schema}.job j SET status = f.status, completed = f.completed, failed = f.failed, cancelled = f.cancelled,
       cancelled_indices = f.cancelled_indices, ended_at = f.ended_at
     FROM (SELECT DISTINCT ON (job_id) * FROM ${rows} ORDER BY job_id, ord) f
     WHERE j.job_id = f.job_id AND j.status IS NULL`,
})

/** A job of 1,000 addresses has a few hundred kilobytes. */
const MAX_BATCH_RECORDS = 20

export const jobView: ReadModel = {
  name: 'job-view',
  version: 1,
  schema: 'job_view',
  topics: [topicOf('BulkSubmitted', true), topicOf('BulkSubmitted', false)],
  definition: readFileSync(new URL('./table.sql', import.meta.url), 'utf8'),
  // The list of an account's jobs is newest first; job ids are ordered by time.
  indexes: ['CREATE INDEX IF NOT EXISTS job_newest ON job (account_id, livemode, job_id DESC)'],
  tables: ['job'],
  maxBatchRecords: MAX_BATCH_RECORDS,
  reducers: [
    on('BulkSubmitted', ({ data }) =>
      insertJob({
        job_id: data.jobId,
        account_id: data.accountId,
        livemode: data.livemode,
        submitted_at: data.submittedAt,
        name: data.name,
        items: JSON.stringify(data.items.map(storedItem)),
      }),
    ),
    on('BulkCancelRequested', ({ data }) => requestCancel({ job_id: data.jobId, at: data.requestedAt })),
    on('BulkCancelled', ({ data }) =>
      endJob({
        job_id: data.jobId,
        status: 'cancelled',
        completed: data.completed,
        failed: data.failed,
        cancelled: data.cancelled,
        cancelled_indices: JSON.stringify(data.cancelledIndices),
        ended_at: data.cancelledAt,
      }),
    ),
    on('BulkCompleted', ({ data }) =>
      endJob({
        job_id: data.jobId,
        status: data.status,
        completed: data.completed,
        failed: data.failed,
        cancelled: data.cancelled,
        cancelled_indices: '[]',
        ended_at: data.completedAt,
      }),
    ),
  ],
}

/** An item as the table stores it, without null fields. */
export interface StoredItem {
  /** Sealed if the item was refused. */
  readonly address: string
  /** Sealed. */
  readonly reference?: string
  readonly report_id?: string
  readonly code?: string
  readonly detail?: string
}

function storedItem(item: BulkSubmitted['items'][number]): StoredItem {
  const { address, refusedText, reportId, errorCode, errorDetail } = item
  const reference = item.reference === null ? {} : { reference: item.reference }
  if (reportId !== null) return { address, ...reference, report_id: reportId }
  return {
    address: refusedText ?? '',
    ...reference,
    code: errorCode ?? 'invalid_address',
    detail: errorDetail ?? '',
  }
}
