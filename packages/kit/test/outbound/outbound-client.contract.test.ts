import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { createOutboundClient, parseAllowedRanges } from '../../src/outbound/index.js'
import { type OutboundClientOptions } from '../../src/outbound/outbound-client.js'

/** The default of a client that sets no timeout. */
const DEFAULT_TIMEOUT_MS = 15_000

const closers: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
  vi.unstubAllEnvs()
})

async function receiver(
  answer: RequestListener,
): Promise<{ url: string; server: Server; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    request.resume()
    request.on('end', () =>
      answer(request, response as ServerResponse<IncomingMessage> & { req: IncomingMessage }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=1`, server, requests }
}

function client(options: Partial<OutboundClientOptions> = {}) {
  const made = createOutboundClient({ allow: parseAllowedRanges(['127.0.0.0/8']), ...options })
  closers.push(() => made.close())
  return made
}
const message = { headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' }, body: '{"a":1}' }

test('sends the body byte for byte, with path, query and headers', async () => {
  const { url, requests } = await receiver((_request, response) => response.end('thanks'))
  const result = await client().post({ ...message, url })
  expect(result).toMatchObject({ kind: 'answered', statusCode: 200, excerpt: 'thanks', retryAfter: null })
  expect(requests[0]).toMatchObject({
    method: 'POST',
    url: '/hook?a=1',
    headers: { 'webhook-id': 'msg_1', 'content-length': '7' },
  })
})

test('what an opened address of the operator’s network answers is not shown; the status is', async () => {
  const { url } = await receiver((_request, response) => response.writeHead(500).end('internal'))
  // The same listener through an opened address that is not written as loopback.
  const inside = url.replace('127.0.0.1', '[::ffff:127.0.0.1]')
  const opened = client({ allow: parseAllowedRanges(['::ffff:127.0.0.0/104']) })
  expect(await opened.post({ ...message, url: inside })).toMatchObject({ statusCode: 500, excerpt: '' })
  expect(await client().post({ ...message, url })).toMatchObject({ statusCode: 500, excerpt: 'internal' })
})

test.each([301, 302, 303, 307, 308])('a redirect (%i) is an answer and is not followed', async (status) => {
  const inside = await receiver((_request, response) => response.end('secret'))
  const { url } = await receiver((_request, response) =>
    response.writeHead(status, { location: inside.url }).end(),
  )
  expect(await client().post({ ...message, url })).toMatchObject({ kind: 'answered', statusCode: status })
  expect(inside.requests).toHaveLength(0)
})

test('proxies named in the environment are not asked', async () => {
  const proxy = await receiver((_request, response) => response.end('proxied'))
  for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'])
    vi.stubEnv(name, new URL(proxy.url).origin)
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  const { url } = await receiver((_request, response) => response.end('direct'))
  expect(await client().post({ ...message, url })).toMatchObject({ excerpt: 'direct' })
  expect(proxy.requests).toHaveLength(0)
})

test('what is kept of an answer is short, and free of control characters', async () => {
  const { url } = await receiver((_request, response) =>
    response.end(`a\0b\x1b[31m${'x'.repeat(10_000_000)}`),
  )
  const result = await client().post({ ...message, url })
  expect(result).toMatchObject({ kind: 'answered', statusCode: 200 })
  const { excerpt } = result as { excerpt: string }
  expect(excerpt).toMatch(/^ab\[31mx+$/)
  expect(excerpt.length).toBeLessThanOrEqual(1_024)
})

test('the whole body is kept where the caller asks for it, up to so many bytes, and half a body is not an answer', async () => {
  const { url } = await receiver((request, response) => {
    if (request.url!.includes('half')) response.writeHead(200, { 'content-length': '9' }).write('half')
    else response.writeHead(409).end(`${'x'.repeat(2_000)}\0`)
  })
  const whole = {
    kind: 'answered',
    statusCode: 409,
    excerpt: '',
    body: Buffer.from(`${'x'.repeat(2_000)}\0`),
  }
  expect(await client().post({ ...message, url, keepBytes: 2_001 })).toMatchObject(whole)
  expect(await client().post({ ...message, url, keepBytes: 2_000 })).toMatchObject({ ...whole, body: null })
  expect(await client().post({ ...message, url })).toMatchObject({ body: null })
  // This also holds for an opened address, because the operator names those places himself.
  const inside = url.replace('127.0.0.1', '[::ffff:127.0.0.1]')
  const opened = client({ allow: parseAllowedRanges(['::ffff:127.0.0.0/104']) })
  expect(await opened.post({ ...message, url: inside, keepBytes: 2_001 })).toMatchObject(whole)
  const half = { ...message, url: `${url}&half`, keepBytes: 2_001 }
  expect(await client({ timeoutMs: 300 }).post(half)).toMatchObject({ kind: 'failed', error: 'timeout' })
})

test('a receiver that never answers ends in time', async () => {
  const { url } = await receiver(() => undefined)
  const startedMs = performance.now()
  expect(await client({ timeoutMs: 300 }).post({ ...message, url })).toMatchObject({
    kind: 'failed',
    error: 'timeout',
  })
  // This client's own timeout applies, not the default of every client.
  expect(performance.now() - startedMs).toBeLessThan(DEFAULT_TIMEOUT_MS)
})

test('a status that came counts, though its body never ends', async () => {
  const { url } = await receiver((_request, response) => void response.writeHead(200).write('begun'))
  expect(await client().post({ ...message, url })).toMatchObject({ statusCode: 200, excerpt: 'begun' })
})

test('a receiver that hangs up, speaks nonsense, or is not there is told apart', async () => {
  const { url: reset } = await receiver((request) => request.socket.destroy())
  expect(await client().post({ ...message, url: reset })).toMatchObject({ error: 'connection_lost' })
  const nonsense = createTcpServer((socket) =>
    socket.on('error', () => undefined).once('data', () => socket.end('SSH-2.0-x\r\n\r\n')),
  )
  await new Promise<void>((resolve) => nonsense.listen(0, '127.0.0.1', resolve))
  const { port } = nonsense.address() as AddressInfo
  expect(await client().post({ ...message, url: `http://127.0.0.1:${port}/` })).toMatchObject({
    error: 'bad_answer',
  })
  await new Promise((resolve) => nonsense.close(resolve))
  expect(await client().post({ ...message, url: `http://127.0.0.1:${port}/` })).toMatchObject({
    error: 'connect_failed',
  })
})

test('the next address is tried where the first does not take connections', async () => {
  const { url } = await receiver((_request, response) => response.end('here'))
  const { port } = new URL(url)
  const made = client({ resolve: async () => ['127.0.0.77', '127.0.0.1'] })
  expect(await made.post({ ...message, url: `http://two.example:${port}/` })).toMatchObject({
    excerpt: 'here',
  })
})

test('connections are used again while they are fresh', async () => {
  const { url, server } = await receiver((_request, response) => response.end())
  let connections = 0
  server.on('connection', () => (connections += 1))
  const made = client()
  for (let call = 0; call < 10; call += 1) await made.post({ ...message, url })
  // Two at most: the next call may come before the client has stored the last answer.
  expect(connections).toBeLessThanOrEqual(2)
})
