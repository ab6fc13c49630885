/**
 * Calls of the S3 interface, signed with AWS Signature Version 4, to addresses of the form `https://endpoint/bucket/key`, which every store
 * understands. The client retries a call when a retry may help; every call of this client can be retried. Redirects are not followed.
 */
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { Agent, request, type Dispatcher } from 'undici'
import { readStoreError } from './list-answer.js'
import { StoreRefusedError, StoreUnavailableError } from './s3-errors.js'

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The token of temporary credentials. */
  readonly sessionToken?: string
}

export interface S3Connection {
  /** `https://host[:port]`, with a path if the store is behind one. */
  readonly endpoint: string
  readonly region: string
  readonly credentials: S3Credentials
  /** The certificate authorities of the store in PEM, instead of those of the system. */
  readonly ca?: string
  /** Shorter times than those of a command. */
  readonly times?: Partial<S3Times>
}

/** Milliseconds, and a number of attempts. */
export interface S3Times {
  /** Limit to connect, TLS included. */
  readonly connectMs: number
  /** Limit without a byte of an answer. */
  readonly idleMs: number
  /** Limit of one whole attempt: a store that sends a byte now and then does not block a command for ever. */
  readonly attemptMs: number
  /** Pause before the second attempt; it doubles up to `maxPauseMs`. */
  readonly pauseMs: number
  readonly maxPauseMs: number
  readonly attempts: number
}

export const s3Times: S3Times = {
  connectMs: 10_000,
  idleMs: 30_000,
  attemptMs: 300_000,
  pauseMs: 250,
  maxPauseMs: 8_000,
  /** With the pauses a store may be unreachable for 24 seconds. */
  attempts: 8,
}
/** Bytes of a page of a list, and of an error. */
export const MAX_XML_BYTES = 8 * 1024 * 1024
/** Idle connections are closed after this. */
const KEEP_ALIVE_MS = 10_000

export interface S3Call {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
  readonly maxBytes: number
  /** Ends the call: it rejects with the reason of the signal, and is not tried again. */
  readonly signal?: AbortSignal
}

export interface S3Answer {
  readonly status: number
  readonly bytes: Buffer
  readonly date: string
  readonly etag: string
}

/** The store does not implement the request. */
const NOT_IMPLEMENTED = 501
/** Statuses that may pass, including a conflict of two conditional calls at once. */
const PASSING = new Set([408, 409, 425, 429])

export interface S3Caller {
  /** The host in messages. */
  readonly host: string
  /**
   * Resolves to an answer that no retry changes. Throws StoreUnavailableError if there is none, and a RangeError if it has more than
   * `maxBytes`.
   */
  call(asked: S3Call): Promise<S3Answer>
  /** The error for an answer that is not the expected one. */
  refused(asked: S3Call, answer: S3Answer): StoreRefusedError
}

