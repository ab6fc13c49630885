/**
 * What the browser keeps while a person is at the sign-in service, for ten minutes. The key comes from the client secret, so that any
 * instance finishes what another one began.
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
  /** The key that the person chose; null where none was. */
  readonly keyId: string | null
}

export const FLOW_LIFETIME_SECONDS = 600

export const createFlowSeal = (clientSecret: string): Seal<Flow> =>
  createSeal(clientSecret, { purpose: 'cupel sign-in flow', lifetimeSeconds: FLOW_LIFETIME_SECONDS })
