/** The transport: TLS, deadlines, limits on connections, and the headers every answer carries. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import { makeCertificate, until } from '@cupel/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readTlsIdentity } from '@cupel/kit/service'
import { createTransport, type ConnectionLimits, type TlsIdentity } from '@cupel/kit/http-edge'
import { buildApp, type App } from '../src/app.js'
import { jsonAnswer, keyedEndpoint, openEndpoint } from '@cupel/gate/http'
import { appParts } from './app-parts.js'
import { call } from './http-client.js'

const folder = mkdtempSync(join(tmpdir(), 'cupel-tls-'))
const file = (name: string): string => join(folder, name)
let tls: TlsIdentity
beforeAll(async () => {
  for (const name of ['own', 'other'])
    makeCertificate({
      ...{ certFile: file(`${name}.crt`), keyFile: file(`${name}.key`) },
      names: 'DNS:localhost,IP:127.0.0.1',
    })
  tls = (await readTlsIdentity({
    CUPEL_TLS_CERT_FILE: file('own.crt'),
    CUPEL_TLS_KEY_FILE: file('own.key'),
  }))!
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const running: App[] = []
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const app of running.splice(0)) await app.close()
})

interface AppOptions {
  readonly tls?: TlsIdentity
  readonly limits?: Partial<ConnectionLimits>
  readonly trustedProxies?: readonly string[]
}

/** The frame around two endpoints; the tests of the transport need no key store. */
async function startApp(options: AppOptions = {}): Promise<number> {
  const endpoints = [
    openEndpoint({
      ...DESCRIBED,
      method: 'GET',
      path: '/open',
      access: 'open',
      handle: () => jsonAnswer(200, '{}'),
    }),
    keyedEndpoint({
      ...DESCRIBED,
      method: 'POST',
      path: '/keyed',
      access: 'read-write',
      bodySchema: z.unknown(),
      handle: () => Promise.resolve(jsonAnswer(200, '{}')),
    }),
  ]
  const app = buildApp(
    appParts({
      endpoints,
      admit: () =>
        Promise.resolve({
          admitted: false,
          reason: 'no_credentials',
          caller: null,
          rateLimit: null,
          retryAfterSeconds: null,
        }),
      transport: createTransport({
        trustedProxies: options.trustedProxies ?? [],
        isEncrypted: options.tls !== undefined,
      }),
      tls: options.tls ?? null,
      limits: options.limits ?? {},
    }),
  )
  running.push(app)
  await app.fastify.listen({ host: '127.0.0.1', port: 0 })
  return (app.fastify.server.address() as AddressInfo).port
}
const DESCRIBED = {
  ...{ operationId: 'x', tag: 'Health' as const, summary: 'x', description: 'x' },
  ...{ answers: [], problems: [] },
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  sockets.push(socket)
  return socket
}

/** Returns the text that the server sends until it closes the connection, and the time that this takes. */
async function untilClosed(socket: Socket): Promise<{ text: string; afterMs: number }> {
  const startedMs = performance.now()
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
  return { text, afterMs: performance.now() - startedMs }
}

function getOverTls(port: number, options: ConnectionOptions = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown> }>((resolve, reject) => {
    const { cert } = tls
    httpsRequest(
      { host: 'localhost', port, path: '/open', ca: cert, agent: false, ...options },
      (response) => {
        response.resume()
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers }))
      },
    )
      .on('error', reject)
      .end()
  })
}

/** The default time limit for headers. A connection that closes sooner was closed by the limit of the test. */
const UNLIMITED_MS = 10_000

const HSTS = 'strict-transport-security'

describe('with a certificate', () => {
  test('calls are answered over TLS 1.2 and 1.3, verified against that certificate, with HSTS of a year', async () => {
    const port = await startApp({ tls })
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const reply = await getOverTls(port, { minVersion: version, maxVersion: version })
      expect(reply.status).toBe(200)
      expect(reply.headers[HSTS]).toBe('max-age=31536000')
    }
  })

  test('TLS 1.1 is refused', async () => {
    const port = await startApp({ tls })
    const options = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
    await expect(getOverTls(port, options)).rejects.toThrow()
    expect((await getOverTls(port)).status).toBe(200)
  })

  test('plain HTTP is not answered, and harms nobody', async () => {
    const port = await startApp({ tls })
    const socket = open(port)
    socket.write('GET /open HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect((await untilClosed(socket)).text).not.toContain('200')
    expect((await getOverTls(port)).status).toBe(200)
  })

  test('bytes that are not an HTTP request are answered with HSTS too', async () => {
    const port = await startApp({ tls })
    const socket = connectTls({ port, host: 'localhost', ca: tls.cert })
    sockets.push(socket)
    socket.write('nonsense\r\n\r\n')
    expect((await untilClosed(socket)).text).toMatch(
      /^HTTP\/1.1 400 [^]*\r\nstrict-transport-security: max-age=31536000\r\n/,
    )
  })

  test('who never finishes the handshake is cut off', async () => {
    const port = await startApp({ tls, limits: { headersTimeoutMs: 300, timeoutCheckIntervalMs: 50 } })
    const { afterMs } = await untilClosed(open(port))
    expect(afterMs).toBeGreaterThan(200)
    expect(afterMs).toBeLessThan(UNLIMITED_MS)
  })

  test('who finishes the handshake and says nothing is cut off', async () => {
    const port = await startApp({ tls, limits: { headersTimeoutMs: 300, timeoutCheckIntervalMs: 50 } })
    const socket = connectTls({ port, host: 'localhost', ca: tls.cert })
    sockets.push(socket)
    expect((await untilClosed(socket)).text).toMatch(/^(?:HTTP\/1.1 408 |$)/)
  })
})