export function openS3Caller(bucket: string, connection: S3Connection): S3Caller {
  const times = { ...s3Times, ...connection.times }
  const dispatcher = new Agent({
    connect: { timeout: times.connectMs, ...(connection.ca === undefined ? {} : { ca: connection.ca }) },
    ...{ headersTimeout: times.idleMs, bodyTimeout: times.idleMs, keepAliveTimeout: KEEP_ALIVE_MS },
    pipelining: 1,
  })
  const { host } = new URL(connection.endpoint)
  const described = ({ method, key }: S3Call): string => `${method} ${bucket}/${key}`

  function refused(asked: S3Call, { status, bytes }: S3Answer): StoreRefusedError {
    const error = readStoreError(bytes.toString())
    const said = error === null ? '' : `: ${error.code}${error.message === '' ? '' : ` (${error.message})`}`
    const hint =
      status >= 300 && status < 400
        ? '; redirects are not followed: name the endpoint and region of the bucket'
        : ''
    return new StoreRefusedError(
      `The store ${host} refused ${described(asked)} with ${status}${said}${hint}.`,
    )
  }

  async function call(asked: S3Call): Promise<S3Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await callOnce(bucket, connection, {
        asked,
        dispatcher,
        attemptMs: times.attemptMs,
      }).catch((error: unknown) => {
        asked.signal?.throwIfAborted()
        if (error instanceof RangeError) throw error
        return error instanceof Error ? error : new Error(String(error))
      })
      if (!(answer instanceof Error)) {
        if (answer.status < 500 && !PASSING.has(answer.status)) return answer
        if (answer.status === NOT_IMPLEMENTED) throw refused(asked, answer)
      }
      if (attempt >= times.attempts)
        throw new StoreUnavailableError(
          `The store ${host} did not answer ${described(asked)} in ${times.attempts} attempts: ${reasonOf(answer)}.`,
          { cause: answer },
        )
      const { signal } = asked
      await sleep(Math.min(times.maxPauseMs, times.pauseMs * 2 ** (attempt - 1)), undefined, { signal })
    }
  }

  return { host, call, refused }
}

async function callOnce(
  bucket: string,
  connection: S3Connection,
  {
    asked,
    dispatcher,
    attemptMs,
  }: { readonly asked: S3Call; readonly dispatcher: Dispatcher; readonly attemptMs: number },
): Promise<S3Answer> {
  const late = AbortSignal.timeout(attemptMs)
  const signal = asked.signal === undefined ? late : AbortSignal.any([late, asked.signal])
  const { url, headers } = await signedCall(bucket, connection, asked)
  const {
    statusCode: status,
    headers: answered,
    body,
  } = await request(url, {
    ...{ dispatcher, signal, method: asked.method, headers },
    body: asked.body ?? null,
  })
  const headerOf = (name: string): string => String(answered[name] ?? '')
  try {
    const maxBytes = status < 300 ? asked.maxBytes : MAX_XML_BYTES
    const stated = Number(answered['content-length'] ?? Number.NaN)
    if (stated > maxBytes) throw new RangeError(`has ${stated} bytes, and ${maxBytes} at most belong there`)
    const bytes = await readBody(body, maxBytes)
    if (Number.isSafeInteger(stated) && bytes.length !== stated)
      throw new Error(`its answer was cut off after ${bytes.length} of ${stated} bytes`)
    return { status, bytes, date: headerOf('date'), etag: headerOf('etag') }
  } finally {
    // Otherwise the connection would wait until the rest of the body is read.
    body.on('error', () => undefined).destroy()
  }
}

async function signedCall(
  bucket: string,
  { endpoint, region, credentials }: S3Connection,
  { method, key, query = {}, headers = {}, body }: S3Call,
): Promise<{ url: URL; headers: Record<string, string> }> {
  const url = new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}${key === '' ? '' : `/${key}`}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const signer = new AwsV4Signer({
    ...{ method, region, service: 's3', url: url.href, ...credentials },
    headers: {
      ...headers,
      // The store compares this hash with the received body.
      'x-amz-content-sha256': hash('sha256', body ?? Buffer.alloc(0), 'hex'),
    },
    // Every header that this client sets is signed.
    allHeaders: true,
  })
  const signed = await signer.sign()
  const sent = Object.fromEntries(signed.headers)
  return { url: signed.url, headers: { ...sent, 'accept-encoding': 'identity', 'user-agent': 'cupel' } }
}

async function readBody(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of body) {
    size += piece.length
    if (size > maxBytes)
      throw new RangeError(`has more than ${maxBytes} bytes, which is more than belongs there`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function reasonOf(answer: S3Answer | Error): string {
  if (!(answer instanceof Error)) return `status ${answer.status}`
  if (answer.name === 'TimeoutError') return 'no whole answer in time'
  const code = (answer as NodeJS.ErrnoException).code
  return answer.message === '' ? (code ?? 'no connection') : answer.message
}
