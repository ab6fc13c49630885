/** The one list of problem codes. Docs are generated from it; a code is never renamed or removed within /v1. */
export type RetryAdvice = 'never' | 'later' | 'after-fix'

export interface ProblemDefinition {
  readonly status: number
  readonly title: string
  readonly retry: RetryAdvice
}

export const problemCodes = {
  invalid_request: { status: 400, title: 'The request is malformed', retry: 'after-fix' },
  invalid_address: { status: 400, title: 'The address is not valid', retry: 'after-fix' },
  invalid_webhook_url: { status: 400, title: 'The webhook URL is not acceptable', retry: 'after-fix' },
  invalid_key: { status: 401, title: 'The API key is missing or not valid', retry: 'after-fix' },
  scope_required: { status: 403, title: 'The API key lacks the required scope', retry: 'after-fix' },
  ip_not_allowed: { status: 403, title: 'The API key may not be used from this address', retry: 'after-fix' },
  key_required: { status: 403, title: 'The call takes an API key, not a session', retry: 'after-fix' },
  sign_in_refused: { status: 403, title: 'The sign-in is refused', retry: 'after-fix' },
  https_required: { status: 403, title: 'HTTPS is required', retry: 'after-fix' },
  not_found: { status: 404, title: 'Not found', retry: 'never' },
  method_not_allowed: { status: 405, title: 'Method not allowed', retry: 'after-fix' },
  not_acceptable: { status: 406, title: 'No acceptable representation', retry: 'after-fix' },
  request_timeout: { status: 408, title: 'The request did not arrive in time', retry: 'later' },
  idempotency_in_progress: {
    status: 409,
    title: 'A request with this Idempotency-Key is in progress',
    retry: 'later',
  },
  too_many_endpoints: {
    status: 409,
    title: 'The account has as many webhook endpoints as it may have',
    retry: 'after-fix',
  },
  too_many_shares: {
    status: 409,
    title: 'The report has as many share links as it may have',
    retry: 'after-fix',
  },
  too_many_watches: {
    status: 409,
    title: 'The account has as many watches as it may have',
    retry: 'after-fix',
  },
  import_conflict: { status: 409, title: 'The import does not allow this step', retry: 'after-fix' },
  key_conflict: { status: 409, title: 'The API key does not allow this change', retry: 'after-fix' },
  change_conflict: { status: 409, title: 'The proposed change does not allow this step', retry: 'after-fix' },
  second_person_required: { status: 409, title: 'Another person must do this', retry: 'after-fix' },
  case_conflict: { status: 409, title: 'The case does not allow this change', retry: 'after-fix' },
  endpoint_disabled: { status: 409, title: 'The webhook endpoint is disabled', retry: 'after-fix' },
  job_not_ended: { status: 409, title: 'The bulk job has not ended', retry: 'later' },
  report_retired: { status: 410, title: 'The report is in an archive', retry: 'never' },
  version_mismatch: { status: 412, title: 'The case has changed since it was read', retry: 'after-fix' },
  payload_too_large: { status: 413, title: 'The body is too large', retry: 'after-fix' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json', retry: 'after-fix' },
  unsupported_chain: { status: 422, title: 'The chain is not supported', retry: 'after-fix' },
  as_of_too_early: {
    status: 422,
    title: 'At that moment there was nothing to decide from',
    retry: 'after-fix',
  },
  chain_mismatch: { status: 422, title: 'The address belongs to another chain', retry: 'after-fix' },
  transfer_not_found: {
    status: 422,
    title: 'The transfer was not found',
    retry: 'after-fix',
  },
  transfer_ambiguous: {
    status: 422,
    title: 'The transaction has several such transfers',
    retry: 'after-fix',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'The Idempotency-Key was used with another request',
    retry: 'after-fix',
  },
  rate_limited: { status: 429, title: 'Rate limit exceeded', retry: 'later' },
  too_many_streams: { status: 429, title: 'The API key has too many open event streams', retry: 'later' },
  too_many_jobs: {
    status: 429,
    title: 'The account has too many open jobs or waiting items',
    retry: 'later',
  },
  too_many_failures: { status: 429, title: 'Too many failed authentications', retry: 'later' },
  head_too_large: { status: 431, title: 'The head of the request is too large', retry: 'after-fix' },
  internal_error: { status: 500, title: 'Internal error', retry: 'later' },
  screening_failed: { status: 500, title: 'The screening could not be decided', retry: 'later' },
  screening_timeout: { status: 503, title: 'The report was not ready in time', retry: 'later' },
  screening_pending: { status: 503, title: 'The screening is still running', retry: 'later' },
  unavailable: { status: 503, title: 'The service is temporarily unavailable', retry: 'later' },
} as const satisfies Record<string, ProblemDefinition>

export type ProblemCode = keyof typeof problemCodes

/** Why a transfer that its caller left to the transaction is not screened. */
const transferRefusals = [
  'transfer_not_found',
  'transfer_ambiguous',
  'unavailable',
] as const satisfies readonly ProblemCode[]
export type TransferRefusalCode = (typeof transferRefusals)[number]

export const isTransferRefusal = (code: string): code is TransferRefusalCode =>
  (transferRefusals as readonly string[]).includes(code)
