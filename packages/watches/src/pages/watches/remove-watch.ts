/** POST /watches/{watch_id}/remove: ends a watch. */
import { ApiProblem, redirect, type Page } from '@cupel/console'

export const removeWatch: Page = {
  method: 'POST',
  path: '/watches/{watch_id}/remove',
  access: 'session',
  async handle({ api, path }) {
    try {
      await api.send('DELETE', `/v1/watches/${encodeURIComponent(path['watch_id'] ?? '')}`)
    } catch (error) {
      // A second press, or another person, has removed it.
      if (!(error instanceof ApiProblem) || error.status !== 404) throw error
    }
    return redirect('/watches?removed')
  },
}
