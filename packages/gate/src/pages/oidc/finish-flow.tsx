/** GET /sign-in/oidc/callback: the person comes back from the sign-in service, and the API makes a session of the ID token. */
import {
  ApiProblem,
  SignInFault,
  CALLBACK_PATH,
  type FinishedFlow,
  type SignInService,
  page,
  redirect,
  type Page,
  type PageAnswer,
  type PageCall,
  flowCookie,
  readFlow,
} from '@cupel/console'
import { sessionOf, type NewSession } from '../sign-in/begin-session.js'
import { flowFaultPage, refusedPersonPage } from './flow-fault-page.js'
import { KeyChoice, type SignInKey } from './key-choice.js'

/** The API answers with a session, or with the keys to choose from. */
type ApiAnswer = NewSession | { readonly choices: readonly SignInKey[] }

export const finishFlow = (service: SignInService): Page => ({
  method: 'GET',
  path: CALLBACK_PATH,
  access: 'open',
  async handle(call) {
    const cookie = readFlow(call.headers.cookie, call.isSecure)
    // After the sign-in, the person went back to this address or loaded it again.
    if (cookie === null && call.session !== null) return redirect('/')
    const cookies = cookie === null ? [] : [flowCookie(null, call.isSecure)]
    return { ...(await answerOf(service, call, cookie)), cookies }
  },
})

type Answer = Exclude<PageAnswer, { readonly kind: 'raw' | 'departure' }>

async function answerOf(service: SignInService, call: PageCall, cookie: string | null): Promise<Answer> {
  try {
    const query = call.target.slice(CALLBACK_PATH.length)
    const flow = await service.finish(query, cookie)
    return await signIn(call, flow)
  } catch (error) {
    if (error instanceof SignInFault) return flowFaultPage(service, error)
    if (error instanceof ApiProblem) return refusedPersonPage(service, error)
    throw error
  }
}

async function signIn(call: PageCall, { idToken, nonceSecret, next, keyId }: FinishedFlow): Promise<Answer> {
  const order = { id_token: idToken, nonce: nonceSecret, key_id: keyId }
  const answer = await call.apiAs(null).send<ApiAnswer>('POST', '/v1/sessions/oidc', order)
  if (!('choices' in answer)) return redirect(next, sessionOf(answer))
  return page('Choose', <KeyChoice choices={answer.choices} next={next} />)
}
