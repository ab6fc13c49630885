/** Sends bytes that no client would send, and reads the answer. */
import { connect } from 'node:net'

export interface RawAnswer {
  /** Null if the connection ended, or stayed silent, without the head of an answer. */
  readonly status: number | null
  /** Names in lower case; the last value of repeated fields. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Nothing arrived for a long time. */
  readonly isSilent: boolean
}

/** Longer than any limit of the API for a request. */
const PATIENCE_MS = 60_000

export interface RawRequest {
  readonly bytes: string | Buffer
  /** The answer to HEAD announces a body that does not come. */
  readonly isHead?: boolean
  /** The caller closes its side, so an incomplete request stays incomplete. */
  readonly isEnded?: boolean
}

/** Resolves with the first answer. A connection that is refused or reset is an answer without a status. */
export function sendRaw(
  baseUrl: string,
  { bytes, isHead = false, isEnded = false }: RawRequest,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname)
    const finish = (isSilent: boolean): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ ...parse(Buffer.concat(chunks).toString('latin1')), isSilent })
    }
    const timer = setTimeout(() => finish(true), PATIENCE_MS)
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (isComplete(Buffer.concat(chunks).toString('latin1'), isHead)) finish(false)
    })
    // The answer may have arrived before the reset.
    socket.on('error', () => undefined)
    socket.on('close', () => finish(false))
    if (isEnded) socket.end(bytes)
    else socket.write(bytes)
  })
}

const HEAD_END = '\r\n\r\n'
const CONTINUE = 'HTTP/1.1 100'

function isComplete(text: string, isHead: boolean): boolean {
  const { status, headers, body } = parse(text)
  if (status === null || !text.includes(HEAD_END)) return false
  if (isHead || status === 204 || status === 304) return true
  const length = headers['content-length']
  if (length !== undefined) return body.length >= Number(length)
  return headers['transfer-encoding'] !== undefined && body.endsWith('0\r\n\r\n')
}

function parse(text: string): Omit<RawAnswer, 'isSilent'> {
  if (text.startsWith(CONTINUE)) return parse(text.slice(text.indexOf(HEAD_END) + HEAD_END.length))
  const end = text.indexOf(HEAD_END)
  const [statusLine = '', ...fields] = text.slice(0, end === -1 ? 0 : end).split('\r\n')
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1]
  return {
    status: status === undefined ? null : Number(status),
    headers: Object.fromEntries(
      fields.map((field) => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 1).trim(),
      ]),
    ),
    body: end === -1 ? '' : text.slice(end + HEAD_END.length),
  }
}

/** A request in the usual form that asks to close its connection. */
export function requestOf(
  method: string,
  path: string,
  {
    host,
    key,
    headers = [],
    body = '',
  }: { host: string; key?: string; headers?: readonly string[]; body?: string },
): string {
  const bytes = Buffer.byteLength(body)
  return [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: close',
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    ...headers,
    ...(bytes > 0 ? [`Content-Length: ${bytes}`] : []),
    '',
    body,
  ].join('\r\n')
}
