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
  type FieldError,
} from '../errors.js'
import { classByCode } from '../generated/problem-errors.js'
import { isObject, jsonOf } from './json.js'
import { retryAfterOf } from './waits.js'

const classByStatus: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableError,
  429: RateLimitError,
}

/**
 * The error for an answer with a status of 400 or more. The status decides about retries, so a code counts only under the
 * class of the received status: a proxy in between may have changed one of them.
 */
export function problemFrom(
  { status, headers }: { readonly status: number; readonly headers: Headers },
  body: Uint8Array,
  nowMs: number,
): ApiError {
  const parsed = jsonOf(body)
  const problem = isObject(parsed) ? parsed : {}
  const code = text(problem['code'])
  const facts = {
    status,
    code,
    title: text(problem['title']),
    detail: text(problem['detail']),
    requestId: headers.get('request-id') ?? text(problem['request_id']),
    retryAfter: retryAfterOf(headers, nowMs),
    errors: Array.isArray(problem['errors']) ? problem['errors'].filter(isFieldError) : [],
    reportId: text(problem['report_id']),
  }
  const ofStatus = classByStatus[status] ?? (status >= 500 ? ServerError : RequestError)
  const ofCode = code !== null && Object.hasOwn(classByCode, code) ? classByCode[code] : undefined
  const problemClass = ofCode !== undefined && descends(ofCode, ofStatus) ? ofCode : ofStatus
  return new problemClass(facts)
}

const descends = (one: typeof ApiError, other: typeof ApiError): boolean =>
  one === other || one.prototype instanceof other

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

const isFieldError = (value: unknown): value is FieldError =>
  isObject(value) && typeof value['pointer'] === 'string' && typeof value['detail'] === 'string'
