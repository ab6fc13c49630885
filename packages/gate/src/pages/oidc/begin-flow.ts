/** GET /sign-in/oidc: sends the person to the sign-in service. */
import {
  FLOW_LIFETIME_SECONDS,
  SignInFault,
  type SignInService,
  type Page,
  returnPath,
  flowCookie,
} from '@cupel/console'
import { flowFaultPage } from './flow-fault-page.js'

/** The form of key ids; any other value is no choice. */
const KEY_ID = /^[0-9a-zA-Z]{8}$/

export const beginFlow = (service: SignInService): Page => ({
  method: 'GET',
  path: '/sign-in/oidc',
  access: 'open',
  async handle({ query, isSecure }) {
    const next = returnPath(query.get('next'))
    const keyId = KEY_ID.exec(query.get('key') ?? '')?.[0] ?? null
    try {
      const { to, cookie } = await service.begin({ next, keyId, asAnother: query.has('another') })
      return { kind: 'departure', to, cookies: [flowCookie(cookie, isSecure, FLOW_LIFETIME_SECONDS)] }
    } catch (error) {
      if (!(error instanceof SignInFault)) throw error
      return flowFaultPage(service, error)
    }
  },
})
