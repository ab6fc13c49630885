/** One attempt: signs the stored body with the current time, sends it, and decides the next state of the delivery. */
import { decideAttempt, retryAfterMs } from '@cupel/domain'
import type { AdmitPlace, OutboundClient } from '@cupel/outbound'
import { signWebhook, type AttemptRecord, type ClaimedDelivery } from '@cupel/webhooks'

const USER_AGENT = 'Cupel-Webhooks/1.0'

/** No attempt: the delivery can be claimed again after `waitMs`. */
export interface NotAttempted {
  readonly waitMs: number
}

/**
 * Not attempted where the place may not be called now, and where the sender was stopping: then the outcome is unknown and the attempt does
 * not count. Never rejects.
 */
export async function attemptDelivery(
  { client, admit }: { readonly client: Pick<OutboundClient, 'post'>; readonly admit: AdmitPlace },
  delivery: ClaimedDelivery,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<AttemptRecord | NotAttempted> {
  const at = new Date()
  const timestampSeconds = Math.floor(at.getTime() / 1_000)
  const result = await client.post({
    url: delivery.url,
    headers: {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': delivery.webhookId,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signWebhook({ id: delivery.webhookId, timestampSeconds, body }, delivery.secrets),
    },
    body,
    signal,
    admit,
  })
  if (result.kind === 'postponed') return { waitMs: result.waitMs }
  if (result.kind === 'failed' && result.error === 'stopped') return { waitMs: 0 }
  const statusCode = result.kind === 'answered' ? result.statusCode : null
  const outcome = {
    statusCode,
    retryAfterMs: result.kind === 'answered' ? retryAfterMs(result.retryAfter, Date.now()) : null,
  }
  return {
    delivery,
    attemptedAt: at.toISOString(),
    statusCode,
    error: result.kind === 'failed' ? result.error : null,
    durationMs: result.durationMs,
    responseExcerpt: result.kind === 'answered' ? result.excerpt : null,
    decision: decideAttempt(outcome, { attempts: delivery.attempts + 1, lot: Math.random() }),
  }
}
