/** POST /bulk/{job_id}/watches: watches the addresses of the job that have a report, in one call. */
import { parseAddress, screenedAddress } from '@cupel/domain'
import {
  type ListPage,
  type Watch,
  ApiProblem,
  fieldOf,
  redirect,
  type Page,
  type PageCall,
} from '@cupel/console'
import { apiPathOf, LEVELS, type Result } from './job.js'
import { jobPage } from './show-job.js'

const PAGE_SIZE = 200
/** Refusals that the person can answer. */
const ANSWERABLE = [400, 403, 409, 422]

interface NewWatch {
  readonly address: string
  readonly chain: string
  readonly digest: boolean
  readonly reference?: string
}

export const watchResults: Page = {
  method: 'POST',
  path: '/bulk/{job_id}/watches',
  access: 'session',
  async handle(call) {
    const jobId = call.path['job_id'] ?? ''
    const watches = await watchesOf(call, jobId)
    if (watches.length === 0)
      return await jobPage(call, { status: 400, fault: 'No result is like this.', done: null })
    try {
      const { items } = await call.api.send<{ items: readonly Watch[] }>('POST', '/v1/watches', { watches })
      return redirect(`/bulk/${jobId}?watched=${items.length}`)
    } catch (error) {
      if (!(error instanceof ApiProblem) || !ANSWERABLE.includes(error.status)) throw error
      return await jobPage(call, { status: error.status, fault: error.detail, done: null })
    }
  },
}

/** An address on a chain has one watch, with the reference of its first result. */
async function watchesOf({ api, form }: PageCall, jobId: string): Promise<readonly NewWatch[]> {
  const level = LEVELS.find((one) => one === fieldOf(form, 'level')) ?? null
  const digest = fieldOf(form, 'digest') === 'yes'
  const found = new Map<string, NewWatch>()
  for (let token: string | null = null; ;) {
    const query = { level, status: 'completed', page_size: PAGE_SIZE, page_token: token }
    const page: ListPage<Result> = await api.get(apiPathOf(jobId, '/results'), query)
    for (const { report, reference } of page.items) {
      if (report === undefined) continue
      const { address, chain } = report
      const name = `${chain} ${canonicalOf(address, chain)}`
      if (found.has(name)) continue
      found.set(name, { address, chain, digest, ...(reference === undefined ? {} : { reference }) })
    }
    token = page.next_page_token
    if (token === null) return [...found.values()]
  }
}

/** The address of a later version, which this one cannot parse, is left as it is: the API judges it. */
function canonicalOf(address: string, chain: string): string {
  const parsed = parseAddress(address, chain)
  return parsed.ok ? screenedAddress(parsed).canonicalAddress : address
}
