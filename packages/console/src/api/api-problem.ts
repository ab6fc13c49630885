/** The errors of a call of the API. */

/** The API answered with a problem document. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly status: number
  /** Code of the published list. */
  readonly code: string
  /** One sentence about this occurrence. */
  readonly detail: string
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null
  /** Faults of fields, where the API lists them. */
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[]
  /** The whole problem document. */
  readonly document: Readonly<Record<string, unknown>>

  constructor(status: number, document: Readonly<Record<string, unknown>>, retryAfter: string | undefined) {
    const detail = textOf(document['detail']) ?? 'The call did not succeed.'
    super(detail)
    this.status = status
    this.document = document
    this.detail = detail
    this.code = textOf(document['code']) ?? 'unknown'
    this.requestId = textOf(document['request_id'])
    this.retryAfterSeconds =
      retryAfter === undefined || !/^\d{1,6}$/.test(retryAfter) ? null : Number(retryAfter)
    this.errors = Array.isArray(document['errors']) ? (document['errors'] as ApiProblem['errors']) : []
  }
}

/** The API cannot be reached, or broke off. */
export class ApiDown extends Error {
  override readonly name = 'ApiDown'
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** For what a page shows beside its subject: null where the API refuses it or is down. Rethrows everything else. */
export function nullWhereRefused(error: unknown): null {
  if (error instanceof ApiProblem || error instanceof ApiDown) return null
  throw error
}
