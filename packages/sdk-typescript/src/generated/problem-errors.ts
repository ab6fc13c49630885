// Generated from the problem codes by `npm run generate`. Do not edit.

import {
  type ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  RequestError,
  ServerError,
  UnprocessableError,
} from '../errors.js'

/** 400 `invalid_request`: The request is malformed. */
export class InvalidRequestError extends BadRequestError {
  override name = 'InvalidRequestError'
}

/** 400 `invalid_address`: The address is not valid. */
export class InvalidAddressError extends BadRequestError {
  override name = 'InvalidAddressError'
}

/** 400 `invalid_webhook_url`: The webhook URL is not acceptable. */
export class InvalidWebhookUrlError extends BadRequestError {
  override name = 'InvalidWebhookUrlError'
}

/** 401 `invalid_key`: The API key is missing or not valid. */
export class InvalidKeyError extends AuthenticationError {
  override name = 'InvalidKeyError'
}

/** 403 `scope_required`: The API key lacks the required scope. */
export class ScopeRequiredError extends PermissionDeniedError {
  override name = 'ScopeRequiredError'
}

/** 403 `ip_not_allowed`: The API key may not be used from this address. */
export class IpNotAllowedError extends PermissionDeniedError {
  override name = 'IpNotAllowedError'
}

/** 403 `key_required`: The call takes an API key, not a session. */
export class KeyRequiredError extends PermissionDeniedError {
  override name = 'KeyRequiredError'
}

/** 403 `sign_in_refused`: The sign-in is refused. */
export class SignInRefusedError extends PermissionDeniedError {
  override name = 'SignInRefusedError'
}

/** 403 `https_required`: HTTPS is required. */
export class HttpsRequiredError extends PermissionDeniedError {
  override name = 'HttpsRequiredError'
}

/** 405 `method_not_allowed`: Method not allowed. */
export class MethodNotAllowedError extends RequestError {
  override name = 'MethodNotAllowedError'
}

/** 406 `not_acceptable`: No acceptable representation. */
export class NotAcceptableError extends RequestError {
  override name = 'NotAcceptableError'
}

/** 408 `request_timeout`: The request did not arrive in time. */
export class RequestTimeoutError extends RequestError {
  override name = 'RequestTimeoutError'
}

/** 409 `idempotency_in_progress`: A request with this Idempotency-Key is in progress. */
export class IdempotencyInProgressError extends ConflictError {
  override name = 'IdempotencyInProgressError'
}

/** 409 `too_many_endpoints`: The account has as many webhook endpoints as it may have. */
export class TooManyEndpointsError extends ConflictError {
  override name = 'TooManyEndpointsError'
}

/** 409 `too_many_shares`: The report has as many share links as it may have. */
export class TooManySharesError extends ConflictError {
  override name = 'TooManySharesError'
}

/** 409 `too_many_watches`: The account has as many watches as it may have. */
export class TooManyWatchesError extends ConflictError {
  override name = 'TooManyWatchesError'
}

/** 409 `import_conflict`: The import does not allow this step. */
export class ImportConflictError extends ConflictError {
  override name = 'ImportConflictError'
}

/** 409 `key_conflict`: The API key does not allow this change. */
export class KeyConflictError extends ConflictError {
  override name = 'KeyConflictError'
}

/** 409 `change_conflict`: The proposed change does not allow this step. */
export class ChangeConflictError extends ConflictError {
  override name = 'ChangeConflictError'
}

/** 409 `second_person_required`: Another person must do this. */
export class SecondPersonRequiredError extends ConflictError {
  override name = 'SecondPersonRequiredError'
}

/** 409 `case_conflict`: The case does not allow this change. */
export class CaseConflictError extends ConflictError {
  override name = 'CaseConflictError'
}

/** 409 `endpoint_disabled`: The webhook endpoint is disabled. */
export class EndpointDisabledError extends ConflictError {
  override name = 'EndpointDisabledError'
}

/** 409 `job_not_ended`: The bulk job has not ended. */
export class JobNotEndedError extends ConflictError {
  override name = 'JobNotEndedError'
}

/** 410 `report_retired`: The report is in an archive. */
export class ReportRetiredError extends RequestError {
  override name = 'ReportRetiredError'
}

/** 412 `version_mismatch`: The case has changed since it was read. */
export class VersionMismatchError extends RequestError {
  override name = 'VersionMismatchError'
}

/** 413 `payload_too_large`: The body is too large. */
export class PayloadTooLargeError extends RequestError {
  override name = 'PayloadTooLargeError'
}

/** 415 `unsupported_media_type`: The body must be application/json. */
export class UnsupportedMediaTypeError extends RequestError {
  override name = 'UnsupportedMediaTypeError'
}

