import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { discard, leaveUnread } from './body-reader.js'

const BODY_BYTES = 8 * 1_048_576
/** Bytes that a parser takes in before it notices that the body is not read. */
const MAX_READ_BYTES = 262_144

let server: Server
let treat: (request: IncomingMessage) => void
let connection: 'close' | 'keep-alive'
/** When the server decides about the body. */
const moments = ['with the head', 'with the first bytes', 'while it comes'] as const
let decided: (typeof moments)[number]
let taken: Socket | null
let sender: Socket | null = null
beforeEach(async () => {
  taken = null
  decided = 'with the head'
  server = createServer((request, response) => {
    taken = request.socket
    const answer = (): void => {
      treat(request)
      response.writeHead(429, { connection, 'content-length': 2 }).end('no')
    }
    if (decided === 'with the head') answer()
    // The rest of the chunk that the head came in was parsed, and the parser has not paused yet.
    else if (decided === 'with the first bytes') process.nextTick(answer)
    else void until(() => expect(request.readableLength).toBeGreaterThan(0)).then(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  sender?.destroy()
  server.closeAllConnections()
  server.close()
})

/** Sends a whole body, and resolves to the answer once the connection has ended. */
function sendBody(): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = (sender = connect({ port: (server.address() as AddressInfo).port, allowHalfOpen: true }))
    socket.on('data', (chunk) => (text += chunk.toString()))
    socket.on('error', () => undefined)
    socket.on('end', () => socket.end())
    socket.on('close', () => resolve(text))
    const head = Buffer.from(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`)
    socket.write(Buffer.concat([head, Buffer.alloc(BODY_BYTES)]))
  })
}

test.each(moments)(
  'a body that is left %s is not read, and its sender has one answer before the end',
  async (when) => {
    decided = when
    treat = (request) => leaveUnread(request, 300)
    connection = 'close'
    const sinceMs = performance.now()
    const text = await sendBody()
    expect(performance.now() - sinceMs).toBeGreaterThan(290)
    expect(text).toMatch(/^HTTP\/1\.1 429 [^]*no$/)
    expect(taken!.bytesRead).toBeLessThan(MAX_READ_BYTES)
  },
)

test('a body that is dropped is read, which is what leaving it saves', async () => {
  treat = discard
  connection = 'keep-alive'
  void sendBody()
  await until(() => expect(taken?.bytesRead).toBeGreaterThan(BODY_BYTES))
})
