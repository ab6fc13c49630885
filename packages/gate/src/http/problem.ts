/** Refusals and faults as callers receive them: RFC 9457 problem documents, one code of the published list each. */
import { problemCodes, type ProblemCode } from '@cupel/contracts'
import { withoutApiKeys } from '@cupel/domain'
import type { Answer } from './answer.js'
import type { Fault } from './strict-json.js'

export const PROBLEM_MEDIA_TYPE = 'application/problem+json'

/** What went wrong, before it is put into words on the wire. */
export interface Refusal {
  readonly code: ProblemCode
  /** One sentence about this occurrence; never anything secret or of another account. */
  readonly detail: string
  readonly errors?: readonly Fault[]
  /** Further members of the document, for example `report_id`. */
  readonly members?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Whole seconds after which trying again makes sense. */
  readonly retryAfterSeconds?: number
}

/** At most this many faults are listed; a body with more is better looked at as a whole. */
const MAX_ERRORS = 20
/** A dependency that is down is often back by then. */
const UNAVAILABLE_RETRY_SECONDS = 1

export function refuse(
  code: ProblemCode,
  detail: string,
  rest: Omit<Refusal, 'code' | 'detail'> = {},
): Refusal {
  return { code, detail, ...rest }
}

export function isRefusal(result: Answer | Refusal): result is Refusal {
  return 'code' in result
}

/** Identifies the kind of problem for good. It names no host: a client resolves it against the address that it called, and finds a page. */
export function problemType(code: ProblemCode): string {
  return `/problems/${code}`
}

export function problemAnswer(refusal: Refusal, requestId: string): Answer & { readonly body: string } {
  const { status, title } = problemCodes[refusal.code]
  const headers: Record<string, string> = { ...refusal.headers }
  const retryAfter = refusal.retryAfterSeconds ?? (status === 503 ? UNAVAILABLE_RETRY_SECONDS : undefined)
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter)
  if (status === 401) headers['www-authenticate'] ??= 'Bearer realm="cupel"'
  const errors = errorsOf(refusal, status)
  const document = JSON.stringify({
    type: problemType(refusal.code),
    title,
    status,
    detail: refusal.detail,
    code: refusal.code,
    request_id: requestId,
    ...(errors.length > 0 ? { errors: errors.slice(0, MAX_ERRORS) } : {}),
    ...refusal.members,
  })
  // A pointer repeats the name of a sent field, and problems end up in the logs of others.
  const body = withoutApiKeys(document)
  return { status, contentType: PROBLEM_MEDIA_TYPE, headers, body }
}

/** Every 400 says what is at fault: the request as a whole where nothing else is named. */
function errorsOf({ errors = [], detail }: Refusal, status: number): readonly Fault[] {
  return errors.length === 0 && status === 400 ? [{ pointer: '', detail }] : errors
}
