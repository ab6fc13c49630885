/** One attempt: signs the stored body with the current time, sends it, and decides the next state of the delivery. */
import type { Trace, Tracing } from '@cupel/contracts'
import { decideAttempt, retryAfterMs } from '@cupel/domain'
import type { AdmitPlace, OutboundClient, OutboundResult } from '@cupel/kit/outbound'
import { recipientOf, signWebhook, WEBHOOK_USER_AGENT, type ClaimedDelivery } from '../index.js'
import { attemptMail, type MailSending } from './attempt-mail.js'
import type { Attempted, NotAttempted } from './attempted.js'

export interface AttemptParts {
  readonly client: Pick<OutboundClient, 'post'>
  readonly admit: AdmitPlace
  readonly mail: MailSending
  readonly tracing?: Tracing | null | undefined
}

/**
 * Makes no attempt where the place may not be called now. Where the sender was stopping, the outcome is unknown and the attempt does
 * not count. Rejects only if e-mail cannot be prepared.
 */
export async function attemptDelivery(
  { client, admit, mail, tracing }: AttemptParts,
  delivery: ClaimedDelivery,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<Attempted | NotAttempted> {
  if (recipientOf(delivery.url) !== null) return await attemptMail(mail, delivery, body, signal)
  const at = new Date()
  const timestampSeconds = Math.floor(at.getTime() / 1_000)
  const signature = signWebhook({ id: delivery.webhookId, timestampSeconds, body }, delivery.secrets)
  const trace = tracing ? beginTrace(tracing, delivery) : undefined
  const result = await client.post({
    url: delivery.url,
    headers: {
      'content-type': 'application/json',
      'user-agent': WEBHOOK_USER_AGENT,
      'webhook-id': delivery.webhookId,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signature,
      ...(trace === undefined ? {} : { traceparent: trace.traceparent }),
    },
    body,
    signal,
    admit,
  })
  if (trace !== undefined) endTrace(trace, result)
  if (result.kind === 'postponed') return { waitMs: result.waitMs }
  if (result.kind === 'failed' && result.error === 'stopped') return { waitMs: 0 }
  const statusCode = result.kind === 'answered' ? result.statusCode : null
  const outcome = {
    statusCode,
    retryAfterMs: result.kind === 'answered' ? retryAfterMs(result.retryAfter, Date.now()) : null,
  }
  return {
    ...{ delivery, trace, signature },
    attemptedAt: at.toISOString(),
    statusCode,
    error: result.kind === 'failed' ? result.error : null,
    durationMs: result.durationMs,
    responseExcerpt: result.kind === 'answered' ? result.excerpt : null,
    decision: decideAttempt(outcome, { attempts: delivery.attempts + 1, lot: Math.random() }),
  }
}

/** Neither the URL nor the answer of the receiver is an attribute: both may hold secrets. */
function beginTrace(
  tracing: Tracing,
  { deliveryId, webhookId, jobId, attempts, traceparent }: ClaimedDelivery,
): Trace {
  return tracing.begin({
    name: 'POST webhook',
    kind: 'client',
    parent: traceparent ?? undefined,
    startedMs: performance.now(),
    attributes: {
      'http.request.method': 'POST',
      'http.request.resend_count': attempts,
      'cupel.delivery_id': deliveryId,
      'cupel.webhook_id': webhookId,
      ...(jobId === null ? {} : { 'cupel.job_id': jobId }),
    },
  })
}

/** A receiver that fails is not a fault of the installation, so the traces of its attempts are not kept for that. */
function endTrace(trace: Trace, result: OutboundResult): void {
  if (result.kind === 'answered') trace.note({ 'http.response.status_code': result.statusCode })
  else trace.note({ 'error.type': result.kind === 'failed' ? result.error : result.kind })
  trace.end()
}
