import { connect } from 'node:net'
import { until } from '@cupel/testkit'
import { afterEach, expect, test } from 'vitest'
import { HEALTH_LIMITS, readiness, startHealthServer, type HealthServer } from './health-server.js'
import { loadConfig } from './config.js'
import { createMetrics } from './metrics.js'

let server: HealthServer | null = null
const start = async (): Promise<URL> => {
  const checks = () => [{ name: 'database', ok: false }]
  server = await startHealthServer({ host: '127.0.0.1', port: 0, checks, metrics: createMetrics('test') })
  return new URL(server.url)
}
afterEach(async () => {
  await server?.close()
  server = null
})

test('metrics and details stay on this machine, wherever the API listens', () => {
  expect(loadConfig({ CUPEL_HOST: '0.0.0.0' }).CUPEL_METRICS_HOST).toBe('127.0.0.1')
})

test('the details name what fails', async () => {
  const url = await start()
  const answer = await fetch(new URL('/readyz', url))
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { status: 'not ready', checks: [{ name: 'database', ok: false }] },
  ])
})

test('a check of what no other process would do better is told, and takes no calls away', () => {
  const [bad, told] = [
    { name: 'database', ok: false },
    { name: 'screens', ok: false, isServing: true, detail: '9 of 10' } as const,
  ]
  expect(readiness([told])).toEqual({ status: 200, body: { status: 'ready', checks: [told] } })
  expect(readiness([told, bad])).toMatchObject({ status: 503 })
})

test('a scrape tells which checks pass', async () => {
  const text = await (await fetch(new URL('/metrics', await start()))).text()
  expect(text).toContain('cupel_service_check_passes{check="database",service="test"} 0')
})

test('a head beyond the limit is refused', async () => {
  const url = await start()
  const head = `GET /metrics HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(HEALTH_LIMITS.maxHeaderBytes)}\r\n\r\n`
  expect(await said(url, head)).toMatch(/^HTTP\/1\.1 431 /)
})

test('a connection beyond the limit is dropped, and the others are served', async () => {
  const url = await start()
  const sockets = await Promise.all(Array.from({ length: HEALTH_LIMITS.maxConnections }, () => opened(url)))
  expect(await said(url, 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toBe('')
  const first = sockets[0]!
  first.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  const [chunk] = (await new Promise((resolve) => first.once('data', (data) => resolve([data])))) as [Buffer]
  expect(chunk.toString()).toMatch(/^HTTP\/1\.1 200 /)
  for (const socket of sockets) socket.destroy()
})

test('who asks and does not read has a few answers made, and loses the connection', async () => {
  const bytes = HEALTH_LIMITS.answers.maxBytesPerClient
  let made = 0
  const render = () => {
    made += 1
    return Promise.resolve({ contentType: 'text/plain', body: 'x'.repeat(bytes) })
  }
  const metrics = { ...createMetrics('test'), render }
  server = await startHealthServer({ host: '127.0.0.1', port: 0, checks: () => [], metrics })
  const asked = async (times: number) => {
    const socket = (await opened(new URL(server!.url))).pause().on('error', () => undefined)
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(times))
    return socket
  }
  const few = await asked(2)
  await until(() => expect(made).toBe(2))
  let received = 0
  few.on('data', (chunk: Buffer) => (received += chunk.length))
  await new Promise((resolve) => few.once('close', resolve).resume())
  expect(received).toBeLessThan(2 * bytes)
  // All requests of one packet are handled in one turn.
  made = 0
  await asked(50)
  await until(() => expect(made).toBeGreaterThan(0))
  expect(made).toBe(HEALTH_LIMITS.answers.maxUnderWay)
})

async function opened(url: URL) {
  const socket = connect(Number(url.port), url.hostname)
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return socket
}

/** The server's output until it closes the connection. */
async function said(url: URL, request: string): Promise<string> {
  const socket = connect(Number(url.port), url.hostname)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined)
  socket.write(request)
  await new Promise((resolve) => socket.once('close', resolve))
  return Buffer.concat(chunks).toString()
}
