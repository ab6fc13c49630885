/** GET /v1/bulk/{job_id}: how a job stands, and its results once it has ended. */
import { z } from 'zod'
import { aroundResults, jobDocument, resultDocuments } from '../../bulk/job-documents.js'
import type { BulkParts } from '../../bulk/open-bulk.js'
import { endedStretches, isLarge, slicedResults } from '../../bulk/result-slices.js'
import { jsonAnswer, keyedEndpoint, type Endpoint } from '../../http/endpoint.js'
import { bulkJob, endedExample, jobPath } from './job-description.js'
import { jobRefusal } from './job-refusals.js'

const jobQuery = z.strictObject({
  results: z
    .enum(['inline', 'none'])
    .default('inline')
    .meta({ override: { type: 'string', enum: ['inline', 'none'], default: 'inline' } })
    .describe('`none`: without the results, which may be megabytes, also once the job has ended.'),
})

export function getBulkJob({ reader, readReports, largeReads, resultsUrl }: BulkParts): Endpoint {
  return keyedEndpoint<z.infer<typeof jobPath>, z.infer<typeof jobQuery>>({
    operationId: 'getBulkJob',
    method: 'GET',
    path: '/v1/bulk/{job_id}',
    tag: 'Bulk jobs',
    summary: 'Get a job',
    description:
      'The state of the job: its counters grow while it runs, and `completed + failed + cancelled = total` once it has ended. Then `results` holds an item for each address, in the order of the submission. A job of another account, or of the other environment, is answered like one that does not exist.',
    access: 'read-only',
    pathSchema: jobPath,
    querySchema: jobQuery,
    answers: [
      {
        status: 200,
        description: 'The job.',
        contentType: 'application/json',
        schema: bulkJob,
        example: endedExample,
      },
    ],
    problems: ['not_found', 'unavailable'],
    async handle({ caller }, { path, query }) {
      const found = await reader.findOverview(caller, path.job_id)
      if (found.kind !== 'job') return jobRefusal(found)
      const { job } = found
      const documentWith = (results: string | null) =>
        jsonAnswer(200, jobDocument(job, caller.livemode, resultsUrl, results))
      if (!job.isTerminal || query.results === 'none') return documentWith(null)
      if (isLarge(job.total)) {
        const read = largeReads.open(caller)
        if ('code' in read) return read
        const chunks = slicedResults(read, {
          stretches: endedStretches(read, reader, caller, job),
          readReports: (items) => readReports(caller, items),
          textOf: resultDocuments,
          ...aroundResults(job, caller.livemode, resultsUrl),
        })
        return largeReads.answer(read, { contentType: 'application/json' }, chunks)
      }
      const all = await reader.findEndedResults(caller, { jobId: job.jobId, from: 0, size: job.total })
      if (all === null) return jobRefusal({ kind: 'behind' })
      return documentWith(resultDocuments(all.items, await readReports(caller, all.items)))
    },
  })
}
