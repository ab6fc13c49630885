/** POST /bulk/{job_id}/cases: opens a case for each red report of the job that has none. */
import type { ListPage } from '../../api/answers.js'
import { fieldOf, redirect, type Page, type PageCall } from '../../server/page.js'
import { plural } from './counts.js'
import { apiPathOf, type Result } from './job.js'
import { openCase } from './open-case.js'
import { jobPage } from './show-job.js'

/** A browser waits this long; pressing again opens the rest. */
const MAX_WORK_MS = 20_000
const PAGE_SIZE = 100

export const openCases: Page = {
  method: 'POST',
  path: '/bulk/{job_id}/cases',
  access: 'session',
  async handle(call) {
    const jobId = call.path['job_id'] ?? ''
    const text = fieldOf(call.form, 'note').trim()
    if (text === '') return await jobPage(call, { status: 400, fault: 'A note is needed.', done: null })
    const until = Date.now() + MAX_WORK_MS
    const reportIds = await redReports(call, jobId)
    let opened = 0
    for (const [index, reportId] of reportIds.entries()) {
      const isOpened = await openCase(call, reportId, { text, until })
      if (isOpened === null) {
        const left = plural(reportIds.length - index, 'red report', 'red reports')
        const fault = `${plural(opened, 'case was', 'cases were')} opened. ${left} could not be looked at in time: press again for the rest.`
        return await jobPage(call, { status: 429, fault, done: null })
      }
      if (isOpened) opened += 1
    }
    return redirect(`/bulk/${jobId}?opened=${opened}`)
  },
}

async function redReports({ api }: Pick<PageCall, 'api'>, jobId: string): Promise<readonly string[]> {
  const found = new Set<string>()
  for (let token: string | null = null; ;) {
    const query = { level: 'red', page_size: PAGE_SIZE, page_token: token }
    const page: ListPage<Result> = await api.get(apiPathOf(jobId, '/results'), query)
    for (const { report } of page.items) if (report !== undefined) found.add(report.report_id)
    token = page.next_page_token
    if (token === null) return [...found]
  }
}
