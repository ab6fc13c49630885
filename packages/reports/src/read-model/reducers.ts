/** Reports for later reads. The answer to the screening itself comes from the log, not from here. */
import { readFileSync } from 'node:fs'
import { topicOf, type EventData } from '@cupel/contracts'
import { ownerKeysOf } from '@cupel/domain'
import type { Position, TextMacs } from '@cupel/event-log'
import { batchWrite, on, onPartOf, type ReadModel } from '@cupel/projections'
import { documentMac } from './document-mac.js'

/** Of several records with one report id, the first in the partition counts. A partition is applied in order, live and in a rebuild. */
const insertReport = batchWrite({
  name: 'report-view.insert',
  columns: {
    report_id: 'text',
    account_id: 'text',
    livemode: 'bool',
    state: 'text',
    address: 'text',
    canonical_address: 'text',
    owner_key: 'text',
    further_owner_key: 'text',
    chain: 'text',
    level: 'text',
    score: 'float8',
    recommendation: 'text',
    customer_reference: 'text',
    document: 'document',
    document_mac: 'text',
    failure_code: 'text',
    failure_detail: 'text',
    ended_at: 'timestamptz',
    job_id: 'text',
    job_index: 'int4',
    log_partition: 'int4',
    log_offset: 'int8',
  },
  sql: ({ schema, rows, columns }) =>
    `INSERT INTO ${schema}.report (${columns}) SELECT ${columns} FROM ${rows} ORDER BY ord
     ON CONFLICT (report_id) DO NOTHING`,
})

/** The fields that the view stores. The recorded inputs, most of the record, are not decoded. */
const KEPT = [
  'reportId',
  'accountId',
  'livemode',
  'address',
  'canonicalAddress',
  'chain',
  'level',
  'score',
  'recommendation',
  'customerReference',
  'report',
  'generatedAt',
  'jobId',
  'jobIndex',
] as const

/** A row has a few kilobytes, so a transaction of all partitions has some megabytes. */
const MAX_BATCH_RECORDS = 100
/** Rows of everyday screens are written in few transactions: whoever reads a report ends the rest. */
const REST_MS = 1_000

export const reportView: ReadModel = {
  name: 'report-view',
  version: 4,
  schema: 'report_view',
  topics: [topicOf('ReportGenerated', true), topicOf('ReportGenerated', false)],
  definition: readFileSync(new URL('./table.sql', import.meta.url), 'utf8'),
  tables: ['report'],
  writesByKey: true,
  retires: { table: 'report', key: 'report_id', column: 'document', at: 'ended_at' },
  macs: { table: 'report', column: 'document_mac' },
  maxBatchRecords: MAX_BATCH_RECORDS,
  restMs: REST_MS,
  reducers: [
    onPartOf('ReportGenerated', KEPT, (data, at, macs) =>
      insertReport({ ...rowOfReport(data, at), document_mac: macOfReport(data, macs) }),
    ),
    on('ScreeningFailed', ({ data }, at) => insertReport(rowOfFailure(data, at))),
  ],
}

/** The log position of the record of a row. */
type RowPlace = Pick<Position, 'partition' | 'offset'>

/** The row of a report; times are text as in the record. */
function rowOfReport(data: Pick<EventData['ReportGenerated'], (typeof KEPT)[number]>, at: RowPlace) {
  const [ownerKey = null, furtherOwnerKey = null] = ownerKeysOf(data.canonicalAddress, data.chain)
  return {
    report_id: data.reportId,
    account_id: data.accountId,
    livemode: data.livemode,
    state: 'generated',
    address: data.address,
    canonical_address: data.canonicalAddress,
    owner_key: ownerKey,
    further_owner_key: furtherOwnerKey,
    chain: data.chain,
    level: data.level,
    score: data.score,
    recommendation: data.recommendation,
    customer_reference: data.customerReference,
    document: data.report,
    failure_code: null,
    failure_detail: null,
    ended_at: data.generatedAt,
    job_id: data.jobId,
    job_index: data.jobIndex,
    log_partition: at.partition,
    log_offset: at.offset,
  }
}

const macOfReport = (
  data: Pick<EventData['ReportGenerated'], (typeof KEPT)[number]>,
  macs: TextMacs | undefined,
): string | null => (macs === undefined ? null : documentMac(macs, { ...data, document: data.report }))

/** The row of a screening that failed. */
function rowOfFailure(data: EventData['ScreeningFailed'], at: RowPlace) {
  return {
    report_id: data.reportId,
    account_id: data.accountId,
    livemode: data.livemode,
    state: 'failed',
    address: null,
    canonical_address: null,
    owner_key: null,
    further_owner_key: null,
    chain: null,
    level: null,
    score: null,
    recommendation: null,
    customer_reference: null,
    document: null,
    document_mac: null,
    failure_code: data.code,
    failure_detail: data.detail,
    ended_at: data.failedAt,
    job_id: data.jobId,
    job_index: data.jobIndex,
    log_partition: at.partition,
    log_offset: at.offset,
  }
}
