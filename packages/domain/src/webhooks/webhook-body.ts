/** The bodies of webhooks. A body is built once per job and payload kind and stored; every attempt sends the same bytes. */
import type { JobWebhookType, PayloadKind, WebhookType } from './delivery.js'
import {
  changeMailBody,
  digestMailBody,
  failedMailBody,
  jobMailBody,
  testMailBody,
  transferMailBody,
  type MailStyle,
} from './mail-text.js'
import {
  changeSlackBody,
  digestSlackBody,
  failedSlackBody,
  jobSlackBody,
  testSlackBody,
  transferSlackBody,
} from './slack-text.js'
import type {
  ChangedReport,
  EndedItem,
  EndedJob,
  FailedWatch,
  ReportSummary,
  ScreenedTransfer,
  WatchDigest,
} from './webhook-facts.js'

/** Beyond this many UTF-8 bytes items carry no reports. */
export const MAX_FULL_BODY_BYTES = 4 * 1_024 * 1_024

/** The body for an ended job. `full` carries the results, `thin` only their location, `slack` and `email` their counts in words. */
export function jobWebhookBody(
  type: JobWebhookType,
  payload: PayloadKind,
  job: EndedJob,
  items: readonly EndedItem[],
  resultsUrl: string,
  style?: MailStyle,
): string {
  if (payload === 'slack') return jobSlackBody(job, items, resultsUrl)
  if (payload === 'email') return jobMailBody(job, items, given(style))
  const summary = {
    job_id: job.jobId,
    name: job.name,
    livemode: job.livemode,
    status: job.status,
    total: job.total,
    completed: job.completed,
    failed: job.failed,
    cancelled: job.cancelled,
    results_url: resultsUrl,
  }
  const around = (data: string): string =>
    `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(job.endedAt)},"data":${data}}`
  const open = JSON.stringify(summary).slice(0, -1)
  if (payload === 'thin') return around(`${open}}`)
  const full = around(`${open},"results":[${items.map(fullItem).join(',')}]}`)
  if (utf8Length(full) <= MAX_FULL_BODY_BYTES) return full
  return around(`${open},"results":[${items.map((item) => JSON.stringify(shortItem(item))).join(',')}]}`)
}

/** The body for a changed report. `full` and `thin` are the same: it is small. */
export function changeWebhookBody(change: ChangedReport, payload: PayloadKind, style?: MailStyle): string {
  if (payload === 'slack') return changeSlackBody(change)
  if (payload === 'email') return changeMailBody(change, given(style))
  const { watchId, address, chain, reference, previous, current, why, reasons, causes } = change
  const { split, splitMissing } = change
  return JSON.stringify({
    type: 'report.changed' satisfies WebhookType,
    timestamp: change.changedAt,
    data: {
      ...{ watch_id: watchId, address, chain, reference },
      ...{ previous: summaryOf(previous), current: summaryOf(current), why, reasons, causes },
      ...{ split: splitBody(split), split_missing: splitMissing },
    },
  })
}

function splitBody(split: ChangedReport['split']): object | null {
  if (split === null) return null
  const { notExamined, ...parts } = split
  return { ...parts, not_examined: notExamined }
}

function summaryOf({ reportId, level, score }: ReportSummary): object {
  return { report_id: reportId, level, score }
}

/**
 * The body for a digest. `full` and `thin` are the same. `more` is the place where all changes are listed if the digest does not have all.
 */
export function digestWebhookBody(digest: WatchDigest, payload: PayloadKind, style?: MailStyle): string {
  if (payload === 'slack') return digestSlackBody(digest)
  if (payload === 'email') return digestMailBody(digest, given(style))
  const { day, from, until, watched, changed, unchanged, undecided, unknown, failing } = digest
  return JSON.stringify({
    type: 'watches.digest' satisfies WebhookType,
    timestamp: until,
    data: {
      ...{ day, from, until, watched, changed, unchanged, undecided, unknown, failing },
      changes: digest.changes.map(({ watchId, address, chain, previous, current }) => ({
        ...{ watch_id: watchId, address, chain },
        ...{ previous: summaryOf(previous), current: summaryOf(current) },
      })),
      more: changed > digest.changes.length ? `/v1/watches?changed_in=${day}` : null,
      failures: digest.failures.map(({ watchId, ...rest }) => ({ watch_id: watchId, ...rest })),
    },
  })
}

/** The body for a watch that keeps failing. `full` and `thin` are the same. */
export function failedWebhookBody(failed: FailedWatch, payload: PayloadKind, style?: MailStyle): string {
  if (payload === 'slack') return failedSlackBody(failed)
  if (payload === 'email') return failedMailBody(failed, given(style))
  const { watchId, address, chain, reference, reportId, failures } = failed
  return JSON.stringify({
    type: 'watch.failed' satisfies WebhookType,
    timestamp: failed.failedAt,
    data: { watch_id: watchId, address, chain, reference, report_id: reportId, failures },
  })
}

/** The body for a screened transfer. `full` carries the transfer, `thin` only where it is. */
export function transferWebhookBody(
  screened: ScreenedTransfer,
  payload: PayloadKind,
  style?: MailStyle,
): string {
  if (payload === 'slack') return transferSlackBody(screened)
  if (payload === 'email') return transferMailBody(screened, given(style))
  const { transferId, livemode, endedAt, transfer, error } = screened
  const { recommendation, level, score } = transfer ?? { ...NOTHING_FOUND, recommendation: null }
  const summary = {
    ...{ transfer_id: transferId, livemode, status: transfer === null ? 'failed' : 'completed' },
    ...{ recommendation, level, score, error, transfer_path: `/v1/transfers/${transferId}` },
  }
  const open = JSON.stringify(summary).slice(0, -1)
  const data = payload === 'full' && transfer !== null ? `${open},"transfer":${transfer.json}}` : `${open}}`
  const type = 'transfer.screened' satisfies WebhookType
  return `{"type":"${type}","timestamp":${JSON.stringify(endedAt)},"data":${data}}`
}

/** The body that tests whether a receiver can be reached. `isProven`: a recipient of e-mail is not asked for its confirmation again. */
export function testWebhookBody(
  endpointId: string,
  at: string,
  payload: PayloadKind,
  isProven = false,
): string {
  if (payload === 'slack') return testSlackBody(endpointId)
  if (payload === 'email') return testMailBody(isProven)
  return JSON.stringify({
    type: 'endpoint.test' satisfies WebhookType,
    timestamp: at,
    data: { endpoint_id: endpointId },
  })
}

/** Only a message by e-mail has a style. */
function given(style: MailStyle | undefined): MailStyle {
  if (style === undefined) throw new TypeError('A message by e-mail has no style')
  return style
}

function fullItem({ number, address, reference, status, report, error }: EndedItem): string {
  const head = JSON.stringify({ number, address, reference, status }).slice(0, -1)
  if (report !== null) return `${head},"report":${report}}`
  return error === null ? `${head}}` : `${head},"error":${JSON.stringify(error)}}`
}

function shortItem({ number, address, reference, status, reportId, report }: EndedItem): object {
  const { level, score } = report === null ? NOTHING_FOUND : (JSON.parse(report) as { risk: Finding }).risk
  return { number, address, reference, status, report_id: reportId, level, score }
}

interface Finding {
  readonly level: string | null
  readonly score: number | null
}
const NOTHING_FOUND: Finding = { level: null, score: null }

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length
}
