/** Reads a request body and parses it. This is the only place that does; Fastify never reads a body (docs/adr/0095). */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ProblemCode } from '@cupel/contracts'
import { countOf, MAX_STRANGER_BODY_BYTES, type BodyAccount } from '@cupel/kit/http-edge'
import { parseStrictJson, type Fault } from './strict-json.js'

/** 1 MiB: the largest bulk request is about 260 kB. */
export const MAX_BODY_BYTES = 1_048_576

export type Body =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false
      readonly code: Extract<
        ProblemCode,
        'invalid_request' | 'payload_too_large' | 'unsupported_media_type' | 'request_timeout' | 'unavailable'
      >
      readonly detail: string
      readonly errors: readonly Fault[]
    }

/** Bytes of a rejected body that are read and dropped before the connection is closed. */
const MAX_DISCARDED_BYTES = 16 * MAX_BODY_BYTES

/** How long a connection with an unread request stays open. */
const LINGER_MS = 1_000

/** The client closed the connection before its request was complete. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export interface BodyForm {
  readonly maxBytes: number
  /** Characters of a string; the default of strict JSON where it is absent. */
  readonly maxStringLength?: number
  /** Time for the whole body; absent: that of any request. */
  readonly maxMs?: number
  readonly mayHoldAnyText?: ((pointer: string) => boolean) | undefined
}

/** The body of a caller who has proven nothing: an ID token, which may be one long string. */
export const STRANGER_BODY: BodyForm = {
  maxBytes: MAX_STRANGER_BODY_BYTES,
  maxStringLength: MAX_STRANGER_BODY_BYTES,
  maxMs: 10_000,
}

/**
 * Rejects only with ClientGone; every fault of a caller is a result. `account`: what the body counts against, which its owner closes; null
 * if there is no room for it.
 */
export async function readJsonBody(
  request: IncomingMessage,
  account: BodyAccount | null,
  form: BodyForm,
): Promise<Body> {
  const mediaFault = mediaTypeFault(request)
  if (mediaFault !== null)
    return { ok: false, code: 'unsupported_media_type', detail: mediaFault, errors: [] }
  const bytes = account === null ? 'unavailable' : await readBytes(request, account, form)
  if (typeof bytes === 'string')
    return { ok: false, code: bytes, detail: refusedBodies[bytes](form), errors: [] }
  const parsed = parseStrictJson(bytes, form)
  if (parsed.ok) return parsed
  return { ok: false, code: 'invalid_request', detail: parsed.fault.detail, errors: [parsed.fault] }
}

const refusedBodies = {
  payload_too_large: ({ maxBytes }: BodyForm) => `The body may hold ${maxBytes} bytes.`,
  request_timeout: () => 'The request did not arrive in time.',
  unavailable: () => 'Too many bodies are being received at the moment.',
} as const

type RefusedBody = keyof typeof refusedBodies

/** Accepts `application/json`, with or without `charset=utf-8` (some clients write `utf8`), and nothing that a proxy or a parser could read differently. */
const JSON_MEDIA_TYPE = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-?8|"utf-?8"))?$/i

function mediaTypeFault(request: IncomingMessage): string | null {
  const contentType = request.headers['content-type']
  if (contentType === undefined) return 'Content-Type is missing; it must be application/json.'
  // Node keeps the first of several fields; a proxy may have checked another one.
  if (countOf('content-type', request.rawHeaders) > 1) return 'Content-Type is given more than once.'
  if (!JSON_MEDIA_TYPE.test(contentType)) return 'Content-Type must be application/json.'
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    return 'Content-Encoding is not supported.'
  return null
}

/** The whole body, or the reason why it is not kept. */
function readBytes(
  request: IncomingMessage,
  account: BodyAccount,
  { maxBytes, maxMs }: BodyForm,
): Promise<Buffer | RefusedBody> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > maxBytes) return Promise.resolve('payload_too_large')
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (bytes: Buffer | RefusedBody): void => {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
      resolve(bytes)
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size > maxBytes) finish('payload_too_large')
      else if (!account.take(chunk.length)) finish('unavailable')
      else chunks.push(chunk)
    }
    const onEnd = (): void => finish(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size))
    const onClose = (): void => {
      clearTimeout(timer)
      reject(new ClientGone('The client closed the connection inside its request'))
    }
    const timer = maxMs === undefined ? undefined : setTimeout(() => finish('request_timeout'), maxMs)
    request.on('data', onData).once('end', onEnd).once('close', onClose).once('error', onClose)
  })
}

/**
 * Reads the rest of a refused body and drops it: closing a connection with unread bytes resets it, and the reset can
 * overtake the answer. A connection that keeps sending is closed.
 */
export function discard(request: IncomingMessage): void {
  const { socket } = request
  if (!request.complete) {
    answeredEarly.add(socket)
    request.once('end', () => answeredEarly.delete(socket))
  }
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_DISCARDED_BYTES) request.destroy()
  })
  request.on('error', ignoreReset)
  request.resume()
}

/**
 * Leaves the rest of a body unread if its client has been refused too often. The connection stays open for a moment, so that no
 * reset overtakes the answer, and is then closed. Until then the client can only fill the buffers of the connection, so its bodies
 * cost nothing and it starts again about once a second. The answer says `Connection: close`.
 */
export function leaveUnread(request: IncomingMessage, lingerMs = LINGER_MS): void {
  if (request.complete) return
  const { socket } = request
  answeredEarly.add(socket)
  request.on('error', ignoreReset)
  // Node resumes an answered request and reads it to its end, unless `readable` has a listener.
  request.on('readable', ignoreReadable)
  // Without a read, Node takes a body that has just begun for one that nobody wants: it drops the bytes as they come, and never pauses.
  request.read(0)
  // Node would end the connection with the answer: a reset could overtake the answer, and the client would start again at once.
  socket.destroySoon = () => undefined
  const closing = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(closing))
}

/** Connections whose request was answered before its body arrived. If the body never arrives, they get no further answer. */
const answeredEarly = new WeakSet<Socket>()

export function isAnsweredEarly(socket: Socket): boolean {
  return answeredEarly.has(socket)
}

/** Errors are ignored: the answer was sent already. */
function ignoreReset(): void {}

/** Reads nothing, so that Node fills only the buffer of the request. */
function ignoreReadable(): void {}
