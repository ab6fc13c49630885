/** Reads screened transfers from the records of the report topic. Of other reports one field is decoded. */
import type { EventCodec, LogRecord } from '@cupel/event-log'
import { transferOf } from '@cupel/reports/document'
import type { Report } from '@cupel/contracts'
import type { ToldTransfer } from '../index.js'
import { readTime } from './read-time.js'

const KEPT = ['reportId', 'accountId', 'livemode', 'report', 'generatedAt'] as const

/** Returns the reader; it resolves a record to null if no screening of a transfer ended with it. */
export function transferReader(codec: EventCodec): (record: LogRecord) => ToldTransfer | null {
  const recommendationIn = codec.partOf('ReportGenerated', ['recommendation'])
  const reportIn = codec.partOf('ReportGenerated', KEPT)

  function judged(record: LogRecord): ToldTransfer | null {
    // Reports of addresses are many.
    if ((recommendationIn(record)?.recommendation ?? null) === null) return null
    const { reportId, accountId, livemode, report, generatedAt } = reportIn(record)!
    const transfer = transferOf(JSON.parse(report) as Report)
    if (transfer === null) return null
    const { recommendation, level, score, chain, direction, counterparty, amount, asset, reasons } = transfer
    return {
      ...{ transferId: reportId, eventId: reportId, accountId, livemode, endedAt: readTime(generatedAt) },
      transfer: {
        ...{ recommendation, level, score, chain, direction, counterparty: counterparty.address, amount },
        asset: asset.symbol ?? asset.contract ?? chain,
        reasons: reasons.map(({ text }) => text),
        json: JSON.stringify(transfer),
      },
      error: null,
      traceparent: record.headers['traceparent'],
    }
  }

  function failed(record: LogRecord): ToldTransfer | null {
    const data = codec.decodeAs('ScreeningFailed', record)?.data
    if (data?.isTransfer !== true) return null
    const { reportId, accountId, livemode, code, detail, failedAt } = data
    return {
      ...{ transferId: reportId, eventId: reportId, accountId, livemode, endedAt: readTime(failedAt) },
      ...{ transfer: null, error: { code, detail }, traceparent: record.headers['traceparent'] },
    }
  }

  return (record) => judged(record) ?? failed(record)
}
