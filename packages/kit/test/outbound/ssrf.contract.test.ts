/**
 * No name or address that a stranger gives leads inside. The tests judge by a listener on every address of this machine that must not
 * be reached, and by every connection that the process requested from the system, not by the words of an error.
 */
import { createServer, isIPv4, Socket, type AddressInfo, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createOutboundClient, NameNotFound, parseAllowedRanges } from '../../src/outbound/index.js'
import { createResolver } from '../../src/outbound/resolve-name.js'
import { judgeAddress } from '../../src/outbound/special-addresses.js'
import { startNameServer } from './name-server.js'
import { OUTSIDE_ADDRESSES, vectors } from './ssrf-vectors.js'

let listener: Server
let port: number
let reached = 0
const dialled: string[] = []
beforeAll(async () => {
  listener = createServer((socket) => {
    reached += 1
    socket.on('error', () => undefined)
    socket.resume().end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')
  })
  // Listens on every address of both families.
  await new Promise<void>((resolve) => listener.listen(0, '::', resolve))
  port = (listener.address() as AddressInfo).port
  const connect = Socket.prototype.connect
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    const [options] = args.flat() as [{ host?: string; port?: number; path?: string }]
    dialled.push(`${options.host ?? options.path ?? '?'}:${options.port ?? ''}`)
    return Reflect.apply(connect, this, args) as Socket
  })
})
afterAll(async () => {
  vi.restoreAllMocks()
  await new Promise((resolve) => listener.close(resolve))
})

const message = { headers: { 'content-type': 'application/json' }, body: '{}' }
const withPort = (url: string): string => url.replaceAll('PORT', String(port))
/** Gives the answers in turn, and repeats the last one for ever. */
function answering(answers: readonly (readonly string[])[]) {
  let turn = 0
  return async () => {
    const answer = answers[Math.min(turn++, answers.length - 1)] ?? []
    if (answer.length === 0) throw new NameNotFound('none')
    return answer
  }
}

test('the corpus has at least 300 vectors, each of them once', () => {
  const distinct = new Set(vectors.map(({ url, answers }) => JSON.stringify([url, answers])))
  expect(distinct.size).toBe(vectors.length)
  expect(vectors.length).toBeGreaterThanOrEqual(300)
})

test('no vector reaches the listener, and none makes the process dial', async () => {
  reached = 0
  dialled.length = 0
  for (const { what, url, answers = [[]] } of vectors) {
    const client = createOutboundClient({
      allow: [],
      ports: [443, port],
      resolve: answering(answers),
      timeoutMs: 2_000,
    })
    const result = await client.post({ ...message, url: withPort(url) })
    await client.close()
    expect(result.kind, what).toBe('failed')
    expect(dialled, what).toEqual([])
    expect(reached, what).toBe(0)
  }
})

test('own addresses are refused, global ones too', async () => {
  const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address))
  dialled.length = 0
  for (const address of [...own, '8.8.8.8']) {
    const client = createOutboundClient({ allow: [], ports: [port], ownAddresses: () => [...own, '8.8.8.8'] })
    const host = isIPv4(address) ? address : `[${address}]`
    expect(await client.post({ ...message, url: `https://${host}:${port}/` })).toMatchObject({
      error: 'url_refused',
    })
    await client.close()
  }
  expect(dialled).toEqual([])
})

test('the same listener is reached once its range is opened: it was the judge that kept it from being reached', async () => {
  reached = 0
  const client = createOutboundClient({ allow: parseAllowedRanges(['127.0.0.0/8', '::1']) })
  for (const host of ['127.0.0.1', '[::1]', '[0:0::1]', 'localhost', 'receiver.localhost.'])
    expect(await client.post({ ...message, url: `http://${host}:${port}/` })).toMatchObject({
      statusCode: 204,
    })
  expect(reached).toBe(5)
  // A range opens only itself, in its own family.
  for (const host of ['10.0.0.1', '[::ffff:127.0.0.1]', '[::2]', '0.0.0.0'])
    expect(await client.post({ ...message, url: `http://${host}:${port}/` })).toMatchObject({
      error: 'url_refused',
    })
  expect(reached).toBe(5)
  await client.close()
})

