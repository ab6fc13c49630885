/** GET /v1/bulk/{job_id}: the state of a job, and its results once it has ended. */
import { z } from 'zod'
import { aroundResults, jobDocument } from './results/job-documents.js'
import { tenantOf, type BulkParts } from './results/open-bulk.js'
import { gathered } from './results/read-results.js'
import { isLarge } from './results/result-slices.js'
import { jsonAnswer, keyedEndpoint, type Endpoint, closing } from '@cupel/gate/http'
import { bulkJob, endedExample, jobPath } from './job-description.js'
import { jobRefusal } from './job-refusals.js'

const JSON_TYPE = 'application/json'

const jobQuery = z.strictObject({
  results: z
    .enum(['inline', 'none'])
    .default('inline')
    .meta({ override: { type: 'string', enum: ['inline', 'none'], default: 'inline' } })
    .describe('`none`: without the results, which may be megabytes, also once the job has ended.'),
})

export function getBulkJob({ reader, beginResults, largeReads, resultsUrl }: BulkParts): Endpoint {
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
        contentType: JSON_TYPE,
        schema: bulkJob,
        example: endedExample,
      },
    ],
    problems: ['not_found', 'unavailable'],
    async handle({ caller }, { path, query }) {
      const found = await reader.findOverview(caller, path.job_id)
      if (found.kind !== 'job') return jobRefusal(found)
      const { job } = found
      if (!job.isTerminal || query.results === 'none')
        return jsonAnswer(200, jobDocument(job, caller.livemode, resultsUrl, null))
      const read = isLarge(job.total) ? largeReads.open(caller) : null
      if (read !== null && 'code' in read) return read
      const begun = await beginResults(read, {
        ...{ form: 'inline', tenant: tenantOf(caller), jobId: job.jobId, total: job.total },
        ...aroundResults(job, caller.livemode, resultsUrl),
      }).catch(closing(read))
      if (begun.kind !== 'results') {
        read?.close()
        return jobRefusal(begun)
      }
      return read === null
        ? { status: 200, contentType: JSON_TYPE, body: await gathered(begun.chunks) }
        : largeReads.answer(read, { contentType: JSON_TYPE }, begun.chunks)
    },
  })
}
