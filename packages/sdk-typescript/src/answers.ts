/** Reads answers. An answer without a field that decisions depend on is rejected: nothing is guessed. */
import { UnexpectedAnswerError } from './errors.js'
import type { Answer } from './transport/call.js'
import { isObject, jsonOf, type JsonObject } from './transport/json.js'
import type { AsOfScreening, BulkJob, Report, Transfer } from './generated/models.js'

export function objectOf(answer: Answer): JsonObject {
  expectType(answer, /^application\/(?:[a-z.-]+\+)?json\b/i, 'JSON')
  const value = jsonOf(answer.body)
  if (isObject(value)) return value
  throw new UnexpectedAnswerError('The body is not a JSON object', answer)
}

/** The report that matches `expected`: the address that was sent, or the id that was requested. */
export function reportOf(answer: Answer, expected: { address?: string; report_id?: string }): Report {
  const value = objectOf(answer)
  const risk = value['risk']
  if (typeof value['report_id'] !== 'string' || !isObject(risk) || typeof risk['level'] !== 'string')
    throw new UnexpectedAnswerError('The body is not a report', answer)
  for (const [name, wanted] of Object.entries(expected))
    if (value[name] !== wanted)
      throw new UnexpectedAnswerError(
        `The report has another ${name} than the one that was asked for`,
        answer,
      )
  return value as unknown as Report
}

/** The screened transfer; with an id, the one that was requested. */
export function transferOf(answer: Answer, transferId?: string): Transfer {
  const value = objectOf(answer)
  if (typeof value['transfer_id'] !== 'string' || typeof value['recommendation'] !== 'string')
    throw new UnexpectedAnswerError('The body is not a transfer', answer)
  if (transferId !== undefined && value['transfer_id'] !== transferId)
    throw new UnexpectedAnswerError(
      'The transfer has another transfer_id than the one that was asked for',
      answer,
    )
  return value as unknown as Transfer
}

/** The past screening of the address that was sent. A report is rejected in its place: its decision is for now, not for that moment. */
export function asOfScreeningOf(answer: Answer, address: string): AsOfScreening {
  const value = objectOf(answer)
  const report = isObject(value['report']) ? value['report'] : {}
  const risk = report['risk']
  if (value['object'] !== 'as_of_screening' || !isObject(risk) || typeof risk['level'] !== 'string')
    throw new UnexpectedAnswerError('The body is not a screening as of a past moment', answer)
  if (report['address'] !== address)
    throw new UnexpectedAnswerError(
      'The screening has another address than the one that was asked for',
      answer,
    )
  return value as unknown as AsOfScreening
}

export function jobOf(answer: Answer, jobId?: string): BulkJob {
  const value = objectOf(answer)
  const end = value['completed_at']
  if (typeof value['job_id'] !== 'string' || typeof value['status'] !== 'string' || !isTextOrNull(end))
    throw new UnexpectedAnswerError('The body is not a bulk job', answer)
  if (jobId !== undefined && value['job_id'] !== jobId)
    throw new UnexpectedAnswerError('The job has another job_id than the one that was asked for', answer)
  return value as unknown as BulkJob
}

/** A page of a list. */
export interface Page<T> {
  readonly items: readonly T[]
  /** The token for the next page; null at the end. */
  readonly next_page_token: string | null
}

export function pageOf<T>(answer: Answer): Page<T> {
  const value = objectOf(answer)
  if (!Array.isArray(value['items']) || !isTextOrNull(value['next_page_token']))
    throw new UnexpectedAnswerError('The body is not a page of a list', answer)
  return value as unknown as Page<T>
}

/** A document as bytes. */
export interface Download {
  readonly content: Uint8Array
  readonly contentType: string
  /** The name that the service proposes; null if it proposes none. */
  readonly filename: string | null
  readonly etag: string | null
}

export function documentOf(answer: Answer, type: RegExp): Download {
  expectType(answer, type, 'the document that was asked for')
  const disposition = answer.headers.get('content-disposition') ?? ''
  return {
    content: answer.body,
    contentType: answer.headers.get('content-type') ?? '',
    filename: /filename="([^"]*)"/.exec(disposition)?.[1] ?? null,
    etag: answer.headers.get('etag'),
  }
}

function expectType(answer: Answer, type: RegExp, what: string): void {
  const given = answer.headers.get('content-type') ?? ''
  if (type.test(given)) return
  const shown = given === '' ? 'no content type' : given.slice(0, 80)
  throw new UnexpectedAnswerError(`The answer is not ${what}, but has ${shown}`, answer)
}

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string'
