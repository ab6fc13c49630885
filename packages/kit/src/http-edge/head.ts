/** Judges the head of a request: whether a proxy and this service read the same request. */
import type { IncomingMessage } from 'node:http'

/** Lines of a head. A client needs about thirty. Node drops lines of very long heads, including lines that a proxy appended. */
const MAX_HEAD_LINES = 100
/** Fields of which a second line would let a proxy and this service read different requests. */
const SINGLE_FIELDS = ['host', 'authorization'] as const

export interface HeadFault {
  readonly code: 'head_too_large' | 'invalid_request'
  readonly detail: string
}

/** Null where nothing is wrong. */
export function headFaultOf({
  httpVersion,
  headers,
  rawHeaders,
}: Pick<IncomingMessage, 'httpVersion' | 'headers' | 'rawHeaders'>): HeadFault | null {
  if (rawHeaders.length > 2 * MAX_HEAD_LINES)
    return { code: 'head_too_large', detail: 'The head of the request has too many lines.' }
  // RFC 9112, section 3.2.
  if (httpVersion === '1.1' && headers.host === undefined)
    return { code: 'invalid_request', detail: 'The Host header is missing.' }
  const repeated = SINGLE_FIELDS.find((name) => countOf(name, rawHeaders) > 1)
  if (repeated === undefined) return null
  return { code: 'invalid_request', detail: `The ${repeated} header is given twice.` }
}

/** `rawHeaders`: alternating names and values, as Node gives them. */
export function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === name.length && rawHeaders[at]!.toLowerCase() === name) count += 1
  return count
}

/** Whether a caller takes an answer that is packed with gzip: `accepted` is its Accept-Encoding. */
export const takesGzip = (accepted: string | readonly string[] | undefined): boolean =>
  /(?:^|,)\s*gzip\s*(?:,|$)/i.test(String(accepted ?? ''))
