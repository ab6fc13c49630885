/**
 * What the browser keeps while a person is at the sign-in service: an encrypted JWT of ten minutes. The key comes from the client secret,
 * so that any instance finishes what another one began.
 */
import { hkdfSync } from 'node:crypto'
import { EncryptJWT, errors, jwtDecrypt } from 'jose'

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

export interface FlowSeal {
  seal(flow: Flow): Promise<string>
  /** Null where it is not ours, was changed or is over. */
  open(text: string): Promise<Flow | null>
}

export const FLOW_LIFETIME_SECONDS = 600
const KEY_BYTES = 32
const PURPOSE = 'cupel sign-in flow'

export function createFlowSeal(clientSecret: string): FlowSeal {
  const key = new Uint8Array(hkdfSync('sha256', clientSecret, '', PURPOSE, KEY_BYTES))
  return {
    seal: (flow) =>
      new EncryptJWT({ ...flow })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setAudience(PURPOSE)
        .setExpirationTime(`${FLOW_LIFETIME_SECONDS}s`)
        .encrypt(key),
    async open(text) {
      try {
        const { payload } = await jwtDecrypt(text, key, {
          ...{ audience: PURPOSE, requiredClaims: ['exp'] },
          ...{ keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] },
        })
        return payload as unknown as Flow
      } catch (error) {
        if (error instanceof errors.JOSEError) return null
        throw error
      }
    },
  }
}
