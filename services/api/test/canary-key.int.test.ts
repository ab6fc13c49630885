/** Sends a key in a thousand right and wrong ways, and checks that no log, event, error or metric holds it. */
import { scan } from '@cupel/event-log'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { topicSpecs } from '@cupel/contracts'
import { createLogger, createMetrics } from '@cupel/kit/service'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADDRESS, call, type CallOptions, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

interface Attempt extends CallOptions {
  readonly method: string
  readonly path: string
}

const WAYS = 1_000
const AT_ONCE = 16

let installation: Installation
let folder: string
beforeAll(async () => {
  installation = await startInstallation()
  folder = mkdtempSync(join(tmpdir(), 'cupel-canary-'))
})
afterAll(async () => {
  await installation.stop()
  rmSync(folder, { recursive: true, force: true })
})

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Forms of the key: unchanged, cut, mistyped, folded, encoded, wrapped. */
const writings = (key: string): readonly string[] => [
  key,
  key.toUpperCase(),
  key.toLowerCase(),
  key.slice(0, -1),
  `${key}x`,
  `"${key}"`,
  `${key},${key}`,
  `key=${key}`,
  key.replace('live', 'test'),
  `Bearer ${key}`,
]

const schemes = [
  'Bearer',
  'bearer',
  'BEARER',
  'Bearer:',
  'Basic',
  'Token',
  'ApiKey',
  'Digest',
  'Key',
  'JWT',
  '',
]
const headerNames = [
  ...[
    'x-api-key',
    'api-key',
    'cookie',
    'user-agent',
    'referer',
    'origin',
    'traceparent',
    'tracestate',
    'request-id',
  ],
  ...['x-forwarded-for', 'forwarded', 'idempotency-key', 'accept', 'accept-language', 'content-type', 'host'],
  ...['proxy-authorization', 'if-none-match', 'x-request-id', 'from', 'via', 'expect'],
]
const paths = [
  '/v1/screen',
  '/v1/reports',
  '/v1/reports/0123456789abcdef',
  '/v1/chains',
  '/v1/audit-log',
  '/nowhere',
]

function attemptsWith(key: string): Attempt[] {
  const valid = { authorization: `Bearer ${key}` }
  const screenOf = (body: unknown, headers: Record<string, string> = valid): Attempt => ({
    ...{ method: 'POST', path: '/v1/screen', headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return writings(key).flatMap((text) => [
    ...schemes.flatMap((scheme) =>
      paths.map((path) => {
        const credentials = scheme === 'Basic' ? base64(`${text}:`) : text
        return { method: 'GET', path, headers: { authorization: `${scheme} ${credentials}`.trim() } }
      }),
    ),
    ...headerNames.flatMap((name) => [
      { method: 'GET', path: '/v1/reports', headers: { [name]: text } },
      { ...screenOf({ address: ADDRESS }, { ...valid, [name]: text }) },
    ]),
    ...['?key=', '?api_key=', '?page_token=', '?level=', '?address=', '?key_id=', '?'].flatMap((query) =>
      ['/v1/reports', '/v1/audit-log'].map((path) => ({
        ...{ method: 'GET', path: path + query + encodeURIComponent(text), headers: valid },
      })),
    ),
    ...['/', '/v1/', '/v1/reports/', '/v1/screen/', '/%00/'].flatMap((path) =>
      ['GET', 'DELETE', 'OPTIONS'].map((method) => ({
        ...{ method, path: path + encodeURIComponent(text), headers: valid },
      })),
    ),
    screenOf({ address: text }),
    screenOf({ address: ADDRESS, chain: text }),
    screenOf({ address: ADDRESS, customer_reference: text }),
    screenOf({ address: ADDRESS, [text]: text }),
    screenOf({ [text]: { [text]: [text] } }),
    screenOf(`{"address":"${ADDRESS}","${text}`),
    screenOf(text),
    screenOf([text]),
  ])
}

/** The secret parts of a key, in lower case: plain, and encoded for Basic. */
function secretsOf(key: string): readonly string[] {
  const secret = key.slice('cpl_live_'.length + 8, -6)
  return [secret, base64(`${key}:`).slice(24, 60)].map((text) => text.toLowerCase())
}

test('a canary key is nowhere to be found', { timeout: 600_000 }, async () => {
  const logFile = join(folder, 'api.log')
  const metrics = createMetrics('api')
  const logger = createLogger({ service: 'api', level: 'debug', file: logFile })
  const api = await installation.api({ logger, metrics })
  const { key, keyId } = await installation.key()
  const attempts = attemptsWith(key)
  expect(attempts.length).toBeGreaterThanOrEqual(WAYS)

  const replies: (Reply | null)[] = []
  const waiting = attempts.entries()
  const sendAll = async (): Promise<void> => {
    for (const [index, { method, path, ...options }] of waiting)
      // Node's client rejects some of the headers itself, and some answers close the connection.
      replies[index] = await call(api.url, method, path, options).catch(() => null)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendAll))
  const answered = replies.flatMap((reply) => (reply === null ? [] : [reply]))
  expect(answered.length).toBeGreaterThanOrEqual(WAYS)
  expect(answered.filter(({ status }) => status >= 500)).toEqual([])
  // The calls took effect: the API accepted the key where it was sent correctly, and rejected other forms.
  expect([...new Set(answered.map(({ status }) => status))]).toEqual(
    expect.arrayContaining([200, 400, 401, 404, 405]),
  )
  await api.stop()

  const places: Record<string, string> = {
    answers: answered.map(({ headers, text }) => JSON.stringify(headers) + text).join('\n'),
    metrics: (await metrics.render()).body,
    events: await everyRecord(),
    outbox: JSON.stringify(await installation.database.query('SELECT event FROM projection.outbox')),
  }
  await until(() => expect(readFileSync(logFile, 'utf8')).toContain('Answered'))
  places['logs'] = readFileSync(logFile, 'utf8')
  // The public part of the key occurs in the events, so the search for the secret part is meaningful.
  expect(places['events']).toContain(keyId)
  for (const [place, text] of Object.entries(places))
    for (const secret of secretsOf(key)) expect(around(text.toLowerCase(), secret), place).toBe('')
})

/** Returns the text around the leak, to help find its cause; empty if there is none. */
function around(text: string, secret: string): string {
  const place = text.indexOf(secret)
  return place < 0 ? '' : text.slice(Math.max(0, place - 120), place + 20)
}

/** Returns keys, headers and payloads of every record of every topic. */
async function everyRecord(): Promise<string> {
  const { log } = installation
  const texts: string[] = []
  for await (const { key, headers, value } of scan(log, topicSpecs))
    texts.push(key, JSON.stringify(headers), value?.toString('latin1') ?? '')
  return texts.join('\n')
}
