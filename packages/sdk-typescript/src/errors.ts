/** The base class of all errors that the client itself throws. A call that is aborted rejects with the reason of its signal. */
export class CupelError extends Error {
  override name = 'CupelError'
}

/** The client cannot work with its settings: no key, an unusable URL, a browser. */
export class ConfigurationError extends CupelError {
  override name = 'ConfigurationError'
}

/** An argument cannot be sent. Nothing was sent. */
export class InvalidArgumentError extends CupelError {
  override name = 'InvalidArgumentError'
}

/** No answer arrived: the connection failed or was lost. The call may have been carried out. */
export class ConnectionFailedError extends CupelError {
  override name = 'ConnectionFailedError'
}

/** No answer arrived in time. The call may have been carried out. */
export class TimedOutError extends ConnectionFailedError {
  override name = 'TimedOutError'
}

/** The answer is not one that the API describes: a proxy’s page, a redirect, another address. The outcome is unknown. */
export class UnexpectedAnswerError extends CupelError {
  override name = 'UnexpectedAnswerError'
  /** HTTP status of the answer. */
  readonly status: number
  readonly requestId: string | null

  constructor(message: string, answer: { readonly status: number; readonly headers: Headers }) {
    const requestId = answer.headers.get('request-id')
    super(`${message} (${answer.status}${requestId === null ? '' : `, request ${requestId}`})`)
    this.status = answer.status
    this.requestId = requestId
  }
}

/** A message that must not be trusted. Answer it with 400. */
export class WebhookVerificationError extends CupelError {
  override name = 'WebhookVerificationError'
}

/** Why a record does not count as one of the installation. */
export type RecordFault = 'no_signature' | 'malformed' | 'unknown_key' | 'wrong_signature'

/** A record that must not be believed: another producer wrote or changed it. */
export class RecordVerificationError extends CupelError {
  override name = 'RecordVerificationError'
  readonly reason: RecordFault

  constructor(reason: RecordFault, message: string) {
    super(message)
    this.reason = reason
  }
}

/** A proof that does not prove the report. The message is a sentence that says why. */
export class ProofVerificationError extends CupelError {
  override name = 'ProofVerificationError'
}

/** One error in a request. */
export interface FieldError {
  /** JSON Pointer (RFC 6901) into the body; empty for the whole body. */
  readonly pointer: string
  readonly detail: string
}

/** The content of an error answer. */
export interface ProblemFacts {
  /** HTTP status. */
  readonly status: number
  /** One of the published codes, to which others may be added; null if the answer names none. */
  readonly code: string | null
  readonly title: string | null
  readonly detail: string | null
  /** Identifies the call in the audit log; quote it to the operator. */
  readonly requestId: string | null
  /** Seconds that the service asks callers to wait; null if it names no time. */
  readonly retryAfter: number | null
  readonly errors: readonly FieldError[]
  /** The id of the report that a screen will have when it is ready; null otherwise. */
  readonly reportId: string | null
}

/** The service answered with an error. Each status has a class, and each problem code a class below it. */
export class ApiError extends CupelError implements ProblemFacts {
  override name = 'ApiError'
  readonly status: number
  readonly code: string | null
  readonly title: string | null
  readonly detail: string | null
  readonly requestId: string | null
  readonly retryAfter: number | null
  readonly errors: readonly FieldError[]
  readonly reportId: string | null

  constructor(facts: ProblemFacts) {
    super(messageOf(facts))
    this.status = facts.status
    this.code = facts.code
    this.title = facts.title
    this.detail = facts.detail
    this.requestId = facts.requestId
    this.retryAfter = facts.retryAfter
    this.errors = facts.errors
    this.reportId = facts.reportId
  }
}

/** 400: the request must be corrected. */
export class BadRequestError extends ApiError {
  override name = 'BadRequestError'
}
/** 401: the key is not known. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError'
}
/** 403: the key may not do this, or not from this address. */
export class PermissionDeniedError extends ApiError {
  override name = 'PermissionDeniedError'
}
/** 404: this account has no such object in this environment. Also the class of the code `not_found`. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError'
}
/** 409: the call conflicts with the state of the resource, or with another call. */
export class ConflictError extends ApiError {
  override name = 'ConflictError'
}
/** 422: well-formed, but not possible. */
export class UnprocessableError extends ApiError {
  override name = 'UnprocessableError'
}
/** 429: too many calls. `retryAfter` says when to retry. */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError'
}
/** Any other 4xx. */
export class RequestError extends ApiError {
  override name = 'RequestError'
}
/** 5xx: the service could not carry out the call now. */
export class ServerError extends ApiError {
  override name = 'ServerError'
}

const adviceByCode: Readonly<Record<string, string>> = {
  invalid_key: 'Check CUPEL_API_KEY.',
  scope_required: 'Use a key with the scope that the detail names.',
  ip_not_allowed: 'Call from an address that the key allows, or ask the operator to add this one.',
  https_required: 'Use an https base URL.',
  idempotency_mismatch: 'Use a new idempotency key for another request.',
  screening_timeout: 'The screening continues: fetch the report by reportId.',
}

function messageOf(facts: ProblemFacts): string {
  const { status, code, detail, title, requestId, retryAfter, errors } = facts
  const what = detail ?? title ?? 'The service answered with an error that names no reason.'
  const fields = errors.map((error) => `${error.pointer === '' ? 'body' : error.pointer}: ${error.detail}`)
  const advice = code === null ? undefined : adviceByCode[code]
  const later = retryAfter === null ? undefined : `Try again in ${retryAfter} s.`
  const where = [String(status), code, requestId === null ? null : `request ${requestId}`]
  const shown = fields.length === 0 ? '' : ` [${fields.join('; ')}]`
  const sentences = [`${what}${shown}`, advice, later].filter((part) => part !== undefined)
  return `${sentences.join(' ')} (${where.filter((part) => part !== null).join(', ')})`
}
