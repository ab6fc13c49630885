/** The console judges a form before it reads it: its headers, its origin, its cookie, and with the API its session. */
import { connect, type Socket } from 'node:net'
import { strangerBudgetLimits } from '@cupel/kit/http-edge'
import { until } from '@cupel/testkit'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { pagesOf } from '../src/pages/index.js'
import { MAX_FORM_BYTES, csrfToken } from '@cupel/console'
import {
  aSession,
  cookieOf,
  json,
  KNOWN_SESSION,
  startFakeApi,
  startFront,
  type FakeApi,
  type Front,
} from './fake-api.js'

const FORM = 'content-type: application/x-www-form-urlencoded'
const UPLOAD = 'content-type: multipart/form-data; boundary=b'
const OWN = 'sec-fetch-site: same-origin'

let api: FakeApi
let front: Front
beforeAll(async () => {
  api = await startFakeApi()
  front = await startFront(api)
})
afterAll(async () => {
  await front.close()
  await api.close()
})
afterEach(() => {
  api.confirm = KNOWN_SESSION
  api.answer = json(200, { items: [], next_page_token: null })
  api.calls.length = 0
  api.confirmed.length = 0
})

const unknownSession = json(401, {
  code: 'invalid_key',
  detail: 'The session is unknown or over; sign in again.',
})

interface Sent {
  readonly socket: Socket
  text(): string
}

/** A request of which only this part comes. */
function send(line: string, headers: readonly string[], body = ''): Sent {
  let text = ''
  const socket = connect(Number(new URL(front.url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).on('error', () => undefined)
  socket.write([`${line} HTTP/1.1`, 'host: x', ...headers, '', body].join('\r\n'))
  return { socket, text: () => text }
}

async function answerTo(
  sent: Sent,
): Promise<{ readonly status: number; readonly location: string | undefined }> {
  await until(() => expect(sent.text()).toContain('\r\n\r\n'))
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(sent.text())?.[1]),
    location: /^location: (\S+)/im.exec(sent.text())?.[1],
  }
}

const concrete = (path: string): string => path.replaceAll(/\{\w+\}/g, '9f2c4a1be07d6358')
const pages = pagesOf(null)
const posts = pages.filter(({ method }) => method === 'POST').map((page) => [page.path, page] as const)
const sessionPosts = posts.filter(([, { access }]) => access === 'session')
const sessionPages = pages
  .filter(({ method, access }) => method === 'GET' && access === 'session')
  .map(({ path }) => path)
const cookieLine = (session = aSession()): string => `cookie: ${cookieOf(session)}`

test.each(posts)(
  'POST %s answers before a byte of a form whose head does not speak for it',
  async (path, page) => {
    const line = `POST ${concrete(path)}`
    const visit = `cookie: cupel-visit=${'a'.repeat(43)}`
    const length = 'content-length: 60000'
    for (const [status, headers] of [
      [page.access === 'session' ? 303 : 403, [OWN, FORM, length]],
      [403, ['sec-fetch-site: cross-site', FORM, length, cookieLine()]],
      [403, [FORM, length, cookieLine()]],
      [415, [OWN, 'content-type: application/json', length, cookieLine()]],
      [
        413,
        [
          OWN,
          FORM,
          `content-length: ${MAX_FORM_BYTES + 1}`,
          page.access === 'session' ? cookieLine() : visit,
        ],
      ],
      [413, [OWN, UPLOAD, 'content-length: 3000000', page.access === 'session' ? cookieLine() : visit]],
    ] as const)
      expect((await answerTo(send(line, headers))).status, headers.join()).toBe(status)
    expect([api.calls, api.confirmed]).toEqual([[], []])
  },
)

test.each(sessionPosts)(
  'POST %s answers before a byte of a form whose session the API does not know',
  async (path) => {
    api.confirm = unknownSession
    const answer = await answerTo(
      send(`POST ${concrete(path)}`, [OWN, UPLOAD, 'content-length: 60000', cookieLine()]),
    )
    expect([answer.status, answer.location]).toEqual([303, '/sign-in'])
    expect(api.calls).toEqual([])
  },
)

test.each(sessionPages)('a self-made cookie does not open %s', async (path) => {
  api.confirm = unknownSession
  const answer = await answerTo(send(`GET ${concrete(path)}`, [cookieLine()]))
  expect([answer.status, answer.location?.startsWith('/sign-in')]).toEqual([303, true])
  expect(api.calls).toEqual([])
})

test('a cookie that names another account than its session opens nothing', async () => {
  const answer = await answerTo(send('GET /screen', [cookieLine(aSession({ accountId: 'acc_2' }))]))
  expect(answer.status).toBe(303)
})

test('a session that the API confirmed is not asked for again at once, and each session counts for itself', async () => {
  const [one, other] = [cookieLine(), cookieLine()]
  for (const line of [one, one, other]) await answerTo(send('GET /screen', [line]))
  expect(api.confirmed).toHaveLength(2)
})

test.each([
  ['fields', FORM, 'a&'.repeat(20_000)],
  ['parts', UPLOAD, '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(1_000)],
  ['empty parts', 'content-type: multipart/form-data; boundary="b"', '--b\r\n'.repeat(10_000)],
])('a form of too many %s is parsed by nobody', async (_, type, body) => {
  const headers = [OWN, type, `content-length: ${body.length}`, cookieLine()]
  expect((await answerTo(send('POST /sign-out', headers, body))).status).toBe(413)
  expect(api.calls).toEqual([])
})

test('a stranger has a few forms under way, and people with a session lose nothing', async () => {
  const visit = `cookie: cupel-visit=${'a'.repeat(43)}`
  const unfinished = (): Sent => send('POST /sign-in', [OWN, FORM, 'content-length: 60000', visit], 'csrf=')
  const held = Array.from({ length: strangerBudgetLimits.maxBodiesPerClient }, unfinished)
  await until(async () => expect((await answerTo(unfinished())).status).toBe(503))
  const session = aSession()
  const body = new URLSearchParams({ csrf: csrfToken(session.token) }).toString()
  const headers = [OWN, FORM, `content-length: ${body.length}`, cookieLine(session)]
  expect((await answerTo(send('POST /sign-out', headers, body))).status).toBe(303)
  for (const { socket } of held) socket.destroy()
})

test('a file is read in a thread, and its first rows, column and addresses are shown', async () => {
  const session = aSession()
  const form = new FormData()
  form.set('csrf', csrfToken(session.token))
  const rows = Array.from({ length: 300 }, (_, at) => `n${at},0x${at.toString(16).padStart(40, '0')}`)
  form.set('file', new Blob([['name,address', ...rows].join('\n')]), 'a.csv')
  const answer = await fetch(`${front.url}/bulk/preview`, {
    ...{ method: 'POST', body: form },
    headers: { cookie: cookieOf(session), 'sec-fetch-site': 'same-origin' },
  })
  const text = await answer.text()
  expect(answer.status).toBe(200)
  expect(text).toContain('300 addresses')
  expect(text).toContain('<code>n7</code>')
})
