/** The acceptance suite passes on an installation, and names each promise that a service breaks. */
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type Installation } from './installation.js'

interface Answer {
  status: number
  headers: Headers
  text: string
}
type Spoil = (
  answer: Answer,
  call: { readonly method: string; readonly path: string; readonly key: string },
) => void

const PROGRAM = fileURLToPath(new URL('../../../scripts/acceptance.mjs', import.meta.url))
let installation: Installation
let key: string
let spoil: Spoil
let receiver: string
let proxyUrl: string
const received: string[] = []
const proxy = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  if (request.url === '/receiver') {
    received.push(Buffer.concat(chunks).toString())
    response.end()
    return
  }
  const headers = Object.entries(request.headers).filter(
    ([name]) => !['host', 'connection', 'content-length'].includes(name),
  ) as [string, string][]
  const method = request.method!
  const path = request.url!
  const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }
  const from = await fetch(installation.url + path, { method, headers, ...body })
  const bytes = Buffer.from(await from.arrayBuffer())
  const isText = (from.headers.get('content-type') ?? '').includes('json')
  const answer: Answer = {
    status: from.status,
    headers: new Headers(from.headers),
    text: bytes.toString(isText ? 'utf8' : 'latin1'),
  }
  spoil(answer, { method, path, key: request.headers['idempotency-key']?.toString() ?? '' })
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding', 'connection'])
    answer.headers.delete(name)
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.end(Buffer.from(answer.text, isText ? 'utf8' : 'latin1'))
})
beforeAll(async () => {
  installation = await startInstallation({ settings: { CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8' } })
  key = (await installation.key({ environment: 'test', scope: 'read-write', plan: 'enterprise' })).key
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  proxyUrl = `http://127.0.0.1:${(proxy.address() as { port: number }).port}`
  receiver = `${proxyUrl}/receiver`
}, 60_000)
afterAll(async () => {
  proxy.closeAllConnections()
  await new Promise((resolve) => proxy.close(resolve))
  await installation.close()
})

async function accepted(url: string, ...more: string[]): Promise<{ code: number; text: string }> {
  return await new Promise((resolve) => {
    const args = [PROGRAM, '--url', url, '--key', key, ...more]
    execFile(process.execPath, args, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr }),
    )
  })
}

test('an installation keeps every promise, and the receiver gets its message', async () => {
  const { code, text } = await accepted(installation.url, '--receiver', receiver)
  expect([code, text]).toEqual([0, expect.not.stringMatching(/^(?:BROKEN|not checked) /m)])
  expect(received.some((message) => message.includes('endpoint.test'))).toBe(true)
}, 120_000)

test('a promise that is not checked is named, and a service that is not there breaks every promise', async () => {
  spoil = () => undefined
  const unchecked = await accepted(proxyUrl, '--only', 'webhook')
  expect(unchecked.text).toContain('not checked a webhook endpoint gets a test message')
  expect(unchecked).toMatchObject({
    ...{ code: 1, text: expect.stringContaining('0 kept, 0 broken, 1 not checked.') as string },
  })
  const { code, text } = await accepted('http://127.0.0.1:9')
  expect(code).toBe(1)
  expect(text).toContain('BROKEN      the service lives: fetch failed')
}, 120_000)

const member = (name: string, value: unknown) => (answer: Answer) => {
  const json = JSON.parse(answer.text) as Record<string, unknown>
  answer.text = JSON.stringify({ ...json, [name]: value })
}
const on =
  (method: string, path: RegExp, change: (answer: Answer) => void): Spoil =>
  (answer, call) => {
    if (call.method === method && path.test(call.path)) change(answer)
  }

test.each<readonly [string, Spoil]>([
  ['the service lives', on('GET', /^\/healthz/, (answer) => (answer.status = 503))],
  [
    'a call without a key is refused',
    (answer) => {
      if (answer.status === 401) answer.headers.set('content-type', 'application/json')
    },
  ],
  [
    'a wrong request is refused, and its fault is named',
    (answer) => {
      if (answer.status === 400) member('errors', [])(answer)
    },
  ],
  [
    'a screen is answered with a report, which stays',
    on('GET', /^\/v1\/reports\/[0-9a-f]{16}$/, (answer) => (answer.text = `${answer.text} `)),
  ],
  [
    'the addresses of the sandbox have their levels',
    on('POST', /^\/v1\/screen/, (answer) => (answer.text = answer.text.replace('"red"', '"green"'))),
  ],
  [
    'one Idempotency-Key is one report, and of one request',
    (answer, { key: repeated }) => {
      if (repeated !== '' && answer.headers.has('idempotency-replayed'))
        member('report_id', '0123456789abcdef')(answer)
    },
  ],
  ['reports are listed in pages', on('GET', /^\/v1\/reports\?/, member('items', [{}, {}]))],
  ['a report has its PDF', on('GET', /\/pdf$/, (answer) => (answer.text = answer.text.slice(5)))],
  [
    'a job ends with a result of each address',
    on(
      'GET',
      /^\/v1\/bulk\/\w+$/,
      (answer) => (answer.text = answer.text.replace('"failed":1', '"failed":0')),
    ),
  ],
  [
    'a webhook endpoint gets a test message',
    on('POST', /^\/v1\/webhook-endpoints\/\w+\/test$/, (answer) => (answer.status = 500)),
  ],
])(
  'a service that breaks “%s” does not pass',
  async (promise, change) => {
    spoil = change
    const checked = ['--receiver', receiver, '--only', promise]
    const { code, text } = await accepted(proxyUrl, ...checked)
    expect([code, text]).toEqual([1, expect.stringContaining(`BROKEN      ${promise}: `)])
    spoil = () => undefined
    expect(await accepted(proxyUrl, ...checked)).toMatchObject({ code: 0 })
  },
  120_000,
)
