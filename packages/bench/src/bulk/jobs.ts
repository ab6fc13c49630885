/** Submits and polls bulk jobs through the API, as a client does. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Job {
  readonly job_id: string
  readonly total: number
  readonly completed: number
  readonly created_at: string
  readonly completed_at: string | null
}

export interface Jobs {
  submit(key: string, addresses: readonly string[]): Promise<Job>
  get(key: string, jobId: string): Promise<Job>
  cancel(key: string, jobId: string): Promise<Job>
}

/** A busy machine may answer 503; the client retries under the same Idempotency-Key. */
const MAX_ATTEMPTS = 50
const RETRY_MS = 200

export function openJobs(baseUrl: string): Jobs {
  const attempt = async (
    key: string,
    method: string,
    path: string,
    more: Partial<RequestInit>,
  ): Promise<Response> => {
    for (let attempts = 1; ; attempts += 1) {
      const headers = {
        authorization: `Bearer ${key}`,
        ...(more.headers as Record<string, string> | undefined),
      }
      const response = await fetch(baseUrl + path, { ...more, method, headers })
      if ((response.status !== 503 && response.status !== 409) || attempts === MAX_ATTEMPTS) return response
      await response.arrayBuffer()
      await sleep(RETRY_MS)
    }
  }
  const call = async (
    key: string,
    method: string,
    path: string,
    more: Partial<RequestInit> = {},
  ): Promise<Job> => {
    const response = await attempt(key, method, path, more)
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`)
    return JSON.parse(text) as Job
  }
  return {
    submit: (key, addresses) =>
      call(key, 'POST', '/v1/bulk', {
        headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
        body: JSON.stringify({ addresses }),
      }),
    get: (key, jobId) => call(key, 'GET', `/v1/bulk/${jobId}`),
    cancel: (key, jobId) => call(key, 'POST', `/v1/bulk/${jobId}/cancel`),
  }
}
