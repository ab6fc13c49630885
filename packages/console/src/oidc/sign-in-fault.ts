/** Why a sign-in did not lead to an ID token. */
import { ProviderDown } from '@cupel/kit/oidc'
import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'

export type SignInFaultKind =
  /** There is no cookie of this sign-in, or it has expired. */
  | 'unknown'
  /** The answer belongs to another sign-in, or to another provider. */
  | 'mismatch'
  /** The provider says that no person signed in. */
  | 'declined'
  /** The provider rejects the code of its own answer. */
  | 'spent'
  /** The provider does not know this console as it is set up. */
  | 'setup'
  /** The ID token of the provider cannot be trusted. */
  | 'token'
  | 'time'
  | 'down'

export class SignInFault extends Error {
  override readonly name = 'SignInFault'
  readonly kind: SignInFaultKind
  /** The error code of the provider, or of the library; null where there is none. */
  readonly code: string | null
  constructor(kind: SignInFaultKind, code: string | null = null, options?: ErrorOptions) {
    super(`The sign-in failed: ${kind}`, options)
    this.kind = kind
    this.code = code !== null && /^[\w.-]{1,60}$/.test(code) ? code : null
  }
}

const SERVER_ERROR = 500
const BUSY: readonly string[] = ['temporarily_unavailable', 'server_error']
/** Codes of oauth4webapi for answers that no working provider gives. */
const NO_ANSWER = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
]

export function signInFaultOf(error: unknown): SignInFault {
  if (error instanceof SignInFault) return error
  if (error instanceof AuthorizationResponseError)
    return new SignInFault(BUSY.includes(error.error) ? 'down' : 'declined', error.error, { cause: error })
  if (error instanceof ResponseBodyError) {
    if (error.status >= SERVER_ERROR) return new SignInFault('down', error.error, { cause: error })
    return new SignInFault(error.error === 'invalid_grant' ? 'spent' : 'setup', error.error, { cause: error })
  }
  if (isCausedByOutage(error)) return new SignInFault('down', null, { cause: error })
  if (!(error instanceof ClientError)) throw error
  const code = error.code ?? null
  if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') return new SignInFault('time', code, { cause: error })
  if (code !== null && NO_ANSWER.includes(code)) return new SignInFault('down', code, { cause: error })
  return new SignInFault('token', code, { cause: error })
}

/** The network failed, or the provider’s own document is missing; libraries wrap either. */
function isCausedByOutage(error: unknown): boolean {
  if (error instanceof ProviderDown) return true
  if (error instanceof TypeError) return error.message === 'fetch failed'
  if (error instanceof DOMException) return error.name === 'TimeoutError'
  return error instanceof Error && error.cause !== undefined && isCausedByOutage(error.cause)
}
