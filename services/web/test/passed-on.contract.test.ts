/** Answers of the API that the console passes on, and people who take long to read them. */
import { connect, type Socket } from 'node:net'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { aSession, cookieOf, json, startFakeApi, startFront, type FakeApi } from './fake-api.js'

const DOWNLOAD = '/reports/0f9a3c4d5e6b7a81/pdf'
const STREAM = '/bulk/job_01a1fed9e82c711a83efefd02af5ded7/events'
const LIMIT_OF_ACCOUNT = 32
const CONNECTIONS_OF_PAGES = 256

let api: FakeApi
let front: Awaited<ReturnType<typeof startFront>>
let sockets: Socket[] = []
beforeAll(async () => {
  api = await startFakeApi()
  front = await startFront(api)
  // Every cookie is that of its account.
  api.confirm = ({ headers }, response) =>
    json(200, { account_id: accounts.get(headers.authorization!) })(null as never, response)
})
afterAll(async () => {
  await front.close()
  await api.close()
})
beforeEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  api.calls.length = 0
})

const accounts = new Map<string, string>()

function cookieFor(accountId: string): string {
  const session = aSession({ accountId })
  accounts.set(`Bearer ${session.token}`, accountId)
  return cookieOf(session)
}

/** Sends a request and reads nothing of its answer. */
function ask(path: string, cookie: string): Socket {
  const { hostname, port, host } = new URL(front.url)
  const socket = connect(Number(port), hostname).pause()
  socket.on('error', () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`)
  sockets.push(socket)
  return socket
}

const get = (path: string, cookie: string): Promise<Response> =>
  fetch(front.url + path, {
    headers: { cookie },
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
  })

/** Streams never end; everything else is answered at once. */
const answerStreams: FakeApi['answer'] = (call, response) => {
  if (!call.path.endsWith('/events')) return json(200, { items: [], next_page_token: null })(call, response)
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n')
}

test('more streams than pages have connections delay no page of anybody', async () => {
  api.answer = answerStreams
  const accountIds = Array.from({ length: 10 }, (_, index) => `acc_${index}`)
  for (const accountId of accountIds) {
    const cookie = cookieFor(accountId)
    for (let count = 0; count < LIMIT_OF_ACCOUNT; count += 1) ask(STREAM, cookie)
  }
  await until(() => expect(api.calls.length).toBeGreaterThanOrEqual(CONNECTIONS_OF_PAGES))
  expect((await get('/history', cookieFor('acc_other'))).status).toBe(200)
})

test.each([STREAM, DOWNLOAD])(
  'an account has so many of %s under way, and another account loses nothing',
  async (path) => {
    api.answer = (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/plain' }).write('a part')
    const cookie = cookieFor(path)
    for (let count = 0; count < LIMIT_OF_ACCOUNT; count += 1) ask(path, cookie)
    // Those of the test before may still come.
    const ofAccount = () => api.calls.filter(({ headers }) => accounts.get(headers.authorization!) === path)
    await until(() => expect(ofAccount()).toHaveLength(LIMIT_OF_ACCOUNT))
    expect((await get(path, cookie)).status).toBe(503)
    const other = await get(path, cookieFor('acc_one'))
    expect(other.status).toBe(200)
    await other.body!.cancel()
    for (const socket of sockets) socket.destroy()
    await until(async () => {
      const again = await get(path, cookie)
      await again.body!.cancel()
      expect(again.status).toBe(200)
    })
  },
)
