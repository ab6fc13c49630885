// Every supported compiler compiles this as strictly as it can, with the types of the packed package.
import {
  ApiError,
  Cupel,
  InvalidAddressError,
  RateLimitError,
  ScreeningTimeoutError,
  webhooks,
  type BulkJob,
  type Report,
  type WebhookMessage,
} from '@cupel/sdk'

export async function screenAll(addresses: readonly string[], signal: AbortSignal): Promise<BulkJob> {
  const cupel = new Cupel({
    timeoutMs: 10_000,
    hooks: {
      attempt: ({ attempt }) => ({ traceparent: `00-${attempt}` }),
      answer: ({ status, requestId }) => void [status.toFixed(), requestId?.length],
      retry: ({ error, waitMs }) => void [error.message, waitMs.toFixed()],
    },
  })
  const job = await cupel.bulk.submit(addresses, { chain: 'ETH', idempotencyKey: 'run-17' })
  for await (const result of cupel.bulk.results(job.job_id, { signal }))
    if (result.status === 'failed') result.error?.code.toUpperCase()
  return cupel.bulk.wait(job, { signal, onProgress: ({ completed, total }) => void (completed / total) })
}

export async function levelOf(cupel: Cupel, address: string): Promise<string> {
  try {
    const report: Report = await cupel.screen(address, { customerReference: 'case 7' })
    // @ts-expect-error a report never changes
    report.risk = report.risk
    return report.risk.level
  } catch (error) {
    if (error instanceof InvalidAddressError) return error.errors.map(({ pointer }) => pointer).join()
    if (error instanceof RateLimitError) return `${error.retryAfter ?? 0}`
    if (error instanceof ScreeningTimeoutError && error.reportId !== null)
      return (await cupel.reports.get(error.reportId)).risk.level
    if (error instanceof ApiError) return error.code ?? String(error.status)
    throw error
  }
}

export async function receive(body: Uint8Array, headers: Record<string, string | string[] | undefined>) {
  const message: WebhookMessage = await webhooks.verify(body, headers, ['whsec_new', 'whsec_old'])
  switch (message.type) {
    case 'bulk.completed':
    case 'bulk.cancelled':
      return message.data.job_id
    case 'report.changed':
      return message.data.watch_id
    case 'watches.digest':
      return message.data.more ?? message.data.changes[0]?.watch_id
    case 'watch.failed':
      return message.data.watch_id
    case 'transfer.screened':
      return message.data.transfer?.counterparty.address ?? message.data.error?.code
    case 'endpoint.test':
      return message.webhook_id
    default:
      return undefined
  }
}

// @ts-expect-error an address is a text
export const wrong = (cupel: Cupel) => cupel.screen(7)
// @ts-expect-error there is no such option
export const misspelt = new Cupel({ apikey: 'x' })