test.each([
  ['169.254.0.0/16', '169.254.169.254'],
  ['169.254.170.2', '169.254.170.2'],
  ['100.64.0.0/10', '100.100.100.200'],
  ['168.63.129.16/32', '168.63.129.16'],
  ['fd00::/8', '[fd00:ec2::254]'],
  ['fc00::/7', '[fd20:ce:0::0254]'],
  ['::ffff:169.254.0.0/112', '[::ffff:169.254.169.254]'],
])('a setting that opens %s does not open the credentials of a cloud at %s', async (range, host) => {
  const client = createOutboundClient({
    allow: parseAllowedRanges([range]),
    resolve: answering([[host.replace(/[[\]]/g, '')]]),
  })
  for (const url of [`http://${host}/latest/meta-data`, 'http://metadata.example/'])
    expect(await client.judge(url)).toMatchObject({ ok: false, kind: 'refused' })
  await client.close()
})

test.each(OUTSIDE_ADDRESSES)(
  '%s is let through, by itself and as what a name resolves to',
  async (address) => {
    const client = createOutboundClient({
      allow: [],
      resolve: answering([[address]]),
      ownAddresses: () => [],
    })
    expect(judgeAddress(address)).toEqual({ isGlobal: true })
    const host = isIPv4(address) ? address : `[${address}]`
    for (const url of [
      `https://${host}/hook`,
      'https://receiver.example/hook',
      'https://receiver.example:8443/',
    ])
      expect(await client.judge(url)).toMatchObject({ ok: true, target: { addresses: [address] } })
    expect((await client.judge('http://receiver.example/')).ok).toBe(false)
    await client.close()
  },
)

test('a name that resolves outside when judged and inside when dialled is dialled where it was judged', async () => {
  // Rebinding: every look-up alternates between an opened address, which stands for the outside, and an inside one.
  let turn = 0
  const server = await startNameServer((_name, type) =>
    type === 'A' ? [turn++ % 2 === 0 ? '127.0.0.9' : '127.0.0.1'] : [],
  )
  const client = createOutboundClient({
    allow: parseAllowedRanges(['127.0.0.9']),
    resolve: createResolver({ servers: [server.address] }),
  })
  reached = 0
  dialled.length = 0
  const kinds: string[] = []
  for (let call = 0; call < 20; call += 1)
    kinds.push((await client.post({ ...message, url: `http://rebind.example:${port}/` })).kind)
  expect(new Set(dialled)).toEqual(new Set([`127.0.0.9:${port}`]))
  expect(kinds.filter((kind) => kind === 'answered')).toHaveLength(10)
  expect(reached).toBe(10)
  expect(server.asked.filter((question) => question === 'A rebind.example')).toHaveLength(20)
  await client.close()
  await server.close()
})

test('a connection kept open is not used for a name that has moved', async () => {
  const addresses = ['127.0.0.9', '127.0.0.8']
  let turn = 0
  const client = createOutboundClient({
    allow: parseAllowedRanges(['127.0.0.8/31']),
    resolve: async () => [addresses[turn]!],
  })
  dialled.length = 0
  for (turn of [0, 1, 0]) await client.post({ ...message, url: `http://moved.example:${port}/` })
  expect(dialled).toEqual([`127.0.0.9:${port}`, `127.0.0.8:${port}`, `127.0.0.9:${port}`])
  await client.close()
})

test('name servers that fail or say nothing end the call in time and lead nowhere', async () => {
  const server = await startNameServer((name) =>
    name.startsWith('silent') ? 'silence' : name.startsWith('fails') ? 'servfail' : [],
  )
  const resolve = createResolver({ servers: [server.address] })
  const client = createOutboundClient({ allow: [], resolve })
  const impatient = createOutboundClient({ allow: [], resolve, timeoutMs: 1_000 })
  dialled.length = 0
  const post = (name: string, by = client) => by.post({ ...message, url: `https://${name}.example/` })
  expect(await post('silent', impatient)).toMatchObject({ error: 'timeout' })
  expect(await post('fails')).toMatchObject({ error: 'name_unresolved' })
  expect(await post('empty')).toMatchObject({ error: 'name_unresolved' })
  expect(dialled).toEqual([])
  await client.close()
  await impatient.close()
  await server.close()
})
