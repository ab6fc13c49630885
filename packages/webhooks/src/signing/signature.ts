/**
 * Standard Webhooks 1.0 (github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md), symmetric scheme `v1`:
 * HMAC-SHA256 over `id.timestamp.body`, in base64. During a rotation of the secret a message has several signatures.
 */
import { createHmac, randomBytes } from 'node:crypto'

export interface SignedMessage {
  /** The same for all attempts of a message; contains no full stop. */
  readonly id: string
  /** Time of this attempt, seconds since 1970. */
  readonly timestampSeconds: number
  readonly body: string | Uint8Array
}

/** The header user-agent of every message. */
export const WEBHOOK_USER_AGENT = 'Cupel-Webhooks/1.0'

const SECRET_PREFIX = 'whsec_'
/** The specification requires 24 to 64. */
const SECRET_BYTES = 32
const MIN_SECRET_BYTES = 24
const MAX_SECRET_BYTES = 64
const SCHEME = 'v1'

/** A new secret, `whsec_` and base64. */
export function newWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** Value of the `webhook-signature` header: one signature per secret, the newest first. Throws RangeError for a malformed secret. */
export function signWebhook(message: SignedMessage, secrets: readonly string[]): string {
  if (message.id.includes('.'))
    throw new RangeError('A webhook id must not contain a full stop, which separates the signed parts')
  return secrets.map((secret) => `${SCHEME},${digest(message, secret).toString('base64')}`).join(' ')
}

function digest({ id, timestampSeconds, body }: SignedMessage, secret: string): Buffer {
  return createHmac('sha256', keyOf(secret)).update(`${id}.${timestampSeconds}.`).update(body).digest()
}

function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  // Do not put the secret into the message: messages are logged.
  if (!secret.startsWith(SECRET_PREFIX) || key.length < MIN_SECRET_BYTES || key.length > MAX_SECRET_BYTES)
    throw new RangeError(
      `A webhook secret is ${SECRET_PREFIX} followed by ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes in base64`,
    )
  return key
}
