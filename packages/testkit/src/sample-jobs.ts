/** Invented ended bulk jobs as the API returns them, for the tests of the code that shows them. */
import type { Report } from '@cupel/contracts'
import { hostileTexts, sampleReport, sampleReports } from './sample-reports.js'

export interface SampleJob {
  readonly job_id: string
  readonly status: string
  readonly livemode: boolean
  readonly created_at: string
  readonly completed_at: string | null
  readonly results_url: string
  readonly results: readonly {
    readonly number: number
    readonly address: string
    readonly status: string
    readonly report?: Report
    readonly error?: { readonly code: string; readonly detail: string }
  }[]
}

type Outcome = Pick<SampleJob['results'][number], 'status' | 'report' | 'error'>

const refused: Outcome = {
  status: 'failed',
  error: { code: 'invalid_address', detail: 'The address fits no supported chain.' },
}
const undecided: Outcome = {
  status: 'failed',
  error: { code: 'screening_failed', detail: 'The screening could not be decided.' },
}
const done = (report: Report): Outcome => ({ status: 'completed', report })

export function sampleJob(
  results: readonly (Outcome & { readonly address?: string })[],
  changes: Partial<SampleJob> = {},
): SampleJob {
  const job_id = 'job_019aa5c87f0070008000000000000001'
  return {
    ...{ job_id, status: 'completed', livemode: true },
    created_at: '2026-11-21T08:58:00.000Z',
    completed_at: '2026-11-21T09:00:30.000Z',
    results_url: `https://cupel.example.com/v1/bulk/${job_id}/results`,
    results: results.map(({ address, ...outcome }, index) => ({
      number: index + 1,
      address: address ?? outcome.report?.address ?? `nonsense ${index}`,
      ...outcome,
    })),
    ...changes,
  }
}

/** One job of every kind and size, by name. */
export function sampleJobs(): Readonly<Record<string, SampleJob>> {
  const { red, orange, green, grey } = sampleReports() as Readonly<Record<string, Report>>
  const mixed = [done(red!), refused, done(orange!), done(green!), done(grey!), undecided, done(green!)]
  const cancelled: Outcome = { status: 'cancelled' }
  const withErrors = { status: 'completed_with_errors' }
  return {
    mixed: sampleJob(mixed, withErrors),
    green: sampleJob([done(green!), done(green!)]),
    refused: sampleJob([refused], withErrors),
    cancelled: sampleJob([done(grey!), cancelled, cancelled], { status: 'cancelled', livemode: false }),
    large: sampleJob(largeJob(mixed), withErrors),
    hostile: sampleJob(hostileJob(), withErrors),
  }
}

/** 1,000 addresses, of which more are flagged and refused than a summary shows. */
const largeJob = (kinds: readonly Outcome[]): readonly Outcome[] =>
  Array.from({ length: 1_000 }, (_, index) => {
    const { report, ...outcome } = kinds[(index * index) % kinds.length]!
    if (report === undefined) return outcome
    const report_id = index.toString(16).padStart(16, '0')
    const address = `0x${index.toString(16).padStart(40, 'd')}`
    return { ...outcome, report: { ...report, report_id, address } }
  })

const hostileJob = (): readonly (Outcome & { readonly address: string })[] =>
  hostileTexts.flatMap((address) => [
    { address, status: 'failed', error: { code: address, detail: address } },
    { address, ...done(sampleReport({ chain: address, policy: { id: address, version: 1 } })) },
  ])
