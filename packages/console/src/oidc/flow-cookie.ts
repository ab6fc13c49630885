/**
 * The cookie that the browser keeps while a person is at the sign-in service, for ten minutes. Its key comes from the client secret, so
 * any instance can finish a sign-in that another one began.
 */
import { createSeal, type Seal } from '../session/seal.js'

export interface Flow {
  readonly state: string
  /** The nonce of the ID token is its digest. */
  readonly nonceSecret: string
  /** Verifier of PKCE. */
  readonly verifier: string
  /** The page to go to after the sign-in. */
  readonly next: string
  /** The key that the person chose; null where no key was chosen. */
  readonly keyId: string | null
}

export const FLOW_LIFETIME_SECONDS = 600

export const createFlowSeal = (clientSecret: string): Seal<Flow> =>
  createSeal(clientSecret, { purpose: 'cupel sign-in flow', lifetimeSeconds: FLOW_LIFETIME_SECONDS })
