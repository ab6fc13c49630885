import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { openKeepAlivePool, postRequest, type KeepAlivePool } from './keep-alive-pool.js'

const closing: (() => void)[] = []
afterEach(() => closing.splice(0).forEach((close) => close()))

async function serve(answer: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

function poolOf(url: string, connections = 1, timeoutMs = 5_000): KeepAlivePool {
  const pool = openKeepAlivePool({ url, connections, timeoutMs })
  closing.push(() => pool.close())
  return pool
}

test('bodies go out and come back whole, over as many connections as were asked for', async () => {
  const sockets = new Set<unknown>()
  const { url } = await serve((request, response) => {
    sockets.add(request.socket)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      response.writeHead(body.toString() === '"refused"' ? 429 : 200, { 'content-length': body.length })
      // Writes two pieces, so that an answer arrives in several.
      response.write(body.subarray(0, 2))
      setImmediate(() => response.end(body.subarray(2)))
    })
  })
  const pool = poolOf(url, 3)
  const texts = [...Array.from({ length: 40 }, (_, index) => JSON.stringify(`body ${index} é`)), '"refused"']
  const answers = await Promise.all(texts.map((text) => pool.exchange(postRequest(url, '/v1/x', {}, text))))
  expect(answers.map(({ body }) => body.toString())).toEqual(texts)
  expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 40 }, () => 200), 429])
  expect(sockets.size).toBe(3)
})

test('a connection that breaks fails its request and no other one', async () => {
  let calls = 0
  const { url } = await serve((request, response) => {
    calls += 1
    request.resume()
    if (calls === 1) request.socket.destroy()
    else response.writeHead(200, { 'content-length': 2 }).end('ok')
  })
  const pool = poolOf(url)
  const request = postRequest(url, '/', {}, '{}')
  const [first, second] = await Promise.allSettled([pool.exchange(request), pool.exchange(request)])
  expect(first.status).toBe('rejected')
  expect(second).toMatchObject({ status: 'fulfilled', value: { status: 200 } })
})

test('silence and answers of another form are errors', async () => {
  const silent = createTcpServer(() => undefined)
  const odd = createTcpServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nuntil the end'))
  const urls: string[] = []
  for (const server of [silent, odd]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => server.close())
    urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  }
  await expect(poolOf(urls[0]!, 1, 50).exchange(postRequest(urls[0]!, '/', {}, '{}'))).rejects.toThrow(
    'no answer',
  )
  await expect(poolOf(urls[1]!).exchange(postRequest(urls[1]!, '/', {}, '{}'))).rejects.toThrow(
    'Content-Length',
  )
})
