/** Tests wrong calls and the problems that they get. No wrong call leaves a record in the log. */
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { problemCodes, type ProblemCode } from '@cupel/contracts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { API_KEY_RANDOM_BYTES, renderApiKey } from '@cupel/domain'
import { ADDRESS, call, screen, type CallOptions, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let url: string
let key: string
let readOnlyKey: string
let appended: number
beforeAll(async () => {
  installation = await startInstallation()
  url = (await installation.api()).url
  key = (await installation.key()).key
  readOnlyKey = (await installation.key({ scope: 'read-only' })).key
  appended = (await installation.requests()).length
})
afterAll(async () => {
  expect(await installation.requests()).toHaveLength(appended)
  await installation.stop()
})

function expectProblem(reply: Reply, code: ProblemCode, pointer?: string): void {
  expect(reply.headers['content-type']).toBe('application/problem+json')
  const problem = reply.json()
  expect(problem).toMatchObject({
    type: `/problems/${code}`,
    title: problemCodes[code].title,
    status: problemCodes[code].status,
    code,
    request_id: reply.headers['request-id'],
  })
  expect(reply.status).toBe(problemCodes[code].status)
  expect(problem['detail']).toMatch(/\.$/)
  if (reply.status === 400) expect(problem['errors']).not.toEqual([])
  if (pointer !== undefined)
    expect((problem['errors'] as { pointer: string }[]).map((error) => error.pointer)).toContain(pointer)
}

/** A well-formed key with a valid checksum that was never issued. */
const STRANGERS_KEY = renderApiKey('live', randomBytes(API_KEY_RANDOM_BYTES)).key
const deep = '['.repeat(100_000)
const bodies: [string, string | Buffer, ProblemCode, string?][] = [
  ['an empty body', '', 'invalid_request', ''],
  ['truncated JSON', '{"address":', 'invalid_request', ''],
  ['no JSON', 'address=0x1', 'invalid_request', ''],
  ['a byte order mark', `\ufeff{"address":"${ADDRESS}"}`, 'invalid_request', ''],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'invalid_request', ''],
  ['null', 'null', 'invalid_request', ''],
  ['an array', '[]', 'invalid_request', ''],
  ['a string', '"0x1"', 'invalid_request', ''],
  ['no address', '{}', 'invalid_request', '/address'],
  ['an address that is a number', '{"address":1}', 'invalid_request', '/address'],
  ['an address that is null', '{"address":null}', 'invalid_request', '/address'],
  ['an address in a list', `{"address":["${ADDRESS}"]}`, 'invalid_request', '/address'],
  ['an unknown field', `{"address":"${ADDRESS}","adress":"x"}`, 'invalid_request', '/adress'],
  ['an unknown field with a slash', `{"address":"${ADDRESS}","a/b~":"x"}`, 'invalid_request', '/a~1b~0'],
  ['a duplicate field', `{"address":"${ADDRESS}","address":"${ADDRESS}"}`, 'invalid_request', '/address'],
  ['__proto__', `{"address":"${ADDRESS}","__proto__":{"x":1}}`, 'invalid_request', '/__proto__'],
  [
    'constructor',
    `{"address":"${ADDRESS}","constructor":{"prototype":{}}}`,
    'invalid_request',
    '/constructor',
  ],
  ['NUL in the address', '{"address":"0x\\u0000"}', 'invalid_request', '/address'],
  [
    'a lone surrogate',
    `{"address":"${ADDRESS}","customer_reference":"\\ud800"}`,
    'invalid_request',
    '/customer_reference',
  ],
  ['a number beyond 2^53', `{"address":"${ADDRESS}","chain":9007199254740993}`, 'invalid_request', '/chain'],
  ['deep nesting', deep, 'invalid_request', ''],
  ['a chain that is not a string', `{"address":"${ADDRESS}","chain":7}`, 'invalid_request', '/chain'],
  ['an endless chain', `{"address":"${ADDRESS}","chain":"${'E'.repeat(99)}"}`, 'invalid_request', '/chain'],
  [
    'an endless reference',
    `{"address":"${ADDRESS}","customer_reference":"${'é'.repeat(129)}"}`,
    'invalid_request',
    '/customer_reference',
  ],
  ['an empty address', '{"address":""}', 'invalid_address', '/address'],
  ['an address with white space', `{"address":" ${ADDRESS}"}`, 'invalid_address', '/address'],
  ['an address with a line break', `{"address":"${ADDRESS}\\n"}`, 'invalid_address', '/address'],
  [
    'an address with a wrong checksum',
    `{"address":"${ADDRESS.replace('0xde', '0xDe')}"}`,
    'invalid_address',
    '/address',
  ],
  [
    'a Bitcoin address with a wrong letter',
    '{"address":"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb"}',
    'invalid_address',
    '/address',
  ],
  [
    'an address in letters of another script',
    '{"address":"0xdе0B295669a9FD93d5F28D9Ec85E40f4cb697BAe"}',
    'invalid_address',
    '/address',
  ],
  ['an address of 257 characters', `{"address":"${'1'.repeat(257)}"}`, 'invalid_address', '/address'],
  ['an unknown chain', `{"address":"${ADDRESS}","chain":"XYZ"}`, 'unsupported_chain', '/chain'],
  ['an unknown chain and no address', '{"address":"nonsense","chain":"XYZ"}', 'unsupported_chain', '/chain'],
  ['an address of another chain', `{"address":"${ADDRESS}","chain":"BTC"}`, 'chain_mismatch', '/chain'],
]

