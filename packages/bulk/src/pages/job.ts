/** Jobs as the API returns them. */
import type { Report } from '@cupel/contracts'

export interface JobSummary {
  readonly job_id: string
  readonly name: string | null
  readonly status: string
  readonly total: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly created_at: string
  readonly completed_at: string | null
  readonly levels: Readonly<Record<string, number>>
}

export interface Job extends JobSummary {
  readonly started_at: string | null
}

export interface Result {
  readonly number: number
  readonly address: string
  readonly reference?: string
  readonly status: string
  readonly report?: Report
  readonly error?: { readonly code: string; readonly detail: string }
}

/** Worst first. */
export const LEVELS = ['red', 'orange', 'grey', 'green'] as const

const words: Readonly<Record<string, string>> = {
  queued: 'Waiting',
  running: 'Running',
  completed: 'Completed',
  completed_with_errors: 'Completed, with failed items',
  cancelled: 'Cancelled',
  failed: 'Failed: it could not run',
}

/** A later version may have others. */
export const statusWord = (status: string): string => words[status] ?? status

export const isRunning = ({ status }: Pick<JobSummary, 'status'>): boolean =>
  status === 'queued' || status === 'running'

export const doneOf = ({ completed, failed, cancelled }: JobSummary): number => completed + failed + cancelled

/** Path of a job at the API, or of a part of it. */
export const apiPathOf = (jobId: string | undefined, part = ''): string =>
  `/v1/bulk/${encodeURIComponent(jobId ?? '')}${part}`
