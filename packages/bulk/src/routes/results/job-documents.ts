/** Jobs and their results as callers receive them. Reports go in as they were recorded, byte for byte. */
import { riskLevels } from '@cupel/contracts'
import type { JobItem, JobOverview, JobSummary } from '../../read-model/index.js'
import type { SubmittedJob } from './bulk-jobs.js'

/** The URL of the results of a job. */
export type ResultsUrl = (jobId: string) => string

/** The job as it was accepted: the answer to its submission and to every repeat. */
export function acceptedDocument(
  { jobId, name, total, refused, submittedAt }: SubmittedJob,
  livemode: boolean,
  resultsUrl: ResultsUrl,
): string {
  return JSON.stringify({
    job_id: jobId,
    name,
    status: 'queued',
    livemode,
    ...{ total, completed: 0, failed: refused, cancelled: 0 },
    levels: knownLevels({}),
    created_at: submittedAt,
    started_at: null,
    completed_at: null,
    results_url: resultsUrl(jobId),
    results: null,
  })
}

/** `results`: the text of inline results; null if there are none. */
export function jobDocument(
  job: JobOverview,
  livemode: boolean,
  resultsUrl: ResultsUrl,
  results: string | null,
): string {
  const { jobId, name, status, total, completed, failed, cancelled } = job
  const head = JSON.stringify({
    job_id: jobId,
    name,
    status,
    livemode,
    ...{ total, completed, failed, cancelled },
    levels: knownLevels(job.levels),
    created_at: job.createdAt,
    started_at: job.startedAt,
    completed_at: job.completedAt,
    results_url: resultsUrl(jobId),
  })
  return `${head.slice(0, -1)},"results":${results === null ? 'null' : `[${results}]`}}`
}

/** Separated by commas. */
export function resultDocuments(items: readonly JobItem[], reports: ReadonlyMap<string, string>): string {
  return items.map((item) => resultDocument(item, reports)).join(',')
}

/** The text before the first result of a job with inline results, and after the last. */
export function aroundResults(job: JobOverview, livemode: boolean, resultsUrl: ResultsUrl) {
  const whole = jobDocument(job, livemode, resultsUrl, null)
  return { begin: `${whole.slice(0, -'null}'.length)}[`, between: ',', end: ']}' }
}

export function summaryDocument(job: JobSummary, livemode: boolean, resultsUrl: ResultsUrl): object {
  const { jobId, name, status, total, completed, failed, cancelled } = job
  return {
    job_id: jobId,
    name,
    status,
    livemode,
    ...{ total, completed, failed, cancelled },
    levels: knownLevels(job.levels ?? {}),
    created_at: job.createdAt,
    completed_at: job.completedAt,
    results_url: resultsUrl(jobId),
  }
}

/** Every known level with its number. An unknown level counts as grey. */
function knownLevels(counted: JobOverview['levels']): Record<string, number> {
  const levels: Record<string, number> = Object.fromEntries(riskLevels.map((level) => [level, 0]))
  for (const [level, number] of Object.entries(counted)) levels[level in levels ? level : 'grey']! += number
  return levels
}

export function resultDocument(item: JobItem, reports: ReadonlyMap<string, string>): string {
  const { index, address, reference, status } = item
  const head = JSON.stringify({ number: index + 1, address, reference, status }).slice(0, -1)
  if (item.status === 'completed') return `${head},"report":${reportOf(item, reports)}}`
  if (item.status !== 'failed') return `${head}}`
  return `${head},"error":${JSON.stringify({ code: item.code, detail: item.detail })}}`
}

/** The report of a completed item. It is read after the item, and reports do not disappear. */
export function reportOf(
  { reportId }: Extract<JobItem, { status: 'completed' }>,
  reports: ReadonlyMap<string, string>,
): string {
  const report = reports.get(reportId)
  if (report === undefined) throw new Error(`Report ${reportId} of a completed item cannot be read`)
  return report
}

/** One JSON document per line; every line is ended. Line breaks inside a report would end its line, so they are removed. */
export function resultLines(items: readonly JobItem[], reports: ReadonlyMap<string, string>): string {
  return items.map((item) => `${resultDocument(item, reports).replaceAll(/[\r\n]+/g, ' ')}\n`).join('')
}
