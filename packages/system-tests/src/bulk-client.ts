/** Submits bulk jobs as a careful integrator does: under an Idempotency-Key, with retries until the API accepts the job. */
import type { Client } from './client.js'
import { until } from './until.js'

export interface BulkJob {
  readonly job_id: string
  readonly status: string
  readonly total: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly completed_at: string | null
  readonly results:
    | readonly {
        readonly number: number
        readonly address: string
        readonly status: string
        readonly report?: { readonly report_id: string; readonly address: string }
        readonly error?: { readonly code: string }
      }[]
    | null
}

/** Time limit for the acceptance of a submission, including kills. */
const ACCEPT_TIMEOUT_MS = 180_000

/** Returns the first answer that accepts the job; every repeat uses the same key. */
export async function submitJob(
  client: Client,
  addresses: readonly string[],
  idempotencyKey: string,
): Promise<BulkJob> {
  const body = JSON.stringify({ addresses })
  const answer = await until(`job ${idempotencyKey} to be accepted`, ACCEPT_TIMEOUT_MS, async () => {
    const answer = await client.send('POST', '/v1/bulk', body, { 'idempotency-key': idempotencyKey })
    return answer.status >= 500 || answer.status === 409 ? null : answer
  })
  if (answer.status !== 202)
    throw new Error(`job ${idempotencyKey} is answered ${answer.status}: ${answer.text.slice(0, 300)}`)
  return JSON.parse(answer.text) as BulkJob
}

/** Returns null when the API fails; throws when the API rejects the job. */
export async function readJob(client: Client, jobId: string): Promise<BulkJob | null> {
  const answer = await client.send('GET', `/v1/bulk/${jobId}`)
  if (answer.status === 200) return JSON.parse(answer.text) as BulkJob
  // The API must never reject a job that it accepted.
  // The account has its maximum number of answers under way.
  if (answer.status === 429) return null
  if (answer.status < 500) throw new Error(`job ${jobId} is answered ${answer.status}: ${answer.text}`)
  return null
}

export function endedJob(client: Client, jobId: string, timeoutMs: number): Promise<BulkJob> {
  return until(`the end of job ${jobId}`, timeoutMs, async () => {
    const job = await readJob(client, jobId)
    return job?.completed_at === null ? null : job
  })
}
