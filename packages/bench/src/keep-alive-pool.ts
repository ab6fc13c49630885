/**
 * A minimal pool of kept-alive HTTP/1.1 connections with one request at a time on each, like the pool of a caller.
 * On a machine with two cores, the work of a general client would count as that of the service. Answers must have Content-Length,
 * like those of the platform.
 */
import { connect, type Socket } from 'node:net'

export interface HttpAnswer {
  readonly status: number
  readonly body: Buffer
}

export interface KeepAlivePool {
  /** Sends a request, head and body, on the first free connection. Rejects on any fault of that connection. */
  exchange(request: Buffer): Promise<HttpAnswer>
  close(): void
}

interface Connection {
  /** Sends one request; the next one only after this one was answered or failed. Connects when needed. */
  exchange(request: Buffer): Promise<HttpAnswer>
  close(): void
}

const HEAD_END = '\r\n\r\n'
const STATUS_AT = 'HTTP/1.1 '.length

export function openKeepAlivePool(options: {
  readonly url: string
  readonly connections: number
  readonly timeoutMs: number
}): KeepAlivePool {
  const { hostname, port } = new URL(options.url)
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }
  const connections = Array.from({ length: options.connections }, () =>
    openConnection(address, options.timeoutMs),
  )
  const free = [...connections]
  const waiting: ((connection: Connection) => void)[] = []
  let closed = false

  const release = (connection: Connection): void => {
    const next = waiting.shift()
    if (next === undefined) free.push(connection)
    else next(connection)
  }
  return {
    async exchange(request) {
      const connection = free.pop() ?? (await new Promise<Connection>((resolve) => waiting.push(resolve)))
      try {
        if (closed) throw new Error('the pool was closed')
        return await connection.exchange(request)
      } finally {
        release(connection)
      }
    },
    close() {
      closed = true
      for (const connection of connections) connection.close()
    },
  }
}

function openConnection(address: { host: string; port: number }, timeoutMs: number): Connection {
  let socket: Socket | null = null
  let pending: { resolve: (answer: HttpAnswer) => void; reject: (error: Error) => void } | null = null
  let received: Buffer | null = null

  function connected(): Socket {
    if (socket !== null) return socket
    const opened = connect({ ...address, noDelay: true })
    let cause: Error | null = null
    opened.setTimeout(timeoutMs, () => opened.destroy(new Error(`no answer in ${timeoutMs} ms`)))
    opened.on('data', receive)
    opened.on('error', (error) => (cause = error))
    opened.on('close', () => {
      if (socket !== opened) return
      socket = null
      settle(cause ?? new Error('the connection was closed'))
    })
    socket = opened
    received = null
    return opened
  }

  function receive(chunk: Buffer): void {
    const bytes = received === null ? chunk : Buffer.concat([received, chunk])
    const answer = readAnswer(bytes)
    received = answer === 'incomplete' ? bytes : null
    if (answer === 'incomplete') return
    if (answer instanceof Error) disconnect()
    settle(answer)
  }

  /** The next request opens a new connection. */
  function disconnect(): void {
    socket?.destroy()
    socket = null
  }

  function settle(answer: HttpAnswer | Error): void {
    const settled = pending
    pending = null
    if (answer instanceof Error) settled?.reject(answer)
    else settled?.resolve(answer)
  }

  return {
    exchange: (request) =>
      new Promise((resolve, reject) => {
        pending = { resolve, reject }
        connected().write(request)
      }),
    close: () => socket?.destroy(),
  }
}

/** The answer, once all of its bytes have arrived. */
function readAnswer(received: Buffer): HttpAnswer | Error | 'incomplete' {
  const headEnd = received.indexOf(HEAD_END)
  if (headEnd === -1) return 'incomplete'
  const head = received.toString('latin1', 0, headEnd)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) return new Error(`an answer without Content-Length: ${head.slice(0, 100)}`)
  const bodyAt = headEnd + HEAD_END.length
  const end = bodyAt + Number(length)
  if (received.length < end) return 'incomplete'
  if (received.length > end) return new Error('more bytes than one answer has')
  return { status: Number(head.slice(STATUS_AT, STATUS_AT + 3)), body: received.subarray(bodyAt, end) }
}

/** The bytes of a POST with a JSON body. */
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
