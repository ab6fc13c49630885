/** A registry of schemas that gives a subscriber no more than docs/subscribers.md says: a schema by its id. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface NarrowRegistry {
  readonly url: string
  /** Every call that was refused, as method and path. */
  readonly refused: readonly string[]
  /** Number of schemas that were given out. */
  readonly given: () => number
  close(): Promise<void>
}

const ALLOWED = /^\/schemas\/ids\/\d+$/

/** `registry`: base address of the one that has the schemas. */
export async function startNarrowRegistry(registry: string): Promise<NarrowRegistry> {
  const refused: string[] = []
  let given = 0
  const server = createServer(({ method, url }, response) => {
    const { pathname } = new URL(url!, 'http://registry')
    if (method !== 'GET' || !ALLOWED.test(pathname)) {
      refused.push(`${method} ${pathname}`)
      response.writeHead(403).end()
      return
    }
    given += 1
    fetch(`${registry}${pathname}`)
      .then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': 'application/json' })
        response.end(await answer.text())
      })
      .catch(() => response.writeHead(502).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused,
    given: () => given,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