describe('a body that is', () => {
  test.each(bodies)('%s', async (_name, body, code, pointer) => {
    expectProblem(await call(url, 'POST', '/v1/screen', { key, body }), code, pointer)
  })
})

const valid = { address: ADDRESS }
const calls: [string, string, string, CallOptions, ProblemCode][] = [
  ['no key', 'POST', '/v1/screen', { body: valid }, 'invalid_key'],
  [
    'another scheme',
    'POST',
    '/v1/screen',
    { body: valid, headers: { authorization: 'Basic YTpi' } },
    'invalid_key',
  ],
  [
    'no key at all in the header',
    'POST',
    '/v1/screen',
    { body: valid, headers: { authorization: 'Bearer ' } },
    'invalid_key',
  ],
  [
    'an endless key',
    'POST',
    '/v1/screen',
    { body: valid, key: `cpl_live_${'A'.repeat(4_000)}` },
    'invalid_key',
  ],
  ['no key and no JSON', 'POST', '/v1/screen', { body: '{' }, 'invalid_key'],
  ['an unknown path', 'GET', '/v1/nothing', {}, 'not_found'],
  ['an unknown path with bad escapes', 'GET', '/v1/%zz', {}, 'not_found'],
  ['an endless path', 'GET', `/v1/nothing/${'a'.repeat(2_000)}`, {}, 'not_found'],
  ['a trailing slash', 'POST', '/v1/screen/', { body: valid }, 'not_found'],
  ['no report id and no key', 'GET', '/v1/reports/x', {}, 'invalid_key'],
  ['GET where POST is', 'GET', '/v1/screen', {}, 'method_not_allowed'],
  ['PUT where POST is', 'PUT', '/v1/screen', { body: valid }, 'method_not_allowed'],
  ['PATCH where GET is', 'PATCH', '/v1/reports/0123456789abcdef', { body: valid }, 'method_not_allowed'],
  ['DELETE where GET is', 'DELETE', '/v1/reports/0123456789abcdef', {}, 'method_not_allowed'],
  ['QUERY', 'QUERY', '/v1/screen', {}, 'method_not_allowed'],
  ['QUERY with a body', 'QUERY', '/healthz', { body: '{' }, 'method_not_allowed'],
  ['TRACE', 'TRACE', '/v1/screen', {}, 'method_not_allowed'],
  ['a method of another protocol', 'PROPFIND', '/v1/screen', {}, 'method_not_allowed'],
]

