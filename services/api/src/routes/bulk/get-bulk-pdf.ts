/** GET /v1/bulk/{job_id}/pdf: an ended job as a document for people. The same job gives the same bytes. */
import type { PdfRenderer } from '@cupel/report-pdf'
import type { Caller } from '@cupel/access'
import type { JobReading } from '@cupel/read-models'
import type { z } from 'zod'
import { aroundResults, jobDocument, resultDocuments } from '../../bulk/job-documents.js'
import type { BulkParts } from '../../bulk/open-bulk.js'
import { isLarge, wholeResults } from '../../bulk/result-slices.js'
import { PDF_ANSWERS, pdfAnswer } from '../../documents/pdf-answer.js'
import { keyedEndpoint, type Endpoint } from '../../http/endpoint.js'
import type { LargeRead } from '../../http/large-reads.js'
import { refuse } from '../../http/problem.js'
import { jobPath } from './job-description.js'
import { jobRefusal } from './job-refusals.js'

export function getBulkPdf(
  { reader, readReports, largeReads, resultsUrl }: BulkParts,
  renderer: PdfRenderer,
): Endpoint {
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
      const standing = await reader.findOverview(caller, path.job_id)
      if (standing.kind !== 'job') return jobRefusal(standing)
      if (!standing.job.isTerminal)
        return refuse('job_not_ended', 'The job is still running; its summary is made of all its results.')
      const { livemode } = caller
      const read = isLarge(standing.job.total) ? largeReads.open(caller) : null
      if (read !== null && 'code' in read) return read
      const found = await reader.find(caller, path.job_id, read?.slice).catch(closing(read))
      if (found.kind !== 'job') {
        read?.close()
        return jobRefusal(found)
      }
      const { job } = found
      const rendering = {
        // Reports never change, so their ids stand for them.
        identity: jobDocument(job, livemode, resultsUrl, null) + JSON.stringify(job.items),
        name: `cupel-bulk-${path.job_id}`,
        render: async () => await renderer.renderBulk(await documentOf(read, caller, job)),
      }
      return await pdfAnswer(headers, rendering).finally(() => read?.close())
    },
  })

  /** With the results inline. */
  async function documentOf(read: LargeRead | null, caller: Caller, job: JobReading): Promise<string> {
    if (read === null)
      return jobDocument(
        job,
        caller.livemode,
        resultsUrl,
        resultDocuments(job.items, await readReports(caller, job.items)),
      )
    return await wholeResults(read, {
      stretches: [job.items],
      readReports: (items) => readReports(caller, items),
      textOf: resultDocuments,
      ...aroundResults(job, caller.livemode, resultsUrl),
    })
  }
}

/** Passes a fault on after it closed the read. */
const closing =
  (read: LargeRead | null) =>
  (error: unknown): never => {
    read?.close()
    throw error
  }
