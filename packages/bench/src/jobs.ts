/** Calls the API as a client does, and submits and polls bulk jobs. */
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Job {
  readonly job_id: string
  readonly total: number
  readonly completed: number
  readonly completed_at: string | null
}

export interface Jobs {
  submit(addresses: number): Promise<string>
  get(jobId: string): Promise<Job>
  cancel(jobId: string): Promise<Job>
  /** Waits until the job ended, and looks every `lookMs`. Throws if an item is missing. */
  ended(jobId: string, lookMs: number): Promise<Job>
}

/** A busy machine may answer 503; the client retries under the same Idempotency-Key. */
const MAX_ATTEMPTS = 50
const RETRY_MS = 200

export const newAddress = (): string => `0x${randomBytes(20).toString('hex')}`

/** A GET without a body; null is a POST without one. */
export function callApi(
  url: string,
  key: string,
  body?: object | null,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, ...more }
  if (body === undefined) return fetch(url, { headers })
  if (body === null) return fetch(url, { headers, method: 'POST' })
  const typed = { ...headers, 'content-type': 'application/json' }
  return fetch(url, { headers: typed, method: 'POST', body: JSON.stringify(body) })
}

export function openJobs(baseUrl: string, key: string): Jobs {
  const call = async (path: string, body?: object | null): Promise<Job> => {
    const repeated = { 'idempotency-key': randomUUID() }
    for (let attempts = 1; ; attempts += 1) {
      const response = await callApi(`${baseUrl}/v1/bulk${path}`, key, body, repeated)
      const text = await response.text()
      if (response.ok) return JSON.parse(text) as Job
      const isLater = response.status === 503 || response.status === 409
      if (!isLater || attempts === MAX_ATTEMPTS)
        throw new Error(`/v1/bulk${path}: ${response.status} ${text.slice(0, 200)}`)
      await sleep(RETRY_MS)
    }
  }
  const get = (jobId: string): Promise<Job> => call(`/${jobId}?results=none`)
  return {
    get,
    submit: async (addresses) =>
      (await call('', { addresses: Array.from({ length: addresses }, newAddress) })).job_id,
    cancel: (jobId) => call(`/${jobId}/cancel`, null),
    async ended(jobId, lookMs) {
      for (;;) {
        const job = await get(jobId)
        if (job.completed_at === null) await sleep(lookMs)
        else if (job.completed === job.total) return job
        else throw new Error(`${jobId} ended with ${job.completed} of ${job.total}`)
      }
    },
  }
}