describe('a call with', () => {
  test.each(calls)('%s', async (_name, method, path, options, code) => {
    expectProblem(await call(url, method, path, options), code)
  })

  test.each([
    'x',
    '0123456789ABCDEF',
    '0123456789abcde',
    '0123456789abcdef0',
    'a'.repeat(2_000),
    '%zz',
    '..%2f..%2fetc',
    '%00',
  ])('the report id %s', async (id) => {
    expectProblem(await call(url, 'GET', `/v1/reports/${id}`, { key }), 'not_found')
  })

  test('a read-only key cannot post, whatever the body', async () => {
    for (const body of [valid, '{']) {
      const reply = await call(url, 'POST', '/v1/screen', { key: readOnlyKey, body })
      expectProblem(reply, 'scope_required')
    }
    expectProblem(await call(url, 'GET', '/v1/reports/0123456789abcdef', { key: readOnlyKey }), 'not_found')
  })
})

describe('Content-Type', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/json; charset=utf-8; x=y',
    'application/json\t;x',
    'application/json, text/plain',
    'application/jsonx',
    'application/ld+json',
    ' application/json a',
    'application/json;',
    '',
  ])('%j is refused', async (contentType) => {
    const reply = await call(url, 'POST', '/v1/screen', {
      key,
      body: valid,
      headers: { 'content-type': contentType },
    })
    expectProblem(reply, 'unsupported_media_type')
  })

  test('a compressed body is refused', async () => {
    const reply = await call(url, 'POST', '/v1/screen', {
      key,
      body: valid,
      headers: { 'content-encoding': 'gzip' },
    })
    expectProblem(reply, 'unsupported_media_type')
  })

  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('%s is read, and judged like any other', async (contentType) => {
    const reply = await call(url, 'POST', '/v1/screen', {
      key,
      body: {},
      headers: { 'content-type': contentType },
    })
    expectProblem(reply, 'invalid_request', '/address')
  })
})

describe('a body over a mebibyte', () => {
  const large = JSON.stringify({ address: 'a'.repeat(1_048_576) })
  test('is refused', async () => {
    expectProblem(await call(url, 'POST', '/v1/screen', { key, body: large }), 'payload_too_large')
  })

  test('is refused if its length was not announced', async () => {
    expect(await raw(chunkedRequest(large))).toMatch(/^HTTP\/1\.1 413 .*payload_too_large/s)
  })
})

const chunkedRequest = (body: string): string =>
  `POST /v1/screen HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

test('bytes that are not an HTTP request get a problem and a closed connection', async () => {
  for (const bytes of [
    'NONSENSE\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
  ]) {
    const answer = await raw(bytes)
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answer).toMatch(/content-type: application\/problem\+json/i)
    expect(answer).toMatch(/request-id: \S+/i)
  }
  const head = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`
  expect(await raw(head)).toMatch(/^HTTP\/1\.1 431 .*"status":431/s)
})

test('a request without Host is refused, an unknown expectation is not', async () => {
  const nobody = await raw('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n')
  expect(nobody).toMatch(/^HTTP\/1\.1 400 .*The Host header is missing/s)
  const hopeful = await call(url, 'GET', '/healthz', { headers: { expect: 'a miracle' } })
  expect(hopeful.status).toBe(200)
})

test.each([
  ['two Host lines', 400, 'Host: x\r\nhost: y\r\n'],
  ['two Authorization lines', 400, 'Host: x\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\n'],
  ['101 lines', 431, `Host: x\r\n${'X: 1\r\n'.repeat(99)}`],
])('a head with %s is refused with %i', async (_what, status, lines) => {
  const answer = await raw(`GET /v1/chains HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`)
  expect(answer).toMatch(
    new RegExp(`^HTTP/1\\.1 ${status} .*application/problem\\+json.*"status":${status}`, 's'),
  )
})

