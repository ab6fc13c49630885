/** A job: its state, its findings, and each of its results. */
import { type ListPage, queryText, FieldList, Form, Notice, Level, type PageCall } from '@cupel/console'
import { en, visibleText } from '@cupel/reports/document'
import { countText, plural } from './counts.js'
import { doneOf, isRunning, LEVELS, statusWord, type Job, type Result } from './job.js'
import { Results } from './results.js'

export interface Filter {
  readonly level: string | null
  readonly status: string | null
}

interface JobViewProps {
  readonly call: Pick<PageCall, 'csrf' | 'hasPage'>
  readonly job: Job
  readonly results: ListPage<Result>
  readonly filter: Filter
  readonly isFirstPage: boolean
  readonly canCancel: boolean
  /** Why the last form did nothing, or not all. */
  readonly fault: string | null
  readonly done: string | null
}

export function JobView(props: JobViewProps) {
  const { call, job, results, filter, isFirstPage, canCancel, fault, done } = props
  return (
    <>
      <h1 dir="auto">
        {job.name === null
          ? `Bulk job of ${plural(job.total, 'address', 'addresses')}`
          : visibleText(job.name)}
      </h1>
      {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
      {done === null ? null : <Notice kind="done">{done}</Notice>}
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
        <span data-follow-hint role="status" />
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
        <a class="button plain" href={`${path}/results.xlsx`} download>
          XLSX
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
      <details class="confirm no-print">
        <summary>Your file with the results</summary>
        <p>
          Choose the file that this job was made from. The download has all of its columns, and the result of
          each row behind them. The file is not stored.
        </p>
        <Form call={call} action={`${path}/joined.csv`} isMultipart>
          <label for="file">File</label>
          <input id="file" name="file" type="file" accept=".csv,.tsv,.txt,text/csv,text/plain" required />
          <button>Download it with the results</button>
        </Form>
      </details>
      {canCancel && (job.levels['red'] ?? 0) > 0 ? (
        <details class="confirm no-print">
          <summary>Open cases for all red</summary>
          <p>Each red report without a case gets one, with this note. Cases that exist stay as they are.</p>
          <Form call={call} action={`${path}/cases`}>
            <label for="note">Note</label>
            <input id="note" name="note" value={`Red in the bulk job ${job.name ?? job.job_id}.`} required />
            <button>Open the cases</button>
          </Form>
        </details>
      ) : null}
      {canCancel && job.completed > 0 && call.hasPage('/watches') ? (
        <WatchForm call={call} path={path} />
      ) : null}
      {isRunning(job) && canCancel ? (
        <details class="confirm no-print">
          <summary>Cancel this job</summary>
          <p>Finished addresses stay. Every other address is not screened and shows as cancelled.</p>
          <Form call={call} action={`${path}/cancel`}>
            <button>Cancel what is not done</button>
          </Form>
        </details>
      ) : null}
    </>
  )
}

function WatchForm({ call, path }: Pick<JobViewProps, 'call'> & { readonly path: string }) {
  return (
    <details class="confirm no-print">
      <summary>Watch these addresses</summary>
      <p>
        Each address that has a report is screened again after each change that can affect it. An address that
        is watched already takes the reference of this job and the digest of this form.
      </p>
      <Form call={call} action={`${path}/watches`}>
        <label for="watch-level">Which</label>
        <select id="watch-level" name="level">
          <option value="">All with a report</option>
          {LEVELS.map((level) => (
            <option key={level} value={level}>
              Only {en.levels[level].toLowerCase()}
            </option>
          ))}
        </select>
        <label>
          <input type="checkbox" name="digest" value="yes" /> Part of the daily digest
        </label>
        <button>Watch them</button>
      </Form>
    </details>
  )
}

function Filters({ job, filter }: Pick<JobViewProps, 'job' | 'filter'>) {
  const isAll = filter.level === null && filter.status === null
  const pending = job.total - doneOf(job)
  // The rows of a running job are read a moment later: its counts would contradict them.
  const counted = (count: number): string => (isRunning(job) ? '' : countText(count))
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
              <Level level={level} /> {counted(job.levels[level] ?? 0)}
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
                {label} {counted(count)}
              </a>
            </li>
          ))}
      </ul>
    </nav>
  )
}
