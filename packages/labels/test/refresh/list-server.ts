/** A publisher on this machine whose answers the test sets. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ListServer {
  readonly url: string
  readonly port: number
  /** The requests received so far, with their headers. */
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[]
  /** Answers the next requests. */
  answer: (request: IncomingMessage, response: ServerResponse) => void
  /** Answers with the text and its ETag, or 304 if the client has it. */
  serve(text: string, headers?: Readonly<Record<string, string>>): void
  close(): Promise<void>
}

export async function startListServer(): Promise<ListServer> {
  const requests: ListServer['requests'] = []
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers })
    list.answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const list: ListServer = {
    url: `http://127.0.0.1:${port}/list.csv`,
    port,
    requests,
    answer: (_request, response) => response.writeHead(404).end(),
    serve(text, headers = {}) {
      const etag = `"${Buffer.from(text).toString('base64url').slice(-40)}"`
      list.answer = (request, response) => {
        if (request.headers['if-none-match'] === etag) response.writeHead(304).end()
        else response.writeHead(200, { etag, ...headers }).end(text)
      }
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return list
}
