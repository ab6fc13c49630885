/** The ID token of a person who signed in. It is verified before any claim is used. */
import { createHash } from 'node:crypto'
import { errors, jwtVerify, type JWTPayload } from 'jose'
import { personOf, type Person } from './person.js'
import { ProviderDown, type Provider } from './provider.js'
import type { OidcSettings } from './settings.js'

/** Public-key signatures only: with a shared secret, every holder of the secret could sign. */
export const SIGNATURE_ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
/** Difference between two clocks that is ignored. */
export const CLOCK_TOLERANCE_SECONDS = 60
/** A token that was issued earlier does not belong to this sign-in. */
const MAX_AGE_SECONDS = 300

export type IdTokenFault = 'malformed' | 'signature' | 'issuer' | 'audience' | 'nonce' | 'time' | 'subject'

/** The token is not valid. */
export class IdTokenRefused extends Error {
  override readonly name = 'IdTokenRefused'
  readonly fault: IdTokenFault
  constructor(fault: IdTokenFault, options?: ErrorOptions) {
    super(`The ID token is refused: ${fault}`, options)
    this.fault = fault
  }
}

export interface VerifiedIdToken {
  readonly person: Person
  /** SHA-256 of what the signature covers, used to recognise a second use in any spelling. */
  readonly digest: Buffer
  /** UTC; from then on the token is rejected because it has expired. */
  readonly uselessFrom: Date
}

export interface IdTokenVerifier {
  /**
   * `nonceSecret`: the token's nonce is its digest, so that the token by itself is not enough to sign in. Rejects with IdTokenRefused, and
   * with ProviderDown if the keys cannot be fetched.
   */
  verify(idToken: string, nonceSecret: string): Promise<VerifiedIdToken>
}

/** The nonce that the console asks the provider to put into the ID token. */
export function nonceOf(nonceSecret: string): string {
  return createHash('sha256').update(nonceSecret).digest('base64url')
}

export function createIdTokenVerifier(settings: OidcSettings, provider: Provider): IdTokenVerifier {
  return {
    async verify(idToken, nonceSecret) {
      if (!isCanonical(idToken)) throw new IdTokenRefused('malformed')
      // The issuer as the provider states it: the settings may differ in a slash at the end.
      const { issuer } = await provider.metadata()
      const { payload } = await jwtVerify(idToken, provider.keyOf, {
        algorithms: SIGNATURE_ALGORITHMS,
        issuer,
        audience: settings.clientId,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        maxTokenAge: MAX_AGE_SECONDS,
        requiredClaims: ['exp', 'iat', 'sub', 'nonce'],
      }).catch((error: unknown) => {
        throw error instanceof ProviderDown ? error : refusedBecauseOf(error)
      })
      if (!isForClient(payload, settings.clientId)) throw new IdTokenRefused('audience')
      if (payload['nonce'] !== nonceOf(nonceSecret)) throw new IdTokenRefused('nonce')
      const person = personOf(payload, settings)
      if (person === null) throw new IdTokenRefused('subject')
      return {
        person,
        digest: createHash('sha256').update(signedPartOf(idToken)).digest(),
        uselessFrom: new Date((payload.iat! + MAX_AGE_SECONDS + 2 * CLOCK_TOLERANCE_SECONDS) * 1_000),
      }
    },
  }
}

/** One signature has many spellings for a lenient decoder (RFC 4648, section 3.5), and with ECDSA a second value. */
function isCanonical(idToken: string): boolean {
  return idToken.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}

const signedPartOf = (idToken: string): string => idToken.slice(0, idToken.lastIndexOf('.'))

/** A token for several audiences names the client that requested it. */
function isForClient({ aud, azp }: JWTPayload, clientId: string): boolean {
  if (azp !== undefined) return azp === clientId
  return !Array.isArray(aud) || aud.length === 1
}

const faultsOfClaims: Readonly<Record<string, IdTokenFault>> = {
  iss: 'issuer',
  aud: 'audience',
  nonce: 'nonce',
  sub: 'subject',
  exp: 'time',
  nbf: 'time',
  iat: 'time',
}

function refusedBecauseOf(cause: unknown): IdTokenRefused {
  if (cause instanceof errors.JWTExpired) return new IdTokenRefused('time', { cause })
  if (cause instanceof errors.JWTClaimValidationFailed)
    return new IdTokenRefused(faultsOfClaims[cause.claim] ?? 'malformed', { cause })
  const isMalformed = cause instanceof errors.JWSInvalid || cause instanceof errors.JWTInvalid
  if (isMalformed) return new IdTokenRefused('malformed', { cause })
  if (cause instanceof errors.JOSEError || cause instanceof TypeError)
    return new IdTokenRefused('signature', { cause })
  throw cause
}
