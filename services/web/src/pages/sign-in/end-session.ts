/** POST /sign-out: ends the session, here and at the API. */
import { ApiProblem } from '../../api/api-problem.js'
import { redirect, type Page } from '../../server/page.js'

export const endSession: Page = {
  method: 'POST',
  path: '/sign-out',
  access: 'session',
  async handle({ api }) {
    try {
      await api.send('DELETE', '/v1/sessions/current')
    } catch (error) {
      // A session that is over already is what was asked for.
      if (!(error instanceof ApiProblem) || error.status !== 401) throw error
    }
    return redirect('/sign-in', null)
  },
}