/** 422 `unsupported_chain`: The chain is not supported. */
export class UnsupportedChainError extends UnprocessableError {
  override name = 'UnsupportedChainError'
}

/** 422 `as_of_too_early`: At that moment there was nothing to decide from. */
export class AsOfTooEarlyError extends UnprocessableError {
  override name = 'AsOfTooEarlyError'
}

/** 422 `chain_mismatch`: The address belongs to another chain. */
export class ChainMismatchError extends UnprocessableError {
  override name = 'ChainMismatchError'
}

/** 422 `transfer_not_found`: The transfer was not found. */
export class TransferNotFoundError extends UnprocessableError {
  override name = 'TransferNotFoundError'
}

/** 422 `transfer_ambiguous`: The transaction has several such transfers. */
export class TransferAmbiguousError extends UnprocessableError {
  override name = 'TransferAmbiguousError'
}

/** 422 `idempotency_mismatch`: The Idempotency-Key was used with another request. */
export class IdempotencyMismatchError extends UnprocessableError {
  override name = 'IdempotencyMismatchError'
}

/** 429 `rate_limited`: Rate limit exceeded. */
export class RateLimitedError extends RateLimitError {
  override name = 'RateLimitedError'
}

/** 429 `too_many_streams`: The API key has too many open event streams. */
export class TooManyStreamsError extends RateLimitError {
  override name = 'TooManyStreamsError'
}

/** 429 `too_many_jobs`: The account has too many open jobs or waiting items. */
export class TooManyJobsError extends RateLimitError {
  override name = 'TooManyJobsError'
}

/** 429 `too_many_failures`: Too many failed authentications. */
export class TooManyFailuresError extends RateLimitError {
  override name = 'TooManyFailuresError'
}

/** 431 `head_too_large`: The head of the request is too large. */
export class HeadTooLargeError extends RequestError {
  override name = 'HeadTooLargeError'
}

/** 500 `internal_error`: Internal error. */
export class InternalErrorError extends ServerError {
  override name = 'InternalErrorError'
}

/** 500 `screening_failed`: The screening could not be decided. */
export class ScreeningFailedError extends ServerError {
  override name = 'ScreeningFailedError'
}

/** 503 `screening_timeout`: The report was not ready in time. */
export class ScreeningTimeoutError extends ServerError {
  override name = 'ScreeningTimeoutError'
}

/** 503 `screening_pending`: The screening is still running. */
export class ScreeningPendingError extends ServerError {
  override name = 'ScreeningPendingError'
}

/** 503 `unavailable`: The service is temporarily unavailable. */
export class UnavailableError extends ServerError {
  override name = 'UnavailableError'
}

export const classByCode: Readonly<Record<string, typeof ApiError>> = {
  invalid_request: InvalidRequestError,
  invalid_address: InvalidAddressError,
  invalid_webhook_url: InvalidWebhookUrlError,
  invalid_key: InvalidKeyError,
  scope_required: ScopeRequiredError,
  ip_not_allowed: IpNotAllowedError,
  key_required: KeyRequiredError,
  sign_in_refused: SignInRefusedError,
  https_required: HttpsRequiredError,
  not_found: NotFoundError,
  method_not_allowed: MethodNotAllowedError,
  not_acceptable: NotAcceptableError,
  request_timeout: RequestTimeoutError,
  idempotency_in_progress: IdempotencyInProgressError,
  too_many_endpoints: TooManyEndpointsError,
  too_many_shares: TooManySharesError,
  too_many_watches: TooManyWatchesError,
  import_conflict: ImportConflictError,
  key_conflict: KeyConflictError,
  change_conflict: ChangeConflictError,
  second_person_required: SecondPersonRequiredError,
  case_conflict: CaseConflictError,
  endpoint_disabled: EndpointDisabledError,
  job_not_ended: JobNotEndedError,
  report_retired: ReportRetiredError,
  version_mismatch: VersionMismatchError,
  payload_too_large: PayloadTooLargeError,
  unsupported_media_type: UnsupportedMediaTypeError,
  unsupported_chain: UnsupportedChainError,
  as_of_too_early: AsOfTooEarlyError,
  chain_mismatch: ChainMismatchError,
  transfer_not_found: TransferNotFoundError,
  transfer_ambiguous: TransferAmbiguousError,
  idempotency_mismatch: IdempotencyMismatchError,
  rate_limited: RateLimitedError,
  too_many_streams: TooManyStreamsError,
  too_many_jobs: TooManyJobsError,
  too_many_failures: TooManyFailuresError,
  head_too_large: HeadTooLargeError,
  internal_error: InternalErrorError,
  screening_failed: ScreeningFailedError,
  screening_timeout: ScreeningTimeoutError,
  screening_pending: ScreeningPendingError,
  unavailable: UnavailableError,
}
