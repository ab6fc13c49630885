/**
 * Standard Webhooks 1.0 (github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md), symmetric scheme `v1`:
 * HMAC-SHA256 over `id.timestamp.body`, in base64. Several signatures stand side by side while a secret is rotated.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export interface SignedMessage {
  /** The same over all attempts of a message; holds no full stop. */
  readonly id: string
  /** Seconds since 1970 of this attempt. */
  readonly timestampSeconds: number
  readonly body: string | Uint8Array
}

/** The three headers of a message, as they arrive. */
export interface WebhookHeaders {
  readonly 'webhook-id'?: string | undefined
  readonly 'webhook-timestamp'?: string | undefined
  readonly 'webhook-signature'?: string | undefined
}

export type Verification =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly reason: 'missing-header' | 'malformed-timestamp' | 'too-old' | 'too-new' | 'no-match'
    }

const SECRET_PREFIX = 'whsec_'
/** The specification asks for 24 to 64. */
const SECRET_BYTES = 32
const MIN_SECRET_BYTES = 24
const MAX_SECRET_BYTES = 64
const SCHEME = 'v1'
/** How far the clocks of sender and receiver may be apart; what the official libraries allow. */
export const WEBHOOK_TOLERANCE_SECONDS = 300

/** A new secret, `whsec_` and base64. */
export function newWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** Value of the `webhook-signature` header: one signature per secret, the newest first. Throws RangeError for a malformed secret. */
export function signWebhook(message: SignedMessage, secrets: readonly string[]): string {
  if (message.id.includes('.'))
    throw new RangeError('A webhook id holds no full stop: it would shift what is signed')
  return secrets.map((secret) => `${SCHEME},${digest(message, secret).toString('base64')}`).join(' ')
}

/** Whether a message was signed with this secret, lately. Compares in constant time. Throws RangeError for a malformed secret. */
export function verifyWebhook(
  received: { readonly headers: WebhookHeaders; readonly body: string | Uint8Array },
  secret: string,
  nowMs: number,
  toleranceSeconds = WEBHOOK_TOLERANCE_SECONDS,
): Verification {
  const {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures,
  } = received.headers
  if (!id || !timestamp || !signatures) return { ok: false, reason: 'missing-header' }
  if (!/^[0-9]{1,12}$/.test(timestamp)) return { ok: false, reason: 'malformed-timestamp' }
  const timestampSeconds = Number(timestamp)
  const ageSeconds = Math.floor(nowMs / 1000) - timestampSeconds
  if (ageSeconds > toleranceSeconds) return { ok: false, reason: 'too-old' }
  if (-ageSeconds > toleranceSeconds) return { ok: false, reason: 'too-new' }
  const expected = digest({ id, timestampSeconds, body: received.body }, secret)
  for (const signature of signatures.split(' ')) {
    const [scheme, encoded = ''] = signature.split(',', 2)
    if (scheme !== SCHEME) continue
    const given = Buffer.from(encoded, 'base64')
    if (given.length === expected.length && timingSafeEqual(given, expected)) return { ok: true }
  }
  return { ok: false, reason: 'no-match' }
}

function digest({ id, timestampSeconds, body }: SignedMessage, secret: string): Buffer {
  return createHmac('sha256', keyOf(secret)).update(`${id}.${timestampSeconds}.`).update(body).digest()
}

function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  // The secret itself stays out of the message: messages are logged.
  if (!secret.startsWith(SECRET_PREFIX) || key.length < MIN_SECRET_BYTES || key.length > MAX_SECRET_BYTES)
    throw new RangeError(
      `A webhook secret is ${SECRET_PREFIX} and ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes in base64`,
    )
  return key
}
