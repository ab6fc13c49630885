/**
 * Kept-alive HTTP/1.1 connections with one request at a time on each, as a caller's pool holds them, and little else: on
 * machines with two cores what a general client does per answer would be measured as the service's own (docs/benchmarks.md).
 * Answers must carry Content-Length, as those of the platform do.
 */
import { connect, type Socket } from 'node:net'

export interface HttpAnswer {
  readonly status: number
  readonly body: Buffer
}

export interface KeepAlivePool {
  /** Sends a whole request, head and body, over a connection that is free, or the next to be. Rejects on any fault of it. */
  exchange(request: Buffer): Promise<HttpAnswer>
  close(): void
}

interface Connection {
  socket: Socket | null
  pending: { readonly resolve: (answer: HttpAnswer) => void; readonly reject: (error: Error) => void } | null
  received: Buffer | null
}

interface Waiting {
  readonly request: Buffer
  readonly resolve: (answer: HttpAnswer) => void
  readonly reject: (error: Error) => void
}

const HEAD_END = '\r\n\r\n'
const STATUS_AT = 'HTTP/1.1 '.length

export function openKeepAlivePool(options: {
  readonly url: string
  readonly connections: number
  readonly timeoutMs: number
}): KeepAlivePool {
  const { hostname, port } = new URL(options.url)
  const free: Connection[] = Array.from({ length: options.connections }, () => ({
    socket: null,
    pending: null,
    received: null,
  }))
  const waiting: Waiting[] = []
  const open = new Set<Socket>()
  let closed = false

  function socketOf(connection: Connection): Socket {
    if (connection.socket !== null) return connection.socket
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), noDelay: true })
    open.add(socket)
    connection.socket = socket
    connection.received = null
    socket.setTimeout(options.timeoutMs, () =>
      socket.destroy(new Error(`no answer in ${options.timeoutMs} ms`)),
    )
    socket.on('data', (chunk) => receive(connection, chunk))
    let cause: Error | null = null
    socket.on('error', (error) => (cause = error))
    socket.on('close', () => {
      open.delete(socket)
      if (connection.socket === socket) connection.socket = null
      if (connection.pending !== null)
        settle(connection, null, cause ?? new Error('the connection was closed'))
    })
    return socket
  }

  function receive(connection: Connection, chunk: Buffer): void {
    const received = connection.received === null ? chunk : Buffer.concat([connection.received, chunk])
    const answer = readAnswer(received)
    if (answer === 'incomplete') {
      connection.received = received
      return
    }
    connection.received = null
    if (answer instanceof Error) connection.socket?.destroy()
    settle(connection, answer instanceof Error ? null : answer, answer instanceof Error ? answer : null)
  }

  function settle(connection: Connection, answer: HttpAnswer | null, error: Error | null): void {
    const { pending } = connection
    connection.pending = null
    if (pending === null) return
    const next = waiting.shift()
    if (next === undefined) free.push(connection)
    else send(connection, next)
    if (answer === null) pending.reject(error!)
    else pending.resolve(answer)
  }

  function send(connection: Connection, { request, resolve, reject }: Waiting): void {
    connection.pending = { resolve, reject }
    socketOf(connection).write(request)
  }

  return {
    exchange: (request) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new Error('the pool was closed'))
        const connection = free.pop()
        if (connection === undefined) waiting.push({ request, resolve, reject })
        else send(connection, { request, resolve, reject })
      }),
    close() {
      closed = true
      for (const socket of open) socket.destroy()
    },
  }
}

/** The answer, once all of it is there. */
function readAnswer(received: Buffer): HttpAnswer | Error | 'incomplete' {
  const headEnd = received.indexOf(HEAD_END)
  if (headEnd === -1) return 'incomplete'
  const head = received.toString('latin1', 0, headEnd)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) return new Error(`an answer without Content-Length: ${head.slice(0, 100)}`)
  const bodyAt = headEnd + HEAD_END.length
  const end = bodyAt + Number(length)
  if (received.length < end) return 'incomplete'
  if (received.length > end) return new Error('more was answered than asked for')
  return { status: Number(head.slice(STATUS_AT, STATUS_AT + 3)), body: received.subarray(bodyAt, end) }
}

/** A POST of JSON as bytes, made once and sent many times. */
export function postRequest(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Buffer {
  const lines = Object.entries({
    host: new URL(url).host,
    ...headers,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}