describe('a certificate that cannot be used stops the start:', () => {
  test.each([
    ['only a certificate', { CUPEL_TLS_CERT_FILE: 'own.crt' }, /set together/],
    ['only a key', { CUPEL_TLS_KEY_FILE: 'own.key' }, /set together/],
    [
      'a file that is not there',
      { CUPEL_TLS_CERT_FILE: 'no.crt', CUPEL_TLS_KEY_FILE: 'own.key' },
      /CERT_FILE cannot be read/,
    ],
    [
      'the key of another',
      { CUPEL_TLS_CERT_FILE: 'own.crt', CUPEL_TLS_KEY_FILE: 'other.key' },
      /cannot be used: .*mismatch/i,
    ],
    ['no PEM', { CUPEL_TLS_CERT_FILE: 'junk', CUPEL_TLS_KEY_FILE: 'own.key' }, /cannot be used/],
  ])('%s', async (_name, given, fault) => {
    writeFileSync(file('junk'), 'junk')
    const at = (name: string | undefined) => (name === undefined ? undefined : file(name))
    const { CUPEL_TLS_CERT_FILE, CUPEL_TLS_KEY_FILE } = given as Record<string, string>
    const config = {
      CUPEL_TLS_CERT_FILE: at(CUPEL_TLS_CERT_FILE),
      CUPEL_TLS_KEY_FILE: at(CUPEL_TLS_KEY_FILE),
    }
    await expect(readTlsIdentity(config)).rejects.toThrow(fault)
  })

  test('none at all means plain HTTP', async () => {
    const config = { CUPEL_TLS_CERT_FILE: undefined, CUPEL_TLS_KEY_FILE: undefined }
    expect(await readTlsIdentity(config)).toBeNull()
  })
})

describe('HSTS in the clear', () => {
  test.each([
    ['a trusted proxy that says https', ['127.0.0.1/32'], 'https', true],
    ['a trusted proxy that says so last', ['127.0.0.1/32'], 'http, HTTPS', true],
    ['a trusted proxy that says http', ['127.0.0.1/32'], 'https, http', false],
    ['a trusted proxy that says nothing', ['127.0.0.1/32'], undefined, false],
    ['a stranger that says https', [], 'https', false],
  ])('%s', async (_name, trustedProxies, proto, isSent) => {
    const port = await startApp({ trustedProxies })
    const headers: Record<string, string> = proto === undefined ? {} : { 'x-forwarded-proto': proto }
    const reply = await call(`http://127.0.0.1:${port}`, 'GET', '/open', { headers })
    expect(reply.headers[HSTS] !== undefined).toBe(isSent)
  })
})

test('while it drains, calls are answered and every answer ends its connection', async () => {
  const port = await startApp()
  const kept = open(port)
  const ended = untilClosed(kept)
  kept.write('GET /open HTTP/1.1\r\nHost: x\r\n\r\n')
  await until(() => expect(kept.bytesRead).toBeGreaterThan(0))
  // This drain lasts longer than any test; it ends when the app closes.
  void running.at(-1)!.drain(3_600_000)
  kept.write('GET /open HTTP/1.1\r\nHost: x\r\n\r\n')
  const heads = (await ended).text.match(/HTTP\/1\.1 \d+|^connection:.*/gim)
  expect(heads).toEqual(['HTTP/1.1 200', 'Connection: keep-alive', 'HTTP/1.1 200', 'connection: close'])
  const fresh = await fetch(`http://127.0.0.1:${port}/open`)
  expect([fresh.status, fresh.headers.get('connection')]).toEqual([200, 'close'])
})

