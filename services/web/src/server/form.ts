/** Reads the form of a POST. */
import type { IncomingMessage } from 'node:http'

/** A pasted or dropped file of a bulk job, with room. */
export const MAX_FORM_BYTES = 2 * 1_048_576

export type ReadForm =
  | { readonly ok: true; readonly form: FormData }
  | { readonly ok: false; readonly status: 400 | 413 | 415 }

const FORM_TYPE = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)(?:\s*;|$)/i

/** Never rejects; a request that ends early becomes a 400 that nobody reads. */
export async function readForm(request: IncomingMessage): Promise<ReadForm> {
  const contentType = request.headers['content-type'] ?? ''
  if (!FORM_TYPE.test(contentType)) return refused(request, 415)
  if (Number(request.headers['content-length'] ?? 0) > MAX_FORM_BYTES) return refused(request, 413)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_FORM_BYTES) return refused(request, 413)
      chunks.push(chunk)
    }
    const body = new Response(Buffer.concat(chunks), { headers: { 'content-type': contentType } })
    return { ok: true, form: await body.formData() }
  } catch {
    return { ok: false, status: 400 }
  }
}

/** The rest is read and dropped, because closing a connection with unread bytes can overtake the answer. */
function refused(request: IncomingMessage, status: 413 | 415): ReadForm {
  request.on('error', () => undefined).resume()
  return { ok: false, status }
}

export const EMPTY_FORM: FormData = new FormData()
