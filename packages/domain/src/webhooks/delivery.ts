/** One message on its way to one endpoint, and the result of each attempt. */
import { retryDelayMs } from './retry-schedule.js'

export const deliveryStatuses = ['pending', 'delivered', 'exhausted', 'held'] as const
/** `held`: kept while its endpoint is disabled. */
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** `slack`: a text, for an incoming webhook of Slack. `email`: of endpoints whose URL is `mailto:`, and only of these. */
export const payloadKinds = ['full', 'thin', 'slack', 'email'] as const
export type PayloadKind = (typeof payloadKinds)[number]

export const webhookTypes = [
  'bulk.completed',
  'bulk.cancelled',
  'report.changed',
  'watches.digest',
  'watch.failed',
  'transfer.screened',
  'endpoint.test',
] as const
export type WebhookType = (typeof webhookTypes)[number]
/** Those that an endpoint may choose among; it gets test messages in any case. */
export const chosenWebhookTypes = webhookTypes.filter((type) => type !== 'endpoint.test')
/** The types that report the end of a job. */
export type JobWebhookType = Extract<WebhookType, `bulk.${string}`>

/** Why an endpoint is disabled: its owner paused it, its receiver answered 410, or its recipient of e-mail wants no more. */
export type DisabledReason = 'paused' | 'gone' | 'unsubscribed'

export interface AttemptOutcome {
  /** Null if no answer came. */
  readonly statusCode: number | null
  readonly retryAfterMs: number | null
  /** The receiver answered that a repeat has no use, as mail servers do. */
  readonly isRefused?: boolean
}

export type AttemptDecision =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly delayMs: number }
  | { readonly kind: 'exhausted' }
  /** The receiver wants no more messages: its endpoint is disabled and its messages are held. */
  | { readonly kind: 'gone' }

const HTTP_GONE = 410

/** `attempts`: the number made since the delivery was begun or requested again, this one included. */
export function decideAttempt(
  outcome: AttemptOutcome,
  { attempts, lot }: { readonly attempts: number; readonly lot: number },
): AttemptDecision {
  const { statusCode } = outcome
  if (statusCode !== null && statusCode >= 200 && statusCode <= 299) return { kind: 'delivered' }
  if (outcome.isRefused === true) return { kind: 'exhausted' }
  if (statusCode === HTTP_GONE) return { kind: 'gone' }
  const delayMs = retryDelayMs({ failedAttempts: attempts, retryAfterMs: outcome.retryAfterMs, lot })
  return delayMs === null ? { kind: 'exhausted' } : { kind: 'retry', delayMs }
}
