/** GET /v1/reports/{report_id}/pdf: a report as a document for people. The same report gives the same bytes. */
import { createHash } from 'node:crypto'
import { RENDERER_VERSION, RendererBusyError, type PdfRenderer } from '@cupel/report-pdf'
import { z } from 'zod'
import { keyedEndpoint, type Answer, type Endpoint } from '../../http/endpoint.js'
import { namesTag } from '../../http/entity-tag.js'
import { refuse, type Refusal } from '../../http/problem.js'
import type { ReportReader } from '../../screening/report-reader.js'
import { refusalOf, reportPath } from './get-report.js'

/** A thread renders some ten reports a second. */
const BUSY_RETRY_SECONDS = 1
const PDF = 'application/pdf'

const ETAG_HEADER = {
  description: 'Names these bytes: the report and the version of the renderer. Send it as If-None-Match.',
  schema: z.string(),
}

export function getReportPdf(reports: ReportReader, renderer: PdfRenderer): Endpoint {
  return keyedEndpoint<z.infer<typeof reportPath>>({
    operationId: 'getReportPdf',
    method: 'GET',
    path: '/v1/reports/{report_id}/pdf',
    tag: 'Screening',
    summary: 'Get a report as a PDF',
    description:
      'The report as a document for people: PDF/A-3b, with the report itself attached as `report.json`. The same report gives the same bytes until the renderer changes; `If-None-Match` with the `ETag` of an earlier answer is answered 304. While too many reports are being rendered the answer is 503 `unavailable` with `Retry-After`.',
    access: 'read-only',
    pathSchema: reportPath,
    answers: [
      {
        status: 200,
        description: 'The document.',
        contentType: PDF,
        schema: z.string().describe('Bytes of a PDF, not text.'),
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
    ],
    problems: ['not_found', 'screening_failed', 'screening_pending', 'unavailable'],
    async handle({ caller, headers }, { path }) {
      const found = await reports.find(caller, path.report_id)
      if (found.kind !== 'report') return refusalOf(found.kind, path.report_id)
      const etag = tagOf(found.document)
      if (namesTag(headers['if-none-match'], etag)) return { status: 304, headers: { etag }, body: null }
      return await documentOf(found.document, path.report_id, { etag, renderer })
    },
  })
}

/** Of the stored text and the renderer, so that it is known without rendering. */
const tagOf = (document: string): string =>
  `"${createHash('sha256').update(document).digest('hex').slice(0, 32)}-${RENDERER_VERSION}"`

async function documentOf(
  document: string,
  reportId: string,
  { etag, renderer }: { readonly etag: string; readonly renderer: PdfRenderer },
): Promise<Answer | Refusal> {
  try {
    return {
      status: 200,
      contentType: PDF,
      headers: { etag, 'content-disposition': `attachment; filename="cupel-report-${reportId}.pdf"` },
      body: await renderer.render(document),
    }
  } catch (error) {
    if (!(error instanceof RendererBusyError)) throw error
    return refuse('unavailable', 'Too many reports are being rendered.', {
      retryAfterSeconds: BUSY_RETRY_SECONDS,
    })
  }
}
