/** GET /bulk/{job_id}: the state of a job, and its results, worst first. */
import { type ListPage, page, type Page, type PageCall, type ShownPage, mayChange } from '@cupel/console'
import { apiPathOf, statusWord, type Job, type Result } from './job.js'
import { plural } from './counts.js'
import { JobView } from './job-view.js'

const PAGE_SIZE = 100

export const showJob: Page = {
  method: 'GET',
  path: '/bulk/{job_id}',
  access: 'session',
  handle: (call) => jobPage(call, { status: 200, fault: null, done: doneText(call.query) }),
}

/** What was done by the form of the page before. */
function doneText(query: URLSearchParams): string | null {
  const opened = numberOf(query.get('opened'))
  if (opened !== null) return openedText(opened, query)
  const watched = numberOf(query.get('watched'))
  return watched === null
    ? null
    : `${plural(watched, 'address is', 'addresses are')} watched, and screened now.`
}

/** What had a case already, and what has no report yet, is said too. */
function openedText(opened: number, query: URLSearchParams): string {
  const [existing, waiting] = [numberOf(query.get('existing')) ?? 0, numberOf(query.get('waiting')) ?? 0]
  return [
    `${plural(opened, 'case was', 'cases were')} opened.`,
    ...(existing > 0 ? [`${plural(existing, 'red report has', 'red reports have')} a case already.`] : []),
    ...(waiting > 0 ? [`${plural(waiting, 'address waits', 'addresses wait')} for a report.`] : []),
  ].join(' ')
}

function numberOf(text: string | null): number | null {
  const number = Number(text ?? Number.NaN)
  return Number.isInteger(number) ? number : null
}

interface JobPageState {
  readonly status: number
  readonly fault: string | null
  readonly done: string | null
}

export async function jobPage(call: PageCall, { status, ...state }: JobPageState): Promise<ShownPage> {
  const { api, path, query } = call
  const filter = { level: query.get('level'), status: query.get('status') }
  const token = query.get('page_token')
  // Results are read page by page: the results of a thousand addresses are megabytes.
  const job = await api.get<Job>(apiPathOf(path['job_id']), { results: 'none' })
  const results = await api.get<ListPage<Result>>(apiPathOf(path['job_id'], '/results'), {
    ...{ sort: 'risk', page_size: PAGE_SIZE, page_token: token },
    ...filter,
  })
  const canCancel = mayChange(call.session)
  return page(
    `Bulk job, ${statusWord(job.status).toLowerCase()}`,
    <JobView {...{ call, job, results, filter, canCancel, ...state }} isFirstPage={token === null} />,
    { status, section: '/bulk' },
  )
}
