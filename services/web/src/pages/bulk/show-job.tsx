/** GET /bulk/{job_id}: the state of a job, and its results, worst first. */
import type { ListPage } from '../../api/answers.js'
import { page, type Page } from '../../server/page.js'
import { apiPathOf, statusWord, type Job, type Result } from './job.js'
import { JobView } from './job-view.js'

const PAGE_SIZE = 100

export const showJob: Page = {
  method: 'GET',
  path: '/bulk/{job_id}',
  access: 'session',
  async handle(call) {
    const { api, path, query } = call
    const filter = { level: query.get('level'), status: query.get('status') }
    const token = query.get('page_token')
    // Results are read page by page: the results of a thousand addresses are megabytes.
    const job = await api.get<Job>(apiPathOf(path['job_id']), { results: 'none' })
    const results = await api.get<ListPage<Result>>(apiPathOf(path['job_id'], '/results'), {
      ...{ sort: 'risk', page_size: PAGE_SIZE, page_token: token },
      ...filter,
    })
    const canCancel = call.session?.scope === 'read-write'
    return page(
      `Bulk job, ${statusWord(job.status).toLowerCase()}`,
      <JobView {...{ call, job, results, filter, canCancel }} isFirstPage={token === null} />,
      { section: '/bulk' },
    )
  },
}
