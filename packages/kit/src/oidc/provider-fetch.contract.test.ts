/** The sign-in service is asked, and not trusted: nothing that it answers leads elsewhere or is read without end. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFetch } from './provider.js'

const MOST_BYTES = 1_048_576

let server: Server
let origin: string
let asked: string[]
let answer: RequestListener
beforeEach(async () => {
  asked = []
  server = createServer((request, response) => {
    asked.push(request.url!)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const fetched = (url = `${origin}/keys`) =>
  createFetch(new Set([origin]))(url, {
    ...{ method: 'GET', headers: {}, body: undefined, redirect: 'manual' },
  })

test.each([301, 302, 303, 307, 308])(
  'a redirect (%i) of the sign-in service is not followed',
  async (status) => {
    answer = (_, response) => response.writeHead(status, { location: `${origin}/elsewhere` }).end()
    expect((await fetched()).ok).toBe(false)
    expect(asked).toEqual(['/keys'])
  },
)

test('an answer of the sign-in service is read up to its limit and no further', async () => {
  answer = (_, response) => response.end(Buffer.alloc(MOST_BYTES))
  expect((await (await fetched()).arrayBuffer()).byteLength).toBe(MOST_BYTES)
  answer = (_, response) => {
    response.on('error', () => undefined)
    // Only between two turns of the event loop is the end of the connection seen.
    const more = (): void => {
      if (response.socket?.destroyed === false) response.write(Buffer.alloc(65_536), () => setImmediate(more))
    }
    more()
  }
  await expect(fetched()).rejects.toThrow('too large')
})

test('an origin that the settings do not name is not asked', async () => {
  answer = (_, response) => response.end()
  await expect(fetched(origin.replace('127.0.0.1', 'localhost'))).rejects.toThrow('not a configured origin')
  expect(asked).toEqual([])
})
