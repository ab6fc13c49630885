/** How a list is asked for: which headers go to which host, and when a proxy is asked. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fetchList, noValidators, type Fetched } from '../../src/refresh/fetch-list.js'
import { parseRefreshPlan } from '../../src/refresh/refresh-plan.js'
import { startListServer, type ListServer } from './list-server.js'

const folder = mkdtempSync(join(tmpdir(), 'cupel-requests-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let server: ListServer
let storage: ListServer
beforeEach(async () => {
  ;[server, storage] = [await startListServer(), await startListServer()]
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all([server.close(), storage.close()])
})

async function fetched(entry: object): Promise<Fetched> {
  const [list] = parseRefreshPlan(
    JSON.stringify({ lists: [{ set: 'sdn', format: 'ofac-xml', every: '6h', ...entry }] }),
  )
  return await fetchList(list!.place, {
    ...{ maxBytes: 1_000, timeoutMs: 5_000, notBefore: undefined, validators: noValidators },
    ...{ folder, fileName: 'list', signal: new AbortController().signal },
  })
}

describe('headers and the user agent of an entry', () => {
  const entry = (): object => ({
    url: server.url,
    hosts: [`127.0.0.1:${storage.port}`],
    headers: { 'X-Api-Key': 'a secret' },
    user_agent: 'Mozilla/5.0 (a browser)',
  })

  test('are sent, and the key of the server does not follow a redirect', async () => {
    server.answer = (_request, response) => response.writeHead(302, { location: storage.url }).end()
    storage.serve('a list')
    expect(await fetched(entry())).toMatchObject({ kind: 'fetched' })
    const [asked, followed] = [server.requests[0]!.headers, storage.requests[0]!.headers]
    expect(asked).toMatchObject({ 'x-api-key': 'a secret', 'user-agent': 'Mozilla/5.0 (a browser)' })
    expect(followed).toMatchObject({ 'user-agent': 'Mozilla/5.0 (a browser)', 'accept-encoding': 'identity' })
    expect(followed['x-api-key']).toBeUndefined()
  })

  test('without them the server learns that Cupel asks', async () => {
    server.serve('a list')
    await fetched({ url: server.url })
    expect(server.requests[0]!.headers['user-agent']).toBe('cupel-label-refresh')
  })

  test.each([
    [{ headers: { Host: 'elsewhere.example' } }],
    [{ headers: { 'accept-encoding': 'gzip' } }],
    [{ headers: { 'if-none-match': '"1"' } }],
    [{ headers: { 'x-key': 'a\r\nhost: elsewhere.example' } }],
    [{ headers: { 'x key': 'a' } }],
    [{ user_agent: '' }],
    [{ user_agent: 'a\nb' }],
    [{ url: undefined, path: '/lists', user_agent: 'a browser' }],
    [{ url: undefined, path: '/lists', headers: { 'x-key': 'a' } }],
  ])('of %j are refused with the plan', async (changes) => {
    await expect(fetched({ url: server.url, ...changes })).rejects.toThrow('not a valid refresh plan')
  })
})

describe('a list that may not be whole is refused', () => {
  test.each([
    ['ends before its length', 'content-length: 12\r\n\r\nhalf', 'unreachable'],
    ['ends before its last chunk', 'transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n', 'unreachable'],
    ['ends with the connection', 'connection: close\r\n\r\nhalf', 'no-length'],
    ['has an encoding without chunks', 'transfer-encoding: identity\r\n\r\nhalf', 'no-length'],
  ])('if it %s', async (_what, answer, failure) => {
    server.answer = (request) => void request.socket.end(`HTTP/1.1 200 OK\r\n${answer}`)
    expect(await fetched({ url: server.url })).toMatchObject({ kind: 'failed', failure })
  })
})

describe('a proxy of the environment', () => {
  let proxy: Server
  const tunnels: string[] = []
  const plain: string[] = []
  beforeEach(async () => {
    tunnels.length = plain.length = 0
    proxy = createServer((request, response) => {
      plain.push(request.url ?? '')
      response.writeHead(200).end('not the list')
    })
    proxy.on('connect', (request, socket) => {
      tunnels.push(request.url ?? '')
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']) vi.stubEnv(name, address)
    for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, '')
  })
  afterEach(async () => {
    proxy.closeAllConnections()
    await new Promise((resolve) => proxy.close(resolve))
  })

  test('tunnels https to the declared host, and its failure is a failure of the download', async () => {
    expect(await fetched({ url: 'https://lists.invalid/sdn.xml' })).toMatchObject({ kind: 'failed' })
    expect(tunnels).toEqual(['lists.invalid:443'])
    expect(plain).toEqual([])
  })

  test('is left out for a host of NO_PROXY', async () => {
    for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, 'lists.invalid')
    expect(await fetched({ url: 'https://lists.invalid/sdn.xml' })).toMatchObject({ kind: 'failed' })
    expect(tunnels).toEqual([])
  })

  test('is never asked for http on this machine: its machine is another, and it could exchange the list', async () => {
    server.serve('a list')
    expect(await fetched({ url: server.url })).toMatchObject({ kind: 'fetched' })
    expect([...tunnels, ...plain]).toEqual([])
  })

  test('lets no redirect lead to a host that is not declared', async () => {
    server.answer = (_request, response) =>
      response.writeHead(302, { location: 'https://elsewhere.invalid/sdn.xml' }).end()
    expect(await fetched({ url: server.url })).toMatchObject({ failure: 'redirect-refused' })
    expect(tunnels).toEqual([])
  })
})
