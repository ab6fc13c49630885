/** Behaviour that the cases of all SDKs cannot express: aborts, hooks, secrecy of the key, browsers, and the Standard Webhooks library. */
import { inspect } from 'node:util'
import { conformanceCases, startScriptedServer, type ScriptedServer } from '@cupel/sdk-conformance'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import * as sdk from '../src/index.js'
import { runCase } from './run-case.js'
import manifest from '../package.json' with { type: 'json' }

const KEY = 'cpl_test_a0secret0that0nobody0may0see'
const { Cupel, webhooks } = sdk
const problem = (status: number) => new Response('{"code":"unavailable"}', { status })
const client = (options: sdk.CupelOptions) =>
  new Cupel({ apiKey: KEY, baseUrl: 'http://localhost', ...options })

afterEach(() => void vi.unstubAllGlobals())

test('an abort ends an attempt, and the call rejects with its reason', async () => {
  const controller = new AbortController()
  const reason = new Error('the user left')
  const hanging: sdk.Fetch = (_url, { signal }) =>
    new Promise((_, reject) => {
      signal!.addEventListener('abort', () => reject(signal!.reason as Error))
      controller.abort(reason)
    })
  await expect(client({ fetch: hanging }).screen('x', { signal: controller.signal })).rejects.toBe(reason)
})

test('an abort ends a wait, and nothing is sent again', async () => {
  const controller = new AbortController()
  let sent = 0
  const failing: sdk.Fetch = () => {
    sent += 1
    return Promise.resolve(problem(503))
  }
  const hooks = { retry: () => controller.abort() }
  // The longest wait of the first retry is half a second; the test must not wait for the real clock.
  const call = client({ fetch: failing, hooks, random: () => 0.999 }).screen('x', {
    signal: controller.signal,
  })
  await expect(call).rejects.toMatchObject({ name: 'AbortError' })
  expect(sent).toBe(1)
})

test('a call with a signal that is aborted sends nothing', async () => {
  const fetch = vi.fn<sdk.Fetch>()
  await expect(client({ fetch }).chains.list({ signal: AbortSignal.abort() }).toArray()).rejects.toThrow()
  expect(fetch).not.toHaveBeenCalled()
})

test('hooks see each attempt, add headers, and never see the key or replace it', async () => {
  const seen: unknown[] = []
  const sent: Record<string, string>[] = []
  const answers = [problem(503), Response.json({ report_id: '1', address: 'x', risk: { level: 'red' } })]
  const cupel = client({
    fetch: (_url, init) => {
      sent.push(init.headers as Record<string, string>)
      return Promise.resolve(answers.shift()!)
    },
    clock: { now: () => 0, sleep: () => Promise.resolve() },
    hooks: {
      attempt: (event) => {
        seen.push(['attempt', event.attempt])
        return {
          Traceparent: `00-${event.attempt}`,
          Authorization: 'Bearer other',
          'Idempotency-Key': 'other',
        }
      },
      answer: (event) =>
        void seen.push(['answer', event.attempt, event.status], inspect(event, { depth: 9 })),
      retry: (event) => void seen.push(['retry', event.attempt], inspect(event, { depth: 9 })),
    },
  })
  await cupel.screen('x', { idempotencyKey: 'mine' })
  const told = seen.filter((one) => Array.isArray(one))
  expect(told).toEqual([
    ['attempt', 1],
    ['answer', 1, 503],
    ['retry', 1],
    ['attempt', 2],
    ['answer', 2, 200],
  ])
  expect(sent.map(({ traceparent }) => traceparent)).toEqual(['00-1', '00-2'])
  for (const headers of sent)
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'idempotency-key': 'mine' })
  expect(JSON.stringify(seen)).not.toContain(KEY)
})

