/** POST /v1/bulk/{job_id}/cancel: ends a job early. */
import type { z } from 'zod'
import { jobDocument } from '../../bulk/job-documents.js'
import type { BulkParts } from '../../bulk/open-bulk.js'
import { jsonAnswer, keyedEndpoint, recorded, type Endpoint } from '../../http/endpoint.js'
import { refuse } from '../../http/problem.js'
import { statuses } from '../../http/status.js'
import { bulkJob, jobPath, runningExample } from './job-description.js'
import { jobRefusal } from './job-refusals.js'

/** Waiting so long usually helps where the log did not acknowledge. */
const RETRY_SECONDS = 1

export function cancelBulkJob({ jobs, reader, resultsUrl }: BulkParts): Endpoint {
  return keyedEndpoint<z.infer<typeof jobPath>>({
    operationId: 'cancelBulkJob',
    method: 'POST',
    path: '/v1/bulk/{job_id}/cancel',
    tag: 'Bulk',
    summary: 'Cancel a job',
    description:
      'Ends the job within a moment: what is done stands, every other item becomes `cancelled`, and so does the job. The answer shows the job as it stands when the request is accepted. A job that has ended stays as it is.',
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
      const found = await reader.find(caller, path.job_id)
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
