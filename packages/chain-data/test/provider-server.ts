/** A provider on this machine. It answers in the form of each protocol, and misbehaves in every way that a test requests. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface Asked {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  /** Parsed JSON body; undefined if there is none. */
  readonly body: unknown
}

/** Returns the answer to a question as a JSON value, or as text if the protocol requires it. */
export type Answerer = (asked: Asked) => unknown

/** Takes over a response. */
export type Fault = (response: ServerResponse, answer: string, socket: Socket) => void

export interface ProviderServer {
  readonly url: string
  readonly asked: Asked[]
  /** Number of connections opened so far. */
  connections(): number
  answerer: Answerer
  /** Applied to every answer while it is set. */
  fault: Fault | null
  close(): Promise<void>
}

export async function startProviderServer(answerer: Answerer): Promise<ProviderServer> {
  const asked: Asked[] = []
  const sockets = new Set<Socket>()
  const http: Server = createServer((request, response) => {
    void handle(request, response)
  })
  let connections = 0
  http.on('connection', (socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const question: Asked = {
      method: request.method ?? '',
      url: new URL(request.url ?? '', 'http://provider'),
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
    asked.push(question)
    const answer = render(server.answerer(question))
    if (server.fault !== null) server.fault(response, answer, request.socket)
    else response.setHeader('content-type', 'application/json').end(answer)
  }
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const server: ProviderServer = {
    url: `http://127.0.0.1:${port}`,
    asked,
    connections: () => connections,
    answerer,
    fault: null,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return server
}

/** Writes numbers beyond the range of a double with every digit. */
function render(answer: unknown): string {
  if (typeof answer === 'string') return answer
  return JSON.stringify(answer, (_key, value: unknown) =>
    typeof value === 'bigint' ? `bigint:${value}` : value,
  ).replace(/"bigint:(\d+)"/g, '$1')
}

/** Parses JSON text, so that a text answer that is JSON can be told apart. */
export const asJson = (text: string): unknown => JSON.parse(text) as unknown

const MEBIBYTE = 1_024 * 1_024

/** Every fault, with the code that the provider must get for it. */
export const faults: Readonly<Record<string, { readonly fault: Fault; readonly code: string }>> = {
  'hangs before it answers': { code: 'timeout', fault: () => undefined },
  'hangs in the middle of its answer': {
    code: 'timeout',
    fault: (response, answer) => {
      response.writeHead(200, { 'content-length': Buffer.byteLength(answer) })
      response.write(answer.slice(0, 5))
    },
  },
  'resets the connection': {
    code: 'unreachable',
    fault: (_response, _answer, socket) => socket.resetAndDestroy(),
  },
  'closes in the middle of its answer': {
    code: 'unreachable',
    fault: (response, answer, socket) => {
      response.writeHead(200, { 'content-length': Buffer.byteLength(answer) + 1 })
      response.write(answer, () => socket.destroy())
    },
  },
  'answers more than anyone asked for': {
    code: 'too_large',
    fault: (response) => {
      response.writeHead(200)
      const chunk = Buffer.alloc(MEBIBYTE, ' ')
      const write = (): void => {
        if (response.socket?.writable === true) response.write(chunk, write)
      }
      write()
    },
  },
  'announces more than is read': {
    code: 'too_large',
    fault: (response) => {
      response.writeHead(200, { 'content-length': 100 * MEBIBYTE })
      response.write('[')
    },
  },
  // Its rest never comes: what is dear to read is refused before.
  'begins a number without end': {
    code: 'malformed',
    fault: (response) => void response.write('1'.repeat(1_000)),
  },
  'begins lists in lists without end': {
    code: 'malformed',
    fault: (response) => void response.write('['.repeat(1_000)),
  },
  'begins a list of a million values': {
    code: 'too_large',
    fault: (response) => void response.write(`[${'1,'.repeat(1_000_000)}`),
  },
  redirects: {
    code: 'redirected',
    fault: (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  },
  'has had too many questions': { code: 'rate_limited', fault: (response) => response.writeHead(429).end() },
  'knows no such key': { code: 'refused', fault: (response) => response.writeHead(403).end('no') },
  'has a fault of its own': {
    code: 'http_status',
    fault: (response) => response.writeHead(502).end('<html>'),
  },
  'answers in HTML': {
    code: 'malformed',
    fault: (response) => response.end('<html><body>maintenance</body>'),
  },
  'answers nothing': { code: 'malformed', fault: (response) => response.end('') },
  'answers null': { code: 'malformed', fault: (response) => response.end('null') },
  'answers an empty object': { code: 'malformed', fault: (response) => response.end('{}') },
  'answers an empty list': { code: 'malformed', fault: (response) => response.end('[]') },
  'answers a number': { code: 'malformed', fault: (response) => response.end('17') },
  'answers half of it': {
    code: 'malformed',
    fault: (response, answer) => response.end(answer.slice(0, Math.ceil(answer.length / 2))),
  },
  'nests without end': { code: 'malformed', fault: (response) => response.end('['.repeat(200_000)) },
  'answers compressed though it was not asked to': {
    code: 'malformed',
    fault: (response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.from([31, 139, 8, 0])),
  },
}
