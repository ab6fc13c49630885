/** Endpoints and deliveries as `cupel webhooks` shows them. */
import type { WebhookDelivery, WebhookEndpoint } from '../../index.js'
import { snakeCase } from '@cupel/command-line'

export function endpointJson(endpoint: WebhookEndpoint): Record<string, unknown> {
  return snakeCase(endpoint)
}

export function deliveryJson({ attempts, ...delivery }: WebhookDelivery): Record<string, unknown> {
  return { ...snakeCase(delivery), attempts: attempts.map(snakeCase) }
}

export function shownOnce(
  { endpointId, url, payload, provenAt }: WebhookEndpoint,
  secret: string | null,
): string {
  if (secret === null)
    return `Endpoint ${endpointId} (${url}).\nA message asks its recipient to confirm. Until then nothing else is sent, and nothing is kept for it.`
  const proof =
    'Messages about jobs are held until the receiver answers a test message with 2xx. One is sent by itself.'
  return `Endpoint ${endpointId} (${url}, ${payload}).
Its secret is shown this once:

  ${secret}
${provenAt === null ? `\n${proof}\n` : ''}`
}

export const ENDPOINT_HEADING = ['ENDPOINT', 'URL', 'PAYLOAD', 'EVENTS', 'CREATED', 'STATE']

export function endpointRow({
  endpointId,
  url,
  payload,
  events,
  createdAt,
  status,
  disabledReason,
  provenAt,
}: WebhookEndpoint): string[] {
  const remark = disabledReason ?? (provenAt === null ? 'not proven' : null)
  const received = events === null ? 'all' : events.join(',')
  return [endpointId, url, payload, received, createdAt, remark === null ? status : `${status} (${remark})`]
}

export const DELIVERY_HEADING = ['DELIVERY', 'TYPE', 'JOB', 'CREATED', 'ATTEMPTS', 'LAST', 'NEXT', 'STATE']

export function deliveryRow(delivery: WebhookDelivery): string[] {
  const last = delivery.attempts.at(-1)
  return [
    delivery.deliveryId,
    delivery.type,
    delivery.jobId ?? '-',
    delivery.createdAt,
    String(delivery.attempts.length),
    last === undefined ? '-' : String(last.statusCode ?? last.error),
    delivery.nextAttemptAt ?? '-',
    delivery.status,
  ]
}
