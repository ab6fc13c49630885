/** The answer of an endpoint that gives a PDF: the same bytes each time, with a tag that is known without rendering. */
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { OrderEndedError, ThreadPoolBusyError } from '@cupel/kit/concurrency'
import { RENDERER_VERSION } from '../../pdf/index.js'
import { z } from 'zod'
import {
  type Answer,
  type DescribedAnswer,
  namesTag,
  type LargeRead,
  refuse,
  type Refusal,
} from '@cupel/gate/http'
import type { KeptDocuments } from './kept-documents.js'

/** A thread renders some twenty reports a second. */
const BUSY_RETRY_SECONDS = 1
/** A document that took too long is refused until then. */
const TOO_LONG_RETRY_SECONDS = 600
const PDF = 'application/pdf'

const ETAG_HEADER = {
  description: 'Names these bytes: what is shown and the version of the renderer. Send it as If-None-Match.',
  schema: z.string(),
}

export const PDF_ANSWERS: readonly DescribedAnswer[] = [
  {
    status: 200,
    description: 'The document.',
    contentType: PDF,
    // Without the format, programs made from the description decode the bytes as text.
    schema: z.string().meta({ description: 'Bytes of a PDF, not text.', format: 'binary' }),
    example: '%PDF-1.7 …',
    headers: {
      ETag: ETAG_HEADER,
      'Content-Disposition': { description: 'A name for the file.', schema: z.string() },
    },
  },
  {
    status: 304,
    description: 'The document is the one that If-None-Match names.',
    headers: { ETag: ETAG_HEADER },
  },
]

export interface Rendering {
  readonly accountId: string
  /** Differs where the document differs. */
  readonly identity: string
  /** Name of the file, without its ending. */
  readonly name: string
  /** Returns a refusal if the caller has reached the limit of large answers under way. */
  begin(): LargeRead | Refusal
  render(read: LargeRead): Promise<Uint8Array>
}

/** 304 where the caller has the document, and `unavailable` where too many are being rendered. */
export async function pdfAnswer(
  kept: KeptDocuments,
  headers: IncomingHttpHeaders,
  { accountId, identity, name, begin, render }: Rendering,
): Promise<Answer | Refusal> {
  const digest = createHash('sha256').update(identity).digest('hex').slice(0, 32)
  const etag = `"${digest}-${RENDERER_VERSION}"`
  if (namesTag(headers['if-none-match'], etag)) return { status: 304, headers: { etag }, body: null }
  const answerOf = (body: Uint8Array): Answer => ({
    status: 200,
    contentType: PDF,
    headers: { etag, 'content-disposition': `attachment; filename="${name}.pdf"` },
    body,
  })
  const known = kept.get(accountId, etag)
  if (known !== undefined) return answerOf(known)
  const read = begin()
  if ('code' in read) return read
  try {
    const body = await render(read)
    kept.keep(accountId, etag, body)
    return answerOf(body)
  } catch (error) {
    if (error instanceof OrderEndedError)
      return refuse('unavailable', 'This document takes too long to render.', {
        retryAfterSeconds: TOO_LONG_RETRY_SECONDS,
      })
    if (!(error instanceof ThreadPoolBusyError)) throw error
    return refuse('unavailable', 'Too many documents are being rendered.', {
      retryAfterSeconds: BUSY_RETRY_SECONDS,
    })
  } finally {
    read.close()
  }
}
