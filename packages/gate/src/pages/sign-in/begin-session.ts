/** POST /sign-in: exchanges the key for a session. */
import { parseApiKey } from '@cupel/domain'
import { ApiDown, ApiProblem, fieldOf, redirect, type Page, returnPath, type Session } from '@cupel/console'
import { signInForm, type SignInWith } from './show-sign-in.js'

export interface NewSession {
  readonly session_token: string
  readonly account_id: string
  readonly key_id: string
  readonly livemode: boolean
  readonly scope: string
  readonly webhook_admin: boolean
  readonly actor: string | null
  readonly expires_at: string
}

export const beginSession = (service: SignInWith): Page => ({
  method: 'POST',
  path: '/sign-in',
  access: 'open',
  async handle(call) {
    const shown = (state: Parameters<typeof signInForm>[2]) => signInForm(call, service, state)
    const next = returnPath(fieldOf(call.form, 'next'))
    const key = fieldOf(call.form, 'key').trim()
    if (parseApiKey(key) === null)
      return shown({ next, status: 400, fault: 'This is not an API key: it was cut or mistyped.' })
    try {
      const answer = await call.apiAs(key).send<NewSession>('POST', '/v1/sessions')
      return redirect(next, sessionOf(answer))
    } catch (error) {
      if (error instanceof ApiDown)
        return shown({
          next,
          status: 503,
          fault: 'The service cannot answer right now. Try again.',
        })
      if (!(error instanceof ApiProblem)) throw error
      return shown({ next, status: error.status, fault: faultOf(error) })
    }
  },
})

function faultOf({ detail, retryAfterSeconds }: ApiProblem): string {
  return retryAfterSeconds === null ? detail : `${detail} Try again in ${retryAfterSeconds} s.`
}

export function sessionOf(answer: NewSession): Session {
  return {
    token: answer.session_token,
    accountId: answer.account_id,
    keyId: answer.key_id,
    livemode: answer.livemode,
    scope: answer.scope,
    webhookAdmin: answer.webhook_admin,
    actor: answer.actor,
    expiresAt: answer.expires_at,
  }
}