test('every answer carries the security headers, whoever gives it', async () => {
  const port = await startApp()
  const url = `http://127.0.0.1:${port}`
  const replies = await Promise.all([
    call(url, 'GET', '/open'),
    call(url, 'HEAD', '/open'),
    call(url, 'OPTIONS', '/open'),
    call(url, 'DELETE', '/open'),
    call(url, 'GET', '/nothing'),
    call(url, 'GET', '/%zz'),
    call(url, 'POST', '/keyed', { body: '{}' }),
    call(url, 'POST', '/keyed', { body: 'x', headers: { 'content-type': 'text/plain' } }),
  ])
  expect(replies.map((reply) => reply.status)).toEqual([200, 200, 204, 405, 404, 404, 401, 401])
  const broken = open(port)
  broken.write('nonsense\r\n\r\n')
  const { text } = await untilClosed(broken)
  expect(text).toMatch(/^HTTP\/1.1 400 /)
  const expected = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
  }
  for (const reply of replies) {
    expect(reply.headers).toMatchObject(expected)
    expect(reply.headers['server']).toBeUndefined()
    expect(reply.headers['x-powered-by']).toBeUndefined()
  }
  for (const [name, value] of Object.entries(expected)) expect(text).toContain(`\r\n${name}: ${value}\r\n`)
})

describe('a slow client is cut off', () => {
  const limits = { headersTimeoutMs: 300, requestTimeoutMs: 600, timeoutCheckIntervalMs: 50 }
  const drip = (socket: Socket, piece: string): void => {
    const timer = setInterval(() => socket.write(piece), 20)
    socket.once('close', () => clearInterval(timer))
  }

  test('that says nothing', async () => {
    const { text } = await untilClosed(open(await startApp({ limits })))
    expect(text).toMatch(/^(?:HTTP\/1.1 408 |$)/)
  })

  test('that drips headers for ever', async () => {
    const socket = open(await startApp({ limits }))
    socket.write('GET /open HTTP/1.1\r\nHost: x\r\n')
    drip(socket, 'X-A: b\r\n')
    const { text, afterMs } = await untilClosed(socket)
    expect(text).toMatch(/^HTTP\/1.1 408 .*Request-Id: /s)
    expect(afterMs).toBeGreaterThan(200)
    expect(afterMs).toBeLessThan(UNLIMITED_MS)
  })

  test('that drips a body for ever', async () => {
    const socket = open(await startApp({ limits }))
    socket.write(
      'POST /keyed HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n',
    )
    drip(socket, ' ')
    const { text, afterMs } = await untilClosed(socket)
    // The server refuses the call before its body comes, and sends no further text that could pass for the next answer.
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401'])
    expect(afterMs).toBeGreaterThan(300)
    expect(afterMs).toBeLessThan(UNLIMITED_MS)
  })

  test('that keeps a connection and asks nothing more', async () => {
    const socket = open(await startApp({ limits: { keepAliveTimeoutMs: 200 } }))
    socket.write('GET /open HTTP/1.1\r\nHost: x\r\n\r\n')
    const { text } = await untilClosed(socket)
    expect(text).toMatch(/^HTTP\/1.1 200 /)
  })

  test('that never reads its answer', async () => {
    const socket = open(await startApp({ limits: { silenceTimeoutMs: 300 } }))
    socket.pause()
    // These answers exceed the buffers of both kernels: the server stops reading and receives nothing more.
    const flood = 'GET /open HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000)
    const timer = setInterval(() => socket.writableLength === 0 && socket.write(flood), 5)
    await new Promise((resolve) => socket.once('close', resolve))
    clearInterval(timer)
  })
})

describe('connections', () => {
  const answered = async (socket: Socket): Promise<boolean> => {
    socket.write('GET /open HTTP/1.1\r\nHost: x\r\n\r\n')
    return await new Promise((resolve) => {
      socket.once('data', () => resolve(true))
      socket.once('close', () => resolve(false))
    })
  }

  test.each([
    ['an instance', { maxConnections: 2 }],
    ['a client', { maxConnectionsPerPeer: 2 }],
  ])('beyond those %s may hold are dropped, and taken again once one has ended', async (_name, limits) => {
    const port = await startApp({ limits })
    const [first, second] = [open(port), open(port)]
    expect([await answered(first), await answered(second)]).toEqual([true, true])
    expect(await answered(open(port))).toBe(false)
    first.destroy()
    await until(async () => expect(await answered(open(port))).toBe(true))
    expect(await answered(second)).toBe(true)
  })

  test('of a trusted proxy are not counted as those of one client', async () => {
    const port = await startApp({ limits: { maxConnectionsPerPeer: 1 }, trustedProxies: ['127.0.0.1/32'] })
    expect(await answered(open(port))).toBe(true)
    expect(await answered(open(port))).toBe(true)
  })
})
