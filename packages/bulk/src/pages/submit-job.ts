/** POST /bulk: makes a job of the checked addresses, or several jobs where one cannot take all of them. */
import { fieldOf, redirect, type Page, type PageCall, ApiDown, ApiProblem } from '@cupel/console'
import { jobsOf, MAX_ADDRESSES, type JobItem, type Reading } from './address-choice.js'
import { bulkFormPage } from './new-job.js'
import { previewPage } from './preview-job.js'
import { readBulkForm, type ReadBulkForm } from './read-bulk-form.js'

export const submitJob: Page = {
  method: 'POST',
  path: '/bulk',
  access: 'session',
  takesFile: true,
  async handle(call) {
    const result = await readBulkForm(call)
    if (!result.ok) return bulkFormPage(call, { ...result, status: 400 })
    const { read } = result
    const work = fieldOf(call.form, 'work')
    const leaveOut = fieldOf(call.form, 'leave-out') === 'yes'
    const jobs = jobsOf(submittedOf(read.reading, leaveOut))
    const name = fieldOf(call.form, 'name').trim()
    const state = { work, leaveOut, name }
    if (jobs.length === 0 || read.reading.addresses.length > MAX_ADDRESSES || !WORK.test(work)) {
      const isAsked = read.openColumns.length > 0
      const fault = jobs.length === 0 && !isAsked ? 'Nothing is left to screen.' : null
      return previewPage(call, read, { ...state, status: 400, fault })
    }
    const made = await submitAll(call, read, { jobs, work, name })
    if (made.fault !== null)
      return previewPage(call, read, { ...state, status: made.status, fault: made.fault })
    return redirect(made.jobIds.length === 1 ? `/bulk/${made.jobIds[0]}` : `/bulk?made=${made.jobIds.length}`)
  },
}

const WORK = /^[0-9a-f-]{36}$/

function submittedOf({ addresses, refused }: Reading, leaveOut: boolean): Reading['addresses'] {
  if (!leaveOut) return addresses
  const lines = new Set(refused.map(({ line, text }) => `${line} ${text}`))
  return addresses.filter(({ line, text }) => !lines.has(`${line} ${text}`))
}

interface Made {
  readonly jobIds: readonly string[]
  readonly status: number
  /** Why not all jobs were made. */
  readonly fault: string | null
}

/** Submits one job after the other. The same form sent again gets the jobs that it made before, and makes only the missing ones. */
async function submitAll(
  { api }: Pick<PageCall, 'api'>,
  { choice }: Pick<ReadBulkForm, 'choice'>,
  {
    jobs,
    work,
    name,
  }: { readonly jobs: readonly (readonly JobItem[])[]; readonly work: string; readonly name: string },
): Promise<Made> {
  const jobIds: string[] = []
  const chain = choice.chain === null ? {} : { chain: choice.chain }
  for (const [index, items] of jobs.entries()) {
    try {
      const headers = { 'idempotency-key': `console-${work}-${index}` }
      const job = await api.send<{ readonly job_id: string }>(
        'POST',
        '/v1/bulk',
        { items, ...chain, ...namedPart(name, index, jobs.length) },
        headers,
      )
      jobIds.push(job.job_id)
    } catch (error) {
      const known = faultOf(error)
      if (known === null) throw error
      const before = jobs.length === 1 ? '' : `${jobIds.length} of ${jobs.length} jobs were submitted. `
      return { ...known, jobIds, fault: before + known.fault }
    }
  }
  return { jobIds, status: 200, fault: null }
}

/** `Customers (2 of 3)` where one form makes several jobs. */
function namedPart(name: string, index: number, jobs: number): { readonly name?: string } {
  if (name === '') return {}
  return { name: jobs === 1 ? name : `${name} (${index + 1} of ${jobs})` }
}

/** Null where the frame has the better answer. */
function faultOf(error: unknown): { readonly status: number; readonly fault: string } | null {
  if (error instanceof ApiDown) return { status: 503, fault: `The service cannot answer right now. ${AGAIN}` }
  if (!(error instanceof ApiProblem) || error.status === 401) return null
  // The same work with other addresses: the form was changed after its first submission.
  if (error.code === 'idempotency_mismatch')
    return { status: 409, fault: 'This form was submitted before, with other addresses. Start over.' }
  return { status: error.status, fault: `${error.detail} ${error.status >= 429 ? AGAIN : ''}`.trim() }
}

const AGAIN = 'Submit again in a moment: nothing is screened twice.'
