import { ConfigurationError, InvalidArgumentError, WebhookVerificationError } from '../errors.js'
import { isObject, jsonOf } from '../transport/json.js'
import { bytesFromBase64, toBase64 } from '../base64.js'
import type { WebhookMessage } from './messages.js'

const TOLERANCE_SECONDS = 300
const SECRET_PREFIX = 'whsec_'

/** CryptoKey; not every environment has that type. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

export type WebhookBody = string | Uint8Array | ArrayBuffer
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** Maximum difference between the time of the message and now, in seconds. Default 300. */
  readonly toleranceSeconds?: number | undefined
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: number | undefined
}

/**
 * Returns the message if one of its signatures was made with one of the secrets, and its time is within the tolerance;
 * throws a WebhookVerificationError otherwise. `body` is the body as received, before any parsing.
 */
async function verify(
  body: WebhookBody,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookMessage> {
  const bytes = bodyBytes(body)
  const id = header(headers, 'webhook-id')
  const timestamp = header(headers, 'webhook-timestamp')
  const signatures = header(headers, 'webhook-signature')
  judgeTime(timestamp, options)
  const content = joined(`${id}.${timestamp}.`, bytes)
  const keys = await Promise.all([secret].flat().map((one) => keyOf(one as string)))
  if (keys.length === 0) throw new ConfigurationError('There is no webhook secret.')
  if (!(await isSigned(keys, content, signatures)))
    throw new WebhookVerificationError(
      'No signature of the message was made with this secret. Pass the body as it was received, and check the secret.',
    )
  return messageOf(bytes, id)
}

/** Signs a message in the same way as the service, for tests of a receiver. Returns the headers of the message. */
async function sign(
  body: WebhookBody,
  secret: string,
  message: { readonly id: string; readonly timestampSeconds: number },
): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const { id, timestampSeconds } = message
  const content = joined(`${id}.${timestampSeconds}.`, bodyBytes(body))
  const signature = await crypto.subtle.sign('HMAC', await keyOf(secret), content)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': `v1,${toBase64(new Uint8Array(signature))}`,
  }
}

/** Verifies messages of the service, according to Standard Webhooks 1.0. */
export const webhooks = { verify, sign }

function bodyBytes(body: WebhookBody): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) return new Uint8Array(body)
  throw new InvalidArgumentError(
    'Pass the body as received, as text or bytes: one that was parsed cannot be verified.',
  )
}

function header(headers: WebhookHeaders, name: string): string {
  const value =
    'get' in headers && typeof headers.get === 'function'
      ? (headers as Headers).get(name)
      : own(headers as Readonly<Record<string, unknown>>, name)
  if (typeof value === 'string' && value !== '') return value
  throw new WebhookVerificationError(`The message has no header ${name}.`)
}

function own(headers: Readonly<Record<string, unknown>>, name: string): unknown {
  const found = Object.entries(headers).filter(([one]) => one.toLowerCase() === name)
  const values = found.flatMap(([, value]) => value)
  return values.length === 1 ? values[0] : undefined
}

function judgeTime(timestamp: string, options: VerifyOptions): void {
  if (!/^\d{1,15}$/.test(timestamp))
    throw new WebhookVerificationError('The header webhook-timestamp is not a number of seconds.')
  const awaySeconds = (options.now ?? Date.now()) / 1_000 - Number(timestamp)
  const tolerance = options.toleranceSeconds ?? TOLERANCE_SECONDS
  if (Math.abs(awaySeconds) <= tolerance) return
  const side = awaySeconds > 0 ? 'old' : 'far in the future'
  throw new WebhookVerificationError(
    `The message is too ${side}: its time is ${Math.round(Math.abs(awaySeconds))} s from this clock, and ${tolerance} s are allowed.`,
  )
}

async function keyOf(secret: string): Promise<Key> {
  const text = typeof secret === 'string' ? secret.trim() : ''
  const bytes = bytesFromBase64(text.startsWith(SECRET_PREFIX) ? text.slice(SECRET_PREFIX.length) : text)
  if (bytes === null || bytes.length === 0)
    throw new ConfigurationError('The webhook secret is not one: it is base64 after "whsec_".')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}

/** The platform compares every signature in constant time. */
async function isSigned(
  keys: readonly Key[],
  content: Uint8Array<ArrayBuffer>,
  signatures: string,
): Promise<boolean> {
  const given = signatures.split(' ').flatMap((one) => {
    const bytes = one.startsWith('v1,') ? bytesFromBase64(one.slice(3)) : null
    return bytes === null ? [] : [bytes]
  })
  for (const key of keys)
    for (const signature of given)
      if (await crypto.subtle.verify('HMAC', key, signature, content)) return true
  return false
}

function messageOf(bytes: Uint8Array, id: string): WebhookMessage {
  const value = jsonOf(bytes)
  if (isObject(value) && typeof value['type'] === 'string')
    return { ...value, webhook_id: id } as unknown as WebhookMessage
  throw new WebhookVerificationError('The message is signed, but is not a JSON object with a type.')
}

function joined(head: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const headBytes = new TextEncoder().encode(head)
  const whole = new Uint8Array(headBytes.length + body.length)
  whole.set(headBytes)
  whole.set(body, headBytes.length)
  return whole
}
