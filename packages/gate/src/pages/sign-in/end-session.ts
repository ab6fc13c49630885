/** POST /sign-out: ends the session, here and at the API. */
import { ApiProblem, redirect, type Page } from '@cupel/console'
import type { SignInWith } from './show-sign-in.js'

/** A person who came with the sign-in service is told that the session there goes on. */
export const endSession = (service: SignInWith): Page => ({
  method: 'POST',
  path: '/sign-out',
  access: 'session',
  async handle({ api, session }) {
    try {
      await api.send('DELETE', '/v1/sessions/current')
    } catch (error) {
      // A session that is already over is the requested result.
      if (!(error instanceof ApiProblem) || error.status !== 401) throw error
    }
    const isPerson = service !== null && session!.actor !== null
    return redirect(isPerson ? '/sign-out/done' : '/sign-in', null)
  },
})
