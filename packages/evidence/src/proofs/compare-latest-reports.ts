/**
 * Compares the topic of the latest reports with the report view: the last record of each key must be that of the latest report of its
 * address, and no address may lack one. The topic is compacted, so it has no leaves.
 */
import { hash } from 'node:crypto'
import { LATEST_REPORTS_GROUP, topicOf } from '@cupel/contracts'
import {
  type AuthenticLog,
  type EventCodec,
  type LogRecord,
  LogStoppedError,
  type Position,
  scan,
  UndecodableRecordError,
} from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { listCheckpoints } from '@cupel/projections'
import {
  latestReportKey,
  latestReportRecord,
  latestReportsOf,
  reportedAddressesOf,
  type LatestReport,
} from '@cupel/reports/read-model'
import { readErasures } from './erasures.js'
import { problemAt, problemOfRow, type Problem } from './problem.js'

interface Parts {
  readonly log: AuthenticLog
  readonly codec: EventCodec
  readonly database: Database
}

/** The last record of a key. */
interface Latest extends Position {
  /** Of its data; null for a record without a value, which an erasure leaves. */
  readonly digest: string | null
  readonly headers: LogRecord['headers']
}

/** A log that lost records states too little: that nothing was compared is a problem by itself. */
export async function compareLatestReports(parts: Parts): Promise<readonly Problem[]> {
  try {
    return await compare(parts)
  } catch (error) {
    if (!(error instanceof LogStoppedError)) throw error
    return [problemOfRow('table', { row: 'latest reports' }, `They were not compared: ${error.message}`)]
  }
}

/** Reports that the keeper of the topic has not read yet count no more than those that it has. */
async function compare(parts: Parts): Promise<readonly Problem[]> {
  const isRead = await reportsRead(parts)
  const last = await lastRecords(parts)
  if (isRead === null && last.size === 0) return []
  const erased = new Set((await readErasures(parts)).map(({ accountId }) => accountId))
  const accounts = await parts.database.query<{ id: string }>(
    'SELECT DISTINCT account_id AS id FROM report_view.report ORDER BY id',
  )
  const problems: Problem[] = []
  for (const { id } of accounts)
    for await (const addresses of reportedAddressesOf(parts.database, id))
      for (const report of await latestReportsOf(parts.database, addresses)) {
        const name = nameOf(report)
        const record = last.get(name)
        last.delete(name)
        const problem = isRead?.(report) === false ? null : problemWith(report, record, { erased, ...parts })
        if (problem !== null) problems.push(problem)
      }
  for (const [name, { digest, ...place }] of last)
    if (digest !== null)
      problems.push(problemAt('state', place, `${name} names an address without a report.`))
  return problems
}

function problemWith(
  report: LatestReport,
  record: Latest | undefined,
  { erased, codec }: { readonly erased: ReadonlySet<string>; readonly codec: EventCodec },
): Problem | null {
  const name = nameOf(report)
  if (record === undefined)
    return problemOfRow(
      'table',
      { row: name, since: null },
      `The topic of the latest reports lacks ${name} (${report.reportId}).`,
    )
  const { digest, ...place } = record
  const isForgotten = digest === null && erased.has(report.accountId)
  const isLatest = digest === digestOf(codec, latestReportRecord(codec, report))
  if (isForgotten || isLatest) return null
  return problemAt('state', place, `${name} does not state the latest report, ${report.reportId}.`)
}

const nameOf = (report: LatestReport): string => nameIn(report.livemode, latestReportKey(report))
const nameIn = (livemode: boolean, key: string): string => `${livemode ? 'live' : 'sandbox'} ${key}`

async function lastRecords({ log, codec }: Parts): Promise<Map<string, Latest>> {
  const last = new Map<string, Latest>()
  for (const livemode of [true, false])
    for await (const record of scan(log, [topicOf('LatestReportRecorded', livemode)])) {
      const { topic, partition, offset, key, headers } = record
      const digest = digestOf(codec, record)
      last.set(nameIn(livemode, key), { topic, partition, offset, headers, digest })
    }
  return last
}

/** Of the data, so that another version of the schema makes no difference. */
function digestOf(
  codec: EventCodec,
  record: Pick<LogRecord, 'topic' | 'key' | 'value' | 'headers'>,
): string | null {
  if (record.value.length === 0) return null
  try {
    const event = codec.decode({ ...record, partition: 0, offset: 0 })
    return hash('sha256', JSON.stringify(event.data), 'base64')
  } catch (error) {
    // It states no report at all.
    if (error instanceof UndecodableRecordError) return ''
    throw error
  }
}

/** Whether the keeper of the topic has read the record of a report; null if nothing keeps the topic. */
async function reportsRead({
  log,
  database,
}: Pick<Parts, 'log' | 'database'>): Promise<((report: LatestReport) => boolean) | null> {
  const identity = await log.identity()
  const kept = (await listCheckpoints(database)).filter(
    (each) => each.group === LATEST_REPORTS_GROUP && each.log === identity,
  )
  if (kept.length === 0) return null
  const read = new Map(kept.map(({ topic, partition, next }) => [`${topic}/${partition}`, next]))
  return ({ livemode, logPartition, logOffset }) =>
    logOffset < (read.get(`${topicOf('ReportGenerated', livemode)}/${logPartition}`) ?? 0)
}
