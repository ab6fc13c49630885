import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { noMetrics } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { answerLimits, createAnswers, pump, type AnswerLimits } from './answers.js'
import { createTransport } from './transport.js'

/** More than the kernel takes for a reader who does not read. */
const LARGE_BYTES = 16_777_216
const SMALL_BYTES = 65_536

let server: Server
let handled: string[]
const sockets: Socket[] = []
beforeEach(() => {
  handled = []
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.closeAllConnections()
  server.close()
})

/** The path states the bytes of the answer. Clients are told apart by X-Forwarded-For. */
async function serve(limits: Partial<AnswerLimits>): Promise<void> {
  const transport = createTransport({ trustedProxies: ['127.0.0.0/8'], isEncrypted: false })
  const answers = createAnswers(transport, noMetrics, { ...answerLimits, ...limits })
  server = createServer((request, response) => {
    handled.push(request.url!)
    const bytes = Number(request.url!.slice(1))
    response.writeHead(200, { 'content-length': bytes }).end(Buffer.alloc(bytes))
    answers.hold(request, response, bytes)
  })
  answers.guard(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
}

function sendUnread(client: string, answers: readonly number[]): void {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  socket.pause().on('error', () => undefined)
  socket.write(
    answers
      .map((bytes) => `GET /${bytes} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${client}\r\n\r\n`)
      .join(''),
  )
}

const openConnections = (): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })

test('a connection has so many requests under way and no more: those beyond are not handled', async () => {
  await serve({ maxUnderWay: 3 })
  sendUnread(
    '198.51.100.1',
    Array.from({ length: 50 }, () => LARGE_BYTES),
  )
  await until(async () => {
    expect(handled).toHaveLength(3)
    expect(await openConnections()).toBe(0)
  })
})

test('a client that reads has any number of answers, one after the other and over one connection', async () => {
  await serve({ maxUnderWay: 1, maxBytesPerClient: 1 })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const bytes of [LARGE_BYTES, SMALL_BYTES, LARGE_BYTES])
    expect((await (await fetch(`${url}/${bytes}`)).arrayBuffer()).byteLength).toBe(bytes)
})

test('the unsent bytes of a client are bounded over all its connections, and another client loses nothing', async () => {
  await serve({ maxBytesPerClient: 2 * LARGE_BYTES })
  sendUnread('198.51.100.1', [LARGE_BYTES])
  sendUnread('198.51.100.2', [LARGE_BYTES])
  await until(() => expect(handled).toHaveLength(2))
  sendUnread('198.51.100.1', [LARGE_BYTES])
  await until(() => expect(handled).toHaveLength(3))
  expect(await openConnections()).toBe(3)
  sendUnread('198.51.100.1', [LARGE_BYTES])
  await until(async () => {
    expect(handled).toHaveLength(4)
    expect(await openConnections()).toBe(3)
  })
})

test('beyond the bytes of the process the client with the most loses a connection', async () => {
  await serve({ maxBytes: 3 * LARGE_BYTES })
  sendUnread('198.51.100.2', [LARGE_BYTES])
  await until(() => expect(handled).toHaveLength(1))
  sendUnread('198.51.100.1', [2 * LARGE_BYTES])
  await until(() => expect(handled).toHaveLength(2))
  sendUnread('198.51.100.3', [LARGE_BYTES])
  await until(async () => {
    expect(handled).toHaveLength(3)
    expect(await openConnections()).toBe(2)
  })
})

test('a reader who does not read loses the connection, and its bytes are given back', async () => {
  await serve({ patienceMs: 1, leastBytesPerSecond: LARGE_BYTES * 1_000, maxBytesPerClient: LARGE_BYTES })
  for (let round = 1; round <= 3; round += 1) {
    sendUnread('198.51.100.1', [LARGE_BYTES])
    await until(async () => {
      expect(handled).toHaveLength(round)
      expect(await openConnections()).toBe(0)
    })
  }
})

test('an answer that is passed on is read from its source as it is taken, and a reader who takes nothing loses it', async () => {
  let [given, isStopped] = [0, false]
  async function* endless() {
    try {
      for (;;) {
        given += 1
        yield Buffer.alloc(SMALL_BYTES)
      }
    } finally {
      isStopped = true
    }
  }
  server = createServer((_, response) => void pump(response, endless(), { patienceMs: 100 }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  sendUnread('198.51.100.1', [0])
  await until(async () => {
    expect(isStopped).toBe(true)
    expect(await openConnections()).toBe(0)
  })
  // What the kernel takes for a reader who does not read.
  expect(given * SMALL_BYTES).toBeLessThan(LARGE_BYTES)
})