test('a caller that waits for late stages says so, and each attempt has as much more time', async () => {
  const sent: Record<string, string>[] = []
  const fetch = async (_url: unknown, { headers }: RequestInit = {}): Promise<Response> => {
    sent.push(headers as Record<string, string>)
    throw new Error('no connection')
  }
  const cupel = client({ fetch, maxRetries: 0 })
  await cupel.screen('x', { waitSeconds: 20 }).catch(() => undefined)
  await cupel.screen('x').catch(() => undefined)
  expect(sent.map(({ prefer }) => prefer)).toEqual(['wait=20', undefined])
  for (const waitSeconds of [21, -1, 1.5, Number.NaN])
    await expect(cupel.screen('x', { waitSeconds })).rejects.toBeInstanceOf(sdk.InvalidArgumentError)
  expect(sent).toHaveLength(2)
})

test('what a hook throws, the call throws, and it is not tried again', async () => {
  const fault = new Error('the log is full')
  const fetch = vi.fn<sdk.Fetch>(() => Promise.resolve(problem(503)))
  const hooks = {
    answer: () => {
      throw fault
    },
  }
  await expect(client({ fetch, hooks }).screen('x')).rejects.toBe(fault)
  expect(fetch).toHaveBeenCalledTimes(1)
})

test('neither the client nor its errors show the key', async () => {
  const cupel = client({ fetch: () => Promise.resolve(problem(401)) })
  const error = await cupel.screen('x').catch((thrown: unknown) => thrown)
  for (const thing of [cupel, error])
    expect(inspect(thing, { depth: 12, showHidden: true }) + JSON.stringify(thing)).not.toContain(KEY)
})

test.each([
  ['a page', { document: {} }],
  ['a worker of a page', { importScripts: () => undefined, navigator: { userAgent: 'Mozilla/5.0' } }],
])('the client refuses to run in %s', (_where, globals) => {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
  expect(() => client({})).toThrow(sdk.ConfigurationError)
})

const SECRET = `whsec_${Buffer.from('a secret of 24 bytes ...').toString('base64')}`
const BODY = JSON.stringify({
  type: 'endpoint.test',
  timestamp: '2026-01-01T00:00:00Z',
  data: { name: 'Zoë' },
})

test('the library of Standard Webhooks verifies what the SDK signs', async () => {
  const headers = await webhooks.sign(BODY, SECRET, {
    id: 'msg_1',
    timestampSeconds: Math.floor(Date.now() / 1_000),
  })
  expect(new Webhook(SECRET).verify(BODY, headers)).toEqual(JSON.parse(BODY))
  expect(() => new Webhook(SECRET).verify(`${BODY} `, headers)).toThrow()
})

test('the SDK verifies what the library of Standard Webhooks signs', async () => {
  const at = new Date()
  const signature = new Webhook(SECRET).sign('msg_1', at, BODY)
  const seconds = String(Math.floor(at.getTime() / 1_000))
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': seconds, 'webhook-signature': signature }
  expect(await webhooks.verify(BODY, headers, SECRET)).toEqual({ ...JSON.parse(BODY), webhook_id: 'msg_1' })
  await expect(webhooks.verify(`${BODY} `, headers, SECRET)).rejects.toThrow(sdk.WebhookVerificationError)
  expect(await webhooks.verify(BODY, new Headers(headers), SECRET)).toMatchObject({ type: 'endpoint.test' })
})

test('the version that the client tells is that of the package', () =>
  expect(sdk.version).toBe(manifest.version))

let server: ScriptedServer
beforeAll(async () => {
  server = await startScriptedServer()
})
afterAll(() => server.close())

test('the runner of the cases notices another result, error, header, number of requests and wait', async () => {
  const one = conformanceCases()
    .get('retries')!
    .find(({ name }) => name.startsWith('a screen is sent again after 503'))!
  const [step] = one.steps
  const requests = one.requests as Exclude<typeof one.requests, number>
  const wrong = [
    { ...one, waits_ms: [251] },
    { ...one, requests: 3 },
    {
      ...one,
      requests: requests.map((request) => ({ ...request, headers: { 'idempotency-key': 'other' } })),
    },
    { ...one, steps: [{ ...step!, expect: { equals: {} } }] },
    { ...one, steps: [{ ...step!, expect: { error: { class: 'ServerError' } } }] },
  ]
  for (const changed of wrong) expect(await runCase(sdk, server, changed)).not.toEqual([])
  expect(await runCase(sdk, server, one)).toEqual([])
})
