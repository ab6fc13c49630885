/** GET /v1/bulk/{job_id}/pdf: an ended job as a document for people. The same job gives the same bytes. */
import type { PdfRenderer } from '@cupel/reports/pdf'
import type { z } from 'zod'
import { tenantOf, type BulkParts } from './results/open-bulk.js'
import { gathered } from './results/read-results.js'
import { isLarge } from './results/result-slices.js'
import { type KeptDocuments, PDF_ANSWERS, pdfAnswer } from '@cupel/reports/routes'
import { keyedEndpoint, type Endpoint, closing, type LargeRead, refuse } from '@cupel/gate/http'
import { jobPath } from './job-description.js'
import { jobRefusal } from './job-refusals.js'

export function getBulkPdf(
  { reader, beginResults, largeReads, resultsUrl }: BulkParts,
  renderer: PdfRenderer,
  keptDocuments: KeptDocuments,
): Endpoint {
  return keyedEndpoint<z.infer<typeof jobPath>>({
    operationId: 'getBulkPdf',
    method: 'GET',
    path: '/v1/bulk/{job_id}/pdf',
    tag: 'Bulk jobs',
    summary: 'Get an ended job as a PDF',
    description:
      'A summary for people: how many addresses have which level, which to look at first, and which have no report, with links to the reports. PDF/A-3b and PDF/UA-1, with the results attached as `results.json`. A job that runs is answered 409 `job_not_ended`. The same job gives the same bytes until the renderer changes; `If-None-Match` with the `ETag` of an earlier answer is answered 304. While too many documents are being rendered the answer is 503 `unavailable` with `Retry-After`. An account renders one document after the other, and rests after each while other accounts call; with eight calls of a key under way a further one is answered 429 `rate_limited` with `Retry-After`.',
    access: 'read-only',
    pathSchema: jobPath,
    answers: PDF_ANSWERS,
    problems: ['not_found', 'job_not_ended', 'report_retired', 'unavailable'],
    async handle({ caller, headers }, { path }) {
      const standing = await reader.findOverview(caller, path.job_id)
      if (standing.kind !== 'job') return jobRefusal(standing)
      if (!standing.job.isTerminal)
        return refuse('job_not_ended', 'The job is still running; its summary is made of all its results.')
      const read = isLarge(standing.job.total) ? largeReads.open(caller) : null
      if (read !== null && 'code' in read) return read
      const begun = await beginResults(read, {
        ...{ form: 'document', tenant: tenantOf(caller), jobId: path.job_id },
        resultsUrl: resultsUrl(path.job_id),
      }).catch(closing(read))
      if (begun.kind !== 'results') {
        read?.close()
        return jobRefusal(begun)
      }
      const rendering = {
        accountId: caller.accountId,
        identity: `${begun.known.identity}${renderer.brandText}`,
        name: `cupel-bulk-${path.job_id}`,
        begin: () => read ?? largeReads.open(caller),
        render: async (rendered: LargeRead) => {
          const results = await gathered(begun.chunks)
          return await rendered.aside(() => renderer.renderBulk(results, caller.accountId))
        },
      }
      return await pdfAnswer(keptDocuments, headers, rendering).finally(() => {
        read?.close()
        return begun.chunks.return()
      })
    },
  })
}
