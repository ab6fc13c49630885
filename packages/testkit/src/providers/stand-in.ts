/** A stand-in of a public API of chain data: the answer to each question, and a server that gives these answers. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StandInQuestion {
  readonly method: string
  readonly url: URL
  /** Parsed JSON body; undefined without one. */
  readonly body: unknown
  /** The port of whoever asks over HTTP. */
  readonly port?: number | undefined
}

export interface StandInAnswer {
  readonly status: number
  /** A text is sent as it is. */
  readonly body: unknown
}

export type StandIn = (question: StandInQuestion) => StandInAnswer

export const answered = (body: unknown, status = 200): StandInAnswer => ({ status, body })

/** Whole numbers keep every digit. */
export const renderAnswer = (body: unknown): string =>
  typeof body === 'string'
    ? body
    : JSON.stringify(body, (_key, value: unknown) =>
        typeof value === 'bigint' ? `bigint:${value}` : value,
      ).replace(/"bigint:(\d+)"/g, '$1')

export interface StandInServer {
  readonly url: string
  readonly asked: readonly StandInQuestion[]
  close(): Promise<void>
}

/** Serves the stand-in on a port of this machine. An answer may be a promise: whoever asks waits. */
export async function serveStandIn(
  standIn: (question: StandInQuestion) => StandInAnswer | Promise<StandInAnswer>,
): Promise<StandInServer> {
  const asked: StandInQuestion[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const question: StandInQuestion = {
        method: request.method ?? '',
        url: new URL(request.url ?? '', 'http://provider'),
        body: text === '' ? undefined : JSON.parse(text),
        port: request.socket.remotePort,
      }
      asked.push(question)
      void Promise.resolve(standIn(question)).then(({ status, body }) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(renderAnswer(body)),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)))
        server.closeAllConnections()
      }),
  }
}
