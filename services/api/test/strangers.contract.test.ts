/**
 * Nobody's body is read before a key or a session is verified. The one exception carries its credential in its body: it has a small
 * budget of its own. The test walks over all endpoints, and over methods and paths that none has.
 */
import { connect, type AddressInfo, type Socket } from 'node:net'
import { noMetrics } from '@cupel/contracts'
import { createBodyBudget, MAX_STRANGER_BODY_BYTES, strangerBudgetLimits } from '@cupel/kit/http-edge'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { buildApp, type App } from '../src/app.js'
import { jsonAnswer, type Endpoint, type PersonResult } from '@cupel/gate/http'
import { describedEndpoints } from '../src/openapi-document.js'
import { appParts } from './app-parts.js'

const SIGN_IN = '/v1/sessions/oidc'
const ANNOUNCED_BYTES = 1_048_576
const opened: string[] = []
let failures = 0
/** The sign-in that is under way ends when it is called. */
let endSignIn: () => void
let app: App
let port: number

const endpoints = describedEndpoints()
const strangers = createBodyBudget(noMetrics, strangerBudgetLimits)
const refusedPerson: PersonResult = {
  result: jsonAnswer(403, '{}'),
  ...{ caller: null, actor: '', refusedBecause: 'id_token_refused' },
}

beforeAll(async () => {
  const served = endpoints.map((endpoint) => ({
    ...endpoint,
    handle: () =>
      endpoint.access === 'person'
        ? new Promise<PersonResult>((resolve) => (endSignIn = () => resolve(refusedPerson)))
        : Promise.resolve(jsonAnswer(200, '{}')),
  })) as unknown as readonly Endpoint[]
  const parts = appParts({
    endpoints: served,
    admit: () =>
      Promise.resolve({
        ...{ admitted: false, reason: 'unknown_key', caller: null, rateLimit: null },
        retryAfterSeconds: null,
      }),
    bodies: { open: () => (opened.push('customer'), null) },
    strangers: { open: (client) => (opened.push('stranger'), strangers.open(client)) },
  })
  app = buildApp({
    ...parts,
    gate: {
      ...parts.gate,
      recognises: () => Promise.resolve(false),
      noteFailure: () => ((failures += 1), null),
    },
  })
  await app.fastify.listen({ host: '127.0.0.1', port: 0 })
  port = (app.fastify.server.address() as AddressInfo).port
})
afterAll(() => app.close())
beforeEach(() => {
  opened.length = 0
  failures = 0
})

interface Sent {
  readonly socket: Socket
  status(): number | null
}

function send(method: string, path: string, lines: readonly string[], body = ''): Sent {
  let text = ''
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).on('error', () => undefined)
  socket.write([`${method} ${path} HTTP/1.1`, 'Host: x', ...lines, '', body].join('\r\n'))
  return {
    socket,
    status: () => (text === '' ? null : Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1])),
  }
}

const statusOf = async (sent: Sent): Promise<number> =>
  await until(() => {
    const status = sent.status()
    expect(status).not.toBeNull()
    return status!
  })

const BODY_LINES = [`Content-Length: ${ANNOUNCED_BYTES}`, 'Content-Type: application/json']
const credentials = [
  [],
  [`Authorization: Bearer cupel_live_${'a'.repeat(60)}`],
  ['Authorization: Basic YTpi'],
  ['Idempotency-Key: a'],
  ['Idempotency-Key: a', 'Authorization: Bearer any'],
]
const unserved = ['PUT', 'PATCH', 'DELETE', 'POST', 'OPTIONS'].flatMap((method) =>
  ['/v1/nothing', '/', '/v1/screen/%zz'].map((path) => [method, path] as const),
)
const concrete = (path: string): string => path.replaceAll(/\{\w+\}/g, '9f2c4a1be07d6358')

test.each([
  ...endpoints
    .filter(({ access }) => access !== 'person')
    .map(({ method, path }) => [method, concrete(path)] as const),
  ...unserved,
])('%s %s answers a stranger before a byte of the body', async (method, path) => {
  for (const lines of credentials) await statusOf(send(method, path, [...lines, ...BODY_LINES]))
  expect(opened).toEqual([])
})

test('one endpoint reads the body of a caller who has proven nothing', () => {
  const readers = endpoints.filter(({ access }) => access === 'person')
  expect(readers.map(({ method, path }) => `${method} ${path}`)).toEqual([`POST ${SIGN_IN}`])
})

test('a stranger has a few bodies at once in a budget of strangers, none beyond 72 KiB, and customers lose nothing', async () => {
  const announced = (bytes: number): Sent =>
    send('POST', SIGN_IN, [`Content-Length: ${bytes}`, 'Content-Type: application/json'], '{')
  expect(await statusOf(announced(MAX_STRANGER_BODY_BYTES + 1))).toBe(413)
  const held = Array.from({ length: strangerBudgetLimits.maxBodiesPerClient }, () =>
    announced(MAX_STRANGER_BODY_BYTES),
  )
  await until(() => expect(opened).toHaveLength(held.length + 1))
  expect(await statusOf(announced(100))).toBe(503)
  expect(held.map((sent) => sent.status())).toEqual(held.map(() => null))
  expect(opened).not.toContain('customer')
  for (const { socket } of held) socket.destroy()
  // Each of them proved nothing, like the one that was too large.
  await until(() => expect(failures).toBe(held.length + 1))
})

test.each([
  ['no JSON', 'Content-Type: application/json', '{'],
  ['another form', 'Content-Type: application/json', '{"id_token":1}'],
  ['another type', 'Content-Type: text/plain', '{}'],
])('a sign-in with %s counts as a failed authentication', async (_, type, body) => {
  const status = await statusOf(send('POST', SIGN_IN, [`Content-Length: ${body.length}`, type], body))
  expect([400, 415]).toContain(status)
  expect(failures).toBe(1)
})

test('a sign-in takes its place among strangers until it is answered, and an ID token of 64 KiB fits', async () => {
  const body = JSON.stringify({ id_token: 'a'.repeat(65_536), nonce: 'n'.repeat(43) })
  const lines = [`Content-Length: ${body.length}`, 'Content-Type: application/json']
  const sent = send('POST', SIGN_IN, lines, body)
  await until(() => endSignIn())
  expect(await statusOf(sent)).toBe(403)
  expect(failures).toBe(1)
})
