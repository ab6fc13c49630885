/** GET /bulk: the jobs, newest first. */
import {
  type ListPage,
  Level,
  Moment,
  Notice,
  ScrollTable,
  queryText,
  page,
  type Page,
  mayChange,
} from '@cupel/console'
import { visibleText } from '@cupel/reports/document'
import { countText, plural } from './counts.js'
import { doneOf, isRunning, LEVELS, statusWord, type JobSummary } from './job.js'

const PAGE_SIZE = 20

export const listJobs: Page = {
  method: 'GET',
  path: '/bulk',
  access: 'session',
  async handle({ api, query, session }) {
    const token = query.get('page_token')
    const jobs = await api.get<ListPage<JobSummary>>('/v1/bulk', { page_size: PAGE_SIZE, page_token: token })
    const made = Number(query.get('made') ?? 0)
    return page(
      'Bulk jobs',
      <>
        <div class="heading">
          <h1>Bulk jobs</h1>
          {mayChange(session) ? (
            <a class="button" href="/bulk/new">
              Screen many addresses
            </a>
          ) : null}
        </div>
        {made > 1 ? (
          <Notice kind="done">
            {plural(made, 'job was', 'jobs were')} submitted. They run one after the other.
          </Notice>
        ) : null}
        {jobs.items.length === 0 ? (
          <p class="empty">
            {token === null
              ? 'There is no job yet. A job screens up to 1,000 addresses at once: paste them or upload a CSV file.'
              : 'There are no older jobs.'}
          </p>
        ) : (
          <Jobs items={jobs.items} />
        )}
        <p class="paging">
          {token === null ? null : <a href="/bulk">Newest jobs</a>}
          {jobs.next_page_token === null ? null : (
            <a href={`/bulk${queryText({ page_token: jobs.next_page_token })}`}>Older jobs</a>
          )}
        </p>
      </>,
    )
  },
}

function Jobs({ items }: Pick<ListPage<JobSummary>, 'items'>) {
  return (
    <ScrollTable
      caption="Bulk jobs"
      head={[
        'Submitted',
        'Levels',
        'Name',
        'Status',
        { number: 'Addresses' },
        { number: 'Failed' },
        { number: 'Cancelled' },
        'Ended',
      ]}
    >
      {items.map((job) => (
        <tr key={job.job_id}>
          <td>
            <a href={`/bulk/${job.job_id}`}>
              <Moment at={job.created_at} withSeconds />
            </a>
          </td>
          <td class="levels">
            <LevelCounts levels={job.levels} />
          </td>
          <td dir="auto">{job.name === null ? '–' : visibleText(job.name)}</td>
          <td class="status">{statusWord(job.status)}</td>
          <td class="number">
            {isRunning(job) ? `${countText(doneOf(job))} of ` : null}
            {countText(job.total)}
          </td>
          <td class="number">{job.failed === 0 ? '–' : countText(job.failed)}</td>
          <td class="number">{job.cancelled === 0 ? '–' : countText(job.cancelled)}</td>
          <td>{job.completed_at === null ? '–' : <Moment at={job.completed_at} withSeconds />}</td>
        </tr>
      ))}
    </ScrollTable>
  )
}

function LevelCounts({ levels }: Pick<JobSummary, 'levels'>) {
  const found = LEVELS.filter((level) => (levels[level] ?? 0) > 0)
  if (found.length === 0) return <>–</>
  return (
    <>
      {found.map((level) => (
        <span key={level}>
          <Level level={level} /> {countText(levels[level] ?? 0)}{' '}
        </span>
      ))}
    </>
  )
}
