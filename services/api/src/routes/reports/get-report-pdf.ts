/** GET /v1/reports/{report_id}/pdf: a report as a document for people. The same report gives the same bytes. */
import type { PdfRenderer } from '@cupel/report-pdf'
import type { z } from 'zod'
import { keyedEndpoint, type Endpoint } from '../../http/endpoint.js'
import { PDF_ANSWERS, pdfAnswer } from '../../documents/pdf-answer.js'
import type { ReportReader } from '../../screening/report-reader.js'
import { refusalOf, reportPath } from './get-report.js'

export function getReportPdf(reports: ReportReader, renderer: PdfRenderer): Endpoint {
  return keyedEndpoint<z.infer<typeof reportPath>>({
    operationId: 'getReportPdf',
    method: 'GET',
    path: '/v1/reports/{report_id}/pdf',
    tag: 'Reports',
    summary: 'Get a report as a PDF',
    description:
      'The report as a document for people: PDF/A-3b, with the report itself attached as `report.json`. The same report gives the same bytes until the renderer changes; `If-None-Match` with the `ETag` of an earlier answer is answered 304. While too many reports are being rendered the answer is 503 `unavailable` with `Retry-After`.',
    access: 'read-only',
    pathSchema: reportPath,
    answers: PDF_ANSWERS,
    problems: ['not_found', 'screening_failed', 'screening_pending', 'unavailable'],
    async handle({ caller, headers }, { path }) {
      const found = await reports.find(caller, path.report_id)
      if (found.kind !== 'report') return refusalOf(found.kind, path.report_id)
      const { document } = found
      return await pdfAnswer(headers, {
        identity: document,
        name: `cupel-report-${path.report_id}`,
        render: () => renderer.render(document),
      })
    },
  })
}
