/** POST /v1/bulk/{job_id}/cancel: ends a job early. */
import type { z } from 'zod'
import { jobDocument } from './results/job-documents.js'
import type { BulkParts } from './results/open-bulk.js'
import { jsonAnswer, keyedEndpoint, recorded, type Endpoint, refuse, statuses } from '@cupel/gate/http'
import { bulkJob, jobPath, runningExample } from './job-description.js'
import { jobRefusal } from './job-refusals.js'

/** If the log did not acknowledge, a retry after this time usually works. */
const RETRY_SECONDS = 1

export function cancelBulkJob({ jobs, reader, resultsUrl }: BulkParts): Endpoint {
  return keyedEndpoint<z.infer<typeof jobPath>>({
    operationId: 'cancelBulkJob',
    method: 'POST',
    path: '/v1/bulk/{job_id}/cancel',
    tag: 'Bulk jobs',
    summary: 'Cancel a job',
    description:
      'Cancels the job within a moment. Items that are done keep their result; every other item and the job become `cancelled`. The answer shows the job as it was when the request was accepted. A job that has ended does not change.',
    access: 'read-write',
    pathSchema: jobPath,
    answers: [
      {
        status: statuses.accepted,
        description: 'The job will be cancelled, unless it has ended.',
        contentType: 'application/json',
        schema: bulkJob,
        example: runningExample,
      },
    ],
    problems: ['not_found', 'unavailable'],
    async handle(call, { path }) {
      const { caller } = call
      const found = await reader.findOverview(caller, path.job_id)
      if (found.kind !== 'job') return jobRefusal(found)
      const answer = jsonAnswer(statuses.accepted, jobDocument(found.job, caller.livemode, resultsUrl, null))
      if (found.job.isTerminal) return answer
      if (await jobs.cancel({ call, jobId: path.job_id })) return recorded(answer)
      return refuse('unavailable', 'The request to cancel could not be accepted.', {
        retryAfterSeconds: RETRY_SECONDS,
      })
    },
  })
}
