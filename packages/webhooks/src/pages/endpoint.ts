/** Webhook endpoints and deliveries as the API returns them. */
import { type Session, mayChange } from '@cupel/console'

export interface WebhookEndpoint {
  readonly endpoint_id: string
  readonly url: string
  readonly payload: string
  /** Null: all. */
  readonly events: readonly string[] | null
  readonly status: string
  readonly disabled_reason: string | null
  readonly proven_at: string | null
  readonly created_at: string
}

export interface Attempt {
  readonly at: string
  readonly status_code: number | null
  readonly error: string | null
  readonly duration_ms: number
  readonly response_excerpt: string | null
}

export interface SentDelivery extends Delivery {
  readonly payload: string
  readonly body: string | null
  readonly headers: Readonly<Record<string, string>> | null
}

export interface Delivery {
  readonly delivery_id: string
  readonly webhook_id: string
  readonly type: string
  readonly job_id: string | null
  readonly status: string
  readonly next_attempt_at: string | null
  readonly created_at: string
  readonly attempts: readonly Attempt[]
}

export const API_LIST = '/v1/webhook-endpoints'

/** Path of an endpoint at the API, or of a part of it. */
export const apiPathOf = (endpointId: string | undefined, part = ''): string =>
  `${API_LIST}/${encodeURIComponent(endpointId ?? '')}${part}`

export const canChange = (session: Session | null): boolean =>
  session !== null && mayChange(session) && session.webhookAdmin

const statusWords: Readonly<Record<string, string>> = {
  enabled: 'Enabled',
  disabled: 'Disabled',
  pending: 'Pending',
  delivered: 'Delivered',
  exhausted: 'Exhausted',
  held: 'Held',
}

/** A later version may have others. */
export const statusWord = (status: string): string =>
  Object.hasOwn(statusWords, status) ? statusWords[status]! : status

/** Whether messages about jobs wait for the receiver's first 2xx to a test message. */
export const isWaitingForProof = ({ status, proven_at: provenAt }: WebhookEndpoint): boolean =>
  status === 'enabled' && provenAt === null

export function stateText(endpoint: WebhookEndpoint): string {
  const { status, disabled_reason: reason } = endpoint
  if (isWaitingForProof(endpoint))
    return isMail(endpoint) ? 'Enabled, not confirmed yet' : 'Enabled, not proven yet'
  if (status !== 'disabled') return statusWord(status)
  if (reason === 'unsubscribed') return 'Disabled: the recipient wants no more messages'
  return reason === 'gone' ? 'Disabled: the receiver answered 410 Gone' : 'Paused'
}

export const isMail = ({ url }: Pick<WebhookEndpoint, 'url'>): boolean => /^mailto:/i.test(url)

/** Types of messages that an endpoint may choose among, with what each tells. */
export const eventTexts: Readonly<Record<string, string>> = {
  'report.changed': 'A watched address changed',
  'watch.failed': 'A watched address cannot be screened',
  'watches.digest': 'The daily digest of watches',
  'bulk.completed': 'A bulk job ended',
  'bulk.cancelled': 'A bulk job was cancelled',
  'transfer.screened': 'The screening of a transfer ended',
}

export const eventsText = (events: readonly string[] | null): string =>
  events === null ? 'All' : events.map((type) => eventTexts[type] ?? type).join('; ')

const payloads: Readonly<Record<string, string>> = {
  full: 'Full: with the results',
  thin: 'Thin: where the results are',
  slack: 'Slack: a text, for an incoming webhook of Slack',
  email: 'E-mail',
}

/** A later version may have others. */
export const payloadText = (payload: string): string => payloads[payload] ?? payload
