/**
 * No spelling of Content-Type lets a body bypass its schema, on any route: the forms behind CVE-2025-32442, CVE-2026-25223,
 * CVE-2026-3419 and CVE-2026-33806, and related ones. The test sends raw bytes, because clients normalise headers.
 */
import { connect, type AddressInfo } from 'node:net'
import type { Caller, RateLimit } from '@cupel/gate/access'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp, type App } from '../src/app.js'
import { jsonAnswer, type Endpoint } from '@cupel/gate/http'
import { describedEndpoints } from '../src/openapi-document.js'
import { appParts } from './app-parts.js'

/** Header lines as they are sent. This API accepts the first group as JSON. */
const accepted = [
  'Content-Type: application/json',
  'content-type: Application/JSON',
  'Content-Type: application/json; charset=utf-8',
  'Content-Type: application/json;charset=UTF-8',
  'Content-Type: application/json; charset=utf8',
  'Content-Type: application/json \t; \tcharset="utf-8"',
  'Content-Type: \t application/json \t ',
]
const refused = [
  // CVE-2025-32442: another case, or white space before the parameter.
  'Content-Type: application/jsoN2',
  'Content-Type: application/json ;',
  'Content-Type: application/json;',
  'Content-Type: application/json\t;\tfoo=bar',
  'Content-Type: application/json ; charset=utf-16',
  // CVE-2026-25223: a tab, and text after it.
  'Content-Type: application/json\ta',
  'Content-Type: application/json\t\t;a',
  'Content-Type: application/json\tcharset=utf-8',
  'Content-Type: application/\tjson',
  // CVE-2026-3419: bytes after the subtype.
  'Content-Type: application/json garbage',
  'Content-Type: application/json, application/json',
  'Content-Type: application/json,text/plain',
  'Content-Type: application/json/x',
  'Content-Type: application/jsonp',
  'Content-Type: application/json\u00a0',
  'Content-Type: application/json\u00ff',
  // CVE-2026-33806: a space in front, and duplicates.
  'Content-Type:  text/plain',
  'Content-Type: "application/json"',
  'Content-Type: text/plain\r\nContent-Type: application/json',
  'Content-Type:\r\nContent-Type: application/json',
  'Content-Type: application/json\r\ncontent-type: text/plain',
  'Content-Type: application/json\r\nContent-Type: application/json',
  'X-Content-Type: application/json',
  'Content-Type:',
  'Content-Type: *',
  'Content-Type: */*',
  'Content-Type: application/*',
  'Content-Type: application/json; charset=utf-8; charset=utf-7',
  'Content-Type: application/json; charset=utf-7',
  'Content-Type: application/json; charset=',
  'Content-Type: application/json; charset=utf-8;',
  'Content-Type: application/json;;charset=utf-8',
  "Content-Type: application/json; charset='utf-8'",
  'Content-Type: application/vnd.api+json',
  'Content-Type: text/json',
  'Content-Type: application/x-www-form-urlencoded',
  'Content-Type: multipart/form-data; boundary=x',
  'Content-Type: application/json; boundary=x',
  'Content-Type: application/json\r\nContent-Encoding: gzip',
  'Content-Type: application/json\r\nContent-Encoding: identity, gzip',
]
/** This body fits no schema: no endpoint takes such a member. */
const WRONG_BODY = '{"not_a_member":1}'

const caller: Caller = {
  ...{ accountId: 'a', keyId: 'k', environment: 'live', livemode: true },
  ...{ scope: 'read-write', plan: 'pro', webhookAdmin: true, session: null },
}
const rateLimit: RateLimit = { plan: 'pro', quota: 10, windowSeconds: 1, remaining: 9, nextTokenSeconds: 0 }
const endpoints = describedEndpoints()
const handled: { path: string; body: unknown }[] = []
let app: App
let port: number
beforeAll(async () => {
  const watched = endpoints.map((endpoint) => ({
    ...endpoint,
    handle: (_call: unknown, { body }: { body: unknown }) => {
      handled.push({ path: endpoint.path, body })
      return jsonAnswer(200, '{}')
    },
  })) as unknown as readonly Endpoint[]
  app = buildApp(
    appParts({
      endpoints: watched,
      admit: () => Promise.resolve({ admitted: true, caller, rateLimit, reservation: null }),
    }),
  )
  await app.fastify.listen({ host: '127.0.0.1', port: 0 })
  port = (app.fastify.server.address() as AddressInfo).port
})
afterAll(() => app.close())

function send(method: string, path: string, headerLines: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1')
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
    socket.on('error', reject)
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1])))
    const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headerLines}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
    socket.end(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]))
  })
}

/** Ids that have another form than that of a report. */
const ids: Readonly<Record<string, string>> = {
  endpoint_id: `we_${'0'.repeat(20)}`,
  import_id: `lio_${'0'.repeat(20)}`,
  label_id: `lbl_${'0'.repeat(20)}`,
  change_id: `chg_${'0'.repeat(20)}`,
  key_id: '0'.repeat(8),
  job_id: `job_${'0'.repeat(32)}`,
}
const concrete = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '9f2c4a1be07d6358')

test.each(endpoints.map((endpoint) => [endpoint.method, endpoint.path, endpoint] as const))(
  '%s %s hands no unjudged body to its handler',
  async (method, path, { bodySchema }) => {
    handled.length = 0
    for (const line of [...accepted, ...refused]) {
      const status = await send(method, concrete(path), line, WRONG_BODY)
      const isJson = accepted.includes(line)
      if (bodySchema === undefined) expect([200, 400, 404], JSON.stringify(line)).toContain(status)
      else expect(status, JSON.stringify(line)).toBe(isJson ? 400 : 415)
    }
    expect(handled.filter(({ body }) => body !== undefined)).toEqual([])
  },
)

test('a body that fits is taken in each spelling of JSON, and in no other', async () => {
  handled.length = 0
  const body = JSON.stringify({ address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96' })
  for (const line of accepted) expect(await send('POST', '/v1/screen', line, body), line).toBe(200)
  expect(handled.map((call) => call.body)).toEqual(accepted.map(() => JSON.parse(body) as unknown))
  for (const line of refused)
    expect(await send('POST', '/v1/screen', line, body), JSON.stringify(line)).toBe(415)
  expect(handled).toHaveLength(accepted.length)
})

test('methods without an endpoint read no body whatever it is called', async () => {
  handled.length = 0
  for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])
    for (const line of [...accepted.slice(0, 1), ...refused.slice(0, 3)])
      expect([204, 404, 405]).toContain(await send(method, '/v1/screen', line, WRONG_BODY))
  expect(handled).toEqual([])
})
