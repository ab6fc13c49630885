/** The answers to calls that the gate rejects. They help a caller to act, but not to guess keys. */
import type { NotAdmitted, RefusalReason } from '../access/index.js'
import type { Scope } from '@cupel/domain'
import { refuse, type Refusal } from '../http/index.js'

const INVALID_TOKEN = { 'www-authenticate': 'Bearer realm="cupel", error="invalid_token"' }

/** The audit log distinguishes unknown, revoked and expired keys; the answer does not. */
const unusableKey = (): Refusal =>
  refuse('invalid_key', 'The API key is unknown, revoked or expired.', { headers: INVALID_TOKEN })

const refusals: Readonly<Record<RefusalReason, (needed: Scope) => Refusal>> = {
  no_credentials: () => refuse('invalid_key', 'Send the API key as "Authorization: Bearer <API key>".'),
  malformed_credentials: () =>
    refuse('invalid_key', 'The Authorization header has no well-formed API key: it was cut or mistyped.', {
      headers: INVALID_TOKEN,
    }),
  unknown_key: unusableKey,
  unknown_session: () =>
    refuse('invalid_key', 'The session is unknown or over; sign in again.', { headers: INVALID_TOKEN }),
  revoked_key: unusableKey,
  expired_key: unusableKey,
  ip_not_allowed: () => refuse('ip_not_allowed', 'The API key may not be used from this address.'),
  scope_required: (needed) =>
    refuse('scope_required', `The API key lacks the scope of this call: ${needed}.`, {
      headers: { 'www-authenticate': `Bearer realm="cupel", error="insufficient_scope", scope="${needed}"` },
    }),
  rate_limited: () => refuse('rate_limited', 'The API key has no calls left at the moment.'),
  too_many_failures: () =>
    refuse('too_many_failures', 'Too many calls from this address failed to authenticate within a minute.'),
  unavailable: () => refuse('unavailable', 'API keys cannot be checked right now.'),
}

/** `needed`: the scope that the call takes; absent where any key would do. */
export function refusalOf({ reason, retryAfterSeconds }: NotAdmitted, needed: Scope = 'read-only'): Refusal {
  const refusal = refusals[reason](needed)
  return retryAfterSeconds === null ? refusal : { ...refusal, retryAfterSeconds }
}
