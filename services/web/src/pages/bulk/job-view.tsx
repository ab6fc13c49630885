/** A job: its state, its findings, and each of its results. */
import type { ListPage } from '../../api/answers.js'
import { riskLevels } from '@cupel/contracts'
import { queryText } from '../../api/api-client.js'
import { FieldList } from '../../components/field-list.js'
import { Form } from '../../components/form.js'
import { Level } from '../../components/level.js'
import type { PageCall } from '../../server/page.js'
import { countText, plural } from './counts.js'
import { doneOf, isRunning, statusWord, type Job, type Result } from './job.js'
import { Results } from './results.js'

export interface Filter {
  readonly level: string | null
  readonly status: string | null
}

interface JobViewProps {
  readonly call: Pick<PageCall, 'csrf'>
  readonly job: Job
  readonly results: ListPage<Result>
  readonly filter: Filter
  readonly isFirstPage: boolean
  readonly canCancel: boolean
}

export function JobView({ call, job, results, filter, isFirstPage, canCancel }: JobViewProps) {
  return (
    <>
      <h1>Bulk job of {plural(job.total, 'address', 'addresses')}</h1>
      <Progress job={job} />
      <FieldList
        fields={[
          { label: 'Submitted', value: timeText(job.created_at) },
          { label: 'Ended', value: job.completed_at === null ? 'Not yet' : timeText(job.completed_at) },
          { label: 'Job', value: job.job_id, isCode: true },
        ]}
      />
      <Actions call={call} job={job} canCancel={canCancel} />
      <h2 id="results">Results, worst first</h2>
      <Filters job={job} filter={filter} />
      <Results results={results} job={job} isFiltered={filter.level !== null || filter.status !== null} />
      <p class="paging">
        {isFirstPage ? null : <a href={pathOf(job, filter)}>First page</a>}
        {results.next_page_token === null ? null : (
          <a href={pathOf(job, filter, results.next_page_token)}>Next page</a>
        )}
      </p>
    </>
  )
}

const timeText = (at: string): string => `${at.slice(0, 19).replace('T', ' ')} UTC`

function pathOf({ job_id }: Job, { level, status }: Filter, token: string | null = null): string {
  return `/bulk/${job_id}${queryText({ level, status, page_token: token })}#results`
}

/** The script of the browser keeps it up to date; without it a click does. */
function Progress({ job }: { readonly job: Job }) {
  const done = doneOf(job)
  if (!isRunning(job))
    return (
      <p class="lead">
        <strong>{statusWord(job.status)}.</strong> {outcomeText(job)}
      </p>
    )
  return (
    <div class="progress" data-follow={`/bulk/${job.job_id}/events`}>
      <label for="progress">
        <span data-follow-text>
          {statusWord(job.status)}: {countText(done)} of {countText(job.total)} done
        </span>
      </label>
      <progress id="progress" max={job.total} value={done} />
      <p class="quiet">
        <span data-follow-hint hidden>
          This page follows the job and shows the results when it has ended.
        </span>
        <noscript>
          The page does not follow the job by itself. <a href={`/bulk/${job.job_id}`}>Refresh</a>
        </noscript>
      </p>
    </div>
  )
}

function outcomeText({ total, completed, failed, cancelled }: Job): string {
  const parts = [
    `${countText(completed)} of ${plural(total, 'address', 'addresses')} ${completed === 1 ? 'has' : 'have'} a report`,
  ]
  if (failed > 0) parts.push(`${countText(failed)} failed`)
  if (cancelled > 0) parts.push(`${countText(cancelled)} ${cancelled === 1 ? 'was' : 'were'} cancelled`)
  return `${parts.join(', ')}.`
}

function Actions({ call, job, canCancel }: Pick<JobViewProps, 'call' | 'job' | 'canCancel'>) {
  const path = `/bulk/${job.job_id}`
  return (
    <>
      <p class="actions no-print">
        <a class="button plain" href={`${path}/results.csv`} download>
          CSV
        </a>
        <a class="button plain" href={`${path}/results.json`} download>
          JSON
        </a>
        {isRunning(job) ? null : (
          <a class="button plain" href={`${path}/summary.pdf`} download>
            PDF summary
          </a>
        )}
      </p>
      {isRunning(job) && canCancel ? (
        <details class="confirm no-print">
          <summary>Cancel this job</summary>
          <p>What is done stays. Every other address is not screened and shows as cancelled.</p>
          <Form call={call} action={`${path}/cancel`}>
            <button>Cancel what is not done</button>
          </Form>
        </details>
      ) : null}
    </>
  )
}

/** Worst first. */
const LEVELS = [...riskLevels].sort((one, other) => rankOf(one) - rankOf(other))

function rankOf(level: string): number {
  return ['red', 'orange', 'grey', 'green'].indexOf(level)
}

function Filters({ job, filter }: Pick<JobViewProps, 'job' | 'filter'>) {
  const isAll = filter.level === null && filter.status === null
  const pending = job.total - doneOf(job)
  return (
    <nav class="chips no-print" aria-label="Filter the results">
      <ul>
        <li>
          <a href={pathOf(job, { level: null, status: null })} aria-current={isAll ? 'true' : undefined}>
            All {countText(job.total)}
          </a>
        </li>
        {LEVELS.map((level) => (
          <li key={level}>
            <a
              href={pathOf(job, { level, status: null })}
              aria-current={filter.level === level ? 'true' : undefined}
            >
              <Level level={level} /> {countText(job.levels[level] ?? 0)}
            </a>
          </li>
        ))}
        {(
          [
            ['failed', 'Failed', job.failed],
            ['cancelled', 'Cancelled', job.cancelled],
            ['pending', 'Not done', pending],
          ] as const
        )
          .filter(([status, , count]) => count > 0 || filter.status === status)
          .map(([status, label, count]) => (
            <li key={status}>
              <a
                href={pathOf(job, { level: null, status })}
                aria-current={filter.status === status ? 'true' : undefined}
              >
                {label} {countText(count)}
              </a>
            </li>
          ))}
      </ul>
    </nav>
  )
}