test('a head of 100 lines is read', async () => {
  const head = `GET /healthz HTTP/1.1\r\nHost: x\r\n${'X: 1\r\n'.repeat(98)}Connection: close\r\n\r\n`
  expect(await raw(head)).toMatch(/^HTTP\/1\.1 200 /)
})

test.each([
  ['no key', ''],
  ['a key that nobody was given', `Authorization: Bearer ${STRANGERS_KEY}\r\n`],
])('a call with %s is refused before its body comes, under an Idempotency-Key too', async (_what, lines) => {
  for (const more of ['', 'Idempotency-Key: one\r\n']) {
    const head = `POST /v1/screen HTTP/1.1\r\nHost: x\r\n${lines}${more}Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n`
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => socket.write(head))
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (chunk) => resolve(String(chunk))),
    )
    socket.destroy()
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  }
})

test('OPTIONS names the methods of a path and grants nothing across origins', async () => {
  for (const [path, allow] of [
    ['/v1/screen', 'POST, OPTIONS'],
    ['/v1/reports/0123456789abcdef', 'GET, HEAD, OPTIONS'],
  ] as const) {
    const reply = await call(url, 'OPTIONS', path, { headers: { origin: 'https://example.com' } })
    expect([reply.status, reply.text, reply.headers['allow']]).toEqual([204, '', allow])
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    const refused = await call(url, 'DELETE', path)
    expect(refused.headers['allow']).toBe(allow)
  }
  expect((await call(url, 'OPTIONS', '/v1/nothing')).status).toBe(404)
})

test('HEAD answers where GET does, with the same head and no body', async () => {
  for (const path of ['/healthz', '/openapi.json', '/v1/reports/0123456789abcdef']) {
    const get = await call(url, 'GET', path, { key })
    const head = await call(url, 'HEAD', path, { key })
    expect([head.status, head.text]).toEqual([get.status, ''])
    expect(head.headers['content-type']).toBe(get.headers['content-type'])
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
  }
})

test('every answer has a request id of its own, whatever the caller sends', async () => {
  const paths = ['/healthz', '/v1/nothing', '/v1/reports/0123456789abcdef', '/v1/screen']
  const replies = await Promise.all(
    paths.map((path) =>
      call(url, 'GET', path, { key, headers: { 'request-id': 'mine', 'x-request-id': 'mine' } }),
    ),
  )
  const ids = replies.map((reply) => reply.headers['request-id'])
  expect(new Set(ids).size).toBe(paths.length)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/)
})

test('no body whatever makes a server error', async () => {
  const field = fc.constantFrom('address', 'chain', 'customer_reference', '__proto__', 'toString', '', 'x')
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.bigInt().map(String),
  )
  const object = fc.dictionary(field, value).map((each) => JSON.stringify(each))
  const torn = fc.tuple(object, fc.nat(40)).map(([text, at]) => text.slice(0, at))
  const body = fc.oneof(
    object,
    torn,
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.uint8Array().map((b) => Buffer.from(b)),
  )
  await fc.assert(
    fc.asyncProperty(body, async (bytes) => {
      const reply = await call(url, 'POST', '/v1/screen', { key, body: bytes })
      expect([400, 422]).toContain(reply.status)
      expectProblem(reply, reply.json()['code'] as ProblemCode)
    }),
    { numRuns: 300 },
  )
})

test('a call that is right goes through after all that', async () => {
  expect((await screen(url, key)).status).toBe(200)
  appended += 1
})

/** Sends raw bytes and returns everything that the server sends back. */
function raw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk.toString()))
    socket.on('close', () => resolve(answer))
    // The test judges the bytes that came before the server closed the connection.
    socket.on('error', () => undefined)
  })
}
