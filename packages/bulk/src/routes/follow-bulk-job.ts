/** GET /v1/bulk/{job_id}/events: the state of a job, sent whenever it changes, until the job has ended. */
import type { JobOverview } from '../read-model/index.js'
import { z } from 'zod'
import { jobDocument } from './results/job-documents.js'
import { stateOf } from './results/job-watch.js'
import type { BulkParts } from './results/open-bulk.js'
import {
  keyedEndpoint,
  type Answer,
  type Endpoint,
  EVENT_STREAM_TYPE,
  type EventStream,
  type Refusal,
  statuses,
} from '@cupel/gate/http'
import { jobPath, runningExample } from './job-description.js'
import { jobRefusal } from './job-refusals.js'

/** Some readers of the description check whole answers against a schema, others check one event after the other. */
const eventStream = z.union([
  z.string().describe('The stream as it is sent.'),
  z
    .object({
      event: z.string().describe('`progress` or `ended`; others may be added.'),
      id: z.string(),
      data: z.string().describe('The job as JSON, without its results.'),
    })
    .meta({ id: 'BulkJobEvent' })
    .describe('One of its events.'),
])

export function followBulkJob({ reader, watch, streams, resultsUrl }: BulkParts): Endpoint {
  return keyedEndpoint<z.infer<typeof jobPath>>({
    operationId: 'followBulkJob',
    method: 'GET',
    path: '/v1/bulk/{job_id}/events',
    tag: 'Bulk jobs',
    summary: 'Follow a job',
    description:
      'Server-sent events: `progress` whenever the counters have changed, then `ended`, and the stream ends. The data of each is the job as one line of JSON, without its results. The first event tells how the job stands now; with `Last-Event-ID` it is left out where it would say the same again. A stream that ends without `ended` (after ten minutes, say) is to be opened again, as an `EventSource` does by itself; once it has the end it is answered 204, which tells it to stop. One key may hold 16 streams open on an instance, and one account 64. A reader that does not keep up is disconnected.',
    access: 'read-only',
    pathSchema: jobPath,
    answers: [
      {
        status: statuses.ok,
        description: 'The stream.',
        contentType: EVENT_STREAM_TYPE,
        schema: eventStream,
        example: STREAM_EXAMPLE,
        headers: {
          'X-Accel-Buffering': {
            description: 'Proxies must pass events on as they come.',
            schema: z.string(),
            example: 'no',
          },
        },
      },
      { status: statuses.noContent, description: 'The job has ended, and Last-Event-ID names its end.' },
    ],
    problems: ['not_found', 'too_many_streams', 'unavailable'],
    async handle({ caller, headers }, { path }): Promise<Answer | Refusal> {
      const refusal = streams.refusal(caller)
      if (refusal !== null) return refusal
      const found = await reader.findOverview(caller, path.job_id)
      if (found.kind !== 'job') return jobRefusal(found)
      const { job } = found
      const lastEventId = headers['last-event-id']
      if (job.isTerminal && lastEventId === stateOf(job)) return { status: statuses.noContent, body: null }
      const { accountId, keyId, livemode } = caller
      return streams.answer({ accountId, keyId }, (stream) => {
        const tell = teller(stream, String(lastEventId ?? ''), (of) =>
          jobDocument(of, livemode, resultsUrl, null),
        )
        tell(job)
        return job.isTerminal ? () => undefined : watch.follow({ accountId, livemode }, path.job_id, tell)
      })
    },
  })
}

const { job_id, total, completed, failed, cancelled, status } = runningExample
const STREAM_EXAMPLE = `event: progress\nid: ${[status, completed, failed, cancelled].join('.')}\ndata: ${JSON.stringify({ job_id, status, total, completed, failed, cancelled })}\n\n`

function teller(
  stream: EventStream,
  lastEventId: string,
  documentOf: (job: JobOverview) => string,
): (job: JobOverview) => void {
  let told = lastEventId
  return (job) => {
    const id = stateOf(job)
    if (id === told) return
    told = id
    stream.send({ type: job.isTerminal ? 'ended' : 'progress', id, data: documentOf(job) })
    if (job.isTerminal) stream.end()
  }
}
