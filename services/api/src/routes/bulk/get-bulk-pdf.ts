/** GET /v1/bulk/{job_id}/pdf: an ended job as a document for people. The same job gives the same bytes. */
import type { PdfRenderer } from '@cupel/report-pdf'
import type { z } from 'zod'
import { jobDocument } from '../../bulk/job-documents.js'
import type { BulkParts } from '../../bulk/open-bulk.js'
import { PDF_ANSWERS, pdfAnswer } from '../../documents/pdf-answer.js'
import { keyedEndpoint, type Endpoint } from '../../http/endpoint.js'
import { refuse } from '../../http/problem.js'
import { jobPath } from './job-description.js'
import { jobRefusal } from './job-refusals.js'

export function getBulkPdf({ reader, readReports, resultsUrl }: BulkParts, renderer: PdfRenderer): Endpoint {
  return keyedEndpoint<z.infer<typeof jobPath>>({
    operationId: 'getBulkPdf',
    method: 'GET',
    path: '/v1/bulk/{job_id}/pdf',
    tag: 'Bulk jobs',
    summary: 'Get an ended job as a PDF',
    description:
      'A summary for people: how many addresses have which level, which to look at first, and which have no report, with links to the reports. PDF/A-3b, with the results attached as `results.json`. A job that runs is answered 409 `job_not_ended`. The same job gives the same bytes until the renderer changes; `If-None-Match` with the `ETag` of an earlier answer is answered 304. While too many documents are being rendered the answer is 503 `unavailable` with `Retry-After`.',
    access: 'read-only',
    pathSchema: jobPath,
    answers: PDF_ANSWERS,
    problems: ['not_found', 'job_not_ended', 'unavailable'],
    async handle({ caller, headers }, { path }) {
      const found = await reader.find(caller, path.job_id)
      if (found.kind !== 'job') return jobRefusal(found)
      const { job } = found
      if (!job.isTerminal)
        return refuse('job_not_ended', 'The job is still running; its summary is made of all its results.')
      const { livemode } = caller
      return await pdfAnswer(headers, {
        // Reports never change, so their ids stand for them.
        identity: jobDocument(job, livemode, resultsUrl, null) + JSON.stringify(job.items),
        name: `cupel-bulk-${path.job_id}`,
        render: async () =>
          renderer.renderBulk(jobDocument(job, livemode, resultsUrl, await readReports(caller, job.items))),
      })
    },
  })
}
