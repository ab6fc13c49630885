/** POST /bulk/{job_id}/cases: opens a case for each red report of the job that has none. */
import { ApiProblem, fieldOf, redirect, type Page } from '@cupel/console'
import { plural } from './counts.js'
import { apiPathOf } from './job.js'
import { jobPage } from './show-job.js'

interface OpenedCases {
  readonly opened: number
  readonly existing: number
  readonly left_out: number
  readonly not_done: number
}

/** Refusals that the person can answer. */
const ANSWERABLE = [400, 403, 429]

export const openCases: Page = {
  method: 'POST',
  path: '/bulk/{job_id}/cases',
  access: 'session',
  async handle(call) {
    const jobId = call.path['job_id'] ?? ''
    const text = fieldOf(call.form, 'note').trim()
    if (text === '') return await jobPage(call, { status: 400, fault: 'A note is needed.', done: null })
    try {
      const path = apiPathOf(jobId, '/cases')
      const found = await call.api.send<OpenedCases>('POST', path, { level: 'red', text })
      if (found.left_out === 0)
        return redirect(
          `/bulk/${jobId}?opened=${found.opened}&existing=${found.existing}&waiting=${found.not_done}`,
        )
      const left = plural(found.left_out, 'red report', 'red reports')
      const fault = `${plural(found.opened, 'case was', 'cases were')} opened. ${left} could not be looked at in time: press again for the rest.`
      return await jobPage(call, { status: 429, fault, done: null })
    } catch (error) {
      if (!(error instanceof ApiProblem) || !ANSWERABLE.includes(error.status)) throw error
      const fault = error.errors[0]?.detail ?? error.detail
      return await jobPage(call, { status: error.status, fault, done: null })
    }
  },
}
