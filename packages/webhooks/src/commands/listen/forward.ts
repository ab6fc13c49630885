/** Tells a program of the person's own machine of ended jobs, as a webhook endpoint is told: signed, with the same body. */
import { randomUUID } from 'node:crypto'
import { jobWebhookBody, type EndedItem, type PayloadKind } from '@cupel/domain'
import { signWebhook } from '../../index.js'

export { newWebhookSecret } from '../../index.js'

export interface ForwardOptions {
  /** JSON of GET on a path of the API. */
  readonly get: (path: string) => Promise<unknown>
  readonly forwardTo: string
  readonly secret: string
  readonly payload: PayloadKind
  readonly note: (text: string) => void
}

interface Job {
  readonly job_id: string
  readonly name: string | null
  readonly livemode: boolean
  readonly status: string
  readonly total: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly completed_at: string | null
  readonly results_url: string
}

interface Result {
  readonly number: number
  readonly address: string
  readonly reference?: string
  readonly status: string
  readonly report?: { readonly report_id: string }
  readonly error?: { readonly code: string; readonly detail: string }
}

const FORWARD_TIMEOUT_MS = 15_000
/** Jobs that one look reads. */
const MAX_JOBS = 50

/** Each call looks once and forwards the jobs that ended since the look before. The first look forwards nothing. */
export function createForwarding(options: ForwardOptions): () => Promise<number> {
  let told: Set<string> | null = null
  return async () => {
    const { items } = (await options.get(`/v1/bulk?page_size=${MAX_JOBS}`)) as { items: readonly Job[] }
    const ended = items.filter(({ completed_at: at }) => at !== null)
    const news = told === null ? [] : ended.filter(({ job_id: id }) => !told!.has(id))
    told = new Set(ended.map(({ job_id: id }) => id))
    for (const job of news.reverse()) await forward(options, job)
    return news.length
  }
}

async function forward(options: ForwardOptions, job: Job): Promise<void> {
  const type = job.status === 'cancelled' ? 'bulk.cancelled' : 'bulk.completed'
  const { results } = (await options.get(`/v1/bulk/${job.job_id}`)) as { results: readonly Result[] | null }
  const ended = { ...job, jobId: job.job_id, endedAt: job.completed_at! }
  const body = jobWebhookBody(type, options.payload, ended, (results ?? []).map(itemOf), job.results_url)
  const id = `msg_${randomUUID().replaceAll('-', '')}`
  const timestampSeconds = Math.floor(Date.now() / 1_000)
  options.note(`${type} ${job.job_id} → ${await send(options, { id, timestampSeconds, body })}`)
}

/** The status of the answer, or why there is none. */
async function send(
  { forwardTo, secret }: Pick<ForwardOptions, 'forwardTo' | 'secret'>,
  message: { readonly id: string; readonly timestampSeconds: number; readonly body: string },
): Promise<string> {
  try {
    const response = await fetch(forwardTo, {
      ...{ method: 'POST', body: message.body, signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS) },
      // Results go to the program that the person named, and nowhere else.
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'webhook-id': message.id,
        'webhook-timestamp': String(message.timestampSeconds),
        'webhook-signature': signWebhook(message, [secret]),
      },
    })
    // An answer has no use, and may have no end.
    await response.body?.cancel()
    return String(response.status)
  } catch (error) {
    return `no answer: ${error instanceof Error ? error.message : String(error)}`
  }
}

function itemOf({ number, address, reference, status, report, error }: Result): EndedItem {
  return {
    ...{ number, address, reference, status, error: error ?? null },
    reportId: report?.report_id ?? null,
    report: report === undefined ? null : JSON.stringify(report),
  }
}
