/** POST /bulk/{job_id}/cancel. */
import { redirect, type Page } from '@cupel/console'
import { apiPathOf } from './job.js'

export const cancelJob: Page = {
  method: 'POST',
  path: '/bulk/{job_id}/cancel',
  access: 'session',
  async handle({ api, path }) {
    const { job_id: jobId } = await api.send<{ readonly job_id: string }>(
      'POST',
      apiPathOf(path['job_id'], '/cancel'),
    )
    return redirect(`/bulk/${jobId}`)
  },
}
