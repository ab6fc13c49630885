/** A receiver of webhooks that a test steers. It keeps the received messages. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { signWebhook } from '@cupel/webhooks'

export interface Received {
  readonly atMs: number
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Reaction = (request: IncomingMessage, response: ServerResponse) => void

export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** Its reaction from now on. */
  react: Reaction
  close(): Promise<void>
}

export const answer =
  (status: number, headers: Record<string, string> = {}, body = ''): Reaction =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body)

/** Whether one of the signatures of the message is of this secret. The official library verifies the same signatures in a test of them. */
export function isSignedWith({ headers, body }: Received, secret: string): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(
    (name) => headers[`webhook-${name}`],
  )
  const expected = signWebhook({ id: String(id), timestampSeconds: Number(timestamp), body }, [secret])
  return String(signatures).split(' ').includes(expected)
}

export async function startReceiver(address = '127.0.0.1'): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({
        atMs: performance.now(),
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      })
      receiver.react(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, address, 1_024, resolve))
  const receiver: Receiver = {
    url: `http://${address}:${(server.address() as AddressInfo).port}`,
    received,
    react: answer(204),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return receiver
}
